// Chunked reads for servers: the courses of a release, and the lessons of a course version.
import { unseal, unsealText, type Bytes } from "../../catalog/body.ts";
import {
  ContentMissing,
  type CatalogReader,
  type ComparedLesson,
  type CourseTraits,
  type ListedCourse,
  type ListedLesson,
  type TranslatedCourse,
  type TranslatedLesson,
} from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { Connection } from "../engine.ts";
import { list, repeatLast, sql, toRecord, type Query, type Row } from "./query.ts";

export const ROWS_PER_READ = 500;
/** Kept small, because a body can be several megabytes long, and SQLite blocks the process during a statement. */
const BODIES_PER_READ = 16;
const BYTES_PER_READ = 256 * 1024;
/** The rows of a list can have long names, descriptions and tags. Only the first rows tell how long the others are. */
const ROWS_PER_FIRST_READ = 100;
const LIST_BYTES_PER_READ = 512 * 1024;

// Queries compare the project again: a damaged id must not reveal another project's content.
const VERSIONS = sql`join course_versions v on v.id = rc.version_id left join course_meta m on m.version_id = v.id`;
const COURSE = sql`v.slug, v.digest, v.summary, m.document as meta, rc.version_id, rc.translation_group`;
const TRAITS = sql`v.course_id as id, v.folded_name as name, v.created_at, v.updated_at, m.document as meta`;
const LESSON = sql`vl.lesson_id as id, l.name, vl.chapter, l.digest, l.meta, l.updated_at, l.has_video, l.has_quiz,
  vl.translation_key`;

export function createListQueries(read: Connection) {
  return {
    async *readCourses(release, { from, end }) {
      for await (const rows of readRelease(release, from, end, COURSE)) {
        yield rows.map(toListedCourse);
      }
    },

    async *pickCourses(release, positions) {
      const chunks = readSteps(release.id, 0, positions.length, async (start, next) => {
        const some = positions.slice(start, next);
        const rows = await read.run(sql<{ position: number }>`
          select rc.position, ${COURSE} from release_courses rc ${VERSIONS}
          where rc.release_id = ${release.id} and rc.position in ${list(repeatLast(some))}
            and v.project = ${release.project}`);
        const byPosition = new Map(rows.map(({ position, ...row }) => [position, row]));
        return some.flatMap((position) => byPosition.get(position) ?? []);
      });
      for await (const rows of chunks) yield rows.map(toListedCourse);
    },

    async *readTraits(release) {
      for await (const rows of readRelease(release, 0, release.courses, TRAITS)) {
        yield rows.map((row) => toRecord<CourseTraits>(row));
      }
    },

    async findPositions(release, idsOrSlugs) {
      if (idsOrSlugs.length === 0) return [];
      const asked = list(repeatLast(idsOrSlugs));
      const find = async (condition: Query) =>
        // `cross join` keeps SQLite from scanning the release.
        read.run(sql<{ position: number; id: string; slug: string }>`
          select rc.position, v.course_id as id, v.slug from course_versions v cross join release_courses rc
          where v.project = ${release.project} and v.published = 1 and ${condition}
            and rc.version_id = v.id and rc.release_id = ${release.id}`);
      const [byId, bySlug] = [await find(sql`v.course_id in ${asked}`), await find(sql`v.slug in ${asked}`)];
      return [...new Map([...byId, ...bySlug].map((row) => [row.position, row])).values()];
    },

    async listTranslations(release, groups) {
      if (groups.length === 0) return [];
      // `cross join` keeps SQLite from scanning the versions.
      const rows = await read.run(sql<Row>`
        select rc.translation_group, rc.version_id, v.course_id, v.slug, v.language
        from release_courses rc cross join course_versions v
        where rc.translation_group in ${list(repeatLast([...groups]))} and rc.position < ${release.courses}
          and v.id = rc.version_id and v.project = ${release.project}`);
      return rows.map((row) => toRecord<TranslatedCourse>(row));
    },

    async listTranslatedLessons(versionIds, keys) {
      if (versionIds.length === 0 || keys.length === 0) return [];
      const rows = await read.run(sql<Row>`
        select vl.version_id, vl.translation_key, vl.lesson_id as id, l.meta
        from version_lessons vl cross join lesson_versions l
        where vl.version_id in ${list(repeatLast([...versionIds]))}
          and vl.translation_key in ${list(repeatLast([...keys]))} and l.id = vl.lesson_version_id`);
      return rows.map((row) => toRecord<TranslatedLesson>(row));
    },

    async *readLessons(versionId, { from, end }) {
      for await (const rows of readVersion<Row>(versionId, from, end, LESSON)) {
        yield rows.map((row) => toRecord<ListedLesson>(row, "hasVideo", "hasQuiz"));
      }
    },

    async *readLessonBodies(versionId, { from, end }) {
      let count = 1;
      for (let start = from; start < end;) {
        const next = Math.min(start + count, end);
        const chunks = readVersion<Row & { body: Bytes }>(versionId, start, next, sql`${LESSON}, l.body`);
        const rows = (await Array.fromAsync(chunks)).flat();
        yield rows.map((row) => ({
          ...toRecord<ListedLesson>(row, "hasVideo", "hasQuiz"),
          body: unseal(row.body),
        }));
        count = countNextBodies(rows);
        start = next;
        await Bun.sleep(0);
      }
    },

    async *readChapters(versionId) {
      for (let start = 0; ; start += ROWS_PER_READ) {
        if (start > 0) await Bun.sleep(0);
        const rows = await read.run(sql<{ id: string; name: string }>`
          select chapter_id as id, name from version_chapters
          where version_id = ${versionId} and number >= ${start} and number < ${start + ROWS_PER_READ} order by number`);
        if (rows.length > 0) yield rows;
        if (rows.length < ROWS_PER_READ) return;
      }
    },

    async findChapter(versionId, number) {
      const [chapter] = await read.run(sql<{ id: string; name: string }>`
        select chapter_id as id, name from version_chapters where version_id = ${versionId} and number = ${number}`);
      return chapter;
    },

    async *compareLessons(versionId, otherId) {
      let next = ROWS_PER_FIRST_READ;
      for (let start = 0; ;) {
        if (start > 0) await Bun.sleep(0);
        const rows = await read.run(sql<Row>`
          select vl.lesson_id as id, vl.position, vl.chapter, l.name, l.digest, l.meta, other.position as other_position,
            other.chapter as other_chapter, o.name as other_name, o.digest as other_digest, o.meta as other_meta
          from version_lessons vl
          join lesson_versions l on l.id = vl.lesson_version_id
          left join version_lessons other on other.version_id = ${otherId} and other.lesson_id = vl.lesson_id
          left join lesson_versions o on o.id = other.lesson_version_id
          where vl.version_id = ${versionId} and vl.position >= ${start} and vl.position < ${next}
          order by vl.position`);
        if (rows.length > 0) yield rows.map(toCompared);
        if (rows.length < next - start) return;
        [start, next] = [next, next + countNextRows(rows)];
      }
    },
  } satisfies Partial<CatalogReader>;

  function readRelease(release: Release, from: number, end: number, columns: Query): AsyncGenerator<Row[]> {
    return readSteps(release.id, from, end, (start, next) =>
      read.run(sql<Row>`
        select ${columns} from release_courses rc ${VERSIONS}
        where rc.release_id = ${release.id} and rc.position >= ${start} and rc.position < ${next}
          and v.project = ${release.project}
        order by rc.position`),
    );
  }

  function readVersion<T extends Row>(
    versionId: number,
    from: number,
    end: number,
    columns: Query,
  ): AsyncGenerator<T[]> {
    return readSteps(versionId, from, end, (start, next) =>
      read.run(sql<T>`
        select ${columns} from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
        where vl.version_id = ${versionId} and vl.position >= ${start} and vl.position < ${next}
          and l.project = (select project from course_versions where id = ${versionId})
        order by vl.position`),
    );
  }
}

