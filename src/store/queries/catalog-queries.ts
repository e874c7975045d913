import { unseal, type Body } from "../../catalog/body.ts";
import type {
  CatalogReader,
  CourseParts,
  LessonParts,
  CourseDifference,
  KeptRelease,
  VersionRef,
} from "../../catalog/catalog-reader.ts";
import type { ChangeFeed, Release } from "../../catalog/store.ts";
import type { Engine, Connection } from "../engine.ts";
import { createListQueries, unsealSummary, ROWS_PER_READ } from "./list-queries.ts";
import { sql, toRecord, type Query, type Row, list, repeatLast } from "./query.ts";

/** Few, because each release takes several statements, and SQLite blocks the process meanwhile. */
const RELEASES_PER_READ = 20;

const ID = sql`v.id`;
const COURSE = sql`v.course_digest as digest, v.course as bytes`;
const LESSON_LIST = sql`v.lesson_list_digest as digest, v.lesson_list as bytes`;
const PARTS = sql`v.id as version_id, v.slug, v.published, v.summary, v.digest, v.lessons,
  (select m.document from course_meta m where m.version_id = v.id) as meta,
  (select t.digest from course_trees t where t.version_id = v.id) as tree_digest`;

export function createCatalogQueries(engine: Engine): CatalogReader & ChangeFeed {
  const { read, readChanges } = engine;
  return {
    reconnect: engine.reconnect,
    ...createListQueries(read),
    ...createHistoryQueries(read),

    findCourse: async (...course) => unsealBody(await findVersion<Body>(COURSE, ...course)),

    findLessonList: async (...course) => unsealBody(await findVersion<Body>(LESSON_LIST, ...course)),

    async findCourseParts(...course) {
      const row = await findVersion<Row>(sql`${PARTS}, ${selectGroup(ID, course[0])} as translation_group`, ...course);
      return row && toCourseParts(row);
    },

    async findVersion(versionId) {
      const [row] = await read.run(sql<Row>`select ${PARTS} from course_versions v where v.id = ${versionId}`);
      return row && toCourseParts(row);
    },

    async findTree(versionId) {
      const [row] = await read.run(sql<Body>`
        select digest, body as bytes from course_trees where version_id = ${versionId}`);
      return unsealBody(row);
    },

    async findLesson(...lesson) {
      const row = await findLessonRow(...lesson, (version, lessonId) =>
        read.run(sql<Body>`
          select digest, body as bytes from lesson_versions where id = (
            select lesson_version_id from version_lessons where version_id = (${version}) and lesson_id = ${lessonId}
          ) and project = ${lesson[0].project}`),
      );
      return typeof row === "string" ? row : unsealBody(row);
    },

    async findLessonParts(...lesson) {
      const row = await findLessonRow(...lesson, (version, lessonId) =>
        read.run(sql<Row>`
          select l.digest, l.meta, vl.version_id, vl.position, vl.chapter, vl.translation_key,
            ${selectGroup(sql`vl.version_id`, lesson[0])} as translation_group, l.body as bytes
          from version_lessons vl join lesson_versions l on l.id = vl.lesson_version_id
          where vl.version_id = (${version}) and vl.lesson_id = ${lessonId} and l.project = ${lesson[0].project}`),
      );
      return typeof row === "string" ? row : unsealBody(toRecord<LessonParts>(row));
    },

    async findFormerSlug(release, channel, slug, drafts) {
      // A slug can be newer than the requested release, in which case its current owner counts. `cross join` makes
      // SQLite start from the few owners instead of the whole release.
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
          where p.project = r.project and p.channel = ${channel} and p.release_id = r.id
            and p.id > ${selectLastDeletion(project, channel)}
        )`);
      if (row === undefined) return undefined;
      const { pruned_at: prunedAt, ...release } = row;
      return prunedAt === null ? release : "pruned";
    },

    async readRevisions() {
      type Found = Record<"identity" | "lineage", string | null> & Record<"keys" | "publications", number | null>;
      const row = await engine.readWithLineage(async (lineage) =>
        readChanges.run(sql<Found>`
          select (select identity from store_identity where id = 1) as identity, ${lineage} as lineage,
            (select value from counters where name = 'keys') as keys,
            (select value from counters where name = 'publications') as publications`),
      );
      const [identity, lineage] = [row?.identity ?? "", row?.lineage ?? ""];
      engine.requireSame(lineage);
      return {
        identity: `${identity} ${lineage}`,
        isIdentityWhole: lineage !== "",
        keys: row?.keys ?? 0,
        publications: row?.publications ?? 0,
      };
    },

    async publicationsSince(id) {
      // Only startup needs the newest publication of each channel; that query scans the whole log.
      const condition =
        id === 0 ? sql`p.id in (select max(id) from publications group by project, channel)` : sql`p.id > ${id}`;
      const rows = await readChanges.run(sql<
        Record<"project" | "channel" | "published_at", string> & { id: number | null }
      >`
        select p.project, p.channel, p.published_at, r.id, r.number, r.courses, r.drafts, r.lessons
        from publications p left join releases r on r.id = p.release_id
        where ${condition} order by p.id`);
      // All release columns are null after the channel was deleted.
      return rows.map(({ project, channel, published_at: publishedAt, ...release }) => {
        return {
          project,
          channel,
          publishedAt,
          release: release.id === null ? undefined : ({ ...release, project } as Release),
        };
      });
    },
  };

  async function findLessonRow<T>(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
    find: (version: Query, lessonId: string) => Promise<T[]>,
  ): Promise<T | "no course" | "no lesson"> {
    const lesson = await findByIdOrSlug(idOrSlug, (condition) =>
      find(selectVersion(ID, release, condition, drafts), lessonId),
    );
    if (lesson !== undefined) return lesson;
    const course = await findVersion(ID, release, idOrSlug, drafts);
    return course === undefined ? "no course" : "no lesson";
  }

  function findVersion<T>(columns: Query, release: Release, idOrSlug: string, drafts: boolean): Promise<T | undefined> {
    return findByIdOrSlug(idOrSlug, (condition) => read.run(selectVersion<T>(columns, release, condition, drafts)));
  }

  function selectVersion<T>(columns: Query, release: Release, condition: Query, drafts: boolean): Query<T> {
    // This is not a join, because SQLite replans a join whenever a parameter changes (5 µs instead of 1).
    return sql<T>`
      select ${columns} from course_versions v
      where ${condition} and v.project = ${release.project} and v.published >= ${drafts ? 0 : 1} and (
        select 1 from release_courses rc where rc.version_id = v.id and rc.release_id = ${release.id}
      ) = 1`;
  }
}

// The first query nearly always suffices and takes half as long as one with `or`. `async` would allocate twice as much.
function findByIdOrSlug<T>(idOrSlug: string, find: (condition: Query) => Promise<T[]>): Promise<T | undefined> {
  return find(sql`v.course_id = ${idOrSlug}`).then(
    ([byId]) => byId ?? find(sql`v.slug = ${idOrSlug}`).then(([bySlug]) => bySlug),
  );
}

const selectLastDeletion = (project: string, channel: string): Query => sql`coalesce((
  select max(id) from publications where project = ${project} and channel = ${channel} and release_id is null
), 0)`;

function selectGroup(versionId: Query, release: Release): Query {
  return sql`(
    select rc.translation_group from release_courses rc where rc.version_id = ${versionId} and rc.release_id = ${release.id}
  )`;
}

function unsealBody<T extends Body | undefined>(row: T): T {
  return row && { ...row, bytes: unseal(row.bytes) };
}

const toCourseParts = (row: Row): CourseParts => unsealSummary(toRecord<CourseParts>(row, "published"));

type CourseRef = VersionRef & { courseId: string };

const COURSE_REF = sql`v.id as version_id, v.course_id, v.slug, v.published`;
const toRef = (row: Row): CourseRef => toRecord<CourseRef>(row, "published");

function createHistoryQueries(read: Connection) {
  return {
    async *readKeptReleases(project, channel) {
      // Starts from the unpruned releases, since the log contains every publication ever made.
      for (let after = 0; ;) {
        if (after > 0) await Bun.sleep(0);
        const newest = sql`(
          select max(p.id) from publications p
          where p.project = ${project} and p.channel = ${channel} and p.release_id = r.id
            and p.id > ${selectLastDeletion(project, channel)}
        )`;
        const rows = await read.run(sql<Row>`
          select r.id, r.project, r.number, r.courses, r.drafts, r.lessons, ${newest} as publication_id,
            (select published_at from publications where id = ${newest}) as published_at
          from releases r where r.project = ${project} and r.pruned_at is null and r.id > ${after}
          order by r.id limit ${RELEASES_PER_READ}`);
        const releases = rows.map((row) => toRecord<Omit<KeptRelease, "draftLessons">>(row));
        const kept: KeptRelease[] = [];
        for (const release of releases) {
          if ((release.publicationId as number | undefined) === undefined) continue;
          const draftLessons = await countDraftLessons(release);
          if (draftLessons !== undefined) kept.push({ ...release, draftLessons });
        }
        yield kept;
        const last = releases.at(-1);
        if (last === undefined || rows.length < RELEASES_PER_READ) return;
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

  /** Counts drafts' lessons in steps, since there can be many drafts. Returns undefined if some drafts were pruned. */
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
