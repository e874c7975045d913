import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toPrintable } from "../catalog/printable.ts";
import type { LockHolder } from "../catalog/store.ts";
import type { PublishingContext } from "../publishing/publish.ts";
import type { OpenOptions } from "../store/engine.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { explainRefusal, type GivenNames } from "./name-hints.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Opens a database, calls `use`, and closes it. A database that does not exist is made only when `create` is true. What `given`
 * names is what a refusal may have to do with.
 */
export async function withStore<T>(
  database: string,
  use: (store: Store) => Promise<T>,
  { given, ...options }: OpenOptions & { given?: GivenNames } = { create: false },
): Promise<T> {
  const store = await openStore(database, options);
  try {
    return await use(store);
  } catch (error) {
    if (given !== undefined) await explainRefusal(store, given, error);
    throw error;
  } finally {
    await store.close();
  }
}

/** Calls `use` with a new store, of which nothing stays. */
export async function withEmptyStore(use: (store: Store) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-empty-"));
  try {
    await withStore(`sqlite:${join(folder, "lectern.db")}`, use, { create: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Creates the context for publishing in a project, with the terminal's clock. When another process holds the lock, it is noted on the
 * terminal.
 */
export function createPublishingContext(store: Store, project: string, terminal: Terminal): PublishingContext {
  return {
    store: store.publishing,
    project,
    now: () => terminal.now(),
    onWait: (holder) => terminal.note(toPrintable(formatWait(project, holder))),
  };
}

function formatWait(project: string, holder: LockHolder | undefined): string {
  const who =
    holder === undefined
      ? "another process"
      : `the ${holder.task} that process ${holder.pid} on ${holder.host} began at ${holder.since}`;
  return `Waiting for ${who} to finish; project ${project} takes one change at a time.`;
}
