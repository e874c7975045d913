import { Option, type Command } from "commander";
import { copyStore } from "../store/copy-store.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatNumber } from "./format.ts";
import { Progress } from "./progress.ts";
import { parseDatabaseUrl } from "./settings/database-settings.ts";
import { formatTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";

interface Options {
  from: string;
  to: string;
}

/** Adds `lectern copy`. */
export function addCopyCommand(program: Command, terminal: Terminal): void {
  const option = (flag: string, description: string): Option =>
    new Option(`--${flag} <URL>`, description).argParser(parseDatabaseUrl(flag)).makeOptionMandatory();
  program
    .command("copy")
    .summary("copy everything into another database")
    .description(
      "Copies releases, channels, publications, keys and hooks of all projects into a database that is empty, such as from " +
        "SQLite to PostgreSQL, and reads the copy back to compare digests. Changes that are made meanwhile are not copied.",
    )
    .addOption(option("from", "database to copy: sqlite:PATH or postgres://…"))
    .addOption(option("to", "database to fill: a SQLite file is made, a database of PostgreSQL must be there"))
    .addHelpText(
      "after",
      "\nExample:\n  lectern copy --from sqlite:./data/lectern.db --to postgres://lectern@localhost/catalog",
    )
    .action((options: Options) => copy(options, terminal));
}

async function copy({ from, to }: Options, terminal: Terminal): Promise<void> {
  if (from === to) throw new CommandFailure("--from and --to name the same database.", EXIT.usage);
  let progress: Progress | undefined;
  let part = "";
  const digests = await copyStore(from, to, (doing, rows, total) => {
    if (doing !== part) progress = new Progress(terminal, { doing, noun: "row", total });
    part = doing;
    progress?.tell(rows);
  }).finally(() => progress?.end());
  const rows = digests.map(({ table, rows: count, digest }) => [table, formatNumber(count), digest]);
  terminal.print(formatTable({ head: ["TABLE", "ROWS", "SHA-256"], rows, cuts: ["SHA-256"] }, terminal.output));
  terminal.print("The copy is equal.");
}
