import type { CatalogReader, CourseDifference, KeptRelease, VersionRef } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import type { Connection } from "../engine.ts";
import { ROWS_PER_READ } from "./list-queries.ts";
import { list, repeatLast, sql, toRecord, type Row } from "./query.ts";

type CourseRef = VersionRef & { courseId: string };

const COURSE_REF = sql`v.id as version_id, v.course_id, v.slug, v.published`;
const toRef = (row: Row): CourseRef => toRecord<CourseRef>(row, "published");

export function createHistoryQueries(read: Connection) {
  return {
    async *readKeptReleases(project, channel) {
      // Starts from the unpruned releases: the log has every publication ever.
      for (let after = 0; ;) {
        if (after > 0) await Bun.sleep(0);
        const newest = sql`(
          select max(p.id) from publications p
          where p.project = ${project} and p.channel = ${channel} and p.release_id = r.id and p.id > coalesce((
            select max(id) from publications where project = ${project} and channel = ${channel} and release_id is null
          ), 0)
        )`;
        const rows = await read.run(sql<Row>`
          select r.id, r.project, r.number, r.courses, r.drafts, r.lessons, ${newest} as publication_id,
            (select published_at from publications where id = ${newest}) as published_at
          from releases r where r.project = ${project} and r.pruned_at is null and r.id > ${after}
          order by r.id limit ${ROWS_PER_READ}`);
        const releases = rows.map((row) => toRecord<Omit<KeptRelease, "draftLessons">>(row));
        const kept: KeptRelease[] = [];
        for (const release of releases) {
          if ((release.publicationId as number | undefined) === undefined) continue;
          const draftLessons = await countDraftLessons(release);
          if (draftLessons !== undefined) kept.push({ ...release, draftLessons });
        }
        yield kept;
        const last = releases.at(-1);
        if (last === undefined || rows.length < ROWS_PER_READ) return;
        after = last.id;
      }
    },

    async *readDifference(one, other, drafts) {
      const end = drafts ? one.courses + one.drafts : one.courses;
      for (let start = 0; start < end; start += ROWS_PER_READ) {
        if (start > 0) await Bun.sleep(0);
        const rows = await read.run(sql<Row>`
          select ${COURSE_REF} from release_courses rc join course_versions v on v.id = rc.version_id
          where rc.release_id = ${one.id} and v.project = ${one.project} and rc.position >= ${start}
            and rc.position < ${Math.min(start + ROWS_PER_READ, end)}
            and (
              select 1 from release_courses same where same.version_id = rc.version_id and same.release_id = ${other.id}
            ) is null
          order by rc.position`);
        if (rows.length > 0) yield await addOthers(rows.map(toRef), other, drafts);
      }
    },
  } satisfies Partial<CatalogReader>;

  /** Counts in steps, since a release may have many drafts. Undefined during a prune. */
  async function countDraftLessons({ id, courses, drafts }: Release): Promise<number | undefined> {
    let [found, lessons] = [0, 0];
    for (let from = courses; from < courses + drafts; from += ROWS_PER_READ) {
      if (from > courses) await Bun.sleep(0);
      const [row] = await read.run(sql<{ found: number | string; lessons: number | string | null }>`
        select count(*) as found, sum(v.lessons) as lessons
        from release_courses rc join course_versions v on v.id = rc.version_id
        where rc.release_id = ${id} and rc.position >= ${from} and rc.position < ${from + ROWS_PER_READ}`);
      found += Number(row?.found ?? 0);
      lessons += Number(row?.lessons ?? 0);
    }
    return found === drafts ? lessons : undefined;
  }

  async function addOthers(
    courses: CourseRef[],
    { id, project }: Release,
    drafts: boolean,
  ): Promise<CourseDifference[]> {
    const rows = await read.run(sql<Row>`
      select ${COURSE_REF} from course_versions v
      where v.project = ${project} and v.course_id in ${list(repeatLast(courses.map(({ courseId }) => courseId)))}
        and v.published >= ${drafts ? 0 : 1}
        and (select 1 from release_courses rc where rc.version_id = v.id and rc.release_id = ${id}) = 1`);
    const others = new Map(rows.map(toRef).map(({ courseId, ...version }) => [courseId, version]));
    return courses.map((course) => ({ ...course, other: others.get(course.courseId) }));
  }
}
