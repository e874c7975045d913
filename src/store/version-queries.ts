import type { SQL } from "bun";
import type { CompiledCourse } from "../catalog/compile-course.ts";
import type { CourseVersion, LessonRecord, PublishingStore } from "../catalog/store.ts";
import { insertRows, type Engine, type Queries } from "./engine.ts";
import { nextNumber } from "./schema.ts";

/** Ends a transaction of an import once it holds so much: other writers wait for one no longer than that takes. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_CHARACTERS = 4_000_000;

type VersionQueries = Pick<
  PublishingStore,
  | "lockProject"
  | "listVersions"
  | "listNewestVersions"
  | "listLessonRecords"
  | "readVersion"
  | "listFirstSeen"
  | "writeVersions"
  | "removeUnreferencedVersions"
>;

/** Course versions: what an import compares with, and what it writes. The same on every engine. */
export function createVersionQueries(engine: Engine): VersionQueries {
  const { read, transactLocked: transact, takeLock, rowsPerInsert } = engine;
  let reserve: Awaited<ReturnType<Engine["reserveRoom"]>>;
  const giveBackRoom = async (): Promise<void> => {
    await reserve?.giveBack();
    reserve = undefined;
  };
  return {
    async lockProject(project, holder, onWait) {
      const lock = await takeLock(project, holder, onWait);
      try {
        const cutOff = await read`select 1 from unfinished_imports where project = ${project}`;
        if (cutOff.length > 0) await removeUnreferenced(project);
      } catch (error) {
        await lock.release();
        throw error;
      }
      return {
        async release() {
          await giveBackRoom();
          await lock.release();
        },
      };
    },

    async listVersions(release) {
      const rows = await read<VersionRow[]>`
        select ${versionColumns(read)} from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id}`;
      return rows.map(toCourseVersion);
    },

    async listNewestVersions(project, courseIds) {
      if (courseIds.length === 0) return [];
      const rows = await read<VersionRow[]>`
        select ${versionColumns(read)} from course_versions v where v.id in (
          select max(id) from course_versions
          where project = ${project} and course_id in ${read(courseIds)} group by course_id
        )`;
      return rows.map(toCourseVersion);
    },

    async listLessonRecords(versionId) {
      const rows = await read<RecordRow[]>`
        select lesson_id, source_path, source_digest, first_seen_at, changed_at from lessons
        where version_id = ${versionId}`;
      return new Map(rows.map((row) => [row.lesson_id, toLessonRecord(row)]));
    },

    async readVersion(versionId, lessonIds) {
      const [version] = await read<{ course: string }[]>`select course from course_versions where id = ${versionId}`;
      const lessons = new Map<string, string>();
      for (const lessonId of lessonIds) {
        const [lesson] = await read<{ document: string }[]>`
          select document from lessons where version_id = ${versionId} and lesson_id = ${lessonId}`;
        if (lesson !== undefined) lessons.set(lessonId, lesson.document);
      }
      return { course: version?.course ?? "", lessons };
    },

    async listFirstSeen(project, courseId) {
      const rows = await read<{ lesson_id: string; first_seen_at: string }[]>`
        select l.lesson_id, min(l.first_seen_at) as first_seen_at
        from course_versions v join lessons l on l.version_id = v.id
        where v.project = ${project} and v.course_id = ${courseId} group by l.lesson_id`;
      return new Map(rows.map((row) => [row.lesson_id, row.first_seen_at]));
    },

    async writeVersions(project, courses) {
      reserve ??= await engine.reserveRoom();
      let id = await transact(async (sql) => {
        await sql`insert into unfinished_imports (project) values (${project}) on conflict do nothing`;
        return (await nextNumber(sql, "course_versions", courses.length)) - courses.length;
      });
      const numbered = courses.map((course) => ({ id: ++id, course }));
      const batches = splitIntoBatches(numbered);
      for (const batch of batches) {
        await transact(async (sql) => {
          const versions = batch.versions.map((row) => toVersionRow(project, row));
          await insertRows(sql, "course_versions", versions, rowsPerInsert);
          await insertRows(sql, "lessons", batch.lessons, rowsPerInsert);
        });
      }
      return numbered.map((row) => row.id);
    },

    async removeUnreferencedVersions(project) {
      await removeUnreferenced(project);
    },
  };

  async function removeUnreferenced(project: string): Promise<void> {
    await giveBackRoom();
    let after = 0;
    for (;;) {
      const rows = await read<{ id: number; lessons: number }[]>`
        select v.id, v.lessons from course_versions v where v.project = ${project} and v.id > ${after}
          and not exists (select 1 from release_courses rc where rc.version_id = v.id)
        order by v.id limit 500`;
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
      for (const ids of splitByLessons(rows)) {
        await transact(async (sql) => deleteVersions(sql, ids));
      }
    }
    await transact(async (sql) => {
      await sql`delete from unfinished_imports where project = ${project}`;
    });
  }
}

