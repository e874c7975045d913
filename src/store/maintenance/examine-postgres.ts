import type { Connection } from "../engine.ts";
import { fault, RESTORE, skipped, warning, type Finding } from "../../catalog/findings.ts";
import { openPostgres } from "../postgres/postgres.ts";
import { list, raw, sql } from "../queries/query.ts";

/** A class of advisory locks, `Lecv` in ASCII, distinct from the classes for projects and the schema. */
const EXAMINED_LOCK = 0x4c656376;

/** Checks indexes one by one with PostgreSQL's amcheck. If `deep` is true, checks tables, too. */
export async function examinePostgresIntegrity(
  read: Connection,
  tables: readonly string[],
  deep: boolean,
): Promise<Finding[]> {
  const extension = await read.run(sql`select 1 from pg_extension where extname = 'amcheck'`);
  if (extension.length === 0) {
    return [skipped("amcheck is not installed: run `create extension amcheck` to check indexes and tables.")];
  }
  const indexes = await read.run(sql<{ id: number; name: string }>`
    select c.oid::integer as id, c.relname as name from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam join pg_class t on t.oid = i.indrelid
    where a.amname = 'btree' and pg_table_is_visible(t.oid) and t.relname in ${list(tables)} order by c.relname`);
  const findings: Finding[] = [];
  for (const { id, name } of indexes) {
    try {
      await read.run(raw(`select bt_index_check(${id}::oid::regclass, ${deep})`));
    } catch (error) {
      const { message, errno } = error as Error & { errno?: unknown };
      // The SQLSTATE of insufficient_privilege.
      if (errno === "42501")
        return [skipped(`This role cannot use amcheck (${message}): run this command as the owner.`)];
      findings.push(fault(`Index ${name} is damaged: ${message}. Run \`reindex index ${name}\`, then check again.`));
    }
  }
  if (!deep) return findings;
  for (const table of tables) {
    const rows = await read.run(raw<{ msg: string }>(`select msg from verify_heapam('${table}') limit 1`));
    for (const { msg } of rows) findings.push(fault(`Table ${table} is damaged: ${msg}. ${RESTORE}`));
  }
  return findings;
}

export async function readPostgresClock(read: Connection): Promise<number> {
  const [row] = await read.run(
    sql<{ ms: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return Number(row?.ms);
}

export async function findPostgresFaults(
  read: Connection,
  tables: readonly string[],
  place: string,
): Promise<Finding[]> {
  const [row] = await read.run(sql<{ is_replica: boolean; is_read_only: string }>`
    select pg_is_in_recovery() as is_replica, current_setting('default_transaction_read_only') as is_read_only`);
  const findings: Finding[] = [];
  if (row?.is_replica !== false || row.is_read_only === "on") {
    const next = "Use the primary for imports and keys, and as the servers' --database.";
    findings.push(warning(`${place} is read-only: it is a replica or configured as read-only. ${next}`));
  }
  const unreadable: string[] = [];
  for (const table of tables) {
    const [may] = await read.run(sql<{ may: boolean }>`select has_table_privilege(${table}, 'select') as may`);
    if (may?.may !== true) unreadable.push(table);
  }
  if (unreadable.length > 0) {
    findings.push(fault(`This role cannot read ${unreadable.join(", ")}: see the grants in docs/postgres.md.`));
  }
  return findings;
}

/**
 * Checks that a lock lasts as long as its connection, as imports require. Behind a pooler in transaction mode, which
 * shares connections, it does not.
 */
export async function examinePostgresLocks(url: string): Promise<Finding[]> {
  const first = await openPostgres(url, { create: false });
  const second = await openPostgres(url, { create: false }).catch(async (error: unknown) => {
    await first.close();
    throw error;
  });
  const number = Math.floor(Math.random() * 0x7fffffff);
  const take = async ({ read }: { read: Connection }): Promise<boolean> => {
    const [row] = await read.run(sql<{ taken: boolean }>`
      select pg_try_advisory_lock(${EXAMINED_LOCK}::integer, ${number}::integer) as taken`);
    return row?.taken === true;
  };
  try {
    const [isTaken, isTakenTwice] = [await take(first), await take(second)];
    await first.read.run(sql`select pg_advisory_unlock_all()`);
    if (isTaken && !isTakenTwice) return [];
    const next = "Servers can use this connection; use a direct PostgreSQL URL for imports and other commands.";
    return [warning(`Locks do not hold over this connection: a pooler shares it between transactions. ${next}`)];
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}
