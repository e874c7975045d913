import { LIVE_CHANNEL, type CatalogChanges, type PublicationAction } from "../catalog/store.ts";
import type { Hook, HookAttempt, HookEvent, HookStore, Outbox, PauseReason } from "../hooks/hook.ts";
import type { Connection, Engine } from "./engine.ts";
import { groupTransactions } from "./group-transactions.ts";
import { sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Of each hook so many are kept: those of a day and more, when it fails. */
const KEPT_ATTEMPTS = 50;

/** When many hooks are told, requests come in between. */
const RECORD_PAUSE_MS = 25;

const IDENTITY = sql`(select identity from store_identity where id = 1)`;
const HOOK_COLUMNS = sql`h.*, h.identity <> ${IDENTITY} as is_copy`;

/** Hooks and their outbox, the same on every engine. */
export function createHookQueries(engine: Engine): HookStore & Outbox {
  return { ...createHookCommands(engine), ...createOutbox(engine) };
}

function createHookCommands({ read, transact }: Engine): HookStore {
  const findHook = createHookFinder(read);
  return {
    findHook,

    async insertHook({ id, project, channel, url, secret, allowsPrivate, createdAt }) {
      const [counter] = await read.run(sql<{ value: number }>`select value from counters where name = 'publications'`);
      const last = counter?.value ?? 0;
      await transact(async (transaction) => {
        // Waits for a publication that is being committed, and tells servers that there may be something to do.
        await nextNumber(transaction, "publications");
        const [log] = await transaction.run(sql<{ newest: number | null }>`
          select max(id) as newest from publications where project = ${project} and channel = ${channel}`);
        const newest = Math.max(last, log?.newest ?? 0);
        await transaction.run(sql`
          insert into hooks (id, identity, project, channel, url, secret, allows_private, created_at, last_publication,
            newest_publication, attempts, failures, next_attempt_at)
          values (${id}, ${IDENTITY}, ${project}, ${channel}, ${url}, ${secret}, ${allowsPrivate ? 1 : 0}, ${createdAt},
            ${last}, ${newest}, 0, 0, '')`);
      });
    },

    async listHooks(project) {
      const rows = await read.run(sql<HookRow>`
        select ${HOOK_COLUMNS} from hooks h where ${project === undefined ? sql`true` : sql`h.project = ${project}`}
        order by h.created_at desc, h.id`);
      return rows.map(toHook);
    },

    async deleteHook(id) {
      return transact(async (transaction) => {
        const deleted = await transaction.run(sql`delete from hooks where id = ${id} returning id`);
        await transaction.run(sql`delete from hook_attempts where hook_id = ${id}`);
        return deleted.length > 0;
      });
    },

    async replaceSecret(id, secret, oldEndsAt) {
      await transact(async (transaction) => {
        await transaction.run(sql`update hooks set old_secret = ${oldEndsAt === undefined ? null : sql`secret`},
          old_secret_ends_at = ${oldEndsAt ?? null}, secret = ${secret} where id = ${id}`);
      });
    },

    async resumeHook(id, skips) {
      await transact(async (transaction) => {
        // First, as whoever publishes does. From the counter servers learn that there is something to do.
        await nextNumber(transaction, "publications");
        await transaction.run(sql`
          update hooks set identity = ${IDENTITY}, failures = 0, failing_since = null, next_attempt_at = '',
            paused_at = null, pause_reason = null,
            last_publication = ${skips ? sql`newest_publication` : sql`last_publication`}
          where id = ${id}`);
      });
    },

    async addAttempt(id, attempt) {
      await transact(async (transaction) => {
        const [row] = await transaction.run(sql<{ attempts: number }>`
          update hooks set attempts = attempts + 1 where id = ${id} returning attempts`);
        if (row !== undefined) await insertAttempt(transaction, id, row.attempts, attempt);
      });
    },

    async listAttempts(id) {
      const rows = await read.run(sql<AttemptRow>`
        select event_id, event, at, duration_ms, status, fault from hook_attempts
        where hook_id = ${id} order by number desc`);
      return rows.map(toAttempt);
    },
  };
}

function createOutbox({ read, transactSoon, timestamp, waitsForDisk }: Engine): Outbox {
  // Not elsewhere: transactions that lock several hooks in different orders could wait for each other.
  const record = waitsForDisk ? groupTransactions(transactSoon, RECORD_PAUSE_MS) : transactSoon;
  const findHook = createHookFinder(read);
  return {
    findHook,

    async listWaiting(limit) {
      const rows = await read.run(sql<Pick<HookRow, "id" | "next_attempt_at" | "failures">>`
        select id, next_attempt_at, failures from hooks
        where newest_publication > last_publication and paused_at is null and identity = ${IDENTITY}
        order by next_attempt_at, id limit ${limit}`);
      return rows.map((row) => ({ id: row.id, nextAttemptAt: row.next_attempt_at, failures: row.failures }));
    },

    async findNextEvent({ project, channel, lastPublication }) {
      const [row] = await read.run(sql<EventRow>`
        select p.id, p.project, p.channel, p.action, p.published_at, r.number, r.courses, r.drafts, r.lessons, r.changes,
          r.created_at, (select b.release_id from publications b where b.project = p.project and b.channel = p.channel and b.id < p.id
            order by b.id desc limit 1) as before_id
        from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} and p.channel = ${channel} and p.id > ${lastPublication} order by p.id limit 1`);
      if (row === undefined) return undefined;
      const [before] = await read.run(sql<{ number: number }>`select number from releases where id = ${row.before_id}`);
      return toEvent(row, before?.number);
    },

    async takeLease(holder, leaseMs) {
      return transactSoon(async (transaction) => {
        // Whoever has written a later end had a clock that was ahead.
        await transaction.run(sql`
          update hook_lease set ends_at = ${timestamp(leaseMs)} where id = 1 and ends_at > ${timestamp(leaseMs)}`);
        const taken = await transaction.run(sql`
          update hook_lease set holder = ${holder}, ends_at = ${timestamp(leaseMs)}
          where id = 1 and (holder = ${holder} or ends_at <= ${timestamp(0)}) returning id`);
        return taken.length > 0;
      });
    },

    async releaseLease(holder) {
      await transactSoon(async (transaction) => {
        await transaction.run(sql`update hook_lease set ends_at = '' where id = 1 and holder = ${holder}`);
      });
    },

    async recordAttempt(holder, hook, attempt, progress) {
      return record(async (transaction) => {
        const [row] = await transaction.run(sql<{ attempts: number }>`
          update hooks set attempts = attempts + 1, last_publication = ${progress.lastPublication},
            failures = ${progress.failures}, failing_since = ${progress.failingSince ?? null},
            next_attempt_at = ${progress.nextAttemptAt}, paused_at = ${progress.paused?.at ?? null},
            pause_reason = ${progress.paused?.reason ?? null}
          where id = ${hook.id} and last_publication = ${hook.lastPublication} and paused_at is null
            and identity = ${IDENTITY}
            and exists (select 1 from hook_lease where id = 1 and holder = ${holder})
          returning attempts`);
        if (row !== undefined) await insertAttempt(transaction, hook.id, row.attempts, attempt);
        return row !== undefined;
      });
    },

    async skipEvents(hook) {
      await transactSoon(async (transaction) => {
        await transaction.run(sql`update hooks set last_publication = ${hook.newestPublication}
          where id = ${hook.id} and last_publication = ${hook.lastPublication}`);
      });
    },

    async countTroubled() {
      const [row] = await read.run(sql<{ paused: number; failing: number }>`
        select cast(coalesce(sum(case when paused_at is not null or identity <> ${IDENTITY} then 1 else 0 end), 0) as integer)
            as paused,
          cast(coalesce(sum(case when paused_at is null and identity = ${IDENTITY} and failures > 0 then 1 else 0 end), 0)
            as integer) as failing
        from hooks`);
      return row ?? { paused: 0, failing: 0 };
    },
  };
}

function createHookFinder(read: Connection): HookStore["findHook"] {
  return async (id) => {
    const [row] = await read.run(sql<HookRow>`select ${HOOK_COLUMNS} from hooks h where h.id = ${id}`);
    return row && toHook(row);
  };
}

async function insertAttempt(transaction: Connection, id: string, number: number, attempt: HookAttempt): Promise<void> {
  const { eventId, event, at, durationMs, status, fault } = attempt;
  await transaction.insert("hook_attempts", [
    {
      hook_id: id,
      number,
      event_id: eventId,
      event,
      at,
      duration_ms: Math.round(durationMs),
      status: status ?? null,
      fault: fault ?? null,
    },
  ]);
  await transaction.run(sql`delete from hook_attempts where hook_id = ${id} and number <= ${number - KEPT_ATTEMPTS}`);
}

interface HookRow {
  id: string;
  project: string;
  channel: string;
  url: string;
  secret: string;
  old_secret: string | null;
  old_secret_ends_at: string | null;
  allows_private: number;
  created_at: string;
  last_publication: number;
  newest_publication: number;
  failures: number;
  failing_since: string | null;
  next_attempt_at: string;
  paused_at: string | null;
  pause_reason: PauseReason | null;
  is_copy: number | boolean;
}

function toHook(row: HookRow): Hook {
  const { old_secret: oldSecret, old_secret_ends_at: endsAt, paused_at: pausedAt, pause_reason: reason } = row;
  return {
    id: row.id,
    project: row.project,
    channel: row.channel,
    url: row.url,
    secret: row.secret,
    oldSecret: oldSecret === null || endsAt === null ? undefined : { secret: oldSecret, endsAt },
    allowsPrivate: row.allows_private === 1,
    createdAt: row.created_at,
    lastPublication: row.last_publication,
    newestPublication: row.newest_publication,
    failures: row.failures,
    failingSince: row.failing_since ?? undefined,
    nextAttemptAt: row.next_attempt_at,
    paused: pausedAt === null || reason === null ? undefined : { at: pausedAt, reason },
    // PostgreSQL has truth values.
    isCopy: Boolean(row.is_copy),
  };
}

interface AttemptRow {
  event_id: string;
  event: string;
  at: string;
  duration_ms: number;
  status: number | null;
  fault: string | null;
}

function toAttempt(row: AttemptRow): HookAttempt {
  return {
    eventId: row.event_id,
    event: row.event,
    at: row.at,
    durationMs: row.duration_ms,
    status: row.status ?? undefined,
    fault: row.fault ?? undefined,
  };
}

interface EventRow {
  id: number;
  project: string;
  channel: string;
  action: PublicationAction;
  published_at: string;
  /** Null, as those that follow, for the deletion of a channel. */
  number: number | null;
  courses: number;
  drafts: number;
  lessons: number;
  changes: string;
  created_at: string;
  before_id: number | null;
}

function toEvent(row: EventRow, before: number | undefined): HookEvent {
  const { number, courses, drafts, lessons } = row;
  // A release has what changed against the one that its import found. For the first of a preview that is what is live; for one
  // that was there before it is no news.
  const isNew = number !== null && row.created_at === row.published_at;
  const hasChanges = isNew && (before !== undefined || row.channel === LIVE_CHANNEL);
  return {
    publicationId: row.id,
    project: row.project,
    channel: row.channel,
    action: row.action,
    publishedAt: row.published_at,
    release: number === null ? undefined : { number, courses, drafts, lessons },
    before,
    changes: hasChanges ? (JSON.parse(row.changes) as CatalogChanges) : undefined,
  };
}
