import { AssetsPruned } from "../../assets/asset-store.ts";
import { seal, sealText, type Bytes } from "../../catalog/body.ts";
import type { CompiledCourse, CompiledLesson } from "../../catalog/compile-course.ts";
import type { LockedProject } from "../../catalog/store.ts";
import type { Connection, Engine, EngineLock, Transact } from "../engine.ts";
import { list, raw, sql, toRecord, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

/** Limits the size of an import's transactions, and thereby the time that other writers wait. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_BYTES = 4_000_000;
const ROWS_PER_READ = 500;

export interface ProjectLock extends Pick<EngineLock, "transact" | "transactContent"> {
  project: string;
}

type VersionWrites = Pick<LockedProject, "writeVersions" | "removeUnreferencedVersions">;

export function createVersionWrites({ read, emptyLog }: Engine, lock: ProjectLock): VersionWrites {
  const { project, transact, transactContent } = lock;
  return {
    async writeVersions(courses) {
      let id = await transactContent(async (transaction) => {
        await transaction.run(sql`insert into unfinished_imports (project) values (${project}) on conflict do nothing`);
        return (await nextNumber(transaction, "course_versions", courses.length)) - courses.length;
      });
      const newest = await findNewest(read, project, courses);
      const numbered = courses.map((course) => ({ id: ++id, course }));
      let batch = new WriteBatch();
      for (const { id: versionId, course } of numbered) {
        const stored = await readLessons(read, newest.get(course.row.courseId));
        batch.addCourse(versionId, course);
        // A course can span transactions, because nothing refers to it before the release does.
        for (const [position, lesson] of course.lessons.entries()) {
          batch.addLesson(versionId, position, lesson, stored.get(lesson.row.lessonId));
          if (!batch.isFull) continue;
          await batch.write(transactContent);
          batch = new WriteBatch();
        }
      }
      await batch.write(transactContent);
      return numbered.map((row) => row.id);
    },

    async removeUnreferencedVersions() {
      for (let after = 0; ;) {
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
      await emptyLog();
    },
  };
}

/**
 * Deletes, in short transactions, course versions that no readable release contains, and the lessons that only these
 * versions contain. `finish` deletes the remaining references in the last transaction.
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
    for (const table of ["version_assets", "version_chapters", "course_meta", "course_trees"]) {
      await transaction.run(sql`delete from ${raw(table)} where version_id in ${versions}`);
    }
    await transaction.run(sql`delete from course_versions where id in ${versions}`);
  });
}

type LessonRow = CompiledLesson["row"];
type StoredLesson = Omit<LessonRow, "project" | "courseId"> & { id: number };

async function findNewest(read: Connection, project: string, courses: CompiledCourse[]): Promise<Map<string, number>> {
  const rows = await read.run(sql<{ course_id: string; id: number }>`
    select course_id, max(id) as id from course_versions
    where project = ${project} and course_id in ${list(courses.map(({ row }) => row.courseId))} group by course_id`);
  return new Map(rows.map((row) => [row.course_id, row.id]));
}

async function readLessons(read: Connection, versionId: number | undefined): Promise<Map<string, StoredLesson>> {
  const lessons = new Map<string, StoredLesson>();
  if (versionId === undefined) return lessons;
  for (let position = 0; ; position += ROWS_PER_READ) {
    const rows = await read.run(sql<Row>`
      select l.id, l.lesson_id, l.name, l.source_path, l.first_seen_at, l.changed_at, l.updated_at, l.source_digest,
        l.written_digest, l.content_digest, l.digest, l.has_video, l.has_quiz, l.meta
      from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
      where vl.version_id = ${versionId} and vl.position >= ${position} and vl.position < ${position + ROWS_PER_READ}`);
    for (const row of rows) {
      const lesson = toRecord<StoredLesson>(row, "hasVideo", "hasQuiz");
      lessons.set(lesson.lessonId, lesson);
    }
    if (rows.length < ROWS_PER_READ) return lessons;
  }
}

class WriteBatch {
  /** The rows by table, in the order of writing. */
  readonly #rows = {
    course_versions: [] as object[],
    course_meta: [] as object[],
    course_trees: [] as object[],
    version_chapters: [] as object[],
    version_assets: [] as object[],
    lesson_versions: [] as object[],
    version_lessons: [] as object[],
  };
  /** New lesson versions without ids, and the rows that will refer to them. */
  readonly #new: { record: object; place: { lessonVersionId: number } }[] = [];
  readonly #versionIds: number[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#rows.version_lessons.length >= MAX_TRANSACTION_LESSONS || this.#bytes >= MAX_TRANSACTION_BYTES;
  }

  addCourse(versionId: number, { row, body, lessonList, meta, tree, chapters, assets }: CompiledCourse): void {
    this.#versionIds.push(versionId);
    const bodies = { course: this.#seal(body.bytes), lessonList: this.#seal(lessonList.bytes) };
    this.#rows.course_versions.push({ id: versionId, ...row, summary: sealText(row.summary), ...bodies });
    if (meta !== undefined) this.#rows.course_meta.push({ versionId, document: meta });
    if (tree !== undefined) {
      this.#rows.course_trees.push({ versionId, digest: tree.digest, body: this.#seal(tree.bytes) });
    }
    for (const [number, { id: chapterId, name }] of chapters.entries()) {
      this.#rows.version_chapters.push({ versionId, number, chapterId, name });
    }
    for (const { digest, name } of assets) this.#rows.version_assets.push({ versionId, digest, name });
  }

  /** Adds a lesson. Reuses `stored`, the lesson in the course's newest version, if nothing differs. */
  addLesson(
    versionId: number,
    position: number,
    { row, chapter, body, translationKey }: CompiledLesson,
    stored: StoredLesson | undefined,
  ): void {
    const lessonVersionId = stored?.id ?? 0;
    const place = { versionId, lessonId: row.lessonId, position, chapter, lessonVersionId, translationKey };
    this.#rows.version_lessons.push(place);
    if (stored !== undefined && isSame(row, stored)) return;
    this.#new.push({ record: { ...row, body: this.#seal(body.bytes) }, place });
  }

  async write(transact: Transact): Promise<void> {
    if (this.#rows.course_versions.length === 0 && this.#rows.version_lessons.length === 0) return;
    await transact(async (transaction) => {
      const count = this.#new.length;
      let id = count === 0 ? 0 : (await nextNumber(transaction, "lesson_versions", count)) - count;
      this.#rows.lesson_versions = this.#new.map(({ record, place }) => {
        place.lessonVersionId = ++id;
        return { id, ...record };
      });
      for (const [table, rows] of Object.entries(this.#rows)) await transaction.insert(table, rows);
      await this.#requireAssets(transaction);
    });
  }

  async #requireAssets(transaction: Connection): Promise<void> {
    if (this.#rows.version_assets.length === 0) return;
    const lost = await transaction.run(sql`
      select 1 from version_assets va where va.version_id in ${list(this.#versionIds)}
        and not exists (select 1 from assets a where a.digest = va.digest) limit 1`);
    if (lost.length > 0) throw new AssetsPruned();
  }

  #seal(bytes: Bytes): Bytes {
    const sealed = seal(bytes);
    this.#bytes += sealed.byteLength;
    return sealed;
  }
}

function isSame(row: LessonRow, stored: StoredLesson): boolean {
  return (Object.keys(stored) as (keyof StoredLesson)[]).every(
    (member) => member === "id" || row[member] === stored[member],
  );
}
