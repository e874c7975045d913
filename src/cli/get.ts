import type { Command } from "commander";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

export type GetOptions = SettingValues<"database" | "assets" | "project" | "channel", "project"> & { drafts?: boolean };

/** Adds `lectern get`. */
export function addGetCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("get")
    .summary("answer one request without a server")
    .description(
      "Answers one request in this process, as a server on this database would for a key of the project, and prints " +
        "status, headers and body. No server and no key are needed.",
    )
    .argument("<PATH>", "path and query, such as '/api/v1/courses?name=maps'");
  addSettings(command, ["database", "assets", "project", "channel"], ["project"])
    .option("--drafts", "as a key that reads drafts too")
    .addHelpText(
      "after",
      `
Examples:
  lectern get /api/v1/courses --project demo
  lectern get '/api/v1/courses/coffee?release=1' --project demo --channel pr-42`,
    )
    .action(async (path: string, options: GetOptions) => {
      const { getPath } = await import("./get-path.ts");
      await getPath(path, options, terminal);
    });
}
