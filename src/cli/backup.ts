import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { ExpectedError } from "../catalog/expected-error.ts";
import { backUp, UNFINISHED_BACKUP } from "../store/backup-store.ts";
import { removeAbandoned } from "./abandoned-files.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatNumber } from "./format.ts";
import { Progress } from "./progress.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<"database">;

/** Adds `lectern backup`. */
export function addBackupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("backup")
    .summary("copy a SQLite database into a file, while it is in use")
    .description(
      "Copies a SQLite database, as it is at one moment, into a new file that only its owner can read, and checks it. " +
        "Servers and imports go on. A backup that fails or is stopped never leaves a file of that name.",
    )
    .argument("<FILE>", "the file to make; there must be none");
  addSettings(command, ["database"])
    .addHelpText("after", "\nExample:\n  lectern backup /var/backups/catalog-2026-11-20.db")
    .action((file: string, options: Options) => backUpDatabase(file, options, terminal));
}

async function backUpDatabase(file: string, { database }: Options, terminal: Terminal): Promise<void> {
  if (!database.startsWith("sqlite:")) throw new CommandFailure(describePostgresBackup(database, file), EXIT.usage);
  removeAbandoned(dirname(file), UNFINISHED_BACKUP);
  // SQLite reports nothing until it is done.
  const progress = new Progress(terminal, { doing: "Copying the database, which may take minutes", noun: "page" });
  try {
    await backUp(database.slice("sqlite:".length), file);
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw new CommandFailure(`Cannot make ${file}: ${(error as Error).message}.`);
  } finally {
    progress.end();
  }
  terminal.print(`The backup is complete: ${file}, ${formatNumber(statSync(file).size)} bytes.`);
}

function describePostgresBackup(database: string, file: string): string {
  const { hostname, port, username, pathname } = new URL(database);
  const options = [
    ["host", hostname],
    ["port", port],
    ["username", decodeURIComponent(username)],
    ["file", file],
  ].flatMap(([name, value = ""]) => (value === "" ? [] : [`--${name}=${quote(value)}`]));
  return (
    "`lectern backup` copies SQLite databases. PostgreSQL has its own tool, which needs no stop either: " +
    `pg_dump --format=custom ${options.join(" ")} ${quote(decodeURIComponent(pathname.slice(1)))}`
  );
}

/** Quotes a word for a shell where that is necessary. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
