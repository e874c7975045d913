// Hooks as operators have them, and the outbox that servers deliver from.
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
  /** A secret that was replaced, which signs too until `oldSecretEndsAt`. */
  oldSecret: string | undefined;
  oldSecretEndsAt: string | undefined;
  /** True when the URL may lead to an address that is not public. */
  allowsPrivate: boolean;
  createdAt: string;
  /** The last publication that was delivered, or skipped. */
  lastPublication: number;
  /** The newest publication of the channel. When it is `lastPublication`, there is nothing to deliver. */
  newestPublication: number;
  /** Attempts that have failed since the last one that succeeded. */
  failures: number;
  /** The first of these. */
  failingSince: string | undefined;
  /** Of the last of these. */
  lastFault: string | undefined;
  /** Not before this time; "" for at once, before hooks that fail. */
  nextAttemptAt: string;
  pausedAt: string | undefined;
  pauseReason: "failed for a day" | "answered 410" | undefined;
  /** True when it was copied from another store, which still delivers: it waits here until somebody resumes it. */
  isCopy: boolean;
}

/** A publication as the outbox has it. */
export interface HookEvent {
  publicationId: number;
  project: string;
  channel: string;
  action: PublicationAction;
  publishedAt: string;
  /** Undefined when the channel was deleted. */
  release: (ReleaseCounts & { number: number }) | undefined;
  /** The number of the release that the channel showed before. */
  before: number | undefined;
  /** Of an import: against the release before. */
  changes: CatalogChanges | undefined;
}

/** What follows from an attempt. */
export type HookProgress = Pick<
  Hook,
  "lastPublication" | "failures" | "failingSince" | "lastFault" | "nextAttemptAt" | "pausedAt" | "pauseReason"
>;

/** Hooks for commands. */
export interface HookStore {
  /** It receives what is published from then on. */
  insertHook(
    hook: Pick<Hook, "id" | "project" | "channel" | "url" | "secret" | "allowsPrivate" | "createdAt">,
  ): Promise<void>;
  findHook(id: string): Promise<Hook | undefined>;
  /** Newest first; of all projects when none is given. */
  listHooks(project: string | undefined): Promise<Hook[]>;
  deleteHook(id: string): Promise<void>;
  /** Gives a hook a new secret. `oldEndsAt` is when the one before ends; undefined for at once. */
  replaceSecret(id: string, secret: string, oldEndsAt: string | undefined): Promise<void>;
  /**
   * Ends a pause, the wait after a failure, or that of a copy. With `skips` all that was published meanwhile is skipped.
   * Servers see it as they see a publication.
   */
  resumeHook(id: string, skips: boolean): Promise<void>;
}

/** What is to be delivered, for servers. Methods that write throw after a short wait while another process writes. */
export interface Outbox {
  /** Hooks that have events to deliver, the earliest first; neither paused ones nor copies. */
  listWaiting(limit: number): Promise<(Pick<Hook, "id" | "nextAttemptAt" | "failures"> & { isClaimed: boolean })[]>;
  /**
   * Claims a hook for one attempt, for CLAIM_MS by the clock of the database, and gives its next event. Undefined while another
   * holder has a claim, and where there is nothing to deliver.
   */
  claimEvent(holder: string, id: string): Promise<{ hook: Hook; event: HookEvent } | undefined>;
  /**
   * Records what follows from an attempt, and ends the claim. False, and nothing is written, when the holder has lost
   * the claim, or the hook was deleted, paused or skipped meanwhile.
   */
  recordAttempt(holder: string, hook: Hook, progress: HookProgress): Promise<boolean>;
  /** Hooks that are paused or wait as copies, and others whose last attempt failed. */
  countTroubled(): Promise<{ paused: number; failing: number }>;
}
