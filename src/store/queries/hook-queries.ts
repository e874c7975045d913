import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { CLAIM_MS, type Hook, type HookEvent, type HookStore, type Outbox } from "../../hooks/hook.ts";
import type { Engine } from "../engine.ts";
import { sql, toRecord, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

const IDENTITY = sql`(select identity from store_identity where id = 1)`;
// Columns are named, because PostgreSQL refuses a prepared statement with `*` once a migration has added a column.
const HOOK = sql`
  id, identity, project, channel, url, secret, old_secret, old_secret_ends_at,
  allows_private, created_at, last_publication, newest_publication, failures, failing_since,
  last_fault, next_attempt_at, paused_at, pause_reason, claimed_by, claimed_until,
  identity <> ${IDENTITY} as is_copy`;
const toHook = (row: Row): Hook => toRecord<Hook>(row, "allowsPrivate", "isCopy");

export function createHookQueries({ read, transact, transactSoon, timestamp }: Engine): HookStore & Outbox {
  /** A claim that would outlast a new one comes from a clock that was fast, and does not count. */
  const isUnclaimed = sql`(claimed_until <= ${timestamp(0)} or claimed_until > ${timestamp(CLAIM_MS)})`;
  return {
    async findHook(id) {
      const [row] = await read.run(sql<Row>`select ${HOOK} from hooks where id = ${id}`);
      return row && toHook(row);
    },

    async insertHook({ project, channel, ...hook }) {
      const [counter] = await read.run(sql<{ value: number }>`select value from counters where name = 'publications'`);
      const lastPublication = counter?.value ?? 0;
      await transact(async (transaction) => {
        // Taking a new number waits for a commit in progress, and makes servers check for deliveries.
        await nextNumber(transaction, "publications");
        const [log] = await transaction.run(sql<{ newest: number | null }>`
          select max(id) as newest from publications where project = ${project} and channel = ${channel}`);
        const newestPublication = Math.max(lastPublication, log?.newest ?? 0);
        const [store] = await transaction.run(sql<{ identity: string }>`select ${IDENTITY} as identity`);
        const state = { failures: 0, nextAttemptAt: "", claimedBy: "", claimedUntil: "" };
        await transaction.insert("hooks", [
          { ...hook, ...store, project, channel, lastPublication, newestPublication, ...state },
        ]);
      });
    },

    async listHooks(project) {
      const rows = await read.run(sql<Row>`
        select ${HOOK} from hooks where ${project === undefined ? sql`true` : sql`project = ${project}`}
        order by created_at desc, id`);
      return rows.map(toHook);
    },

    async deleteHook(id) {
      await transact(async (transaction) => transaction.run(sql`delete from hooks where id = ${id}`));
    },

    async replaceSecret(id, secret, oldEndsAt) {
      await transact(async (transaction) => {
        await transaction.run(sql`update hooks set old_secret = ${oldEndsAt === undefined ? null : sql`secret`},
          old_secret_ends_at = ${oldEndsAt ?? null}, secret = ${secret} where id = ${id}`);
      });
    },

    async resumeHook(id, skips) {
      await transact(async (transaction) => {
        // A new number makes servers check for deliveries. It is taken first, as in a publication.
        await nextNumber(transaction, "publications");
        await transaction.run(sql`
          update hooks set identity = ${IDENTITY}, failures = 0, failing_since = null, last_fault = null,
            next_attempt_at = '', paused_at = null, pause_reason = null,
            last_publication = ${skips ? sql`newest_publication` : sql`last_publication`}
          where id = ${id}`);
      });
    },

    async listWaiting(limit, latest) {
      const rows = await read.run(sql<Row>`
        select id, next_attempt_at, failures, not ${isUnclaimed} as is_claimed from hooks
        where newest_publication > last_publication and paused_at is null and identity = ${IDENTITY}
        order by next_attempt_at <= ${latest}, next_attempt_at, claimed_until, id limit ${limit}`);
      return rows.map((row) => toRecord(row, "isClaimed"));
    },

    async claimEvent(holder, id) {
      const claimed = await transactSoon(async (transaction) =>
        transaction.run(sql<Row>`
          update hooks set claimed_by = ${holder}, claimed_until = ${timestamp(CLAIM_MS)}
          where id = ${id} and newest_publication > last_publication and paused_at is null and identity = ${IDENTITY}
            and (claimed_by = ${holder} or ${isUnclaimed})
          returning ${HOOK}`),
      );
      if (claimed[0] === undefined) return undefined;
      const hook = toHook(claimed[0]);
      const { project, channel, lastPublication } = hook;
      const [row] = await read.run(sql<Row>`
        select p.id as publication_id, p.project, p.channel, p.action, p.published_at, p.release_id, r.number, r.courses,
          r.drafts, r.lessons, r.changes, r.created_at
        from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} and p.channel = ${channel} and p.id > ${lastPublication} order by p.id limit 1`);
      if (row === undefined) return undefined;
      const [before] = await read.run(sql<{ number: number | null }>`
        select r.number from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} and p.channel = ${channel} and p.id < ${row.publication_id as number}
        order by p.id desc limit 1`);
      return { hook, event: toEvent(row, before?.number ?? undefined) };
    },

    async recordAttempt(holder, { id, lastPublication }, progress) {
      const recorded = await transactSoon(async (transaction) =>
        transaction.run(sql`
          update hooks set last_publication = ${progress.lastPublication}, failures = ${progress.failures},
            failing_since = ${progress.failingSince ?? null}, last_fault = ${progress.lastFault ?? null},
            next_attempt_at = ${progress.nextAttemptAt}, paused_at = ${progress.pausedAt ?? null},
            pause_reason = ${progress.pauseReason ?? null}, claimed_until = ${timestamp(0)}
          where id = ${id} and last_publication = ${lastPublication} and paused_at is null and identity = ${IDENTITY}
            and claimed_by = ${holder}
          returning id`),
      );
      return recorded.length > 0;
    },

    async countWaiting() {
      const [row] = await read.run(sql<{ count: number }>`
        select cast(count(*) as integer) as count from hooks h
        join publications p on p.project = h.project and p.channel = h.channel
          and p.id > h.last_publication and p.id <= h.newest_publication
        where h.identity = ${IDENTITY}`);
      return row?.count ?? 0;
    },

    async countTroubled() {
      const isPaused = sql`(paused_at is not null or identity <> ${IDENTITY})`;
      const [row] = await read.run(sql<{ paused: number; failing: number; follows: number }>`
        select cast(count(*) filter (where ${isPaused}) as integer) as paused,
          cast(count(*) filter (where failures > 0 and not ${isPaused}) as integer) as failing,
          cast((select count(*) from follow_failures) as integer) as follows
        from hooks`);
      return row ?? { paused: 0, failing: 0, follows: 0 };
    },
  };
}

function toEvent(row: Row, before: number | undefined): HookEvent {
  const { release_id: releaseId, changes, created_at: createdAt, number, courses, drafts, lessons, ...event } = row;
  // The changes of a release are relative to its base, which for a preview's first release is the live release. An
  // existing release that is published again has no changes.
  const hasChanges = createdAt === row.published_at && (before !== undefined || row.channel === LIVE_CHANNEL);
  return {
    ...toRecord<Omit<HookEvent, "release" | "before" | "changes">>(event),
    release: releaseId === null ? undefined : toRecord<HookEvent["release"]>({ number, courses, drafts, lessons }),
    before,
    changes: hasChanges ? (JSON.parse(String(changes)) as HookEvent["changes"]) : undefined,
  };
}
