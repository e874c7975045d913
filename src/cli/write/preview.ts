import { Option, type Command } from "commander";
import { settings, type SettingValues } from "../settings/settings.ts";
import { addReadingOptions, type ReadingOptions } from "./source-options.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type PreviewOptions = SettingValues<"maxAssetSize" | "lessonUrl"> &
  ReadingOptions & { port: number; open?: boolean };

export function addPreviewCommand(program: Command, terminal: Terminal): void {
  addReadingOptions(program.command("preview <FOLDER>").alias("dev"), ["maxAssetSize", "lessonUrl", "answers"])
    .addOption(new Option("--port <N>").default(0).argParser(settings.port.parse))
    .option("--open")
    .action(async (path: string, options: PreviewOptions) => {
      const { runPreview } = await import("./run-preview.ts");
      await runPreview(path, options, terminal);
    });
}