export function countNextBodies(last: readonly { body: Bytes }[]): number {
  const bytes = last.reduce((sum, { body }) => sum + body.byteLength, 1);
  return Math.min(BODIES_PER_READ, Math.max(1, Math.floor((BYTES_PER_READ * last.length) / bytes)));
}

/** Reads the rows between two positions in steps, so that other requests can run. Throws ContentMissing. */
async function* readSteps<T extends Row>(
  id: number,
  from: number,
  end: number,
  readStep: (start: number, next: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let count = ROWS_PER_FIRST_READ;
  for (let start = from; start < end;) {
    if (start > from) await Bun.sleep(0);
    const next = Math.min(start + count, end);
    const rows = await readStep(start, next);
    if (rows.length < next - start) throw new ContentMissing(id);
    yield rows;
    count = countNextRows(rows);
    start = next;
  }
}

/** Returns how many rows of a list to read next, given the rows read last. */
function countNextRows(last: readonly Row[]): number {
  let bytes = 1;
  for (const row of last) {
    for (const value of Object.values(row)) if (typeof value === "string") bytes += value.length;
  }
  return Math.min(ROWS_PER_READ, Math.max(1, Math.floor((LIST_BYTES_PER_READ * last.length) / bytes)));
}

function toListedCourse(row: Row): ListedCourse {
  return unsealSummary(toRecord<ListedCourse>(row));
}

export function unsealSummary<T extends ListedCourse>(course: T): T {
  course.summary = unsealText(course.summary);
  return course;
}

function toCompared(row: Row): ComparedLesson {
  const { id, position, chapter, name, digest, meta, ...rest } = row;
  const { other_position, other_chapter, other_name, other_digest, other_meta } = rest;
  const other = { position: other_position, chapter: other_chapter, name: other_name, digest: other_digest };
  return {
    ...toRecord<Omit<ComparedLesson, "other">>({ id, position, chapter, name, digest, meta }),
    other: other_position === null ? undefined : toRecord<ComparedLesson["other"]>({ ...other, meta: other_meta }),
  };
}
