import type { CatalogReader, CourseParts, LessonParts, VersionParts } from "../catalog/catalog-reader.ts";
import type { ChangeFeed, Publication, Release } from "../catalog/store.ts";
import { measureColumns, toStoredDocument, type DocumentColumns } from "../catalog/stored-document.ts";
import { GONE, pickOwn } from "./base-lessons.ts";
import type { ContentsRow } from "./course-contents-row.ts";
import type { Engine } from "./engine.ts";
import { createListQueries } from "./list-queries.ts";
import { createHistoryQueries, toVersionRef, type VersionRow } from "./history-queries.ts";
import { list, repeatLast, sql, type Query } from "./query.ts";

/** A statement of SQLite holds up its process until it has read all, and lessons may be megabytes each. */
const LESSONS_PER_READ = 16;
const BYTES_PER_READ = 256 * 1024;

const ID = sql`v.id`;
const COURSE = sql`v.course as text, v.course_body as body, v.course_digest as digest`;
const VERSION = sql`v.id, v.course_id, v.slug, v.published, v.lessons`;
const VERSION_PARTS = sql`${COURSE}, v.base_id, v.lessons,
  (select m.document from course_meta m where m.version_id = v.id) as meta`;
const COURSE_PARTS = sql`${VERSION_PARTS}, v.id, v.slug, v.published,
  (select c.digest from course_contents c where c.version_id = v.id) as content_digest`;
const LESSON = sql`l.document as text, l.body, l.digest`;
const LESSON_PARTS = sql`${LESSON}, l.meta`;
const LESSON_LIST = sql`v.lesson_list as text, v.lesson_list_body as body, v.lesson_list_digest as digest,
  v.lessons as total`;

