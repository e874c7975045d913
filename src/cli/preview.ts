import { Option, type Command } from "commander";
import { settings, type SettingValues } from "./settings.ts";
import { addReadingOptions, createFormatOption, type ReadingOptions } from "./source-options.ts";
import type { Terminal } from "./terminal.ts";

export type PreviewOptions = SettingValues<"maxAssetSize" | "lessonUrl"> &
  ReadingOptions & { port: number; open?: boolean; format?: string };

/** Adds `lectern preview`. */
export function addPreviewCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("preview")
    .alias("dev")
    .summary("see courses in the browser while you write them")
    .description(
      "Shows the courses of FOLDER, drafts too, on a page for this machine only, and shows each saved file at once. What is " +
        "wrong is told here and on the page, which keeps the last good state. Nothing stays behind when it ends.",
    )
    .argument("<FOLDER>", "a folder that is a course, or holds one folder per course")
    .addOption(
      new Option("--port <N>", "port of the page; 0 takes a free one").default(0).argParser(settings.port.parse),
    )
    .option("--open", "open the page in the browser of the system");
  addReadingOptions(command, ["maxAssetSize", "lessonUrl", "answers"])
    .addOption(createFormatOption())
    .addHelpText(
      "after",
      `
Examples:
  lectern preview courses
  lectern preview courses --open
  lectern preview courses --port 4000

Ctrl-C ends it.`,
    )
    .action(async (path: string, options: PreviewOptions) => {
      const { runPreview } = await import("./run-preview.ts");
      await runPreview(path, options, terminal);
    });
}
