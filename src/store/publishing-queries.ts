import { decodeData, type Bytes } from "../catalog/body.ts";
import type { AssetReference } from "../catalog/compile-course.ts";
import type {
  CatalogChanges,
  CourseVersion,
  LessonRecord,
  PublicationAction,
  PublicationRecord,
  PublishingReader,
  Release,
  ReleaseRecord,
} from "../catalog/store.ts";
import type { Connection } from "./engine.ts";
import { list, raw, sql, type Query } from "./query.ts";

const RELEASE_COLUMNS = sql`r.id, r.project, r.number, r.created_at, r.source, r.source_name, r.courses, r.drafts, r.lessons, r.changes,
  r.pruned_at`;

const VERSION_COLUMNS = sql`v.id, v.course_id, v.slug, v.published, v.created_at, v.source_digest, v.own_digest,
  v.first_seen_at, v.changed_at, v.lessons`;

/** Reads of releases, their versions and the publication log, the same on every engine. */
export function createPublishingQueries(read: Connection): PublishingReader {
  return {
    async findCurrentRelease(project, channel) {
      return findCurrentRelease(read, project, channel);
    },

    async findRelease(project, number) {
      const [row] = await read.run(sql<ReleaseRow>`
        select ${RELEASE_COLUMNS} from releases r where project = ${project} and number = ${number}`);
      return row && toReleaseRecord(row);
    },

    async listProjects() {
      const names = [await walkNames(read, "publications", "project"), await walkNames(read, "keys", "project")];
      return [...new Set(names.flat())].sort();
    },

    async listChannelNames(project) {
      const keys = await read.run(sql<{ channel: string }>`
        select distinct channel from keys where project = ${project}`);
      const published = await walkNames(read, "publications", "channel", sql`project = ${project}`);
      return [...new Set([...published, ...keys.map(({ channel }) => channel)])].sort();
    },

    async listPublications(project) {
      const rows = await read.run(sql<ReleaseRow & PublicationRow>`
        select p.id as publication_id, p.channel, p.action, p.published_at, p.release_id, ${RELEASE_COLUMNS}
        from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} order by p.id`);
      return rows.map((row): PublicationRecord => ({
        id: row.publication_id,
        channel: row.channel,
        action: row.action,
        publishedAt: row.published_at,
        release: row.release_id === null ? undefined : toReleaseRecord(row),
      }));
    },

    async listVersions(release) {
      const rows = await read.run(sql<VersionRow>`
        select ${VERSION_COLUMNS}, rc.source, rc.source_path, rc.format
        from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id}`);
      return rows.map(toCourseVersion);
    },

    async listSources(release) {
      const rows = await read.run(sql<SourceRow>`
        select name, label, changed_at, courses, drafts, lessons from release_sources
        where release_id = ${release.id} order by name`);
      return rows.map(({ changed_at: changedAt, ...row }) => ({ ...row, changedAt }));
    },

    async listNewestVersions(project, courseIds) {
      if (courseIds.length === 0) return [];
      const rows = await read.run(sql<VersionRow>`
        select ${VERSION_COLUMNS} from course_versions v where v.id in (
          select max(id) from course_versions
          where project = ${project} and course_id in ${list(courseIds)} group by course_id
        )`);
      return rows.map(toCourseVersion);
    },

    async listLessonRecords(versionId) {
      const rows = await read.run(sql<LessonRow>`
        select l.lesson_id, l.source_path, l.first_seen_at, l.changed_at, l.source_digest, l.written_digest, l.content_digest
        from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
        where vl.version_id = ${versionId} order by vl.lesson_id`);
      return new Map(rows.map((row) => [row.lesson_id, toLessonRecord(row)]));
    },

    async readVersion(versionId, lessonIds) {
      const [version] = await read.run(sql<{ body: Bytes }>`
        select course as body from course_versions where id = ${versionId}`);
      const lessons = new Map<string, string>();
      for (const lessonId of lessonIds) {
        const [lesson] = await read.run(sql<{ body: Bytes }>`
          select body from lesson_versions where id = ${selectLesson(versionId, lessonId)}`);
        if (lesson !== undefined) lessons.set(lessonId, decodeData(lesson.body));
      }
      return { course: version === undefined ? "" : decodeData(version.body), lessons };
    },

    async readMeta(versionId, lessonIds) {
      const [course] = await read.run(sql<{ document: string }>`
        select document from course_meta where version_id = ${versionId}`);
      const lessons = new Map<string, string>();
      for (const lessonId of lessonIds) {
        const [lesson] = await read.run(sql<{ meta: string | null }>`
          select meta from lesson_versions where id = ${selectLesson(versionId, lessonId)}`);
        const meta = lesson?.meta ?? undefined;
        if (meta !== undefined) lessons.set(lessonId, meta);
      }
      return { course: course?.document, lessons };
    },

    async listVersionAssets(versionId) {
      const rows = await read.run(sql<AssetReference>`
        select digest, name from version_assets where version_id = ${versionId} order by digest, name`);
      return rows.map(({ digest, name }) => ({ digest, name }));
    },

    async findFormerOwners(project, channel, slugs) {
      const rows = await read.run(sql<{ slug: string; course_id: string }>`
        select slug, course_id from former_slugs
        where project = ${project} and channel = ${channel} and slug in ${list(slugs)} order by publication_id`);
      return new Map(rows.map((row) => [row.slug, row.course_id]));
    },

    async listFirstSeen(project, courseId) {
      const rows = await read.run(sql<{ lesson_id: string; first_seen_at: string }>`
        select lesson_id, min(first_seen_at) as first_seen_at from lesson_versions
        where project = ${project} and course_id = ${courseId} group by lesson_id`);
      return new Map(rows.map((row) => [row.lesson_id, row.first_seen_at]));
    },
  };
}

