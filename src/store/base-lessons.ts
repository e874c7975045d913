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

/** The version on which a new version of each of these courses may be based, by course id: one that has no base itself. */
export async function findBases(
  connection: Connection,
  project: string,
  courseIds: string[],
): Promise<Map<string, number>> {
  const rows = await connection.run(sql<{ course_id: string; base: number }>`
    select course_id, coalesce(base_id, id) as base from course_versions where id in (
      select max(id) from course_versions
      where project = ${project} and course_id in ${list(courseIds)} group by course_id
    )`);
  return new Map(rows.map((row) => [row.course_id, row.base]));
}

/** Compares a course with the lessons of a base. */
export async function compareWithBase(
  connection: Connection,
  { lessons }: CompiledCourse,
  baseId: number | undefined,
): Promise<NewLessons> {
  const whole = { baseId: null, changed: lessons, gone: [] };
  if (baseId === undefined) return whole;
  const rows = await connection.run(sql<BaseLesson>`
    select lesson_id, source_path, source_digest, first_seen_at, changed_at, digest from lessons
    where version_id = ${baseId}`);
  const base = new Map(rows.map((row) => [row.lesson_id, row]));
  const changed = lessons.filter((lesson) => {
    const row = base.get(lesson.id);
    base.delete(lesson.id);
    return row === undefined || !isSame(lesson, row);
  });
  const gone = [...base.values()];
  const isWorthIt = lessons.length - changed.length - gone.length >= lessons.length * MIN_SHARED;
  return isWorthIt && lessons.length > 0 ? { baseId, changed, gone } : whole;
}

function isSame({ document, sourcePath, ...lesson }: CompiledLesson, row: BaseLesson): boolean {
  return (
    document.digest === row.digest &&
    lesson.sourceDigest === row.source_digest &&
    (sourcePath ?? null) === row.source_path &&
    lesson.firstSeenAt === row.first_seen_at &&
    lesson.changedAt === row.changed_at
  );
}
