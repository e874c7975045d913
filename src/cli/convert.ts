import type { Command } from "commander";
import { convertStore, type ConvertProgress } from "../store/convert-store.ts";
import { formatCount } from "./format.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** Progress is printed after this many rows. */
const ROWS_PER_LINE = 20_000;

type Options = SettingValues<"database">;

/** Adds `lectern convert`. */
export function addConvertCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("convert")
    .summary("compress what earlier versions have stored as text")
    .description(
      "Compresses the documents that an earlier version has stored as text, in short transactions: servers, imports and " +
        "keys go on meanwhile. No content changes. It can be stopped at any time; the next run does the rest.",
    );
  addSettings(command, ["database"])
    .addHelpText("after", "\nExample:\n  lectern convert --database postgres://lectern_owner@db.internal/catalog")
    .action((options: Options) => convert(options, terminal));
}

async function convert({ database }: Options, terminal: Terminal): Promise<void> {
  let told = 0;
  const [courses, lessons] = await convertStore(database, ({ table, rows, total }: ConvertProgress) => {
    if (rows < told) told = 0;
    if (rows - told < ROWS_PER_LINE) return;
    told = rows;
    terminal.note(`${table}: ${rows.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} rows`);
  });
  const changed = [
    formatCount(courses?.converted ?? 0, "course version"),
    formatCount(lessons?.converted ?? 0, "lesson"),
  ];
  terminal.print(
    (courses?.converted ?? 0) + (lessons?.converted ?? 0) === 0
      ? "Nothing to convert."
      : `Converted ${changed.join(" and ")}.`,
  );
}
