// Converts documents that earlier versions have stored as text into the form in which imports store them now.
import {
  encodeDocument,
  encodeLessonList,
  MIN_COMPRESSED_BYTES,
  type DocumentColumns,
  type Bytes,
} from "../catalog/stored-document.ts";
import { convertContents } from "./convert-contents.ts";
import type { Connection, Engine } from "./engine.ts";
import { openEngine } from "./open-store.ts";
import { Query, raw, sql } from "./query.ts";

const ROWS_PER_READ = 1000;
/** Bounds of one transaction, for which other writers wait. */
const MAX_TRANSACTION_ROWS = 250;
const MAX_TRANSACTION_BYTES = 2_000_000;
/** The most that the envelope adds to a document. A text that is too short even with this much more is not read. */
const MAX_ENVELOPE_BYTES = 100;
const MIN_TEXT_BYTES = MIN_COMPRESSED_BYTES - MAX_ENVELOPE_BYTES;

/** Progress of a conversion in one table. */
export interface ConvertProgress {
  table: "course_versions" | "lessons" | "course_contents";
  /** Rows that were looked at, rows of the table, and rows that this call has converted. */
  rows: number;
  total: number;
  converted: number;
}

/**
 * Converts all documents in short transactions, while others read and write. It can end anywhere: the next call continues
 * with the documents that are left. Returns the numbers of each table. Throws what opening a database throws, and DiskFull.
 */
export async function convertStore(
  url: string,
  onProgress: (progress: ConvertProgress) => void,
): Promise<ConvertProgress[]> {
  const engine = await openEngine(url, { create: false });
  try {
    const courses = await convertTable(engine, COURSES, onProgress);
    const lessons = await convertTable(engine, LESSONS, onProgress);
    return [courses, lessons, await convertAllContents(engine, onProgress)];
  } finally {
    await engine.close();
  }
}

async function convertAllContents(
  engine: Engine,
  onProgress: (progress: ConvertProgress) => void,
): Promise<ConvertProgress> {
  const [missing] = await engine.read.run(sql<{ n: number | string }>`
    select count(*) as n from course_versions v
    where not exists (select 1 from course_contents c where c.version_id = v.id)`);
  const progress: ConvertProgress = { table: "course_contents", rows: 0, total: Number(missing?.n), converted: 0 };
  await convertContents(engine, (converted) => {
    progress.rows = progress.converted = converted;
    onProgress({ ...progress });
  });
  return progress;
}

/** A column of texts, with the columns of the same document's body and digest. */
interface Column {
  text: string;
  body: string;
  digest: string;
  encode: (row: TextRow) => DocumentColumns;
}

interface Table {
  name: ConvertProgress["table"];
  /** The columns that identify a row: a number and a text. */
  key: [string, string];
  /** An expression for the number of lessons in a row's list. */
  total: string;
  columns: Column[];
}

const encodeText = ({ text, digest }: TextRow): DocumentColumns => encodeDocument(text, digest);

const COURSES: Table = {
  name: "course_versions",
  key: ["id", "course_id"],
  total: "lessons",
  columns: [
    { text: "course", body: "course_body", digest: "course_digest", encode: encodeText },
    {
      text: "lesson_list",
      body: "lesson_list_body",
      digest: "lesson_list_digest",
      encode: ({ text, digest, total }) => encodeLessonList(text, digest, total),
    },
  ],
};

const LESSONS: Table = {
  name: "lessons",
  key: ["version_id", "lesson_id"],
  total: "1",
  columns: [{ text: "document", body: "body", digest: "digest", encode: encodeText }],
};

interface Key {
  number: number;
  name: string;
}

interface TextRow extends Key {
  text: string;
  digest: string;
  total: number;
}

