import type { CompiledCourse, CompiledLesson } from "../catalog/compile-course.ts";
import type { LockedProject } from "../catalog/store.ts";
import type { Connection, Engine, Transact } from "./engine.ts";
import { list, raw, sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Ends a transaction of an import once it holds so much: other writers wait for one no longer than that takes. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_BYTES = 4_000_000;
const ROWS_PER_READ = 500;

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
      const newest = await findNewest(read, project, courses);
      const numbered = courses.map((course) => ({ id: ++id, course }));
      let batch = new WriteBatch();
      for (const { id: versionId, course } of numbered) {
        const stored = await readLessons(read, newest.get(course.id));
        batch.addCourse(project, versionId, course);
        // A course may be spread over several transactions: nothing refers to it before the release does.
        for (const [position, lesson] of course.lessons.entries()) {
          batch.addLesson({ project, versionId, courseId: course.id, position }, lesson, stored.get(lesson.id));
          if (!batch.isFull) continue;
          await batch.write(transact);
          batch = new WriteBatch();
        }
      }
      await batch.write(transact);
      return numbered.map((row) => row.id);
    },

    async removeUnreferencedVersions() {
      await giveBackRoom();
      let after = 0;
      for (;;) {
        const rows = await read.run(sql<{ id: number }>`
          select v.id from course_versions v where v.project = ${project} and v.id > ${after}
            and not exists (select 1 from release_courses rc where rc.version_id = v.id)
          order by v.id limit ${ROWS_PER_READ}`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
        const ids = rows.map((row) => row.id);
        await deleteVersions(read, transact, ids);
      }
      await transact(async (transaction) => {
        await transaction.run(sql`delete from unfinished_imports where project = ${project}`);
      });
      await emptyLog?.();
    },
  };
}

/**
 * Deletes course versions that no release can be read with. Their lessons, and the lesson versions that only they have, go in
 * short transactions; `finish` runs in the last one, and is to delete what refers to the versions.
 */
export async function deleteVersions(
  read: Connection,
  transact: Transact,
  ids: number[],
  finish: (transaction: Connection) => Promise<void> = async () => {},
): Promise<void> {
  if (ids.length === 0) {
    await transact(finish);
    return;
  }
  const versions = list(ids);
  for (;;) {
    const rows = await read.run(sql<{ version_id: number; position: number; lesson_version_id: number }>`
      select version_id, position, lesson_version_id from version_lessons where version_id in ${versions}
      order by version_id, position limit ${MAX_TRANSACTION_LESSONS}`);
    const last = rows.at(-1);
    if (last === undefined) break;
    const lessons = list(rows.map((row) => row.lesson_version_id));
    await transact(async (transaction) => {
      await transaction.run(sql`
        delete from version_lessons where version_id in ${versions}
          and (version_id < ${last.version_id} or (version_id = ${last.version_id} and position <= ${last.position}))`);
      await transaction.run(sql`
        delete from lesson_versions where id in ${lessons}
          and not exists (select 1 from version_lessons vl where vl.lesson_version_id = lesson_versions.id)`);
    });
  }
  await transact(async (transaction) => {
    await finish(transaction);
    for (const table of ["version_assets", "version_chapters", "course_meta"]) {
      await transaction.run(sql`delete from ${raw(table)} where version_id in ${versions}`);
    }
    await transaction.run(sql`delete from course_versions where id in ${versions}`);
  });
}

/** A row of `lesson_versions` without its id and body. */
type LessonRecord = Omit<ReturnType<typeof toLessonRecord>, "project" | "course_id">;
type StoredLesson = LessonRecord & { id: number };

/** The newest version of each course that has one, by course id. */
async function findNewest(read: Connection, project: string, courses: CompiledCourse[]): Promise<Map<string, number>> {
  const rows = await read.run(sql<{ course_id: string; id: number }>`
    select course_id, max(id) as id from course_versions
    where project = ${project} and course_id in ${list(courses.map((course) => course.id))} group by course_id`);
  return new Map(rows.map((row) => [row.course_id, row.id]));
}

/** The lessons of a version by id; none of no version. */
async function readLessons(read: Connection, versionId: number | undefined): Promise<Map<string, StoredLesson>> {
  const lessons = new Map<string, StoredLesson>();
  if (versionId === undefined) return lessons;
  for (let position = 0; ; position += ROWS_PER_READ) {
    const rows = await read.run(sql<StoredLesson>`
      select l.id, l.lesson_id, l.name, l.source_path, l.first_seen_at, l.changed_at, l.updated_at, l.source_digest,
        l.written_digest, l.content_digest, l.digest, l.has_video, l.has_quiz, l.meta
      from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
      where vl.version_id = ${versionId} and vl.position >= ${position} and vl.position < ${position + ROWS_PER_READ}`);
    for (const row of rows) lessons.set(row.lesson_id, row);
    if (rows.length < ROWS_PER_READ) return lessons;
  }
}

