import type { CatalogChanges, PublicationAction, ReleaseCounts } from "../catalog/store.ts";

/** The time-out of an attempt, from the name lookup to the answer's header. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** How long a claim lasts: enough for an attempt and for recording its result. Then another server can take over. */
export const CLAIM_MS = 2 * ATTEMPT_TIMEOUT_MS;

/** A URL that receives a channel's publications. Times are UTC timestamps with milliseconds. */
export interface Hook {
  id: string;
  project: string;
  channel: string;
  url: string;
  /** `whsec_` followed by base64. Stored in plain text, because it signs every delivery. */
  secret: string;
  oldSecret: string | undefined;
  oldSecretEndsAt: string | undefined;
  allowsPrivate: boolean;
  createdAt: string;
  lastPublication: number;
  /** The channel's newest publication. Equals `lastPublication` when nothing is pending. */
  newestPublication: number;
  failures: number;
  failingSince: string | undefined;
  lastFault: string | undefined;
  nextAttemptAt: string;
  pausedAt: string | undefined;
  pauseReason: "failed for a day" | "answered 410" | undefined;
  /** True for a webhook copied with its store: the original still delivers, so the copy waits until it is resumed. */
  isCopy: boolean;
}

export interface HookEvent {
  publicationId: number;
  project: string;
  channel: string;
  action: PublicationAction;
  publishedAt: string;
  release: (ReleaseCounts & { number: number }) | undefined;
  before: number | undefined;
  changes: CatalogChanges | undefined;
}

export type HookProgress = Pick<
  Hook,
  "lastPublication" | "failures" | "failingSince" | "lastFault" | "nextAttemptAt" | "pausedAt" | "pauseReason"
>;

export interface HookStore {
  insertHook(
    hook: Pick<Hook, "id" | "project" | "channel" | "url" | "secret" | "allowsPrivate" | "createdAt">,
  ): Promise<void>;
  findHook(id: string): Promise<Hook | undefined>;
  /** Lists webhooks, newest first; without a project, those of all projects. */
  listHooks(project: string | undefined): Promise<Hook[]>;
  deleteHook(id: string): Promise<void>;
  /** Replaces a webhook's secret. The old one stays valid until `oldEndsAt`, if given. */
  replaceSecret(id: string, secret: string, oldEndsAt: string | undefined): Promise<void>;
  /** Ends a pause, a retry delay, or a copy's wait. If `skips` is true, drops the pending events. */
  resumeHook(id: string, skips: boolean): Promise<void>;
}

/** The pending deliveries, which servers share. Writes fail fast while another process writes. */
export interface Outbox {
  /**
   * Lists webhooks with pending events, except paused ones and copies, by next attempt, then by last attempt. Those
   * with an attempt after `latest` come first.
   */
  listWaiting(
    limit: number,
    latest: string,
  ): Promise<(Pick<Hook, "id" | "nextAttemptAt" | "failures"> & { isClaimed: boolean })[]>;
  /** Claims a webhook for CLAIM_MS. Returns undefined if another server has claimed it or no event is pending. */
  claimEvent(holder: string, id: string): Promise<{ hook: Hook; event: HookEvent } | undefined>;
  /** Records an attempt and ends the claim. Returns false and writes nothing if the claim or the webhook changed. */
  recordAttempt(holder: string, hook: Hook, progress: HookProgress): Promise<boolean>;
  /** Counts pending deliveries, except those of copies. */
  countWaiting(): Promise<number>;
  /** Counts paused webhooks (including waiting copies), failing webhooks, and followed sources that fail. */
  countTroubled(): Promise<{ paused: number; failing: number; follows: number }>;
}

export interface HookClock {
  now(): number;
  startTimer(work: () => void, delayMs: number): () => void;
}

export const systemClock: HookClock = {
  now: () => Date.now(),
  startTimer(work, delayMs) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or earlier when `work` resolves. Rejects if `work` rejects. */
export async function wait(clock: HookClock, delayMs: number, work?: Promise<unknown>): Promise<void> {
  const passed = Promise.withResolvers<void>();
  const stopTimer = clock.startTimer(passed.resolve, delayMs);
  await Promise.race([passed.promise, ...(work === undefined ? [] : [work])]).finally(stopTimer);
}
