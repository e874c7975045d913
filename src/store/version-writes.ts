import type { CompiledCourse, CompiledLesson } from "../catalog/compile-course.ts";
import type { LessonSource } from "../catalog/course-contents.ts";
import type { LockedProject } from "../catalog/store.ts";
import { measureColumns, type Bytes } from "../catalog/stored-document.ts";
import { deleteReferences } from "./asset-writes.ts";
import { compareWithBase, GONE, readBases, type Base, type BaseLesson } from "./base-lessons.ts";
import type { Connection, Engine, Transact } from "./engine.ts";
import { toContentsRow, type ContentsRow } from "./course-contents-row.ts";
import { list, sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Ends a transaction of an import once it holds so much: other writers wait for one no longer than that takes. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_BYTES = 4_000_000;

type VersionWrites = Pick<LockedProject, "writeVersions" | "removeUnreferencedVersions">;

/**
 * What an import writes of a project: course versions, beside what readers see. `transact` is that of the project's lock.
 * `giveBackRoom` must be called at the end.
 */
export function createVersionWrites(
  { read, reserveRoom, emptyLog }: Engine,
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
      const bases = await readBases(read, project, courses);
      const numbered = courses.map((course) => ({ id: ++id, course }));
      for (const batch of splitIntoBatches(project, numbered, bases)) {
        await transact(async (transaction) => {
          await transaction.insert("course_versions", batch.versions);
          await transaction.insert("course_meta", batch.metas);
          await transaction.insert("course_contents", batch.contents);
          await transaction.insert("lessons", batch.lessons);
          await transaction.insert("version_assets", batch.references);
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
      await emptyLog?.();
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

/**
 * Deletes course versions to which no release refers, with their lessons. One that is the base of others stays as long as one
 * of these, and goes with the last.
 */
export async function deleteVersions(transaction: Connection, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  // A base that stays is read by nobody under its own id.
  await deleteReferences(transaction, ids);
  const based = await transaction.run(sql<{ id: number; base_id: number }>`
    select id, base_id from course_versions where id in ${list(ids)} and base_id is not null`);
  await deleteRows(
    transaction,
    based.map((row) => row.id),
  );
  const bases = new Set([...ids, ...based.map((row) => row.base_id)]);
  const free = await transaction.run(sql<{ id: number }>`
    select v.id from course_versions v where v.id in ${list([...bases])}
      and not exists (select 1 from course_versions other where other.base_id = v.id)
      and not exists (select 1 from release_courses rc where rc.version_id = v.id)`);
  await deleteRows(
    transaction,
    free.map((row) => row.id),
  );
}

async function deleteRows(transaction: Connection, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.run(sql`delete from lessons where version_id in ${list(ids)}`);
  await transaction.run(sql`delete from course_meta where version_id in ${list(ids)}`);
  await transaction.run(sql`delete from course_versions where id in ${list(ids)}`);
  // At the end: what converts a version writes them while it holds the version's row.
  await transaction.run(sql`delete from course_contents where version_id in ${list(ids)}`);
}

interface NumberedCourse {
  id: number;
  course: CompiledCourse;
}

interface LessonRow extends BaseLesson {
  version_id: number;
  document: string | null;
  body: Bytes | null;
  meta: string | null;
}

interface WriteBatch {
  versions: ReturnType<typeof toVersionRow>[];
  metas: { version_id: number; document: string }[];
  contents: ContentsRow[];
  lessons: LessonRow[];
  references: { version_id: number; digest: string; name: string }[];
}

// A course may be spread over several transactions: nothing refers to it before the release does.
function* splitIntoBatches(
  project: string,
  numbered: NumberedCourse[],
  bases: Map<string, Base>,
): Generator<WriteBatch> {
  const createBatch = (): WriteBatch => ({ versions: [], metas: [], contents: [], lessons: [], references: [] });
  let batch = createBatch();
  let bytes = 0;
  for (const { id, course } of numbered) {
    const lessons = compareWithBase(course, bases.get(course.id));
    batch.versions.push(toVersionRow(project, { id, course }, lessons.baseId));
    if (course.meta !== undefined) batch.metas.push({ version_id: id, document: course.meta });
    const contents = toContentsRow(id, { ...course, digest: course.course.digest }, course.lessons.map(toLessonSource));
    batch.contents.push(contents);
    for (const { digest, name } of course.assets) batch.references.push({ version_id: id, digest, name });
    bytes += measureColumns(course.course) + measureColumns(course.lessonList) + contents.lessons.byteLength;
    for (const lesson of [...lessons.gone, ...lessons.changed]) {
      batch.lessons.push("lesson_id" in lesson ? toGoneRow(id, lesson) : toLessonRow(id, lesson));
      bytes += "document" in lesson ? measureColumns(lesson.document) : 0;
      if (batch.lessons.length < MAX_TRANSACTION_LESSONS && bytes < MAX_TRANSACTION_BYTES) continue;
      yield batch;
      batch = createBatch();
      bytes = 0;
    }
  }
  if (batch.versions.length > 0 || batch.lessons.length > 0) yield batch;
}

function toGoneRow(versionId: number, lesson: BaseLesson): LessonRow {
  return { ...lesson, version_id: versionId, digest: GONE, document: null, body: null, meta: null };
}

function toLessonRow(versionId: number, lesson: CompiledLesson): LessonRow {
  const { text, body, digest } = lesson.document;
  return {
    version_id: versionId,
    lesson_id: lesson.id,
    source_path: lesson.sourcePath ?? null,
    source_digest: lesson.sourceDigest,
    written_digest: lesson.written.named ?? null,
    content_digest: lesson.written.content ?? null,
    first_seen_at: lesson.firstSeenAt,
    changed_at: lesson.changedAt,
    digest,
    document: text,
    body,
    meta: lesson.meta ?? null,
  };
}

function toLessonSource({ document, meta, traits }: CompiledLesson): LessonSource {
  return { digest: document.digest, meta, traits };
}

function toVersionRow(project: string, { id, course }: NumberedCourse, baseId: number | null) {
  const { course: document, lessonList } = course;
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
    base_id: baseId,
  };
}