/** Reads of releases and of what is new, the same on every engine. */
export function createCatalogQueries(engine: Engine): CatalogReader & ChangeFeed {
  const { read, readChanges, findByIdOrSlug } = engine;
  return {
    watch: engine.watch,
    reconnect: engine.reconnect,
    ...createListQueries(read),
    ...createHistoryQueries(read),

    async findCourse(release, idOrSlug, drafts) {
      const row = await findVersion<DocumentColumns>(COURSE, release, idOrSlug, drafts);
      return row && toStoredDocument(row);
    },

    async findLessonList(release, idOrSlug, drafts) {
      const row = await findVersion<DocumentColumns & { total: number }>(LESSON_LIST, release, idOrSlug, drafts);
      return row && { ...toStoredDocument(row), total: row.total };
    },

    async findVersion(release, idOrSlug, drafts) {
      const row = await findVersion<VersionRow>(VERSION, release, idOrSlug, drafts);
      return row && toVersionRef(row);
    },

    findLesson(...lesson) {
      return findLessonRow<DocumentColumns>(LESSON, ...lesson).then((row) =>
        typeof row === "string" ? row : toStoredDocument(row),
      );
    },

    async findCourseParts(release, idOrSlug, drafts) {
      const row = await findVersion<PartsRow>(COURSE_PARTS, release, idOrSlug, drafts);
      return row && { ...toVersionParts(row), ...toVersionRef(row), contentDigest: row.content_digest ?? undefined };
    },

    async readCourse(versionId) {
      const [row] = await read.run(sql<VersionPartsRow>`
        select ${VERSION_PARTS} from course_versions v where v.id = ${versionId}`);
      if (row === undefined) throw new Error(`there is no version ${versionId} of a course`);
      return toVersionParts(row);
    },

    async findLessonParts(...lesson) {
      const row = await findLessonRow<LessonPartsRow>(LESSON_PARTS, ...lesson);
      return typeof row === "string" ? row : toLessonParts(row);
    },

    async readContents(versionId) {
      const [row] = await read.run(sql<Pick<ContentsRow, "lessons">>`
        select lessons from course_contents where version_id = ${versionId}`);
      return row?.lessons;
    },

    async *readLessons(version, lessonIds) {
      let count = 1;
      let chunk: LessonParts[] = [];
      let chunkBytes = 0;
      for (let from = 0; from < lessonIds.length;) {
        if (from > 0 && chunk.length === 0) await Bun.sleep(0);
        const some = lessonIds.slice(from, from + Math.min(count, LESSONS_PER_READ - chunk.length));
        from += some.length;
        const { lessons, bytes } = await readSomeLessons(version, some);
        chunk.push(...lessons);
        chunkBytes += bytes;
        count = Math.max(1, Math.floor((BYTES_PER_READ * some.length) / bytes));
        if (from < lessonIds.length && chunk.length < LESSONS_PER_READ && chunkBytes < BYTES_PER_READ) continue;
        yield chunk;
        chunk = [];
        chunkBytes = 0;
      }
    },

    async findFormerSlug(release, channel, slug, drafts) {
      // A release that is not the current one may meet a slug that came later: its owner of today counts as the last.
      // `cross join` keeps SQLite to this order, from the few owners to the release; it would walk the release otherwise.
      const [row] = await read.run(sql<{ course_id: string; slug: string }>`
        select v.course_id, v.slug
        from (
          select course_id, publication_id, 0 as is_current from former_slugs
          where project = ${release.project} and channel = ${channel} and slug = ${slug}
          union all
          select today.course_id, p.id as publication_id, 1 as is_current
          from publications p
          cross join course_versions today
          where p.id = (select max(id) from publications where project = ${release.project} and channel = ${channel})
            and today.project = ${release.project} and today.slug = ${slug}
            and (select 1 from release_courses rc where rc.version_id = today.id and rc.release_id = p.release_id) = 1
        ) as owner
        cross join course_versions v
        where v.project = ${release.project} and v.course_id = owner.course_id
          and v.published >= ${drafts ? 0 : 1}
          and (select 1 from release_courses rc where rc.version_id = v.id and rc.release_id = ${release.id}) = 1
        order by owner.is_current desc, owner.publication_id desc limit 1`);
      return row && { courseId: row.course_id, slug: row.slug };
    },

    async findPublishedRelease(project, channel, number) {
      const [row] = await read.run(sql<Release & { pruned_at: string | null }>`
        select id, project, number, courses, drafts, lessons, pruned_at from releases r
        where project = ${project} and number = ${number} and exists (
          select 1 from publications p
          where p.project = r.project and p.channel = ${channel} and p.release_id = r.id and p.id > coalesce((
            select max(id) from publications
            where project = ${project} and channel = ${channel} and release_id is null
          ), 0)
        )`);
      if (row === undefined) return undefined;
      const { pruned_at: prunedAt, ...release } = row;
      return prunedAt === null ? release : "pruned";
    },

    async readRevisions() {
      const row = await engine.readWithLineage(async (lineage) =>
        readChanges.run(sql<RevisionRow>`
            select (select identity from store_identity where id = 1) as identity, ${lineage} as lineage,
              (select value from counters where name = 'keys') as keys,
              (select value from counters where name = 'publications') as publications`),
      );
      const { identity = "", lineage = "", keys, publications } = row ?? {};
      engine.requireSame(lineage);
      return {
        identity: `${identity ?? ""} ${lineage}`,
        isIdentityWhole: lineage !== "",
        keys: keys ?? 0,
        publications: publications ?? 0,
      };
    },

    async publicationsSince(id) {
      // The newest of each channel is found in the whole log, which only a start needs: SQLite walks it for any `id`.
      const condition =
        id === 0 ? sql`p.id in (select max(id) from publications group by project, channel)` : sql`p.id > ${id}`;
      const rows = await readChanges.run(sql<PublicationRow>`
        select p.project, p.channel, r.id, r.number, r.courses, r.drafts, r.lessons
        from publications p left join releases r on r.id = p.release_id
        where ${condition} order by p.id`);
      const newest = new Map<string, Publication>();
      for (const row of rows) {
        const channel = `${row.project}/${row.channel}`;
        newest.delete(channel);
        newest.set(channel, toPublication(row));
      }
      return [...newest.values()];
    },
  };

  /** In the order of the ids. Throws when one is not there. */
  async function readSomeLessons(
    { versionId, baseId = versionId }: Pick<CourseParts, "versionId" | "baseId">,
    ids: string[],
  ): Promise<{ lessons: LessonParts[]; bytes: number }> {
    // Of a version that is deleted meanwhile its base may stay, which has other lessons.
    const rows = await read.run(sql<LessonPartsRow & { id: string; version: number }>`
      select ${LESSON_PARTS}, l.lesson_id as id, l.version_id as version from lessons l
      where l.version_id in (${versionId}, ${baseId}) and l.lesson_id in ${list(repeatLast(ids))}
        and exists (select 1 from course_versions v where v.id = ${versionId})`);
    const byId = Map.groupBy(rows, (row) => row.id);
    const lessons = ids.map((id) => {
      const own = pickOwn(byId.get(id) ?? []);
      if (own === undefined) throw new Error(`version ${versionId} has no lesson ${id}`);
      return toLessonParts(own);
    });
    return { lessons, bytes: rows.reduce((sum, row) => sum + measureColumns(row), 1) };
  }

  function findLessonRow<T extends DocumentColumns>(
    columns: Query,
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<T | "no course" | "no lesson"> {
    // The version or its base, whose lessons are nearly always those of the version: asked for twice, it is twice the work.
    const owner = sql`case
      when v.base_id is null or exists (select 1 from lessons o where o.version_id = v.id and o.lesson_id = ${lessonId})
      then v.id else v.base_id end`;
    const found = findByIdOrSlug(idOrSlug, (condition) =>
      read.run(sql<T>`
        select ${columns} from lessons l
        where l.lesson_id = ${lessonId} and l.version_id = (${selectVersion(owner, release, condition, drafts)})`),
    );
    return found.then((lesson) => {
      if (lesson !== undefined) return lesson.digest === GONE ? "no lesson" : lesson;
      const course = findVersion<{ id: number }>(ID, release, idOrSlug, drafts);
      return course.then((row) => (row === undefined ? "no course" : "no lesson"));
    });
  }

  function findVersion<T>(columns: Query, release: Release, idOrSlug: string, drafts: boolean): Promise<T | undefined> {
    return findByIdOrSlug(idOrSlug, (condition) => read.run(selectVersion<T>(columns, release, condition, drafts)));
  }

  /** The version that a release has of one course, if the reader may see it. */
  function selectVersion<T>(columns: Query, release: Release, condition: Query, drafts: boolean): Query<T> {
    // A join would say the same, and `exists` becomes one; but SQLite plans a join with parameters anew each time that one
    // of them changes: 5 µs in place of 1.
    return sql<T>`
      select ${columns} from course_versions v
      where ${condition} and v.project = ${release.project} and v.published >= ${drafts ? 0 : 1} and (
        select 1 from release_courses rc where rc.version_id = v.id and rc.release_id = ${release.id}
      ) = 1`;
  }
}

function toVersionParts(row: VersionPartsRow): VersionParts {
  const { base_id: baseId, lessons, meta } = row;
  return { ...toStoredDocument(row), baseId: baseId ?? undefined, lessons, meta: meta ?? undefined };
}

function toLessonParts(row: LessonPartsRow): LessonParts {
  return { ...toStoredDocument(row), meta: row.meta ?? undefined };
}

interface LessonPartsRow extends DocumentColumns {
  meta: string | null;
}

interface VersionPartsRow extends DocumentColumns {
  base_id: number | null;
  lessons: number;
  meta: string | null;
}

interface PartsRow extends VersionRow, VersionPartsRow {
  lessons: number;
  content_digest: string | null;
}

interface RevisionRow {
  identity: string | null;
  lineage: string;
  keys: number | null;
  publications: number | null;
}

interface PublicationRow {
  project: string;
  channel: string;
  id: number | null;
  number: number | null;
  courses: number | null;
  drafts: number | null;
  lessons: number | null;
}

function toPublication({ project, channel, ...row }: PublicationRow): Publication {
  const release = row.id === null ? undefined : ({ ...row, project } as Release);
  return { project, channel, release };
}
