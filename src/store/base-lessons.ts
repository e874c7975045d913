// What a new version of a course need not store again: the lessons that an earlier version has.
import type { CompiledCourse, CompiledLesson } from "../catalog/compile-course.ts";
import type { Connection } from "./engine.ts";
import { list, sql } from "./query.ts";

/** The digest of a row that stands for a lesson which the base has and the version has not. */
export const GONE = "";
/** A version that shares less than this with its base has no base: reads and prunes stay simple, and little is lost. */
const MIN_SHARED = 1 / 2;

/** A row of `lessons` without its document. */
export interface BaseLesson {
  lesson_id: string;
  source_path: string | null;
  source_digest: string;
  written_digest: string | null;
  content_digest: string | null;
  first_seen_at: string;
  changed_at: string;
  digest: string;
}

/** What is to be stored of a course: all of it where there is no base. */
export interface NewLessons {
  baseId: number | null;
  changed: CompiledLesson[];
  gone: BaseLesson[];
}

/**
 * Of the rows that a version and its base have for a lesson, at most two, the one that counts; undefined where the lesson is
 * gone. Not `order by`: SQLite would copy the bodies, which takes five times as long as the whole look-up.
 */
export function pickOwn<Row extends { version: number; digest: string }>(rows: Row[]): Row | undefined {
  const [one, other] = rows;
  const own = one !== undefined && other !== undefined && other.version > one.version ? other : one;
  return own?.digest === GONE ? undefined : own;
}

/** A version on which new ones may be based: it has no base itself. */
export interface Base {
  id: number;
  lessons: Map<string, BaseLesson>;
}

/** The rows of versions without their documents, in no order. */
export async function readLessonRows(
  connection: Connection,
  versionIds: number[],
): Promise<(BaseLesson & { version_id: number })[]> {
  const rows = await connection.run(sql<BaseLesson & { version_id: number }>`
    select version_id, lesson_id, source_path, source_digest, null as written_digest, null as content_digest,
      first_seen_at, changed_at, digest
    from lessons where version_id in ${list(versionIds)}`);
  // A query of its own, which an index answers: in a row of SQLite these columns come after the body.
  const written = await connection.run(sql<WrittenRow>`
    select version_id, lesson_id, written_digest, content_digest from lessons
    where version_id in ${list(versionIds)} and written_digest is not null`);
  if (written.length === 0) return rows;
  const keyOf = (row: { version_id: number; lesson_id: string }): string => `${row.version_id} ${row.lesson_id}`;
  const byKey = new Map(written.map((row) => [keyOf(row), row]));
  return rows.map((row) => ({ ...row, ...byKey.get(keyOf(row)) }));
}

type WrittenRow = Pick<BaseLesson, "lesson_id" | "written_digest" | "content_digest"> & { version_id: number };

/** The bases for new versions of courses, by course id. Of a course without lessons there is nothing to share. */
export async function readBases(
  connection: Connection,
  project: string,
  courses: CompiledCourse[],
): Promise<Map<string, Base>> {
  const ids = courses.filter(({ lessons }) => lessons.length > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const versions = await connection.run(sql<{ course_id: string; base: number }>`
    select course_id, coalesce(base_id, id) as base from course_versions where id in (
      select max(id) from course_versions
      where project = ${project} and course_id in ${list(ids)} group by course_id
    )`);
  if (versions.length === 0) return new Map();
  const rows = await readLessonRows(
    connection,
    versions.map((version) => version.base),
  );
  const bases = new Map(
    versions.map(({ course_id: courseId, base: id }): [string, Base] => [courseId, { id, lessons: new Map() }]),
  );
  const byId = new Map([...bases.values()].map((base) => [base.id, base]));
  for (const { version_id: id, ...lesson } of rows) byId.get(id)?.lessons.set(lesson.lesson_id, lesson);
  return bases;
}

/** Compares a course with a base: what of it is to be stored. */
export function compareWithBase({ lessons }: CompiledCourse, base: Base | undefined): NewLessons {
  const whole = { baseId: null, changed: lessons, gone: [] };
  if (base === undefined) return whole;
  const rest = new Map(base.lessons);
  const changed = lessons.filter((lesson) => {
    const row = rest.get(lesson.id);
    rest.delete(lesson.id);
    return row === undefined || !isSame(lesson, row);
  });
  const gone = [...rest.values()];
  const isWorthIt = lessons.length - changed.length - gone.length >= lessons.length * MIN_SHARED;
  return isWorthIt ? { baseId: base.id, changed, gone } : whole;
}

function isSame({ document, sourcePath, ...lesson }: CompiledLesson, row: BaseLesson): boolean {
  return (
    document.digest === row.digest &&
    lesson.sourceDigest === row.source_digest &&
    (lesson.written.named ?? null) === row.written_digest &&
    (lesson.written.content ?? null) === row.content_digest &&
    (sourcePath ?? null) === row.source_path &&
    lesson.firstSeenAt === row.first_seen_at &&
    lesson.changedAt === row.changed_at
  );
}
