import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OWNER } from "../catalog/file-owner.ts";
import { toPrintable } from "../catalog/printable.ts";
import { PublishingRefused, type PublishingContext } from "../publishing/publish.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { removeAbandonedFolders } from "./abandoned-files.ts";
import { CommandFailure } from "./failure.ts";
import { describeMeant, type GivenNames } from "./terminal/name-hints.ts";
import { toAssetFolder } from "./settings/setting-values.ts";
import { formatTable, type Table } from "./terminal/format.ts";
import type { Terminal } from "./terminal/terminal.ts";

export interface Session {
  store: Store;
  terminal: Terminal;
}

export async function withStore<Options extends GivenNames & { database: string; assets?: string }>(
  terminal: Terminal,
  options: Options,
  run: (session: Session, options: Options) => Promise<void>,
  access: "read" | "write" | "create" = "read",
): Promise<void> {
  const store = await openStore(options.database, {
    create: access === "create",
    writes: access !== "read",
    tell: (text) => terminal.note(toPrintable(text)),
    assetFolder: toAssetFolder(options.assets),
  });
  try {
    await run({ store, terminal }, options);
  } catch (error) {
    if (error instanceof PublishingRefused) error.message += await describeMeant(store, options);
    throw error;
  } finally {
    await store.close();
  }
}

/** Runs a command on a new, temporary database. */
export async function withEmptyStore(terminal: Terminal, run: (session: Session) => Promise<void>): Promise<void> {
  removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), `lectern-empty-${OWNER}-`));
  try {
    await withStore(terminal, { database: `sqlite:${join(folder, "lectern.db")}` }, run, "create");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates the context for publishing. A note tells the user when a change waits for another process. */
export function createPublishingContext({ store, terminal }: Session, project: string): PublishingContext {
  return {
    store: store.publishing,
    project,
    now: () => terminal.now(),
    onWait(holder) {
      const who =
        holder === undefined
          ? "another process"
          : `the ${holder.task} that process ${holder.pid} on ${holder.host} began at ${holder.since}`;
      const text = `Waiting for ${who} to finish. Project ${project} accepts one change at a time.`;
      terminal.note(toPrintable(text));
    },
  };
}

type ListOptions = GivenNames & { json?: boolean };

/** Prints a list as JSON or as a table. */
export async function printList(
  session: Session,
  options: ListOptions,
  list: { items: object[]; toTable: (now: Date) => Table; empty: string; next: string },
): Promise<void> {
  const { terminal } = session;
  if (options.json === true) terminal.print(JSON.stringify(list.items));
  if (list.items.length === 0) return printEmpty(session, options, list.empty, ` Create one: lectern ${list.next}`);
  if (options.json !== true) terminal.print(formatTable(list.toTable(terminal.now()), terminal.output));
}

/** Prints `what` and `next`, or throws them as a CommandFailure if the project is unknown or a name is misspelled. */
export async function printEmpty(
  { store, terminal }: Session,
  { json, ...given }: ListOptions,
  what: string,
  next = "",
): Promise<void> {
  const { project } = given;
  const meant = await describeMeant(store, given);
  const isKnown = project === undefined || (await store.publishing.listProjects()).includes(project);
  if (!isKnown || meant !== "") throw new CommandFailure(what + meant + next);
  if (json !== true) terminal.print(what + next);
}
