// Hooks as operators have them, and the outbox that servers deliver from.
import type { CatalogChanges, PublicationAction, ReleaseCounts } from "../catalog/store.ts";

export type PauseReason = "failed for a day" | "answered 410";

/** What is told of the publications of one channel, and where. Times are UTC timestamps with milliseconds. */
export interface Hook {
  id: string;
  project: string;
  channel: string;
  url: string;
  /** `whsec_` and base64. It is kept as it is: every delivery is signed with it. */
  secret: string;
  /** A secret that was replaced, with which deliveries are signed too until `endsAt`. */
  oldSecret: { secret: string; endsAt: string } | undefined;
  /** True when the URL may lead to an address that is not public. */
  allowsPrivate: boolean;
  createdAt: string;
  /** The last publication that was told, or left out. */
  lastPublication: number;
  /** The newest publication of the channel. When it is `lastPublication`, there is nothing to tell. */
  newestPublication: number;
  /** Attempts that have failed since the last one that succeeded. */
  failures: number;
  /** The first of these. */
  failingSince: string | undefined;
  /** Not before this time; "" for at once. */
  nextAttemptAt: string;
  paused: { at: string; reason: PauseReason } | undefined;
  /** True when it was copied from another store, which goes on telling: it waits here until somebody resumes it. */
  isCopy: boolean;
}

/** An attempt to deliver. */
export interface HookAttempt {
  /** `webhook-id`: the same for all attempts of an event. */
  eventId: string;
  /** For people: `import of release 12`. */
  event: string;
  at: string;
  durationMs: number;
  /** Undefined when there was no answer. */
  status: number | undefined;
  /** Undefined when it succeeded. */
  fault: string | undefined;
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

/** What an attempt makes of a hook. */
export interface HookProgress {
  lastPublication: number;
  failures: number;
  failingSince: string | undefined;
  nextAttemptAt: string;
  paused: Hook["paused"];
}

/** Hooks for commands. */
export interface HookStore {
  /** What is published from then on is told. */
  insertHook(
    hook: Pick<Hook, "id" | "project" | "channel" | "url" | "secret" | "allowsPrivate" | "createdAt">,
  ): Promise<void>;
  findHook(id: string): Promise<Hook | undefined>;
  /** Newest first; of all projects when none is given. */
  listHooks(project: string | undefined): Promise<Hook[]>;
  /** False when there is none. Its attempts go with it. */
  deleteHook(id: string): Promise<boolean>;
  /** Gives a hook a new secret. `oldEndsAt` is when the one before ends; undefined for at once. */
  replaceSecret(id: string, secret: string, oldEndsAt: string | undefined): Promise<void>;
  /**
   * Ends a pause, the wait after a failure and what holds a copy back. With `skips` all that was published meanwhile is left
   * out. Servers see it as they see a publication.
   */
  resumeHook(id: string, skips: boolean): Promise<void>;
  /** Notes an attempt that is no event of the outbox. */
  addAttempt(id: string, attempt: HookAttempt): Promise<void>;
  /** The latest attempts, newest first. */
  listAttempts(id: string): Promise<HookAttempt[]>;
}

/** What is to be told, for servers. Methods that write throw after a short wait while another process writes. */
export interface Outbox {
  /** Hooks that have something to tell, those whose time comes first in front; neither paused ones nor copies. */
  listWaiting(limit: number): Promise<Pick<Hook, "id" | "nextAttemptAt" | "failures">[]>;
  findHook(id: string): Promise<Hook | undefined>;
  /** The first publication after `hook.lastPublication`. */
  findNextEvent(hook: Hook): Promise<HookEvent | undefined>;
  /**
   * Takes or renews the lease, without which nobody delivers, for so long from now by the clock of the database. False while
   * another holder has it.
   */
  takeLease(holder: string, leaseMs: number): Promise<boolean>;
  releaseLease(holder: string): Promise<void>;
  /**
   * Writes down an attempt and what it makes of the hook. False, and nothing is written, when the holder has lost the lease, or
   * the hook was deleted, paused or taken further meanwhile.
   */
  recordAttempt(holder: string, hook: Hook, attempt: HookAttempt, progress: HookProgress): Promise<boolean>;
  /** Takes a hook to its newest publication, without telling anything. */
  skipEvents(hook: Hook): Promise<void>;
  /** Hooks that are paused or wait as copies, and others whose last attempt failed. */
  countTroubled(): Promise<{ paused: number; failing: number }>;
}