function selectLesson(versionId: number, lessonId: string): Query {
  return sql`(
    select lesson_version_id from version_lessons where version_id = ${versionId} and lesson_id = ${lessonId}
  )`;
}

/** The different names in the leading column of an index, each found by a step: a log has many entries of few. */
async function walkNames(read: Connection, table: string, column: string, condition = sql`true`): Promise<string[]> {
  const [from, name] = [raw(table), raw(column)];
  const rows = await read.run(sql<{ name: string }>`
    with recursive names (name) as (
      select min(${name}) from ${from} where ${condition}
      union all
      select (select min(${name}) from ${from} where ${condition} and ${name} > names.name)
      from names where names.name is not null
    )
    select name from names where name is not null`);
  return rows.map((row) => row.name);
}

/** See PublishingReader; on a connection of choice, such as an open transaction. */
export async function findCurrentRelease(
  connection: Connection,
  project: string,
  channel: string,
): Promise<Release | undefined> {
  const [row] = await connection.run(sql<Release & { id: number | null }>`
    select r.id, r.project, r.number, r.courses, r.drafts, r.lessons
    from publications p left join releases r on r.id = p.release_id
    where p.project = ${project} and p.channel = ${channel} order by p.id desc limit 1`);
  return row === undefined || row.id === null ? undefined : { ...row };
}

interface PublicationRow {
  publication_id: number;
  channel: string;
  action: PublicationAction;
  published_at: string;
  release_id: number | null;
}

interface ReleaseRow extends Release {
  created_at: string;
  source: string;
  source_name: string | null;
  changes: string;
  pruned_at: string | null;
}

function toReleaseRecord(row: ReleaseRow): ReleaseRecord {
  return {
    id: row.id,
    project: row.project,
    number: row.number,
    createdAt: row.created_at,
    source: row.source,
    sourceName: row.source_name ?? undefined,
    courses: row.courses,
    drafts: row.drafts,
    lessons: row.lessons,
    changes: JSON.parse(row.changes) as CatalogChanges,
    prunedAt: row.pruned_at ?? undefined,
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
  /** Of a release only. */
  source?: string | null;
  source_path?: string | null;
  format?: string | null;
}

interface SourceRow {
  name: string;
  label: string;
  changed_at: string;
  courses: number;
  drafts: number;
  lessons: number;
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
    source: row.source ?? undefined,
    sourcePath: row.source_path ?? undefined,
    format: row.format ?? undefined,
  };
}

interface LessonRow {
  lesson_id: string;
  source_path: string | null;
  first_seen_at: string;
  changed_at: string;
  source_digest: string;
  written_digest: string | null;
  content_digest: string | null;
}

function toLessonRecord(row: LessonRow): LessonRecord {
  return {
    sourcePath: row.source_path ?? undefined,
    written: { named: row.written_digest ?? undefined, content: row.content_digest ?? undefined },
    sourceDigest: row.source_digest,
    firstSeenAt: row.first_seen_at,
    changedAt: row.changed_at,
  };
}
