import type { Command } from "commander";
import { convertStore, type ConvertProgress } from "../store/convert-store.ts";
import { formatCount, formatNumber } from "./format.ts";
import { Progress } from "./progress.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<"database">;

/** Adds `lectern convert`. */
export function addConvertCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("convert")
    .summary("bring what earlier versions have stored into the form of this one")
    .description(
      "Compresses the documents that an earlier version has stored as text, and stores the digests that it has not stored, in " +
        "short transactions: servers, imports and keys go on meanwhile. No content changes. It can be stopped at any time; " +
        "the next run does the rest.",
    );
  addSettings(command, ["database"])
    .addHelpText("after", "\nExample:\n  lectern convert --database postgres://lectern_owner@db.internal/catalog")
    .action((options: Options) => convert(options, terminal));
}

async function convert({ database }: Options, terminal: Terminal): Promise<void> {
  let shown: { table: string; progress: Progress } | undefined;
  const tell = ({ table, rows, total, converted }: ConvertProgress): void => {
    if (shown?.table !== table) {
      shown = { table, progress: new Progress(terminal, { doing: `Converting ${table}`, noun: "row", total }) };
    }
    shown.progress.tell(rows, `${formatNumber(converted)} converted`);
  };
  const tables = await convertStore(database, tell).finally(() => shown?.progress.end());
  const [courses = 0, lessons = 0, contents = 0] = tables.map((table) => table.converted);
  const parts = [
    courses + lessons > 0 &&
      `Converted ${formatCount(courses, "course version")} and ${formatCount(lessons, "lesson")}.`,
    contents > 0 && `Stored the digests of ${formatCount(contents, "course version")}.`,
  ].filter((part) => part !== false);
  terminal.print(parts.length === 0 ? "Nothing to convert." : parts.join(" "));
}
