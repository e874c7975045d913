import { decodeData, unseal, type Body } from "../../catalog/body.ts";
import type { AssetReference, SourceRecord } from "../../catalog/compile-course.ts";
import type {
  CatalogChanges,
  CourseVersion,
  FollowFailures,
  LessonRecord,
  PublicationRecord,
  PublishingReader,
  Release,
  ReleaseRecord,
  ReleaseSource,
  RenderedVersion,
} from "../../catalog/store.ts";
import type { Connection, Engine } from "../engine.ts";
import { list, sql, toRecord, type Row } from "./query.ts";

const RELEASE_COLUMNS = sql`r.id, r.project, r.number, r.created_at, r.source, r.source_name, r.courses, r.drafts, r.lessons, r.changes,
  r.pruned_at`;

const VERSION_COLUMNS = sql`v.id as version_id, v.course_id, v.slug, v.published, v.created_at, v.source_digest, v.own_digest,
  v.first_seen_at, v.changed_at, v.lessons, v.source_path, v.format, v.translation_of`;

export function createPublishingQueries(read: Connection): PublishingReader {
  return {
    findCurrentRelease: async (...channel) => findCurrentRelease(read, ...channel),

    async findRelease(project, number) {
      const [row] = await read.run(sql<Row>`
        select ${RELEASE_COLUMNS} from releases r where project = ${project} and number = ${number}`);
      return row && toReleaseRecord(row);
    },

    async listProjects() {
      const rows = await read.run(sql<{ project: string }>`
        select project from publications union select project from keys order by project`);
      return rows.map((row) => row.project);
    },

    async listPublications(project) {
      const rows = await read.run(sql<Row>`
        select p.id as publication_id, p.channel, p.action, p.published_at, p.release_id, ${RELEASE_COLUMNS}
        from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} order by p.id`);
      return rows.map(
        ({ publication_id: id, channel, action, published_at: publishedAt, release_id: releaseId, ...row }) => {
          const publication = { id, channel, action, publishedAt } as Omit<PublicationRecord, "release">;
          return { ...publication, release: releaseId === null ? undefined : toReleaseRecord(row) };
        },
      );
    },

    async listVersions(release) {
      const rows = await read.run(sql<Row>`
        select ${VERSION_COLUMNS}, rc.source from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id}`);
      return rows.map(toCourseVersion);
    },

    async listSources(release) {
      const rows = await read.run(sql<Row>`
        select name, label, changed_at, courses, drafts, lessons from release_sources
        where release_id = ${release.id} order by name`);
      return rows.map((row) => toRecord<ReleaseSource>(row));
    },

    async listNewestVersions(project, courseIds) {
      if (courseIds.length === 0) return [];
      const rows = await read.run(sql<Row>`
        select ${VERSION_COLUMNS} from course_versions v where v.id in (
          select max(id) from course_versions
          where project = ${project} and course_id in ${list(courseIds)} group by course_id
        )`);
      return rows.map(toCourseVersion);
    },

    async listLessonRecords(versionId) {
      const rows = await read.run(sql<Row & { lesson_id: string }>`
        select l.lesson_id, l.source_path, l.first_seen_at, l.changed_at, l.source_digest, l.written_digest, l.content_digest
        from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
        where vl.version_id = ${versionId} order by vl.lesson_id`);
      return new Map(rows.map(({ lesson_id: id, ...row }) => [id, toRecord<LessonRecord>(row)]));
    },

    async readVersion(versionId, lessonIds) {
      const [version] = await read.run(sql<
        Pick<Body, "bytes"> &
          Record<"project" | "course_id", string> & { meta: string | null; tree: Body["bytes"] | null }
      >`
        select v.course as bytes, v.project, v.course_id, m.document as meta, t.body as tree
        from course_versions v left join course_meta m on m.version_id = v.id
          left join course_trees t on t.version_id = v.id where v.id = ${versionId}`);
      const lessons: RenderedVersion["lessons"] = new Map();
      if (version === undefined) return { course: "", meta: undefined, tree: undefined, lessons };
      const name = `course ${version.course_id} of project ${version.project}`;
      for (const lessonId of lessonIds) {
        const [lesson] = await read.run(sql<Pick<Body, "bytes"> & { meta: string; translation_key: string | null }>`
          select l.body as bytes, l.meta, vl.translation_key
          from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
          where vl.version_id = ${versionId} and vl.lesson_id = ${lessonId}`);
        if (lesson === undefined) continue;
        const document = decodeData(unseal(lesson.bytes, `Lesson ${lessonId} of ${name}`));
        const translationKey = lesson.translation_key ?? undefined;
        lessons.set(lessonId, { document, meta: lesson.meta, translationKey });
      }
      const tree = version.tree === null ? undefined : decodeData(unseal(version.tree, `The tree of ${name}`));
      return {
        course: decodeData(unseal(version.bytes, `The document of ${name}`)),
        meta: version.meta ?? undefined,
        tree,
        lessons,
      };
    },

    async listVersionAssets(versionId) {
      return read.run(sql<AssetReference>`
        select digest, name from version_assets where version_id = ${versionId} order by digest, name`);
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

function toReleaseRecord({ changes, ...row }: Row): ReleaseRecord {
  return { ...toRecord<Omit<ReleaseRecord, "changes">>(row), changes: JSON.parse(String(changes)) as CatalogChanges };
}

function toCourseVersion({ own_digest, first_seen_at, changed_at, ...row }: Row): CourseVersion {
  const own = toRecord<SourceRecord>({ source_digest: own_digest, first_seen_at, changed_at });
  return { ...toRecord<CourseVersion>(row, "published"), own };
}

export function createFollowQueries({ read, transact }: Engine): FollowFailures {
  return {
    async recordFailure({ sourceName = "", ...failure }) {
      const { project, channel } = failure;
      await transact(async (transaction) => {
        await transaction.run(sql`
          delete from follow_failures
          where project = ${project} and channel = ${channel} and source_name = ${sourceName}`);
        await transaction.insert("follow_failures", [{ ...failure, sourceName }]);
      });
    },

    async clearFailure(project, channel, sourceName = "") {
      const isOfSource = sql`project = ${project} and channel = ${channel} and source_name = ${sourceName}`;
      // Most imports have nothing to clear and should not wait for other writers.
      const found = await read.run(sql`select 1 from follow_failures where ${isOfSource}`);
      if (found.length === 0) return;
      await transact(async (transaction) => transaction.run(sql`delete from follow_failures where ${isOfSource}`));
    },
  };
}
