import type { LockedProject, NewPublication, Release } from "../catalog/store.ts";
import type { Connection, Engine, Transact } from "./engine.ts";
import { findCurrentRelease } from "./publishing-queries.ts";
import { list, sql, type Query } from "./query.ts";
import { nextNumber } from "./schema.ts";
import { deleteVersions } from "./version-writes.ts";

const ROWS_PER_READ = 500;
/** Whoever has kept many and wants few prunes them all at once; a statement takes 65,535 parameters. */
const RELEASES_PER_STATEMENT = 500;

type ReleaseWrites = Pick<LockedProject, "createRelease" | "publishRelease" | "pruneReleases">;

/** What happens to a project's releases and its publication log. `transact` is that of the project's lock. */
export function createReleaseWrites({ read }: Engine, transact: Transact, project: string): ReleaseWrites {
  return {
    async createRelease({ source, sourceName, changes, versions, sources, ...counts }, publication) {
      return transact(async (transaction) => {
        const id = await nextNumber(transaction, "releases");
        const [last] = await transaction.run(sql<{ number: number | null }>`
          select max(number) as number from releases where project = ${project}`);
        const { courses, drafts, lessons } = counts;
        const release: Release = { id, project, number: (last?.number ?? 0) + 1, courses, drafts, lessons };
        await transaction.insert("releases", [
          {
            ...release,
            created_at: publication.at,
            source,
            source_name: sourceName ?? null,
            changes: JSON.stringify(changes),
          },
        ]);
        const rows = versions.map(({ versionId, source: name, sourcePath, format }, position) => {
          const origin = { source: name ?? null, source_path: sourcePath ?? null, format: format ?? null };
          return { release_id: id, position, version_id: versionId, ...origin };
        });
        await transaction.insert("release_courses", rows);
        const sourceRows = sources.map(({ changedAt, ...row }) => ({ release_id: id, ...row, changed_at: changedAt }));
        await transaction.insert("release_sources", sourceRows);
        await transaction.run(sql`delete from unfinished_imports where project = ${project}`);
        await publish(transaction, project, release, publication);
        return release;
      });
    },

    async publishRelease(release, publication) {
      await transact(async (transaction) => publish(transaction, project, release, publication));
    },

    async pruneReleases(releases, at) {
      if (releases.length > 0) {
        await transact(async (transaction) => {
          for (let from = 0; from < releases.length; from += RELEASES_PER_STATEMENT) {
            const ids = list(releases.slice(from, from + RELEASES_PER_STATEMENT).map((release) => release.id));
            await transaction.run(
              sql`update releases set pruned_at = ${at} where project = ${project} and id in ${ids}`,
            );
            await transaction.run(sql`delete from release_sources where release_id in ${ids}`);
          }
          // Servers that keep a release in memory learn from the counter that something changed.
          await nextNumber(transaction, "publications");
        });
      }
      const marked = await read.run(sql<{ id: number }>`
        select id from releases r where project = ${project} and pruned_at is not null
          and exists (select 1 from release_courses rc where rc.release_id = r.id)`);
      for (const { id } of marked) await removeContent(id);
    },
  };

  async function removeContent(releaseId: number): Promise<void> {
    for (;;) {
      const rows = await read.run(sql<{ id: number; others: number }>`
        select rc.version_id as id, case when exists (
          select 1 from release_courses o where o.version_id = rc.version_id and o.release_id <> rc.release_id
        ) then 1 else 0 end as others
        from release_courses rc where rc.release_id = ${releaseId} order by rc.position limit ${ROWS_PER_READ}`);
      if (rows.length === 0) return;
      const free = rows.filter((row) => row.others === 0);
      await deleteVersions(read, transact, free.map(toId), async (transaction) => {
        await transaction.run(sql`
          delete from release_courses where release_id = ${releaseId} and version_id in ${list(rows.map(toId))}`);
      });
    }
  }
}

function toId({ id }: { id: number }): number {
  return id;
}

/** Appends to the log, and remembers the slugs that it takes away. */
async function publish(
  transaction: Connection,
  project: string,
  release: Release | undefined,
  { channel, action, at }: NewPublication,
): Promise<void> {
  const before = await findCurrentRelease(transaction, project, channel);
  const id = await nextNumber(transaction, "publications");
  const releaseId = release?.id ?? null;
  await transaction.insert("publications", [{ id, project, channel, release_id: releaseId, action, published_at: at }]);
  await transaction.run(
    sql`update hooks set newest_publication = ${id} where project = ${project} and channel = ${channel}`,
  );
  if (releaseId === null) {
    await transaction.run(sql`delete from former_slugs where project = ${project} and channel = ${channel}`);
  } else if (before !== undefined && before.id !== releaseId) {
    // Only versions that differ are compared, and in steps: as one join it took PostgreSQL minutes for 1,000 courses where its
    // statistics said that the tables were empty.
    await transaction.run(sql`
      insert into former_slugs (project, channel, slug, course_id, publication_id)
      with old as materialized (${selectSlugs(before.id, releaseId)}), new as materialized (${selectSlugs(releaseId, before.id)})
      select ${project}, ${channel}, old.slug, old.course_id, ${id} from old
      where not exists (select 1 from new where new.course_id = old.course_id and new.slug = old.slug)
      on conflict (project, channel, slug, course_id) do update set publication_id = excluded.publication_id`);
  }
}

/** The slugs of the versions that a release has and another has not. */
function selectSlugs(releaseId: number, otherId: number): Query {
  return sql`
    select v.slug, v.course_id from release_courses rc join course_versions v on v.id = rc.version_id
    where rc.release_id = ${releaseId} and not exists (
      select 1 from release_courses other where other.version_id = rc.version_id and other.release_id = ${otherId}
    )`;
}
