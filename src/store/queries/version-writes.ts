import { AssetsPruned } from "../../assets/asset-store.ts";
import { seal, sealText, type Bytes } from "../../catalog/body.ts";
import type { CompiledCourse, CompiledLesson } from "../../catalog/compile-course.ts";
import type { LockedProject } from "../../catalog/store.ts";
import { DiskFull, type Connection, type Engine, type EngineLock, type Transact } from "../engine.ts";
import { list, raw, sql, toRecord, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

/** Limits the size of an import's transactions, and thereby the time that other writers wait. */
const MAX_TRANSACTION_LESSONS = 1000;
/** Few, because each transaction that deletes some of their rows searches those of all. */
export const VERSIONS_PER_STEP = 100;
/** Limits the rows that a transaction deletes. Each can be on other pages of several indexes. */
const MAX_TRANSACTION_ROWS = 250;
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
          order by v.id limit ${VERSIONS_PER_STEP}`);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
        await deleteVersions(
          transact,
          rows.map((row) => row.id),
        );
      }
      await transact(async (transaction) => {
        await transaction.run(sql`delete from unfinished_imports where project = ${project}`);
      });
      await emptyLog();
    },
  };
}

/** The rows that make up versions: the table, the rest of its key, and the order of its pages. */
const PARTS: [table: string, key: string, order: string][] = [
  ["version_lessons", "lesson_id", "position"],
  ["version_assets", "digest, name", "digest, name"],
  ["version_chapters", "number", "number"],
];

/**
 * Deletes, in short transactions, course versions that no readable release contains, and the lessons that only these
 * versions contain. `finish` deletes, in the same transaction, the remaining references to some of the versions.
 */
export async function deleteVersions(
  transact: Transact,
  ids: number[],
  finish: (transaction: Connection, ids: number[]) => Promise<void> = async () => {},
): Promise<void> {
  await takeInSteps(ids, async (left, limit) =>
    transact(async (transaction) => {
      let rows = limit;
      for (const part of PARTS) {
        rows -= await deletePart(transaction, left, rows, ...part);
        if (rows === 0) return 0;
      }
      const whole = left.slice(0, rows);
      const versions = list(whole);
      await finish(transaction, whole);
      await transaction.run(sql`delete from course_meta where version_id in ${versions}`);
      await transaction.run(sql`delete from course_trees where version_id in ${versions}`);
      await transaction.run(sql`delete from course_versions where id in ${versions}`);
      return whole.length;
    }),
  );
}

/**
 * Calls `take` with the items that are left and the rows that its transaction may change, until it has taken all.
 * `take` returns the number of items taken. If the disk is too full for a transaction, smaller ones follow.
 */
export async function takeInSteps<T>(items: T[], take: (left: T[], limit: number) => Promise<number>): Promise<void> {
  let limit = MAX_TRANSACTION_ROWS;
  for (let done = 0; done < items.length;) {
    try {
      done += await take(items.slice(done), limit);
    } catch (error) {
      if (!(error instanceof DiskFull) || limit === 1) throw error;
      limit = Math.ceil(limit / 4);
    }
  }
}

/** Deletes at most `limit` rows, and returns their number. */
async function deletePart(
  transaction: Connection,
  versionIds: number[],
  limit: number,
  ...[table, key, order]: (typeof PARTS)[number]
): Promise<number> {
  const isLessons = table === "version_lessons";
  const rows = await transaction.run(sql<{ id: number }>`
    delete from ${raw(table)} where (version_id, ${raw(key)}) in (
      select version_id, ${raw(key)} from ${raw(table)} where version_id in ${list(versionIds)}
      order by version_id, ${raw(order)} limit ${limit}
    ) returning ${raw(isLessons ? "lesson_version_id" : "version_id")} as id`);
  if (isLessons && rows.length > 0) {
    await transaction.run(sql`
      delete from lesson_versions where id in ${list(rows.map((row) => row.id))}
        and not exists (select 1 from version_lessons vl where vl.lesson_version_id = lesson_versions.id)`);
  }
  return rows.length;
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
