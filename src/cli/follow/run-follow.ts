// Does the work of `lectern follow`: polls each source, and imports it when it has changed or an import is due.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_ARCHIVE_LIMITS } from "../../content/limits.ts";
import type { FollowedImport } from "../publish/import.ts";
import { OWNER } from "../../catalog/file-owner.ts";
import { removeAbandonedFolders } from "../abandoned-files.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { GivenSource } from "./follow.ts";
import { openFollowedSource } from "./followed-source.ts";
import { FollowRounds, type FollowRoundsOptions } from "./follow-rounds.ts";
import { createLogger } from "../terminal/logger.ts";
import { nextSignal } from "../terminal/next-signal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withStore } from "../with-store.ts";
import { toSourceOptions } from "../write/source-options.ts";

/**
 * How long the command, once stopped, waits for a running import before it exits. Exiting is safe: readers see nothing
 * of the import, and the next import cleans up.
 */
const END_MS = 5000;

/** Follows sources until SIGTERM or SIGINT. Throws CommandFailure if a source is invalid. */
export async function runFollow(given: GivenSource[], logLevel: string, terminal: Terminal): Promise<void> {
  const databases = new Map(given.map(({ options }) => [options.database, options]));
  // A database that is unavailable at the start ends the command; one that becomes unavailable later is retried.
  for (const options of databases.values()) await withStore(terminal, options, async () => undefined, "create");
  // Listen now, so that a signal during startup is not lost.
  const ended = new AbortController();
  let deadline: Timer | undefined;
  const signalled = nextSignal(["SIGTERM", "SIGINT"]);
  const logger = createLogger(logLevel, { write: (line) => terminal.note(line.trimEnd()) });
  removeAbandonedFolders();
  const scratch = mkdtempSync(join(tmpdir(), `lectern-follow-${OWNER}-`));
  try {
    const rounds: FollowRounds[] = [];
    const surroundings = { terminal, logger, takeTurn: createTurns(ended.signal), ended: ended.signal };
    for (const each of given) rounds.push(await openRounds(each, scratch, surroundings));
    void signalled.then((signal) => {
      logger.info({ signal }, "stopping");
      ended.abort(new CommandFailure(`Ended by ${signal}.`));
      deadline = setTimeout(() => process.exit(EXIT.failed), END_MS);
    });
    logger.info({ sources: given.length }, "following");
    await Promise.all(rounds.map(async (each) => each.run()));
    logger.info("stopped");
  } finally {
    clearTimeout(deadline);
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function openRounds(
  { text, options }: GivenSource,
  scratch: string,
  surroundings: Pick<FollowRoundsOptions, "terminal" | "logger" | "takeTurn" | "ended">,
): Promise<FollowRounds> {
  const { branch, folder, project, source: name } = options;
  const { archive: limits = DEFAULT_ARCHIVE_LIMITS } = toSourceOptions(options, surroundings.terminal).limits ?? {};
  const apiKey = await readKey(options.apiKeyFile, options.apiKeyStdin, surroundings.terminal);
  const source = await openFollowedSource(text, { branch, folder, hasKey: apiKey !== undefined, limits });
  const named = name === undefined ? {} : { source: name };
  return new FollowRounds({
    ...surroundings,
    source,
    apiKey,
    options: { ...options, apiKeyStdin: apiKey !== undefined },
    folder: mkdtempSync(join(scratch, "source-")),
    logger: surroundings.logger.child({ project, ...named, from: source.name }),
  });
}

async function readKey(
  file: string | undefined,
  isInput: boolean | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  if (file === undefined && isInput !== true) return undefined;
  if (file !== undefined && !existsSync(file)) throw new CommandFailure(`There is no file ${file} (--api-key-file).`);
  const text = file === undefined ? await Bun.readableStreamToText(terminal.readInput()) : readFileSync(file, "utf8");
  if (/^[!-~]+$/.test(text.trim())) return text;
  const place = file === undefined ? "on standard input" : `in ${file}`;
  throw new CommandFailure(`The API key ${place} is missing or invalid.`);
}

export type TakeTurn = NonNullable<FollowedImport["takeTurn"]>;

/** Lets only one import run at a time, because each can use all the memory that its limits allow. */
function createTurns(ended: AbortSignal): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const turn = last.then(async () => {
      ended.throwIfAborted();
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}
