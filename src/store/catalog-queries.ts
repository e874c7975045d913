import type { SQL } from "bun";
import type {
  CatalogReader,
  ChangeFeed,
  CoursePage,
  Publication,
  Release,
  Revisions,
  StoredDocument,
} from "../catalog/store.ts";

/** How many rows one query reads at most, so that a long list leaves room for other requests in between. */
const ROWS_PER_READ = 500;

/** Reads of releases and of what is new, the same on every engine. */
export function createCatalogQueries(sql: SQL): CatalogReader & ChangeFeed {
  /** One row for the course with this id, else for the one with this slug. A slug is never another course's id. */
  const versionOf = (release: Release, idOrSlug: string, drafts: boolean) => sql`
    select v.id, v.course, v.course_digest, v.lesson_list, v.lesson_list_digest, v.lessons
    from course_versions v
    join release_courses rc on rc.version_id = v.id and rc.release_id = ${release.id}
    where v.id in (
      select id from course_versions where project = ${release.project} and course_id = ${idOrSlug}
      union
      select id from course_versions where project = ${release.project} and slug = ${idOrSlug}
    ) and (v.published = 1 or ${drafts ? 1 : 0} = 1)
    order by case when v.course_id = ${idOrSlug} then 0 else 1 end
    limit 1`;

  return {
    async findCourse(release, idOrSlug, drafts) {
      const [row] = await sql<StoredDocument[]>`
        select course as text, course_digest as digest from (${versionOf(release, idOrSlug, drafts)}) as version`;
      return row;
    },

    async findLessonList(release, idOrSlug, drafts) {
      const [row] = await sql<(StoredDocument & { total: number })[]>`
        select lesson_list as text, lesson_list_digest as digest, lessons as total
        from (${versionOf(release, idOrSlug, drafts)}) as version`;
      return row;
    },

    async findLesson(release, idOrSlug, lessonId, drafts) {
      const [row] = await sql<{ text: string | null; digest: string | null }[]>`
        select l.document as text, l.digest
        from (${versionOf(release, idOrSlug, drafts)}) as version
        left join lessons l on l.version_id = version.id and l.lesson_id = ${lessonId}`;
      if (row === undefined) return "no course";
      if (row.text === null || row.digest === null) return "no lesson";
      return { text: row.text, digest: row.digest };
    },

    async findFormerSlug(release, channel, slug, drafts) {
      // A release that is not the current one may meet a slug that came later: its owner of today counts as the last.
      const [row] = await sql<{ course_id: string; slug: string }[]>`
        select v.course_id, v.slug
        from (
          select course_id, publication_id, 0 as is_current from former_slugs
          where project = ${release.project} and channel = ${channel} and slug = ${slug}
          union all
          select today.course_id, p.id as publication_id, 1 as is_current
          from publications p
          join course_versions today on today.project = ${release.project} and today.slug = ${slug}
          join release_courses rc on rc.version_id = today.id and rc.release_id = p.release_id
          where p.id = (select max(id) from publications where project = ${release.project} and channel = ${channel})
        ) as owner
        join course_versions v on v.project = ${release.project} and v.course_id = owner.course_id
        join release_courses rc on rc.version_id = v.id and rc.release_id = ${release.id}
        where v.published = 1 or ${drafts ? 1 : 0} = 1
        order by owner.is_current desc, owner.publication_id desc limit 1`;
      return row && { courseId: row.course_id, slug: row.slug };
    },

    async findPublishedRelease(project, channel, number) {
      const [row] = await sql<(Release & { pruned_at: string | null })[]>`
        select id, project, number, courses, drafts, lessons, pruned_at from releases r
        where project = ${project} and number = ${number} and exists (
          select 1 from publications p
          where p.project = r.project and p.channel = ${channel} and p.release_id = r.id and p.id > coalesce((
            select max(id) from publications
            where project = ${project} and channel = ${channel} and release_id is null
          ), 0)
        )`;
      if (row === undefined) return undefined;
      const { pruned_at: prunedAt, ...release } = row;
      return prunedAt === null ? release : "pruned";
    },

    async listCourses(release, foldedName, limit, offset) {
      if (foldedName === "") return { total: release.courses, summaries: await listAll(release, limit, offset) };
      return search(release, foldedName, limit, offset);
    },

    async readRevisions() {
      const rows = await sql<{ name: string; value: number }[]>`
        select name, value from counters where name in ('keys', 'publications')`;
      const revisions: Revisions = { keys: 0, publications: 0 };
      for (const row of rows) revisions[row.name as keyof Revisions] = row.value;
      return revisions;
    },

    async publicationsSince(id) {
      const rows = await sql<PublicationRow[]>`
        select p.project, p.channel, r.id, r.number, r.courses, r.drafts, r.lessons
        from publications p left join releases r on r.id = p.release_id
        where p.id in (select max(id) from publications where id > ${id} group by project, channel)
        order by p.id`;
      return rows.map(toPublication);
    },
  };

  async function listAll(release: Release, limit: number, offset: number): Promise<string[]> {
    const summaries: string[] = [];
    const end = Math.min(offset + limit, release.courses);
    for (let from = offset; from < end; from += ROWS_PER_READ) {
      const rows = await sql<{ summary: string }[]>`
        select v.summary from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id} and rc.position >= ${from}
          and rc.position < ${Math.min(from + ROWS_PER_READ, end)}
        order by rc.position`;
      for (const row of rows) summaries.push(row.summary);
      if (end - from > ROWS_PER_READ) await Bun.sleep(0);
    }
    return summaries;
  }

  async function search(release: Release, foldedName: string, limit: number, offset: number): Promise<CoursePage> {
    const pattern = `%${foldedName.replace(/[\\%_]/g, "\\$&")}%`;
    const matches: { position: number }[] = [];
    for (let from = 0; from < release.courses; from += 10 * ROWS_PER_READ) {
      const rows = await sql<{ position: number }[]>`
        select rc.position from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id} and rc.position >= ${from}
          and rc.position < ${Math.min(from + 10 * ROWS_PER_READ, release.courses)}
          and v.folded_name like ${pattern} escape '\\'
        order by rc.position`;
      for (const row of rows) matches.push(row);
      if (release.courses - from > 10 * ROWS_PER_READ) await Bun.sleep(0);
    }
    const positions = matches.slice(offset, offset + limit).map((match) => match.position);
    const summaries: string[] = [];
    for (let from = 0; from < positions.length; from += ROWS_PER_READ) {
      const rows = await sql<{ summary: string }[]>`
        select v.summary from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${release.id} and rc.position in ${sql(positions.slice(from, from + ROWS_PER_READ))}
        order by rc.position`;
      for (const row of rows) summaries.push(row.summary);
      if (positions.length - from > ROWS_PER_READ) await Bun.sleep(0);
    }
    return { total: matches.length, summaries };
  }
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
