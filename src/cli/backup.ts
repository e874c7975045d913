import { statSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import type { Command } from "commander";
import { BackupExists, beginBackup, type UnfinishedBackup } from "../store/backup-store.ts";
import { removeAbandoned } from "./abandoned-files.ts";
import { CopyProgressLine } from "./progress.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import { formatNumber } from "./format.ts";
import { formatTableDigests } from "./table-digests.ts";
import { addSettings, type SettingValues } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

type Options = SettingValues<"database">;

/** Adds `lectern backup`. */
export function addBackupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command("backup")
    .summary("copy a SQLite database into a file, while it is in use")
    .description(
      "Copies a SQLite database, as it is at one moment, into a new file that only its owner can read, and compares both " +
        "by digest. Servers and imports go on. What fails or is stopped leaves no file.",
    )
    .argument("<FILE>", "the file to make; there must be none");
  addSettings(command, ["database"])
    .addHelpText("after", "\nExample:\n  lectern backup /var/backups/catalog-2026-11-20.db")
    .action((file: string, options: Options) => backUp(file, options, terminal));
}

async function backUp(file: string, { database }: Options, terminal: Terminal): Promise<void> {
  if (!database.startsWith("sqlite:")) throw new CommandFailure(describePostgresBackup(database, file), EXIT.usage);
  const backup = begin(database, file);
  const stopListening = discardOnSignal(backup);
  const line = new CopyProgressLine(terminal);
  try {
    const digests = await backup.finish((progress) => line.tell(progress));
    terminal.print(formatTableDigests(digests, terminal.output));
    terminal.print(`The backup is equal: ${file}, ${formatNumber(statSync(file).size)} bytes.`);
  } finally {
    line.end();
    stopListening();
    backup.discard();
  }
}

function begin(database: string, file: string): UnfinishedBackup {
  removeAbandoned(dirname(file), /.\.unfinished-([1-9]\d*)(?:-wal|-shm|-journal)?$/);
  try {
    return beginBackup(database, file);
  } catch (error) {
    if (error instanceof BackupExists) throw error;
    throw new CommandFailure(`Cannot make ${file}: ${(error as Error).message}.`);
  }
}

/**
 * On a signal, deletes the unfinished file and ends the process with a shell's exit code for that signal. Returns the
 * function that stops listening for signals.
 */
function discardOnSignal(backup: UnfinishedBackup): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const end = (signal: NodeJS.Signals): void => {
    backup.discard();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
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
