import type { CatalogChanges, PublicationAction, ReleaseCounts } from "../catalog/store.ts";

/** From the name lookup to the end of the answer. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Covers an attempt and recording it. Afterwards another server takes over from a killed one. */
export const CLAIM_MS = 2 * ATTEMPT_TIMEOUT_MS;

/** A URL that receives a channel's publications. Times are UTC timestamps with milliseconds. */
export interface Hook {
  id: string;
  project: string;
  channel: string;
  url: string;
  /** `whsec_` and base64, in plain text: it signs every delivery. */
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
  /** True for a hook copied from another store, which still delivers: this one waits to be resumed. */
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
  /** Newest first; without a project, those of all projects. */
  listHooks(project: string | undefined): Promise<Hook[]>;
  deleteHook(id: string): Promise<void>;
  /** Replaces a hook's secret. The old one is valid until `oldEndsAt`, if given. */
  replaceSecret(id: string, secret: string, oldEndsAt: string | undefined): Promise<void>;
  /** Ends a pause, a retry delay, or a copy's wait. `skips` skips pending events. */
  resumeHook(id: string, skips: boolean): Promise<void>;
}

/** Pending deliveries, for servers. Writes fail fast while another process writes. */
export interface Outbox {
  /** Hooks with pending events, the earliest first; excludes paused hooks and copies. */
  listWaiting(limit: number): Promise<(Pick<Hook, "id" | "nextAttemptAt" | "failures"> & { isClaimed: boolean })[]>;
  /** Claims a hook for CLAIM_MS. Undefined if another holder has a claim or no event is pending. */
  claimEvent(holder: string, id: string): Promise<{ hook: Hook; event: HookEvent } | undefined>;
  /** Ends the claim. Returns false and writes nothing when the claim is lost or the hook has changed. */
  recordAttempt(holder: string, hook: Hook, progress: HookProgress): Promise<boolean>;
  /** Counts pending deliveries, without those of copies. */
  countWaiting(): Promise<number>;
  /** Counts hooks that are paused or waiting copies, others whose last attempt failed, and followed sources that fail. */
  countTroubled(): Promise<{ paused: number; failing: number; follows: number }>;
}
