import { decodeData, digestText, unseal, unsealText, type Bytes } from "../../catalog/body.ts";
import type { Connection } from "../engine.ts";
import { raw, sql, type Query } from "../queries/query.ts";

/** A body can be 16 MiB. */
const ROWS_PER_READ = 8;
const MAX_NAMED = 20;

interface StoredBody {
  id: number;
  name: string;
  digest: string;
  body: Bytes;
}

/** Columns with digests, by table; `name` is their owner. */
const BODIES: [what: string, table: string, columns: string][] = [
  [
    "The document of",
    "course_versions",
    "id, 'course ' || course_id || ' of ' || project as name, course_digest as digest, course as body",
  ],
  [
    "The list of lessons of",
    "course_versions",
    "id, 'course ' || course_id || ' of ' || project as name, lesson_list_digest as digest, lesson_list as body",
  ],
  ["The tree of", "course_trees", "version_id as id, 'version ' || version_id as name, digest, body"],
  [
    "The document of",
    "lesson_versions",
    "id, 'lesson ' || lesson_id || ' of course ' || course_id || ' of ' || project as name, digest, body",
  ],
];

/** Reads every body and reports wrong checksums and digests, the first twenty by name. */
export async function listDamagedBodies(read: Connection): Promise<string[]> {
  const damaged: string[] = [];
  for (const [what, table, columns] of BODIES) {
    const select = raw(`select ${columns} from ${table}`);
    for await (const row of readAll<StoredBody>(read, select, raw(table === "course_trees" ? "version_id" : "id"))) {
      if (!isSound(row)) damaged.push(`${what} ${row.name} (${table} ${row.id}) is damaged.`);
    }
  }
  const summaries = sql`select id, course_id as name, summary from course_versions`;
  for await (const row of readAll<{ id: number; name: string; summary: string }>(read, summaries, sql`id`)) {
    try {
      unsealText(row.summary);
    } catch {
      damaged.push(`The entry in lists of course ${row.name} (course_versions ${row.id}) is damaged.`);
    }
  }
  const more = damaged.length - MAX_NAMED;
  return more > 0 ? [...damaged.slice(0, MAX_NAMED), `${more} more bodies are damaged.`] : damaged;
}

function isSound({ digest, body }: StoredBody): boolean {
  try {
    return digestText(decodeData(unseal(body))) === digest;
  } catch {
    return false;
  }
}

async function* readAll<Row extends { id: number }>(read: Connection, select: Query, id: Query): AsyncGenerator<Row> {
  for (let after = -1; ;) {
    const rows = await read.run<Row>(sql<Row>`${select} where ${id} > ${after} order by ${id} limit ${ROWS_PER_READ}`);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
