import type { CatalogChanges, PublicationAction, ReleaseCounts } from "../catalog/store.ts";

/** From resolving the name to the end of the answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** An attempt, and the time to record it. After it another server delivers, when the one that claimed a hook was killed. */
export const CLAIM_MS = 2 * ATTEMPT_TIMEOUT_MS;

/** A URL that receives the publications of one channel. Times are UTC timestamps with milliseconds. */
export interface Hook {
  id: string;
  project: string;
  channel: string;
  url: string;
  /** `whsec_` and base64, in plain text: every delivery is signed with it. */
  secret: string;
  oldSecret: string | undefined;
  oldSecretEndsAt: string | undefined;
  allowsPrivate: boolean;
  createdAt: string;
  lastPublication: number;
  /** The newest publication of the channel. When it is `lastPublication`, there is nothing to deliver. */
  newestPublication: number;
  failures: number;
  failingSince: string | undefined;
  lastFault: string | undefined;
  /** Not before this time; "" for at once, before hooks that fail. */
  nextAttemptAt: string;
  pausedAt: string | undefined;
  pauseReason: "failed for a day" | "answered 410" | undefined;
  /** True when it was copied from another store, which still delivers: it waits here until somebody resumes it. */
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
  /** Of an import: against the release before. */
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
  /** Newest first; of all projects when none is given. */
  listHooks(project: string | undefined): Promise<Hook[]>;
  deleteHook(id: string): Promise<void>;
  /** Gives a hook a new secret. `oldEndsAt` is when the one before ends; undefined for at once. */
  replaceSecret(id: string, secret: string, oldEndsAt: string | undefined): Promise<void>;
  /** Ends a pause, the wait after a failure, or that of a copy. `skips` skips what was published meanwhile. */
  resumeHook(id: string, skips: boolean): Promise<void>;
}

/** What is to be delivered, for servers. Methods that write throw after a short wait while another process writes. */
export interface Outbox {
  /** Hooks that have events to deliver, the earliest first; neither paused ones nor copies. */
  listWaiting(limit: number): Promise<(Pick<Hook, "id" | "nextAttemptAt" | "failures"> & { isClaimed: boolean })[]>;
  /** Claims a hook for CLAIM_MS. Undefined while another holder has a claim, and without an event. */
  claimEvent(holder: string, id: string): Promise<{ hook: Hook; event: HookEvent } | undefined>;
  /** Ends the claim. False, and writes nothing, when the claim is lost or the hook has changed. */
  recordAttempt(holder: string, hook: Hook, progress: HookProgress): Promise<boolean>;
  /** Publications that hooks have yet to be told of, once for each hook; those of copies do not count. */
  countWaiting(): Promise<number>;
  /** Hooks that are paused or wait as copies, others whose last attempt failed, and followed sources that are not published. */
  countTroubled(): Promise<{ paused: number; failing: number; follows: number }>;
}
