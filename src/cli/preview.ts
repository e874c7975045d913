import { Option, type Command } from "commander";
import { createFormatOption } from "./source-format.ts";
import { addSettings, settings, type SettingName, type SettingValues } from "./settings.ts";
import { LIMIT_SETTINGS, type LimitOptions } from "./source-limits.ts";
import type { Terminal } from "./terminal.ts";

const PREVIEW_SETTINGS = [
  "assetBase",
  "maxAssetSize",
  "lessonUrl",
  "fw",
  "answers",
  ...LIMIT_SETTINGS,
] as const satisfies SettingName[];

export type PreviewOptions = SettingValues<"assetBase" | "maxAssetSize" | "lessonUrl" | "fw" | "answers"> &
  LimitOptions & { port: number; open?: boolean; format?: string; withInstructors?: boolean };

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
  addSettings(command, [...PREVIEW_SETTINGS])
    .addOption(createFormatOption())
    .option("--with-instructors", "read what is meant for those who teach, too (Carpentries)")
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
