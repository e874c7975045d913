import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { UNFINISHED } from "../../catalog/file-owner.ts";
import { backUp } from "../../store/sqlite/backup-store.ts";
import { copyStore } from "../../store/maintenance/copy-store.ts";
import { restore, UNFINISHED_RESTORE } from "../../store/maintenance/restore-store.ts";
import { vacuumStore } from "../../store/open-store.ts";
import { followLinks } from "../../store/sqlite/sqlite-file.ts";
import { removeAbandoned } from "../abandoned-files.ts";
import { CommandFailure, UsageFailure } from "../failure.ts";
import { formatNumber, formatSize, formatTable } from "../terminal/format.ts";
import { startProgress, type Progress } from "../terminal/progress.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import { parseDatabaseUrl } from "../settings/setting-values.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Options = SettingValues<"database">;

export function addCopyingCommands(program: Command, terminal: Terminal): void {
  addSettings(program.command("backup <FILE>"), ["database"]).action((file: string, options: Options) =>
    backUpDatabase(file, options, terminal),
  );
  addSettings(program.command("restore <FILE>"), ["database"]).action((file: string, options: Options) =>
    restoreDatabase(file, options, terminal),
  );
  program
    .command("copy")
    .requiredOption("--from <URL>", "", (url) => parseDatabaseUrl(url, "from"))
    .requiredOption("--to <URL>", "", (url) => parseDatabaseUrl(url, "to"))
    .action((options: { from: string; to: string }) => copy(options.from, options.to, terminal));
  addSettings(program.command("vacuum"), ["database"]).action((options: Options) => vacuum(options, terminal));
}

async function backUpDatabase(file: string, { database }: Options, terminal: Terminal): Promise<void> {
  if (!database.startsWith("sqlite:")) throw new UsageFailure(describePostgresBackup(database, file));
  removeAbandoned(dirname(file), UNFINISHED);
  const progress = startProgress(terminal, "Copying the database", "page");
  await backUp(database.slice("sqlite:".length), file)
    .catch((error: Error) => rethrow(error, `Cannot create ${file}: ${error.message}.`))
    .finally(() => progress.end());
  terminal.print(`The backup is complete: ${file}, ${formatNumber(statSync(file).size)} bytes.`);
}

async function restoreDatabase(file: string, { database }: Options, terminal: Terminal): Promise<void> {
  if (!database.startsWith("sqlite:")) {
    const next = `pg_restore --clean --if-exists --dbname "URL" ${file}`;
    throw new UsageFailure(`\`lectern restore\` restores only SQLite databases. For PostgreSQL, run: ${next}`);
  }
  const path = followLinks(database.slice("sqlite:".length));
  removeAbandoned(dirname(path), UNFINISHED_RESTORE);
  const progress = startProgress(terminal, "Checking and copying the backup, which can take minutes", "page");
  const { kept } = await restore(file, path, terminal.now())
    .catch((error: Error) => rethrow(error, `Cannot restore ${file}: ${error.message}. ${path} is unchanged.`))
    .finally(() => progress.end());
  terminal.print(`${path} is now a copy of ${file}.`);
  if (kept !== undefined)
    terminal.print(`The previous database is kept as ${kept}. Remove it when you no longer need it.`);
  terminal.print(
    "Keys revoked since the backup are valid again: revoke them once more. " +
      "Webhooks wait for `lectern webhooks resume ID`.",
  );
}

function rethrow(error: Error, message: string): never {
  throw error instanceof ExpectedError ? error : new CommandFailure(message);
}

function describePostgresBackup(database: string, file: string): string {
  const url = new URL(database);
  url.password = "";
  return (
    "`lectern backup` copies only SQLite databases. For PostgreSQL, run: " +
    `pg_dump --format=custom --file=${quote(file)} ${quote(url.href)}`
  );
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function copy(from: string, to: string, terminal: Terminal): Promise<void> {
  if (from === to) throw new UsageFailure("--from and --to name the same database.");
  let progress: Progress | undefined;
  let part = "";
  const digests = await copyStore(from, to, (doing, done, total) => {
    if (doing !== part) progress = startProgress(terminal, doing, "row", total);
    part = doing;
    progress?.update(done);
  }).finally(() => progress?.end());
  const rows = digests.map(({ table, rows: count, digest }) => [table, formatNumber(count), digest]);
  terminal.print(formatTable({ head: ["TABLE", "ROWS", "SHA-256"], rows, cuts: ["SHA-256"] }, terminal.output));
  terminal.print("The copy is identical.");
}

async function vacuum({ database }: Options, terminal: Terminal): Promise<void> {
  const progress = startProgress(terminal, "Rewriting the database", "page");
  const { before, after } = await vacuumStore(database).finally(() => progress.end());
  terminal.print(`The database now takes ${formatSize(after)}; before, it took ${formatSize(before)}.`);
}
