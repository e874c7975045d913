import { unseal, type Bytes } from "../catalog/body.ts";
import { type CatalogReader, type ComparedLesson, type ListedLesson } from "../catalog/catalog-reader.ts";
import type { Connection } from "./engine.ts";
import { readSteps, ROWS_PER_READ } from "./list-queries.ts";
import { sql, toRecord, type Query, type Row } from "./query.ts";

/** Bodies may be megabytes each, and a statement of SQLite holds up its process until it has read all. */
const BODIES_PER_READ = 16;
const BYTES_PER_READ = 256 * 1024;

const LISTED = sql`vl.lesson_id as id, l.name, vl.chapter, vl.lesson_version_id, l.digest, l.meta, l.updated_at, l.has_video,
  l.has_quiz`;

type LessonReader = Pick<
  CatalogReader,
  "readLessons" | "readLessonBodies" | "listChapters" | "findChapter" | "compareLessons"
>;

export function createLessonQueries(read: Connection): LessonReader {
  return {
    async *readLessons(versionId, { from, end }) {
      for await (const rows of readPositions<Row>(versionId, from, end, LISTED)) yield rows.map(toListed);
    },

    async *readLessonBodies(versionId, { from, end }) {
      let count = 1;
      for (let start = from; start < end;) {
        const next = Math.min(start + count, end);
        const chunks = readPositions<Row & { body: Bytes }>(versionId, start, next, sql`${LISTED}, l.body`);
        const rows = (await Array.fromAsync(chunks)).flat();
        yield rows.map((row) => ({ ...toListed(row), body: unseal(row.body) }));
        const bytes = rows.reduce((sum, row) => sum + row.body.byteLength, 1);
        count = Math.min(BODIES_PER_READ, Math.max(1, Math.floor((BYTES_PER_READ * rows.length) / bytes)));
        start = next;
        await Bun.sleep(0);
      }
    },

    async listChapters(versionId) {
      return read.run(sql<{ id: string; name: string }>`
        select chapter_id as id, name from version_chapters where version_id = ${versionId} order by number`);
    },

    async findChapter(versionId, number) {
      const [chapter] = await read.run(sql<{ id: string; name: string }>`
        select chapter_id as id, name from version_chapters where version_id = ${versionId} and number = ${number}`);
      return chapter;
    },

    async *compareLessons(versionId, otherId) {
      for (let start = 0; ; start += ROWS_PER_READ) {
        if (start > 0) await Bun.sleep(0);
        const rows = await read.run(sql<Row>`
          select vl.lesson_id as id, vl.position, vl.chapter, l.name, l.digest, l.meta, other.position as other_position,
            other.chapter as other_chapter, o.name as other_name, o.digest as other_digest, o.meta as other_meta
          from version_lessons vl
          join lesson_versions l on l.id = vl.lesson_version_id
          left join version_lessons other on other.version_id = ${otherId} and other.lesson_id = vl.lesson_id
          left join lesson_versions o on o.id = other.lesson_version_id
          where vl.version_id = ${versionId} and vl.position >= ${start} and vl.position < ${start + ROWS_PER_READ}
          order by vl.position`);
        if (rows.length > 0) yield rows.map(toCompared);
        if (rows.length < ROWS_PER_READ) return;
      }
    },
  };

  function readPositions<T>(versionId: number, from: number, end: number, columns: Query): AsyncGenerator<T[]> {
    return readSteps(versionId, from, end, (start, next) =>
      read.run(sql<T>`
        select ${columns} from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
        where vl.version_id = ${versionId} and vl.position >= ${start} and vl.position < ${next}
        order by vl.position`),
    );
  }
}

const toListed = (row: Row): ListedLesson => toRecord<ListedLesson>(row, "hasVideo", "hasQuiz");

function toCompared(row: Row): ComparedLesson {
  const { id, position, chapter, name, digest, meta, ...rest } = row;
  const { other_position, other_chapter, other_name, other_digest, other_meta } = rest;
  const other = { position: other_position, chapter: other_chapter, name: other_name, digest: other_digest };
  return {
    ...toRecord<Omit<ComparedLesson, "other">>({ id, position, chapter, name, digest, meta }),
    other: other_position === null ? undefined : toRecord<ComparedLesson["other"]>({ ...other, meta: other_meta }),
  };
}
