import { ExpectedError } from "../../catalog/expected-error.ts";
import type { Connection, Engine } from "../engine.ts";
import { openEngine } from "../open-store.ts";
import { list, raw, sql, type Value } from "../queries/query.ts";
import { UNFINISHED_COPY } from "../schema.ts";

const ROWS_PER_READ = 200;

interface Table {
  name: string;
  key: string[];
  where: string;
  rowsPerRead?: number;
}

// Excludes leftovers of interrupted imports.
const listed = (column: string): string => `exists (select 1 from release_courses rc where rc.version_id = ${column})`;
const LESSON_OWNER = `exists (
  select 1 from version_lessons vl where vl.lesson_version_id = lesson_versions.id and ${listed("vl.version_id")}
)`;

// Copies only referenced assets. Contents in a folder have no rows to copy.
const reliedOn = (digest: string): string => `exists (
  select 1 from version_assets va where va.digest = ${digest} and ${listed("va.version_id")}
)`;
const CHUNK_OWNER = `exists (
  select 1 from assets a where a.content_id = asset_chunks.content_id and ${reliedOn("a.digest")}
)`;

/** The tables in copying order. Counters come last, so that no server uses an unfinished target. */
const TABLES: Table[] = [
  { name: "course_versions", key: ["id"], where: listed("course_versions.id") },
  { name: "course_meta", key: ["version_id"], where: listed("course_meta.version_id") },
  { name: "course_trees", key: ["version_id"], where: listed("course_trees.version_id") },
  { name: "version_chapters", key: ["version_id", "number"], where: listed("version_chapters.version_id") },
  { name: "version_lessons", key: ["version_id", "lesson_id"], where: listed("version_lessons.version_id") },
  { name: "lesson_versions", key: ["id"], where: LESSON_OWNER },
  { name: "releases", key: ["id"], where: "true" },
  { name: "release_courses", key: ["release_id", "position"], where: "true" },
  { name: "release_sources", key: ["release_id", "name"], where: "true" },
  { name: "former_slugs", key: ["project", "channel", "slug", "course_id"], where: "true" },
  { name: "publications", key: ["id"], where: "true" },
  { name: "asset_chunks", key: ["content_id", "position"], where: CHUNK_OWNER, rowsPerRead: 32 },
  { name: "assets", key: ["digest"], where: reliedOn("assets.digest") },
  { name: "asset_names", key: ["digest", "name"], where: reliedOn("asset_names.digest") },
  { name: "version_assets", key: ["version_id", "digest", "name"], where: listed("version_assets.version_id") },
  { name: "keys", key: ["id"], where: "true" },
  // Hooks keep their store's identity, so that servers of the copy do not deliver to them, too.
  { name: "hooks", key: ["id"], where: "true" },
  { name: "counters", key: ["name"], where: "true" },
];

export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Reports progress: `Copying lesson_versions`, the rows so far, and their total if known. */
type OnProgress = (doing: string, rows: number, total?: number) => void;

/** Copies a store into an empty one and reads the copy back. Throws ExpectedError. */
export async function copyStore(fromUrl: string, toUrl: string, onProgress: OnProgress): Promise<TableDigest[]> {
  const from = await openEngine(fromUrl, { create: false });
  try {
    const to = await openEngine(toUrl, { create: true });
    try {
      const { oldest_reader, oldest_writer } = await requireSameSchema(from, to);
      await requireEmpty(to);
      // Otherwise, an import into an interrupted copy could rely on courses without lessons.
      await setMarker(to, UNFINISHED_COPY, UNFINISHED_COPY);
      const copied = await from.snapshot(async (source) => copyTables(source, to, onProgress));
      // The log grows during the snapshot, and the next commit of a server would move all of it.
      await from.emptyLog();
      // Without statistics, PostgreSQL reads whole tables for each chunk.
      await to.analyze();
      await to.snapshot(async (target) => requireEqual(target, copied, onProgress));
      await setMarker(to, oldest_reader, oldest_writer);
      return copied;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function setMarker({ transact }: Engine, oldestReader: number, oldestWriter: number): Promise<void> {
  await transact(async (transaction) =>
    transaction.run(sql`update lectern_schema set oldest_reader = ${oldestReader}, oldest_writer = ${oldestWriter}`),
  );
}

type Marker = Record<"version" | "oldest_reader" | "oldest_writer", number>;

/** Returns the target's marker. */
async function requireSameSchema({ read: from }: Engine, { read: to }: Engine): Promise<Marker> {
  const marker = sql<Marker>`select version, oldest_reader, oldest_writer from lectern_schema`;
  const [[source], [target]] = [await from.run(marker), await to.run(marker)];
  if (target !== undefined && source?.version === target.version) return target;
  throw new ExpectedError(
    `The source has schema ${source?.version}, but the target has schema ${target?.version}. Nothing was copied. ` +
      "Migrate the older database with a writing command of the newer Lectern, such as an import, and copy with that " +
      "version.",
  );
}

async function requireEmpty({ read }: Engine): Promise<void> {
  const found = await read.run(sql`
    select 1 from course_versions union all select 1 from releases union all select 1 from publications
    union all select 1 from keys union all select 1 from hooks union all select 1 from counters limit 1`);
  if (found.length > 0) throw new ExpectedError("The target is not empty. Nothing was copied; use a new database.");
}

async function copyTables(source: Connection, to: Engine, onProgress: OnProgress): Promise<TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const table of TABLES) {
    const copy = async (rows: Row[], count: number): Promise<void> => {
      await to.transactContent(async (transaction) => transaction.insert(table.name, rows));
      onProgress(`Copying ${table.name}`, count);
    };
    digests.push(await digestTable(source, table, copy));
  }
  return digests;
}

async function requireEqual(target: Connection, copied: TableDigest[], onProgress: OnProgress): Promise<void> {
  for (const [index, table] of TABLES.entries()) {
    const { rows: total = 0, digest: expected } = copied[index] ?? {};
    const { rows, digest } = await digestTable(target, table, async (_rows, count) =>
      onProgress(`Comparing ${table.name}`, count, total),
    );
    if (digest === expected) continue;
    throw new ExpectedError(
      `The copy of ${table.name} differs from the source: it has ${rows} of ${total} rows and digest ${digest}. ` +
        "Do not use the target.",
    );
  }
}

type Row = Record<string, Value>;

async function digestTable(
  connection: Connection,
  { name, key, where, rowsPerRead = ROWS_PER_READ }: Table,
  use: (rows: Row[], count: number) => Promise<void>,
): Promise<TableDigest> {
  const hasher = new Bun.CryptoHasher("sha256");
  const columns = raw(key.join(", "));
  let count = 0;
  let isLater = raw("true");
  for (;;) {
    const rows = await connection.run(sql<Row>`
      select * from ${raw(name)} where ${isLater} and ${raw(where)}
      order by ${columns} limit ${raw(String(rowsPerRead))}`);
    const last = rows.at(-1);
    if (last === undefined) return { table: name, rows: count, digest: hasher.digest("hex") };
    count += rows.length;
    for (const row of rows) hasher.update(`${JSON.stringify(Object.entries(row).map(toComparable))}\n`);
    await use(rows, count);
    // Let signals arrive, since SQLite blocks the event loop.
    await Bun.sleep(0);
    isLater = sql`(${columns}) > ${list(key.map((column) => last[column] ?? null))}`;
  }
}

/** Converts bytes to text, because the engines return different byte types. */
function toComparable([column, value]: [string, Value]): [string, Value] {
  return [column, value instanceof Uint8Array ? value.toBase64() : value];
}
