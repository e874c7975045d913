import { constants, statfsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import type { FollowFailure, LockHolder, PublicationAction, ReleaseCounts } from "../../catalog/store.ts";
import type { Connection } from "../engine.ts";
import { mayAccess } from "../sqlite/sqlite-file.ts";
import { findHolder } from "../sqlite/sqlite.ts";
import { PROJECT_LOCKS } from "../postgres/postgres-connections.ts";
import { describePostgres, openPostgres } from "../postgres/postgres.ts";
import { sql, toRecord, type Query, type Row } from "../queries/query.ts";
import { followLinks, measureFile, openSqliteToLook } from "../sqlite/sqlite-file.ts";

/** The time-out for connecting and for each statement, which a migration might block. */
const TIMEOUT_MS = 10_000;
const MAX_LISTED = 20;

export type StoreStatus = Awaited<ReturnType<typeof readStoreStatus>>;
export type ContentStatus = StoreStatus["content"];

interface ChannelStatus extends ReleaseCounts {
  project: string;
  channel: string;
  release: number;
  source: string;
  publishedAt: string;
  action: PublicationAction;
}

interface KeyCounts extends Record<"live" | "expired" | "revoked", number> {
  project: string;
  channel: string;
  lastUsedAt: string | undefined;
}

interface TroubledHook {
  id: string;
  project: string;
  state: "paused" | "copy" | "failing";
  /** Undefined for a copy. */
  since: string | undefined;
}

interface UnfinishedImport {
  project: string;
  holder: LockHolder | undefined;
  /** Undefined for a process on another machine. */
  isRunning: boolean | undefined;
}

/** Reads the status at `now`, with the keys that expire by `soon`. Throws as `openStore` does. */
export async function readStoreStatus(url: string, now: string, soon: string) {
  return url.startsWith("sqlite:")
    ? readSqlite(followLinks(url.slice("sqlite:".length)), now, soon)
    : readPostgres(url, now, soon);
}

async function readSqlite(path: string, now: string, soon: string) {
  const read = await openSqliteToLook(path);
  try {
    const [pages] = await read.run(sql<{ free: number; size: number }>`
      select freelist_count as free, page_size as size from pragma_freelist_count, pragma_page_size`);
    const { bavail, bsize } = statfsSync(dirname(path));
    const database = {
      engine: "sqlite" as const,
      /** The file path, or `NAME on HOST`. */
      place: path,
      bytes: measureFile(path),
      reclaimableBytes: (pages?.free ?? 0) * (pages?.size ?? 0),
      freeBytes: bavail * bsize,
      isWritable: mayAccess(path, constants.W_OK) && mayAccess(dirname(path), constants.W_OK),
    };
    const content = await readContent(read, now, soon, async (project) => {
      const holder = findHolder(path, project);
      return { project, holder, isRunning: holder && isRunningHere(holder) };
    });
    return { database, content };
  } finally {
    read.close();
  }
}

async function readPostgres(url: string, now: string, soon: string) {
  const postgres = { poolSize: 1, connectTimeoutMs: TIMEOUT_MS, statementTimeoutMs: TIMEOUT_MS };
  const { read, close } = await openPostgres(url, { create: false, postgres });
  try {
    const [row] = await read.run(sql<{ bytes: string; is_replica: boolean; is_read_only: string }>`
      select pg_database_size(current_database())::text as bytes, pg_is_in_recovery() as is_replica,
        current_setting('default_transaction_read_only') as is_read_only`);
    const database = {
      engine: "postgres" as const,
      place: describePostgres(url),
      bytes: Number(row?.bytes),
      reclaimableBytes: undefined,
      freeBytes: undefined,
      isWritable: row?.is_replica === false && row.is_read_only === "off",
    };
    return { database, content: await readContent(read, now, soon, (project) => findLock(read, project)) };
  } finally {
    await close();
  }
}

async function findLock(read: Connection, project: string): Promise<UnfinishedImport> {
  const [row] = await read.run(sql<{ holder: string }>`select holder from project_locks where project = ${project}`);
  const held = await read.run(sql`select 1 from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = ${PROJECT_LOCKS}::bigint
    and objid::bigint = (hashtext(${project})::bigint & 4294967295)`);
  return { project, holder: row && (JSON.parse(row.holder) as LockHolder), isRunning: held.length > 0 };
}

function isRunningHere({ host, pid }: LockHolder): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readContent(
  read: Connection,
  now: string,
  soon: string,
  findImport: (project: string) => Promise<UnfinishedImport>,
) {
  const list = async <T>(query: Query<Row>): Promise<T[]> => (await read.run(query)).map((row) => toRecord<T>(row));
  const unfinished = await list<{ project: string }>(sql`select project from unfinished_imports order by project`);
  const unfinishedImports: UnfinishedImport[] = [];
  for (const { project } of unfinished) unfinishedImports.push(await findImport(project));
  const [assets] = await read.run(sql<Record<"files" | "bytes" | "inside", number | string | null>>`
    select count(*) as files, sum(bytes) as bytes, sum(in_folder) as inside from assets`);
  return {
    unfinishedImports,
    // PostgreSQL returns counts and sums as text.
    assets: { files: Number(assets?.files), bytes: Number(assets?.bytes), inFolder: Number(assets?.inside) },
    channels: await list<ChannelStatus>(sql`
      select p.project, p.channel, p.action, r.number as release, r.courses, r.drafts, r.lessons, r.source, p.published_at
      from publications p join releases r on r.id = p.release_id
      where p.id in (select max(id) from publications group by project, channel)
      order by p.project, p.channel`),
    keys: await list<KeyCounts>(sql`
      select project, channel,
        cast(count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${now})) as integer) as live,
        cast(count(*) filter (where revoked_at is null and expires_at <= ${now}) as integer) as expired,
        cast(count(revoked_at) as integer) as revoked, max(last_used_at) as last_used_at
      from keys group by project, channel order by project, channel`),
    expiring: await list<Record<"id" | "name" | "project" | "expiresAt", string>>(sql`
      select id, name, project, expires_at from keys
      where revoked_at is null and expires_at > ${now} and expires_at <= ${soon}
      order by expires_at, id limit ${MAX_LISTED}`),
    troubledHooks: await list<TroubledHook>(sql`
      select id, project, state, case when state <> 'copy' then coalesce(paused_at, failing_since) end as since from (
        select hooks.*, case when paused_at is not null then 'paused'
          when identity <> (select identity from store_identity where id = 1) then 'copy'
          when failures > 0 then 'failing' end as state
        from hooks
      ) h where state is not null order by project, id limit ${MAX_LISTED}`),
    followFailures: await list<Pick<FollowFailure, "project" | "source" | "failingSince" | "fault">>(sql`
      select project, source, failing_since, fault from follow_failures
      order by project, failing_since limit ${MAX_LISTED}`),
  };
}
