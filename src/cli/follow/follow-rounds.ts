// Follows one source: polls it, fetches and imports changes, and backs off after failures.
import { mkdirSync, rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { cutText } from "../../content/quote.ts";
import { formatProblem, type Problem } from "../../content/source.ts";
import type { GivenSource } from "./follow.ts";
import { FILES_FOLDER, type Fetched, type FollowedSource } from "./followed-source.ts";
import { DatabaseMissing } from "../../store/engine.ts";
import { importSource, ProjectBusy, type FollowedImport } from "../publish/import.ts";
import type { TakeTurn } from "./run-follow.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { withStore } from "../with-store.ts";

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
/** Delays vary by this fraction, so that not all sources are polled at the same time. */
const JITTER = 0.25;
const BUSY_MS = 5000;
const MAX_FAULT = 1000;
const MAX_NOTES = 2000;
const NO_DISPLAY = { columns: undefined, hasColors: false };

export interface FollowRoundsOptions {
  options: GivenSource["options"];
  source: FollowedSource;
  apiKey: string | undefined;
  /** The folder for fetched files, which each round creates and removes. */
  folder: string;
  terminal: Terminal;
  logger: Logger;
  takeTurn: TakeTurn;
  ended: AbortSignal;
}

export class FollowRounds {
  readonly #options: FollowRoundsOptions;
  /** The revision that was last imported or refused. */
  #known: string | undefined;
  /** The identity of the store into which `#known` was imported. A restored database has another identity. */
  #identity: string | undefined;
  /** When to import again even if the source has not changed. */
  #dueAtMs = Infinity;
  #failures = 0;
  #failingSince: string | undefined;
  #lastNotes = "";

  constructor(options: FollowRoundsOptions) {
    this.#options = options;
  }

  /** Runs until `ended` is aborted. Logs failures of the source and the database instead of throwing them. */
  async run(): Promise<void> {
    const { ended, terminal, options } = this.#options;
    while (!ended.aborted) {
      await this.#runRound();
      const dueInMs = Math.max(MIN_DELAY_MS, this.#dueAtMs - terminal.now().getTime());
      // Back off only while no revision is known. After a failed import of a known revision, keep polling for changes.
      const isUnread = this.#failures > 0 && this.#known === undefined;
      const waitMs = isUnread ? this.#findDelay() : Math.min(options.every, dueInMs);
      await setTimeout(vary(waitMs), undefined, { signal: ended }).catch(() => undefined);
    }
  }

  async #runRound(): Promise<void> {
    const { source, folder, terminal, ended } = this.#options;
    const isDue = terminal.now().getTime() >= this.#dueAtMs;
    try {
      if (await this.#isOtherStore()) this.#known = undefined;
      mkdirSync(folder, { recursive: true });
      const fetched = await source.fetchChange(isDue ? undefined : this.#known, folder, ended);
      if (fetched !== undefined) await this.#importInTurn(fetched);
    } catch (error) {
      if (ended.aborted) return;
      // It is unknown whether the revision was published, so the next round imports it again.
      this.#known = undefined;
      await this.#takeFailure(error as Error, undefined);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Returns true if the database was replaced; false while it cannot be read, because the next import reports that. */
  async #isOtherStore(): Promise<boolean> {
    const { terminal, options } = this.#options;
    const before = this.#identity;
    await withStore(terminal, options, async ({ store }) => {
      this.#identity = (await store.changes.readRevisions()).identity;
    }).catch(() => undefined);
    return this.#identity !== before;
  }

  /** While another command changes the project, retries, and leaves the turn to other sources between the tries. */
  async #importInTurn(fetched: Fetched): Promise<void> {
    const { apiKey, logger, takeTurn, ended } = this.#options;
    for (;;) {
      try {
        // A download can take hours, so a service's import takes its turn after it.
        if (apiKey !== undefined) return await this.#importFetched(fetched);
        return await takeTurn(async () => this.#importFetched(fetched));
      } catch (error) {
        if (!(error instanceof ProjectBusy)) throw error;
        logger.debug("another command is changing the project");
        await setTimeout(vary(BUSY_MS), undefined, { signal: ended });
      }
    }
  }

  async #importFetched(fetched: Fetched): Promise<void> {
    const { ended, terminal } = this.#options;
    const { fault, dueAtMs } = await this.#import(fetched);
    if (ended.aborted) return;
    const { revision } = fetched;
    this.#known = revision;
    this.#dueAtMs = dueAtMs;
    if (fault === undefined) {
      this.#failures = 0;
      this.#failingSince = undefined;
      return;
    }
    await this.#takeFailure(fault, revision);
    // Import again after the delay, because a cause such as a conflict with another source might be gone by then.
    this.#dueAtMs = Math.min(dueAtMs, terminal.now().getTime() + this.#findDelay());
  }

  /** Returns a `fault` if the import failed. */
  async #import({ path, label, revision, notes = [] }: Fetched): Promise<{ fault?: Error; dueAtMs: number }> {
    const { options, apiKey, logger, takeTurn, ended } = this.#options;
    const printed: string[] = [];
    const shownNotes = [...notes];
    let firstError: Problem | undefined;
    let dueAtMs = Infinity;
    const followed: FollowedImport = {
      label,
      ended,
      takeTurn: apiKey === undefined ? undefined : takeTurn,
      onProblem(problem) {
        if (problem.severity === "error") firstError ??= problem;
        dueAtMs = Math.min(dueAtMs, problem.dueAtMs ?? Infinity);
      },
    };
    const terminal = createTerminal({
      output: NO_DISPLAY,
      notes: NO_DISPLAY,
      print: (text) => void printed.push(text),
      note: (text) => void (shownNotes.length < MAX_NOTES && shownNotes.push(text)),
      draw: () => undefined,
      readInput: () => new Blob([apiKey ?? ""]).stream(),
      ask: async () => undefined,
      now: () => this.#options.terminal.now(),
    });
    try {
      const outcome = await importSource(path, options, terminal, followed);
      const level = outcome === "unchanged" && revision === undefined ? "debug" : "info";
      logger[level]({ revision }, printed.join("\n"));
      return { dueAtMs };
    } catch (error) {
      if (error instanceof ProjectBusy) throw error;
      const fault = error instanceof DatabaseMissing ? describeLoss(error) : (error as Error);
      if (firstError !== undefined) fault.message += ` ${formatProblem(firstError).split("\n")[0]}`;
      return { fault, dueAtMs };
    } finally {
      this.#logNotes(shownNotes);
    }
  }

  /** Logs an import's notes, unless the last import had the same ones. */
  #logNotes(notes: string[]): void {
    const digest = new Bun.CryptoHasher("sha256").update(notes.join("\n")).digest("hex");
    if (digest === this.#lastNotes) return;
    this.#lastNotes = digest;
    for (const note of notes) this.#options.logger.warn(this.#clean(note));
  }

  async #takeFailure(error: Error, revision: string | undefined): Promise<void> {
    const { options, source, logger, terminal } = this.#options;
    const { project, channel, source: sourceName } = options;
    const fault = cutText(this.#clean(error.message), MAX_FAULT);
    this.#failures++;
    this.#failingSince ??= terminal.now().toISOString();
    const failure = { project, channel, sourceName, source: source.name, failingSince: this.#failingSince, fault };
    await withStore(terminal, options, async ({ store }) => store.follows.recordFailure(failure), "write").catch(
      (reason: unknown) => logger.warn({ err: reason }, "lectern status cannot show this failure"),
    );
    // An error that is not an ExpectedError is a bug: the logged stack trace shows where.
    const unexpected = error instanceof ExpectedError ? {} : { err: error };
    logger.error({ revision, failures: this.#failures, retryInMs: this.#findDelay(), ...unexpected }, fault);
  }

  /**
   * Returns the delay until the next attempt: it doubles with each failure, from the polling interval up to an hour.
   */
  #findDelay(): number {
    const { every } = this.#options.options;
    return Math.min(Math.max(MAX_DELAY_MS, every), every * 2 ** Math.max(0, this.#failures - 1));
  }

  /** Makes the paths in a text relative to the source. */
  #clean(text: string): string {
    const { folder } = this.#options;
    return text.replaceAll(`${folder}/${FILES_FOLDER}/`, "").replaceAll(folder, "");
  }
}

function describeLoss({ what, restore }: DatabaseMissing): Error {
  return new ExpectedError(
    `${what}, though there was one. Save what docs/operating.md lists before you stop or restart a server, and restore the database (${restore}).`,
  );
}

function vary(ms: number): number {
  return ms * (1 - JITTER / 2 + Math.random() * JITTER);
}