interface LessonPlace {
  project: string;
  versionId: number;
  courseId: string;
  position: number;
}

interface NewLesson {
  record: ReturnType<typeof toLessonRecord>;
  body: CompiledLesson["document"]["bytes"];
  /** The row that is to name it. */
  place: { lesson_version_id: number };
}

/** Rows of one transaction. */
class WriteBatch {
  readonly #versions: ReturnType<typeof toVersionRow>[] = [];
  readonly #metas: object[] = [];
  readonly #chapters: object[] = [];
  readonly #assets: object[] = [];
  readonly #places: { lesson_version_id: number }[] = [];
  readonly #new: NewLesson[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#places.length >= MAX_TRANSACTION_LESSONS || this.#bytes >= MAX_TRANSACTION_BYTES;
  }

  addCourse(project: string, id: number, course: CompiledCourse): void {
    this.#versions.push(toVersionRow(project, id, course));
    if (course.meta !== undefined) this.#metas.push({ version_id: id, document: course.meta });
    for (const [number, chapter] of course.chapters.entries()) {
      this.#chapters.push({ version_id: id, number, chapter_id: chapter.id, name: chapter.name });
    }
    for (const { digest, name } of course.assets) this.#assets.push({ version_id: id, digest, name });
    this.#bytes += course.course.bytes.byteLength + course.lessonList.bytes.byteLength;
  }

  /** `stored` is the lesson as the newest version of the course has it: it is named again where nothing differs. */
  addLesson(
    { project, versionId, courseId, position }: LessonPlace,
    lesson: CompiledLesson,
    stored: StoredLesson | undefined,
  ): void {
    const { id, chapter } = lesson;
    const place = { version_id: versionId, lesson_id: id, position, chapter, lesson_version_id: stored?.id ?? 0 };
    this.#places.push(place);
    const record = toLessonRecord(project, courseId, lesson);
    if (stored !== undefined && isSame(record, stored)) return;
    const body = lesson.document.bytes;
    this.#new.push({ record, body, place });
    this.#bytes += body.byteLength;
  }

  async write(transact: Transact): Promise<void> {
    if (this.#versions.length === 0 && this.#places.length === 0) return;
    await transact(async (transaction) => {
      const count = this.#new.length;
      let id = count === 0 ? 0 : (await nextNumber(transaction, "lesson_versions", count)) - count;
      const rows = this.#new.map(({ record, body, place }) => {
        place.lesson_version_id = ++id;
        return { id, ...record, body };
      });
      await transaction.insert("course_versions", this.#versions);
      await transaction.insert("course_meta", this.#metas);
      await transaction.insert("version_chapters", this.#chapters);
      await transaction.insert("version_assets", this.#assets);
      await transaction.insert("lesson_versions", rows);
      await transaction.insert("version_lessons", this.#places);
    });
  }
}

function isSame(record: LessonRecord, stored: StoredLesson): boolean {
  return (Object.keys(stored) as (keyof StoredLesson)[]).every(
    (column) => column === "id" || record[column] === stored[column],
  );
}

function toLessonRecord(project: string, courseId: string, lesson: CompiledLesson) {
  return {
    project,
    course_id: courseId,
    lesson_id: lesson.id,
    name: lesson.name,
    source_path: lesson.sourcePath ?? null,
    first_seen_at: lesson.firstSeenAt,
    changed_at: lesson.changedAt,
    updated_at: lesson.updatedAt,
    source_digest: lesson.sourceDigest,
    written_digest: lesson.written.named ?? null,
    content_digest: lesson.written.content ?? null,
    digest: lesson.document.digest,
    has_video: lesson.hasVideo ? 1 : 0,
    has_quiz: lesson.hasQuiz ? 1 : 0,
    meta: lesson.meta ?? null,
  };
}

function toVersionRow(project: string, id: number, course: CompiledCourse) {
  return {
    id,
    project,
    course_id: course.id,
    slug: course.slug,
    folded_name: course.foldedName,
    published: course.published ? 1 : 0,
    created_at: course.createdAt,
    updated_at: course.updatedAt,
    source_digest: course.sourceDigest,
    own_digest: course.own.sourceDigest,
    first_seen_at: course.own.firstSeenAt,
    changed_at: course.own.changedAt,
    lessons: course.lessons.length,
    digest: course.contentDigest,
    course_digest: course.course.digest,
    lesson_list_digest: course.lessonList.digest,
    summary: course.summary,
    course: course.course.bytes,
    lesson_list: course.lessonList.bytes,
  };
}
