// Moves everything from one database to another, of whichever engines: the tables are the same, and so are the rows.
import { ExpectedError } from "../catalog/expected-error.ts";
import type { Connection, Engine } from "./engine.ts";
import { openEngine } from "./open-store.ts";
import { list, raw, sql, type Value } from "./query.ts";

/** Lessons are a few KB, rarely megabytes: so many fit in memory. */
const ROWS_PER_READ = 200;

interface Table {
  name: string;
  /** Columns that tell rows apart, in whose order they are read. */
  key: string[];
  /** A condition for rows to copy. */
  where: string;
  /** ROWS_PER_READ where absent. */
  rowsPerRead?: number;
}

// What an import that was cut off has left is no part of the store.
const listed = (column: string): string => `exists (select 1 from release_courses rc where rc.version_id = ${column})`;
const LESSON_OWNER = `exists (
  select 1 from version_lessons vl where vl.lesson_version_id = lesson_versions.id and ${listed("vl.version_id")}
)`;

// Of assets, what versions rely on; contents in a folder are no rows.
const reliedOn = (digest: string): string => `exists (
  select 1 from version_assets va where va.digest = ${digest} and ${listed("va.version_id")}
)`;
const CHUNK_OWNER = `exists (
  select 1 from assets a where a.content_id = asset_chunks.content_id and ${reliedOn("a.digest")}
)`;

/** In the order of copying: a server finds nothing in the target until the counters are there. */
const TABLES: Table[] = [
  { name: "course_versions", key: ["id"], where: listed("course_versions.id") },
  { name: "course_meta", key: ["version_id"], where: listed("course_meta.version_id") },
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
  // With the identity of the store that they are of, so that the copy does not tell what that one tells.
  { name: "hooks", key: ["id"], where: "true" },
  { name: "counters", key: ["name"], where: "true" },
];

/** What one table holds. */
export interface TableDigest {
  table: string;
  rows: number;
  /** SHA-256 of all rows in the order of their key, 64 hex digits. */
  digest: string;
}

/** How far a copy is. */
export interface CopyProgress {
  task: "copy" | "compare";
  table: string;
  /** Of the table, until now. */
  rows: number;
  /** Those that the table has; undefined until it is copied. */
  total?: number;
}

/** The target holds something already. */
export class StoreNotEmpty extends ExpectedError {}
/** What was read back from the target is not what was written. */
export class CopyDiffers extends ExpectedError {}

/**
 * Copies a store into an empty one, as it is at the start, and reads all of it back. Throws StoreNotEmpty before
 * anything is written, CopyDiffers at the end, and what opening a database throws.
 */
export async function copyStore(
  fromUrl: string,
  toUrl: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<TableDigest[]> {
  const from = await openEngine(fromUrl, { create: false });
  try {
    const to = await openEngine(toUrl, { create: true });
    try {
      await requireEmpty(to);
      const copied = await from.snapshot(async (source) => {
        const digests: TableDigest[] = [];
        for (const table of TABLES) {
          digests.push(await copyTable(source, to, table, onProgress));
        }
        return digests;
      });
      await requireEqual(to, copied, onProgress);
      return copied;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function requireEmpty({ read }: Engine): Promise<void> {
  const found = await read.run(sql`
    select 1 from course_versions union all select 1 from releases union all select 1 from publications
    union all select 1 from keys union all select 1 from hooks union all select 1 from counters limit 1`);
  if (found.length > 0) throw new StoreNotEmpty("The target is not empty. Nothing was copied; give a new database.");
}

async function copyTable(
  source: Connection,
  to: Engine,
  table: Table,
  onProgress: (progress: CopyProgress) => void,
): Promise<TableDigest> {
  const digest = new RowDigest(table.name);
  for await (const rows of readRows(source, table)) {
    digest.add(rows);
    await to.transact(async (transaction) => transaction.insert(table.name, rows));
    onProgress({ task: "copy", table: table.name, rows: digest.rows });
  }
  return digest.finish();
}

async function requireEqual(
  to: Engine,
  copied: TableDigest[],
  onProgress: (progress: CopyProgress) => void,
): Promise<void> {
  await to.snapshot(async (target) => {
    for (const [index, table] of TABLES.entries()) {
      const digest = new RowDigest(table.name);
      for await (const rows of readRows(target, table)) {
        digest.add(rows);
        onProgress({ task: "compare", table: table.name, rows: digest.rows, total: copied[index]?.rows ?? 0 });
      }
      const { rows: count, digest: found } = digest.finish();
      if (found === copied[index]?.digest) continue;
      throw new CopyDiffers(
        `The copy of ${table.name} is not equal: ${count} rows of ${copied[index]?.rows}, digest ${found}. ` +
          "Do not use the target.",
      );
    }
  });
}

type Row = Record<string, Value>;

async function* readRows(
  connection: Connection,
  { name, key, where, rowsPerRead = ROWS_PER_READ }: Table,
): AsyncGenerator<Row[]> {
  const columns = key.join(", ");
  let isLater = raw("true");
  for (;;) {
    const rows = await connection.run(sql<Row>`
      select * from ${raw(name)} where ${isLater} and ${raw(where)}
      order by ${raw(columns)} limit ${raw(String(rowsPerRead))}`);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    // SQLite answers without waiting for anything: signals would not be seen before the end.
    await Bun.sleep(0);
    isLater = sql`(${raw(columns)}) > ${list(key.map((column) => last[column] ?? null))}`;
  }
}

class RowDigest {
  readonly #table: string;
  readonly #hasher = new Bun.CryptoHasher("sha256");
  rows = 0;

  constructor(table: string) {
    this.#table = table;
  }

  add(rows: Row[]): void {
    this.rows += rows.length;
    for (const row of rows) this.#hasher.update(`${JSON.stringify(Object.entries(row).map(toComparable))}\n`);
  }

  finish(): TableDigest {
    return { table: this.#table, rows: this.rows, digest: this.#hasher.digest("hex") };
  }
}

/** Bytes as text, because the engines return them as objects of different kinds. */
function toComparable([column, value]: [string, Value]): [string, Value] {
  return [column, value instanceof Uint8Array ? value.toBase64() : value];
}
