// Checks a database for faults, without changing or blocking it.
import type { Connection, Dialect } from "../engine.ts";
import { examineAssets, listDamagedBodies } from "./examine-content.ts";
import {
  examinePostgresIntegrity,
  examinePostgresLocks,
  findPostgresFaults,
  readPostgresClock,
} from "./examine-postgres.ts";
import { describePostgres, openPostgres, POSTGRES_DIALECT } from "../postgres/postgres.ts";
import { fault, RESTORE, warning, type Examined, type Finding } from "../../catalog/findings.ts";
import { raw, sql } from "../queries/query.ts";
import { findSchema, listSchemaNames } from "../schema.ts";
import { followLinks, isSqliteCorrupt, openSqliteToLook, SQLITE_DIALECT, mayAccess } from "../sqlite/sqlite-file.ts";
import { constants, readdirSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface ExamineOptions {
  database: string;
  readDatabase: string | undefined;
  assetFolder: string | undefined;
  deep: boolean;
  now: Date;
}

const CLOCK_TOLERANCE_MS = 60_000;

/** Yields each check as it finishes. Throws ExpectedError if the database cannot be read at all. */
export async function* examineStore(options: ExamineOptions): AsyncGenerator<Examined> {
  if (options.database.startsWith("sqlite:"))
    yield* examineSqlite(followLinks(options.database.slice("sqlite:".length)), options);
  else yield* examinePostgres(options.database, options);
}

async function* examineSqlite(path: string, options: ExamineOptions): AsyncGenerator<Examined> {
  const read = await openSqliteToLook(path);
  try {
    const names = sql<{ name: string }>`
      select name from sqlite_schema union all
      select t.name || '.' || c.name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'`;
    const examineOwn = async (): Promise<Finding[]> => examineSchema(read, SQLITE_DIALECT, path, names);
    yield { check: "schema", findings: await reportDamage(examineOwn) };
    const pragma = raw<Record<string, string>>(`pragma ${options.deep ? "integrity_check" : "quick_check"}(20)`);
    const examineIntegrity = async (): Promise<Finding[]> => {
      const texts = (await read.run(pragma)).flatMap((row) => Object.values(row));
      return texts.filter((text) => text !== "ok").map((text) => fault(`${path} is damaged: ${text}. ${RESTORE}`));
    };
    yield { check: "integrity", findings: await reportDamage(examineIntegrity) };
    yield* examineContent(read, options);
    const nowMs = options.now.getTime();
    yield { check: "clock", findings: await reportDamage(async () => examineClock(read, options.now, nowMs)) };
    yield* examineSqliteFile(path);
  } finally {
    read.close();
  }
}

async function* examinePostgres(url: string, options: ExamineOptions): AsyncGenerator<Examined> {
  const { read, close } = await openPostgres(url, { create: false });
  try {
    const names = sql<{ name: string }>`
      select relname as name from pg_class where pg_table_is_visible(oid) union all
      select t.relname || '.' || c.attname from pg_class t join pg_attribute c on c.attrelid = t.oid
      where t.relkind = 'r' and pg_table_is_visible(t.oid) and c.attnum > 0 and not c.attisdropped`;
    yield { check: "schema", findings: await examineSchema(read, POSTGRES_DIALECT, describePostgres(url), names) };
    const version = await findSchema(read, POSTGRES_DIALECT, { place: describePostgres(url) });
    const tables = listSchemaNames(POSTGRES_DIALECT, version).tables;
    yield { check: "integrity", findings: await examinePostgresIntegrity(read, tables, options.deep) };
    yield* examineContent(read, options);
    const clockMs = await readPostgresClock(read);
    yield { check: "clock", findings: await examineClock(read, new Date(), clockMs) };
    yield { check: "permissions", findings: await findPostgresFaults(read, tables, describePostgres(url)) };
    yield { check: "locks", findings: await examinePostgresLocks(url) };
    if (options.readDatabase !== undefined) {
      yield { check: "replica", findings: await examineReplica(read, options.readDatabase) };
    }
  } finally {
    await close();
  }
}

async function examineSchema(
  read: Connection,
  dialect: Dialect,
  place: string,
  namesThere: ReturnType<typeof sql<{ name: string }>>,
): Promise<Finding[]> {
  const there = new Set((await read.run<{ name: string }>(namesThere)).map(({ name }) => name));
  const { tables, indexes, columns } = listSchemaNames(dialect, await findSchema(read, dialect, { place }));
  const ofTables = columns.filter((name) => there.has(name.split(".", 1)[0] ?? ""));
  const missing = [...tables, ...indexes, ...ofTables].filter((name) => !there.has(name));
  const findings: Finding[] = [];
  if (missing.length > 0) findings.push(fault(`Parts of the schema are missing: ${missing.join(", ")}. ${RESTORE}`));
  const foreign = (await read.run(dialect.foreignParts(tables))).map(({ name }) => name);
  if (foreign.length === 0) return findings;
  const next = "If you do not need them, drop them, and run `lectern doctor --deep`.";
  findings.push(
    warning(`Lectern did not create these parts, which can change content: ${foreign.join(", ")}. ${next}`),
  );
  return findings;
}

async function* examineContent(read: Connection, { assetFolder, deep }: ExamineOptions): AsyncGenerator<Examined> {
  yield { check: "rows", findings: await reportDamage(async () => examineRows(read)) };
  yield { check: "assets", findings: await reportDamage(async () => examineAssets(read, assetFolder, deep)) };
  if (!deep) return;
  const examineBodies = async (): Promise<Finding[]> =>
    (await listDamagedBodies(read)).map((what) => fault(`${what} ${RESTORE}`));
  yield { check: "bodies", findings: await reportDamage(examineBodies) };
}

/** Reports damage if reading throws, as it does for data in a damaged page. */
async function reportDamage(examine: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examine();
  } catch (error) {
    if (!isSqliteCorrupt(error)) throw error;
    return [fault(`Only part of the data can be read: ${(error as Error).message}. ${RESTORE}`)];
  }
}