async function convertTable(
  engine: Engine,
  table: Table,
  onProgress: (progress: ConvertProgress) => void,
): Promise<ConvertProgress> {
  const [count] = await engine.read.run(sql<{ n: number | string }>`select count(*) as n from ${raw(table.name)}`);
  const progress: ConvertProgress = { table: table.name, rows: 0, total: Number(count?.n), converted: 0 };
  let after: Key = { number: 0, name: "" };
  for (;;) {
    const rows = await readSizes(engine, table, after);
    const last = rows.at(-1);
    if (last === undefined) return progress;
    after = last;
    for (const { from, to } of splitBySize(rows.filter((row) => row.bytes > 0))) {
      const converted = await engine.transact(async (transaction) => {
        const done = new Set<string>();
        for (const column of table.columns) {
          const keys = await convertRange(engine, transaction, table, column, from, to);
          for (const { number, name } of keys) done.add(`${number} ${name}`);
        }
        return done.size;
      });
      progress.converted += converted;
    }
    progress.rows += rows.length;
    onProgress({ ...progress });
  }
}

/** The keys of the next rows, with the size of the texts to convert in each; 0 where there is nothing to convert. */
async function readSizes({ read }: Engine, table: Table, after: Key): Promise<(Key & { bytes: number })[]> {
  const sizes = table.columns.map(({ text, body }) =>
    raw(
      `case when ${body} is null and octet_length(${text}) >= ${MIN_TEXT_BYTES} then octet_length(${text}) else 0 end`,
    ),
  );
  const bytes = sizes.reduce((sum, size) => sql`${sum} + ${size}`);
  const key = raw(table.key.join(", "));
  return read.run(sql<Key & { bytes: number }>`
    select ${raw(table.key[0])} as number, ${raw(table.key[1])} as name, ${bytes} as bytes from ${raw(table.name)}
    where (${key}) > (${after.number}, ${after.name}) order by ${key} limit ${raw(String(ROWS_PER_READ))}`);
}

/** Divides rows into transactions. Yields the first and the last row of each. */
function* splitBySize(rows: (Key & { bytes: number })[]): Generator<{ from: Key; to: Key }> {
  let part: Key[] = [];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    part.push(row);
    bytes += row.bytes;
    const isFull = part.length >= MAX_TRANSACTION_ROWS || bytes >= MAX_TRANSACTION_BYTES;
    if (!isFull && index < rows.length - 1) continue;
    yield { from: part[0] ?? row, to: row };
    part = [];
    bytes = 0;
  }
}

/** Converts one column of the rows between two keys. Returns the keys of the rows that were converted. */
async function convertRange(
  { skipLocked, dialect }: Engine,
  transaction: Connection,
  table: Table,
  { text, body, digest, encode }: Column,
  from: Key,
  to: Key,
): Promise<Key[]> {
  const key = raw(table.key.join(", "));
  // Only a prune locks rows, to delete them. Waiting for it here could become a deadlock.
  const rows = await transaction.run(sql<TextRow>`
    select ${raw(table.key[0])} as number, ${raw(table.key[1])} as name, ${raw(text)} as text, ${raw(digest)} as digest,
      ${raw(table.total)} as total
    from ${raw(table.name)}
    where (${key}) >= (${from.number}, ${from.name}) and (${key}) <= (${to.number}, ${to.name})
      and ${raw(body)} is null and octet_length(${raw(text)}) >= ${raw(String(MIN_TEXT_BYTES))}
    ${skipLocked}`);
  const bodies = rows.flatMap((row) => {
    const encoded = encode(row);
    return encoded.body === null ? [] : [{ ...row, digest: encoded.digest, packed: encoded.body }];
  });
  if (bodies.length > 0) {
    await transaction.run(sql`
      update ${raw(table.name)} set ${raw(text)} = null, ${raw(body)} = new.column3, ${raw(digest)} = new.column4
      from (values ${formatValues(bodies, dialect.bytes)}) as new
      where ${raw(table.name)}.${raw(table.key[0])} = new.column1 and ${raw(table.name)}.${raw(table.key[1])} = new.column2`);
  }
  return bodies;
}

function formatValues(bodies: (Key & { packed: Bytes; digest: string })[], bytesType: string): Query {
  const tuples = bodies.map(
    ({ number, name, packed, digest }) =>
      sql`(cast(${number} as integer), ${name}, cast(${packed} as ${raw(bytesType)}), ${digest})`,
  );
  return new Query(["", ...tuples.slice(1).map(() => ", "), ""], tuples);
}
