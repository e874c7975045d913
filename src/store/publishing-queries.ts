import type { SQL } from "bun";
import type { CompiledCourse, SourceRecord } from "../catalog/compile-course.ts";
import type { CatalogChanges, CourseVersion, PublishingStore, Release } from "../catalog/store.ts";
import { nextNumber, type Queries } from "./schema.ts";

/** Ends a transaction of an import once it holds so much: other writers wait for one no longer than that takes. */
const MAX_TRANSACTION_LESSONS = 1000;
const MAX_TRANSACTION_CHARACTERS = 4_000_000;
/** How many rows one insert writes: one by one they take twice as long. */
const ROWS_PER_INSERT = 50;
/** How many course versions one transaction deletes. */
const VERSIONS_PER_DELETE = 50;

/** Takes the lock of a project as the engine can; see PublishingStore.lockProject. */
export type TakeLock = PublishingStore["lockProject"];

/** Writes of imports, the same on every engine. `write` is a connection that nothing else uses meanwhile. */
export function createPublishingQueries(read: SQL, write: SQL, takeLock: TakeLock): PublishingStore {
  return {
    async lockProject(project, holder, onWait) {
      const lock = await takeLock(project, holder, onWait);
      const wasCutOff = (await read`select 1 from unfinished_imports where project = ${project}`).length > 0;
      if (wasCutOff) await removeUnreferenced(project);
      return lock;
    },

    async findCurrentRelease(project, channel) {
      return findCurrent(read, project, channel);
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
      const rows = await read<LessonRow[]>`
        select lesson_id, source_digest, first_seen_at, changed_at from lessons where version_id = ${versionId}`;
      return new Map(rows.map((row) => [row.lesson_id, toSourceRecord(row)]));
    },

    async listFirstSeen(project, courseId) {
      const rows = await read<{ lesson_id: string; first_seen_at: string }[]>`
        select l.lesson_id, min(l.first_seen_at) as first_seen_at
        from course_versions v join lessons l on l.version_id = v.id
        where v.project = ${project} and v.course_id = ${courseId} group by l.lesson_id`;
      return new Map(rows.map((row) => [row.lesson_id, row.first_seen_at]));
    },

    async writeVersions(project, courses) {
      let id = (await nextNumber(write, "course_versions", courses.length)) - courses.length;
      await write`insert into unfinished_imports (project) values (${project}) on conflict do nothing`;
      const numbered = courses.map((course) => ({ id: ++id, course }));
      const batches = splitIntoBatches(numbered);
      for (const batch of batches) {
        await write.begin("immediate", async (sql) => {
          if (batch.versions.length > 0) {
            await sql`insert into course_versions ${sql(batch.versions.map((row) => toVersionRow(project, row)))}`;
          }
          for (let from = 0; from < batch.lessons.length; from += ROWS_PER_INSERT) {
            await sql`insert into lessons ${sql(batch.lessons.slice(from, from + ROWS_PER_INSERT))}`;
          }
        });
      }
      return numbered.map((row) => row.id);
    },

    async publishRelease({ project, channel, at, source, courses, drafts, lessons, changes, versionIds }) {
      return write.begin("immediate", async (sql) => {
        const id = await nextNumber(sql, "releases");
        const [last] = await sql<{ number: number | null }[]>`
          select max(number) as number from releases where project = ${project}`;
        const release: Release = { id, project, number: (last?.number ?? 0) + 1, courses, drafts, lessons };
        await sql`insert into releases ${sql({ ...release, created_at: at, source, changes: JSON.stringify(changes) })}`;
        for (let from = 0; from < versionIds.length; from += 1000) {
          const rows = versionIds
            .slice(from, from + 1000)
            .map((versionId, index) => ({ release_id: id, position: from + index, version_id: versionId }));
          await sql`insert into release_courses ${sql(rows)}`;
        }
        await sql`delete from unfinished_imports where project = ${project}`;
        const publication = { id: await nextNumber(sql, "publications"), project, channel, release_id: id };
        await sql`insert into publications ${sql({ ...publication, published_at: at })}`;
        return release;
      });
    },

    async removeUnreferencedVersions(project) {
      await removeUnreferenced(project);
    },

    async listReleases(project) {
      const rows = await read<(Release & { created_at: string; source: string; changes: string })[]>`
        select id, project, number, created_at, source, courses, drafts, lessons, changes
        from releases where project = ${project} order by number desc`;
      return rows.map(({ created_at: createdAt, changes, ...row }) => ({
        ...row,
        createdAt,
        changes: JSON.parse(changes) as CatalogChanges,
      }));
    },

    async listChannels(project) {
      return read<{ channel: string; number: number }[]>`
        select p.channel, r.number from publications p join releases r on r.id = p.release_id
        where p.id in (select max(id) from publications where project = ${project} group by channel)
        order by p.channel`;
    },
  };

  async function removeUnreferenced(project: string): Promise<void> {
    for (;;) {
      const rows = await read<{ id: number }[]>`
        select v.id from course_versions v where v.project = ${project}
          and not exists (select 1 from release_courses rc where rc.version_id = v.id)
        limit ${VERSIONS_PER_DELETE}`;
      if (rows.length === 0) break;
      const ids = rows.map((row) => row.id);
      await write.begin("immediate", async (sql) => {
        await sql`delete from lessons where version_id in ${sql(ids)}`;
        await sql`delete from course_versions where id in ${sql(ids)}`;
      });
    }
    await write`delete from unfinished_imports where project = ${project}`;
  }
}

async function findCurrent(sql: Queries, project: string, channel: string): Promise<Release | undefined> {
  const [row] = await sql<(Release & { id: number | null })[]>`
    select r.id, r.project, r.number, r.courses, r.drafts, r.lessons
    from publications p left join releases r on r.id = p.release_id
    where p.project = ${project} and p.channel = ${channel} order by p.id desc limit 1`;
  return row === undefined || row.id === null ? undefined : { ...row };
}

interface NumberedCourse {
  id: number;
  course: CompiledCourse;
}

interface LessonRow {
  version_id: number;
  lesson_id: string;
  source_digest: string;
  first_seen_at: string;
  changed_at: string;
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

function toSourceRecord(row: Pick<LessonRow, "source_digest" | "first_seen_at" | "changed_at">): SourceRecord {
  return { sourceDigest: row.source_digest, firstSeenAt: row.first_seen_at, changedAt: row.changed_at };
}