/** References between rows: the table and column, and the target table and column. */
const REFERENCES: [table: string, column: string, target: string, targetColumn: string][] = [
  ["release_courses", "release_id", "releases", "id"],
  ["release_courses", "version_id", "course_versions", "id"],
  ["release_sources", "release_id", "releases", "id"],
  ["publications", "release_id", "releases", "id"],
  ["version_lessons", "version_id", "course_versions", "id"],
  ["version_lessons", "lesson_version_id", "lesson_versions", "id"],
  ["version_chapters", "version_id", "course_versions", "id"],
  ["course_meta", "version_id", "course_versions", "id"],
  ["course_trees", "version_id", "course_versions", "id"],
  ["version_assets", "version_id", "course_versions", "id"],
  ["version_assets", "digest", "assets", "digest"],
  ["asset_names", "digest", "assets", "digest"],
];

const COUNTS: [what: string, query: string][] = [
  [
    "Releases with missing or extra courses",
    `select count(*) as count, min(r.id) as first from releases r where pruned_at is null and courses + drafts <>
      (select count(*) from release_courses c where c.release_id = r.id)`,
  ],
  [
    "Course versions with missing or extra lessons",
    // Versions of no unpruned release can lack lessons: an import writes or a prune deletes them, or did when it ended.
    `select count(*) as count, min(v.id) as first from course_versions v where lessons <>
      (select count(*) from version_lessons l where l.version_id = v.id)
      and exists (select 1 from release_courses c join releases r on r.id = c.release_id
        where c.version_id = v.id and r.pruned_at is null)`,
  ],
];

async function examineRows(read: Connection): Promise<Finding[]> {
  const dangling = REFERENCES.map(([table, column, target, targetColumn]): [what: string, query: string] => [
    `Rows of ${table} that refer to missing rows of ${target}`,
    `select count(*) as count, min(${column}) as first from ${table} t where ${column} is not null
      and not exists (select 1 from ${target} o where o.${targetColumn} = t.${column})`,
  ]);
  const unfinished = await read.run(sql`select project from unfinished_imports`);
  const doubt = unfinished.length === 0 ? "" : " If an import is running, check again after it ends.";
  const findings: Finding[] = [];
  for (const [what, query] of [...dangling, ...COUNTS]) {
    const [row] = await read.run<{ count: number; first: unknown }>(raw(query));
    const count = Number(row?.count);
    if (count > 0) findings.push(fault(`${what}: ${count} (first: ${String(row?.first)}).${doubt} ${RESTORE}`));
  }
  return findings;
}

