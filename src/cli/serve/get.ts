import type { Command } from "commander";
import { askStore } from "./ask-store.ts";
import { CommandFailure } from "../failure.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withStore, type Session } from "../with-store.ts";

const SETTINGS = ["database", "assets", "project", "channel", "searchDir"] as const;

type Options = SettingValues<(typeof SETTINGS)[number], "project"> & { drafts?: boolean };

export function addGetCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("get <PATH>"), SETTINGS)
    .option("--drafts")
    .action((path: string, options: Options) => {
      if (!path.startsWith("/"))
        throw new CommandFailure(`Invalid PATH \`${path}\`. A path begins with a slash: /api/v1/courses.`);
      return withStore(terminal, options, (session) => getPath(session, path, options));
    });
}

async function getPath(session: Session, path: string, options: Options): Promise<void> {
  const { response, text, fault } = await askStore(session, options, path);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  session.terminal.print([`HTTP ${response.status}`, ...headers, "", text].join("\n"));
  if (!response.ok) throw fault ?? new CommandFailure(`The status is ${response.status}.`);
}