/** Groups of version ids, each with as many lessons as one transaction should touch. */
export function splitByLessons(versions: { id: number; lessons: number }[]): number[][] {
  const groups: number[][] = [];
  let group: number[] = [];
  let lessons = 0;
  for (const version of versions) {
    group.push(version.id);
    lessons += version.lessons;
    if (lessons < MAX_TRANSACTION_LESSONS) continue;
    groups.push(group);
    group = [];
    lessons = 0;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** Deletes course versions with their lessons. */
export async function deleteVersions(sql: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from lessons where version_id in ${sql(ids)}`;
  await sql`delete from course_versions where id in ${sql(ids)}`;
}

interface NumberedCourse {
  id: number;
  course: CompiledCourse;
}

interface RecordRow {
  lesson_id: string;
  source_path: string | null;
  source_digest: string;
  first_seen_at: string;
  changed_at: string;
}

interface LessonRow extends RecordRow {
  version_id: number;
  digest: string;
  document: string;
}

interface WriteBatch {
  versions: NumberedCourse[];
  lessons: LessonRow[];
}

// A course may be spread over several transactions: nothing refers to it before the release does.
function splitIntoBatches(numbered: NumberedCourse[]): WriteBatch[] {
  const batches: WriteBatch[] = [];
  let batch: WriteBatch = { versions: [], lessons: [] };
  let characters = 0;
  const close = (): void => {
    batches.push(batch);
    batch = { versions: [], lessons: [] };
    characters = 0;
  };
  for (const { id, course } of numbered) {
    batch.versions.push({ id, course });
    characters += course.course.text.length + course.lessonList.text.length;
    for (const lesson of course.lessons) {
      batch.lessons.push({
        version_id: id,
        lesson_id: lesson.id,
        source_path: lesson.sourcePath ?? null,
        source_digest: lesson.sourceDigest,
        first_seen_at: lesson.firstSeenAt,
        changed_at: lesson.changedAt,
        digest: lesson.document.digest,
        document: lesson.document.text,
      });
      characters += lesson.document.text.length;
      if (batch.lessons.length >= MAX_TRANSACTION_LESSONS || characters >= MAX_TRANSACTION_CHARACTERS) close();
    }
  }
  if (batch.versions.length > 0 || batch.lessons.length > 0) close();
  return batches;
}

function toVersionRow(project: string, { id, course }: NumberedCourse) {
  return {
    id,
    project,
    course_id: course.id,
    slug: course.slug,
    folded_name: course.foldedName,
    published: course.published ? 1 : 0,
    created_at: course.createdAt,
    source_digest: course.sourceDigest,
    own_digest: course.own.sourceDigest,
    first_seen_at: course.own.firstSeenAt,
    changed_at: course.own.changedAt,
    lessons: course.lessons.length,
    summary: course.summary,
    course_digest: course.course.digest,
    lesson_list_digest: course.lessonList.digest,
    course: course.course.text,
    lesson_list: course.lessonList.text,
  };
}

interface VersionRow {
  id: number;
  course_id: string;
  slug: string;
  published: number;
  created_at: string;
  source_digest: string;
  own_digest: string;
  first_seen_at: string;
  changed_at: string;
  lessons: number;
}

function versionColumns(sql: SQL) {
  return sql`v.id, v.course_id, v.slug, v.published, v.created_at, v.source_digest, v.own_digest, v.first_seen_at,
    v.changed_at, v.lessons`;
}

function toCourseVersion(row: VersionRow): CourseVersion {
  return {
    versionId: row.id,
    courseId: row.course_id,
    slug: row.slug,
    published: row.published === 1,
    createdAt: row.created_at,
    sourceDigest: row.source_digest,
    own: { sourceDigest: row.own_digest, firstSeenAt: row.first_seen_at, changedAt: row.changed_at },
    lessons: row.lessons,
  };
}

function toLessonRecord(row: RecordRow): LessonRecord {
  return {
    sourcePath: row.source_path ?? undefined,
    sourceDigest: row.source_digest,
    firstSeenAt: row.first_seen_at,
    changedAt: row.changed_at,
  };
}