/** Checks the clock: a wrong clock makes keys expire early or late, and gives releases wrong dates. */
async function examineClock(read: Connection, now: Date, databaseMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const differenceMs = Math.abs(databaseMs - now.getTime());
  if (differenceMs > CLOCK_TOLERANCE_MS) {
    const seconds = Math.round(differenceMs / 1000);
    findings.push(warning(`The clocks of this machine and the database differ by ${seconds} s. Use NTP.`));
  }
  const [row] = await read.run<{ newest: string | null }>(sql`select max(published_at) as newest from publications`);
  const newest = row?.newest ?? "";
  if (newest !== "" && Date.parse(newest) > now.getTime() + CLOCK_TOLERANCE_MS) {
    findings.push(warning(`The newest publication has a future date, ${newest}: a clock was or is wrong. Use NTP.`));
  }
  return findings;
}

async function examineReplica(primary: Connection, url: string): Promise<Finding[]> {
  const { read, close } = await openPostgres(url, { create: false });
  const readIdentity = async (connection: Connection) => {
    const [row] = await connection.run(sql<{ identity: string; newest: number; is_replica: boolean }>`
      select (select identity from store_identity where id = 1) as identity, pg_is_in_recovery() as is_replica,
        coalesce((select value from counters where name = 'publications'), 0) as newest`);
    return { identity: row?.identity, newest: Number(row?.newest), isReplica: row?.is_replica === true };
  };
  try {
    const replica = await readIdentity(read);
    const { identity, newest } = await readIdentity(primary);
    if (replica.identity !== identity) {
      return [fault(`${describePostgres(url)} is not a copy of the database. Set --read-database to a replica of it.`)];
    }
    const findings: Finding[] = [];
    if (!replica.isReplica) findings.push(warning(`${describePostgres(url)} is not a replica.`));
    const behind = newest - replica.newest;
    if (behind > 0) {
      findings.push(
        warning(`The replica lacks ${behind} of the primary's publications. If this lasts, see pg_stat_replication.`),
      );
    }
    return findings;
  } finally {
    await close();
  }
}

const LOW_DISK_BYTES = 1_000_000_000;

function* examineSqliteFile(path: string): Generator<Examined> {
  yield { check: "permissions", findings: examinePermissions(path) };
  yield { check: "modes", findings: examineModes(path) };
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  const next = "Free some space, for example with `lectern prune` and `lectern vacuum`.";
  const low = warning(`The disk of ${path} has ${Math.round(free / 1e6)} MB left: imports might fail. ${next}`);
  yield { check: "disk", findings: free < LOW_DISK_BYTES ? [low] : [] };
}

function examinePermissions(path: string): Finding[] {
  const findings: Finding[] = [];
  for (const each of [path, dirname(path)]) {
    if (mayAccess(each, constants.R_OK | constants.W_OK)) continue;
    findings.push(
      fault(`This user cannot write to ${each}: servers and imports fail. Run them as its owner, or chown it.`),
    );
  }
  const owner = statSync(path).uid;
  for (const file of listFiles(path)) {
    if (statSync(file, { throwIfNoEntry: false })?.uid === owner) continue;
    findings.push(
      warning(`${file} and ${path} have different owners, so one user's commands fail: chown one of them.`),
    );
  }
  return findings;
}

/** Checks who can read the files: keys are stored as digests, but webhooks' secrets are stored in plain text. */
function examineModes(path: string): Finding[] {
  return [path, ...listFiles(path)].flatMap((file) => {
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    if ((mode & 0o077) === 0) return [];
    return [warning(`Other users can open ${file} (mode ${mode.toString(8)}): run \`chmod 600 ${file}\`.`)];
  });
}

/** Lists the log and lock files beside a database. */
function listFiles(path: string): string[] {
  const own = basename(path);
  return readdirSync(dirname(path))
    .filter((name) => name === `${own}-wal` || name === `${own}-shm` || /\.lock(\.json)?$/.test(name.slice(own.length)))
    .filter((name) => name.startsWith(own))
    .map((name) => join(dirname(path), name));
}
