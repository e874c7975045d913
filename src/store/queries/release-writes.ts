import type { LockedProject, NewPublication, NewRelease, Release } from "../../catalog/store.ts";
import type { Connection, Engine } from "../engine.ts";
import { findCurrentRelease } from "./publishing-queries.ts";
import { list, sql, type Query } from "./query.ts";
import { nextNumber } from "../schema.ts";
import { deleteVersions, takeInSteps, VERSIONS_PER_STEP, type ProjectLock } from "./version-writes.ts";

type ReleaseWrites = Pick<LockedProject, "createRelease" | "publishRelease" | "pruneReleases">;

export function createReleaseWrites(
  { read }: Engine,
  { project, transact, transactContent }: ProjectLock,
): ReleaseWrites {
  return {
    async createRelease({ changes, versions, sources, ...record }, publication) {
      return transactContent(async (transaction) => {
        const releaseId = await nextNumber(transaction, "releases");
        const [last] = await transaction.run(sql<{ number: number | null }>`
          select max(number) as number from releases where project = ${project}`);
        const { courses, drafts, lessons, source, sourceName } = record;
        const release: Release = { id: releaseId, project, number: (last?.number ?? 0) + 1, courses, drafts, lessons };
        await transaction.insert("releases", [
          { ...release, createdAt: publication.at, source, sourceName, changes: JSON.stringify(changes) },
        ]);
        const groups = groupTranslations(releaseId, versions);
        const positions = versions.map(({ versionId, source: owner }, position) => {
          return { releaseId, position, versionId, source: owner, translationGroup: groups[position] };
        });
        await transaction.insert("release_courses", positions);
        await transaction.insert(
          "release_sources",
          sources.map((each) => ({ releaseId, ...each })),
        );
        await transaction.run(sql`delete from unfinished_imports where project = ${project}`);
        await publish(transaction, project, release, publication);
        return release;
      });
    },

    async publishRelease(release, publication) {
      await transact(async (transaction) => publish(transaction, project, release, publication));
    },

    async pruneReleases(releases, at) {
      await takeInSteps(releases, async (left, limit) => {
        const some = left.slice(0, limit);
        const ids = list(some.map((release) => release.id));
        await transact(async (transaction) => {
          await transaction.run(sql`update releases set pruned_at = ${at} where project = ${project} and id in ${ids}`);
          await transaction.run(sql`delete from release_sources where release_id in ${ids}`);
          // A new number makes servers reload the releases in their memory.
          await nextNumber(transaction, "publications");
        });
        return some.length;
      });
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
        from release_courses rc where rc.release_id = ${releaseId} order by rc.position limit ${VERSIONS_PER_STEP}`);
      if (rows.length === 0) return;
      const removeFromRelease = async (transaction: Connection, ids: number[]): Promise<void> => {
        await transaction.run(sql`
          delete from release_courses where release_id = ${releaseId} and version_id in ${list(ids)}`);
      };
      const shared = rows.filter((row) => row.others === 1).map(({ id }) => id);
      await takeInSteps(shared, async (left, limit) => {
        const some = left.slice(0, limit);
        await transact(async (transaction) => removeFromRelease(transaction, some));
        return some.length;
      });
      const unshared = rows.filter((row) => row.others === 0).map(({ id }) => id);
      await deleteVersions(transact, unshared, removeFromRelease);
    }
  }
}

/** Limits the translations in a group, because each course's list of translations names all the others. */
const MAX_TRANSLATIONS = 100;

/** Returns each version's group, made of the ids of the release and the original; undefined without translations. */
function groupTranslations(releaseId: number, versions: NewRelease["versions"]): (string | undefined)[] {
  const originals = new Set(versions.map(({ translationOf }) => translationOf));
  const sizes = new Map<string, number>();
  return versions.map(({ courseId, translationOf }) => {
    const group = translationOf ?? (originals.has(courseId) ? courseId : undefined);
    if (group === undefined) return undefined;
    if (group === courseId) return `${releaseId} ${group}`;
    const size = (sizes.get(group) ?? 0) + 1;
    sizes.set(group, size);
    return size > MAX_TRANSLATIONS ? undefined : `${releaseId} ${group}`;
  });
}

/** Appends a publication to the log, and records former slugs. */
async function publish(
  transaction: Connection,
  project: string,
  release: Release | undefined,
  { channel, action, at }: NewPublication,
): Promise<void> {
  const before = await findCurrentRelease(transaction, project, channel);
  const id = await nextNumber(transaction, "publications");
  const releaseId = release?.id ?? null;
  await transaction.insert("publications", [{ id, project, channel, releaseId, action, publishedAt: at }]);
  await transaction.run(
    sql`update hooks set newest_publication = ${id} where project = ${project} and channel = ${channel}`,
  );
  if (releaseId === null) {
    await transaction.run(sql`delete from former_slugs where project = ${project} and channel = ${channel}`);
  } else if (before !== undefined && before.id !== releaseId) {
    // Subqueries, because PostgreSQL's statistics know no new release, and a join can compare all courses with all.
    await transaction.run(sql`
      insert into former_slugs (project, channel, slug, course_id, publication_id)
      select v.project, ${channel}, v.slug, v.course_id, ${id} from course_versions v
      where v.project = ${project} and ${selectContained(sql`v.id`, before.id)} = 1
        and ${selectContained(sql`v.id`, releaseId)} is null and (
          select 1 from course_versions n where n.project = v.project and n.course_id = v.course_id and n.slug = v.slug
            and ${selectContained(sql`n.id`, releaseId)} = 1
        ) is null
      on conflict (project, channel, slug, course_id) do update set publication_id = excluded.publication_id`);
  }
}

const selectContained = (versionId: Query, releaseId: number): Query => sql`(
  select 1 from release_courses one where one.version_id = ${versionId} and one.release_id = ${releaseId}
)`;
