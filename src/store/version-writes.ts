import type { CompiledCourse } from "../catalog/compile-course.ts";
import type { LockedProject } from "../catalog/store.ts";
import { encodeDocument, encodeLessonList, type Bytes } from "../catalog/stored-document.ts";
import type { Connection, Engine, Transact } from "./engine.ts";
import { insertRows } from "./insert-rows.ts";
import { list, sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Ends a transaction of an import once it holds so much: other writers wait for one no longer than that takes. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_CHARACTERS = 4_000_000;

type VersionWrites = Pick<LockedProject, "writeVersions" | "removeUnreferencedVersions">;

/**
 * What an import writes of a project: course versions, beside what readers see. `transact` is that of the project's lock.
 * `giveBackRoom` must be called at the end.
 */
export function createVersionWrites(
  { read, rowsPerInsert, reserveRoom }: Engine,
  transact: Transact,
  project: string,
): VersionWrites & { giveBackRoom: () => Promise<void> } {
  let reserve: Awaited<ReturnType<Engine["reserveRoom"]>>;
  const giveBackRoom = async (): Promise<void> => {
    await reserve?.giveBack();
    reserve = undefined;
  };
  return {
    giveBackRoom,

    async writeVersions(courses) {
      reserve ??= await reserveRoom();
      let id = await transact(async (transaction) => {
        await transaction.run(sql`insert into unfinished_imports (project) values (${project}) on conflict do nothing`);
        return (await nextNumber(transaction, "course_versions", courses.length)) - courses.length;
      });
      const numbered = courses.map((course) => ({ id: ++id, course }));
      // The generator compresses each batch before its transaction begins, because other writers wait for that.
      for (const batch of splitIntoBatches(project, numbered)) {
        await transact(async (transaction) => {
          await insertRows(transaction, "course_versions", batch.versions, rowsPerInsert);
          await insertRows(transaction, "lessons", batch.lessons, rowsPerInsert);
        });
      }
      return numbered.map((row) => row.id);
    },

    async removeUnreferencedVersions() {
      await giveBackRoom();
      let after = 0;
      for (;;) {
        const rows = await read.run(sql<{ id: number; lessons: number }>`
          select v.id, v.lessons from course_versions v where v.project = ${project} and v.id > ${after}
            and not exists (select 1 from release_courses rc where rc.version_id = v.id)
          order by v.id limit 500`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
        for (const ids of splitByLessons(rows)) {
          await transact(async (transaction) => deleteVersions(transaction, ids));
        }
      }
      await transact(async (transaction) => {
        await transaction.run(sql`delete from unfinished_imports where project = ${project}`);
      });
    },
  };
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
export async function deleteVersions(transaction: Connection, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.run(sql`delete from lessons where version_id in ${list(ids)}`);
  await transaction.run(sql`delete from course_versions where id in ${list(ids)}`);
}

interface NumberedCourse {
  id: number;
  course: CompiledCourse;
}

interface LessonRow {
  version_id: number;
  lesson_id: string;
  source_path: string | null;
  source_digest: string;
  first_seen_at: string;
  changed_at: string;
  digest: string;
  document: string | null;
  body: Bytes | null;
}

interface WriteBatch {
  versions: ReturnType<typeof toVersionRow>[];
  lessons: LessonRow[];
}

// A course may be spread over several transactions: nothing refers to it before the release does.
function* splitIntoBatches(project: string, numbered: NumberedCourse[]): Generator<WriteBatch> {
  let batch: WriteBatch = { versions: [], lessons: [] };
  let characters = 0;
  for (const { id, course } of numbered) {
    batch.versions.push(toVersionRow(project, { id, course }));
    characters += course.course.text.length + course.lessonList.text.length;
    for (const lesson of course.lessons) {
      const { text, body, digest } = encodeDocument(lesson.document.text, lesson.document.digest);
      batch.lessons.push({
        version_id: id,
        lesson_id: lesson.id,
        source_path: lesson.sourcePath ?? null,
        source_digest: lesson.sourceDigest,
        first_seen_at: lesson.firstSeenAt,
        changed_at: lesson.changedAt,
        digest,
        document: text,
        body,
      });
      characters += lesson.document.text.length;
      if (batch.lessons.length < MAX_TRANSACTION_LESSONS && characters < MAX_TRANSACTION_CHARACTERS) continue;
      yield batch;
      batch = { versions: [], lessons: [] };
      characters = 0;
    }
  }
  if (batch.versions.length > 0 || batch.lessons.length > 0) yield batch;
}

function toVersionRow(project: string, { id, course }: NumberedCourse) {
  const document = encodeDocument(course.course.text, course.course.digest);
  const { text, digest } = course.lessonList;
  const lessonList = encodeLessonList(text, digest, course.lessons.length);
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
    course_digest: document.digest,
    lesson_list_digest: lessonList.digest,
    course: document.text,
    lesson_list: lessonList.text,
    course_body: document.body,
    lesson_list_body: lessonList.body,
  };
}
