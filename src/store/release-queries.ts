import type { SQL } from "bun";
import type {
  CatalogChanges,
  NewPublication,
  PublicationAction,
  PublicationRecord,
  PublishingStore,
  Release,
  ReleaseRecord,
} from "../catalog/store.ts";
import { insertRows, type Engine, type Queries } from "./engine.ts";
import { nextNumber } from "./schema.ts";
import { deleteVersions, splitByLessons } from "./version-queries.ts";

const ROWS_PER_READ = 500;

type ReleaseQueries = Pick<
  PublishingStore,
  "findCurrentRelease" | "createRelease" | "publishRelease" | "findRelease" | "listPublications" | "pruneReleases"
>;

/** Releases and the publication log, the same on every engine. */
export function createReleaseQueries({ read, transactLocked: transact, rowsPerInsert }: Engine): ReleaseQueries {
  return {
    async findCurrentRelease(project, channel) {
      return findCurrent(read, project, channel);
    },

    async createRelease({ source, changes, versionIds, ...counts }, publication) {
      const { project, at } = publication;
      return transact(async (sql) => {
        const id = await nextNumber(sql, "releases");
        const [last] = await sql<{ number: number | null }[]>`
          select max(number) as number from releases where project = ${project}`;
        const { courses, drafts, lessons } = counts;
        const release: Release = { id, project, number: (last?.number ?? 0) + 1, courses, drafts, lessons };
        await sql`insert into releases ${sql({ ...release, created_at: at, source, changes: JSON.stringify(changes) })}`;
        const rows = versionIds.map((versionId, position) => ({ release_id: id, position, version_id: versionId }));
        await insertRows(sql, "release_courses", rows, rowsPerInsert);
        await sql`delete from unfinished_imports where project = ${project}`;
        await publish(sql, release, publication);
        return release;
      });
    },

    async publishRelease(release, publication) {
      await transact(async (sql) => publish(sql, release, publication));
    },

    async findRelease(project, number) {
      const [row] = await read<ReleaseRow[]>`
        select ${releaseColumns(read)} from releases r where project = ${project} and number = ${number}`;
      return row && toReleaseRecord(row);
    },

    async listPublications(project) {
      const rows = await read<(ReleaseRow & PublicationRow)[]>`
        select p.id as publication_id, p.channel, p.action, p.published_at, p.release_id, ${releaseColumns(read)}
        from publications p left join releases r on r.id = p.release_id
        where p.project = ${project} order by p.id`;
      return rows.map((row): PublicationRecord => ({
        id: row.publication_id,
        channel: row.channel,
        action: row.action,
        publishedAt: row.published_at,
        release: row.release_id === null ? undefined : toReleaseRecord(row),
      }));
    },

    async pruneReleases(project, releases, at) {
      if (releases.length > 0) {
        await transact(async (sql) => {
          await sql`update releases set pruned_at = ${at} where id in ${sql(releases.map((release) => release.id))}`;
          // Servers that keep a release in memory learn from the counter that something changed.
          await nextNumber(sql, "publications");
        });
      }
      const marked = await read<{ id: number }[]>`
        select id from releases r where project = ${project} and pruned_at is not null
          and exists (select 1 from release_courses rc where rc.release_id = r.id)`;
      for (const { id } of marked) await removeContent(id);
    },
  };

  async function removeContent(releaseId: number): Promise<void> {
    for (;;) {
      const rows = await read<{ id: number; lessons: number }[]>`
        select v.id, v.lessons from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${releaseId} order by rc.position limit ${ROWS_PER_READ}`;
      if (rows.length === 0) return;
      for (const ids of splitByLessons(rows)) {
        await transact(async (sql) => {
          await sql`delete from release_courses where release_id = ${releaseId} and version_id in ${sql(ids)}`;
          const free = await sql<{ id: number }[]>`
            select v.id from course_versions v where v.id in ${sql(ids)}
              and not exists (select 1 from release_courses rc where rc.version_id = v.id)`;
          await deleteVersions(
            sql,
            free.map((row) => row.id),
          );
        });
      }
    }
  }
}

/** Appends to the log, and remembers the slugs that it takes away. */
async function publish(
  sql: Queries,
  release: Release | undefined,
  { project, channel, action, at }: NewPublication,
): Promise<void> {
  const before = await findCurrent(sql, project, channel);
  const id = await nextNumber(sql, "publications");
  const releaseId = release?.id ?? null;
  await sql`insert into publications ${sql({ id, project, channel, release_id: releaseId, action, published_at: at })}`;
  if (releaseId === null) {
    await sql`delete from former_slugs where project = ${project} and channel = ${channel}`;
  } else if (before !== undefined && before.id !== releaseId) {
    await sql`
      insert into former_slugs (project, channel, slug, course_id, publication_id)
      select ${project}, ${channel}, v.slug, v.course_id, ${id}
      from release_courses old join course_versions v on v.id = old.version_id
      where old.release_id = ${before.id}
        and not exists (
          select 1 from release_courses same where same.version_id = old.version_id and same.release_id = ${releaseId}
        )
        and not exists (
          select 1 from course_versions now join release_courses rc on rc.version_id = now.id
          where now.project = ${project} and now.course_id = v.course_id and now.slug = v.slug
            and rc.release_id = ${releaseId}
        )
      on conflict (project, channel, slug, course_id) do update set publication_id = excluded.publication_id`;
  }
}

async function findCurrent(sql: Queries, project: string, channel: string): Promise<Release | undefined> {
  const [row] = await sql<(Release & { id: number | null })[]>`
    select r.id, r.project, r.number, r.courses, r.drafts, r.lessons
    from publications p left join releases r on r.id = p.release_id
    where p.project = ${project} and p.channel = ${channel} order by p.id desc limit 1`;
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
  changes: string;
  pruned_at: string | null;
}

function releaseColumns(sql: SQL) {
  return sql`r.id, r.project, r.number, r.created_at, r.source, r.courses, r.drafts, r.lessons, r.changes, r.pruned_at`;
}

function toReleaseRecord(row: ReleaseRow): ReleaseRecord {
  return {
    id: row.id,
    project: row.project,
    number: row.number,
    createdAt: row.created_at,
    source: row.source,
    courses: row.courses,
    drafts: row.drafts,
    lessons: row.lessons,
    changes: JSON.parse(row.changes) as CatalogChanges,
    prunedAt: row.pruned_at ?? undefined,
  };
}
