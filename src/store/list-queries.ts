// Reads of the list of courses of a release, the same on every engine.
import type { CatalogReader, CourseTraits, ListedCourse } from "../catalog/catalog-reader.ts";
import type { Release } from "../catalog/store.ts";
import type { Connection } from "./engine.ts";
import { list, repeatLast, sql, type Query } from "./query.ts";

/** How many rows one query reads at most, so that a long list leaves room for other requests in between. */
export const ROWS_PER_READ = 500;

const VERSIONS = sql`join course_versions v on v.id = rc.version_id`;
const SUMMARY = sql`v.summary`;
const NAME = sql`v.folded_name as name`;
const LISTED = sql`v.summary, v.slug, v.id, m.document as meta, c.digest as content_digest`;
const TRAITS = sql`v.course_id as id, v.created_at, v.folded_name as name, v.summary, m.document as meta`;
const WITH_META = sql`${VERSIONS} left join course_meta m on m.version_id = v.id`;
const WITH_ALL = sql`${WITH_META} left join course_contents c on c.version_id = v.id`;

type ListReader = Pick<
  CatalogReader,
  "readSummaries" | "pickSummaries" | "readNames" | "readListed" | "pickListed" | "readTraits" | "findPositions"
>;

/** See CatalogReader. */
export function createListQueries(read: Connection): ListReader {
  return {
    async *readSummaries(release, from, end) {
      for await (const rows of readPositions<SummaryRow>(release, from, end, SUMMARY)) yield rows.map(toSummary);
    },

    async *pickSummaries(release, positions) {
      for await (const rows of pickPositions<SummaryRow>(release, positions, SUMMARY)) yield rows.map(toSummary);
    },

    async *readNames(release) {
      for await (const rows of readPositions<{ name: string }>(release, 0, release.courses, NAME)) {
        yield rows.map((row) => row.name);
      }
    },

    async *readListed(release, from, end) {
      for await (const rows of readPositions<ListedRow>(release, from, end, LISTED, WITH_ALL)) yield rows.map(toListed);
    },

    async *pickListed(release, positions) {
      for await (const rows of pickPositions<ListedRow>(release, positions, LISTED, WITH_ALL)) yield rows.map(toListed);
    },

    async *readTraits(release) {
      for await (const rows of readPositions<TraitRow>(release, 0, release.courses, TRAITS, WITH_META)) {
        yield rows.map(toTraits);
      }
    },

    async findPositions(release, idsOrSlugs) {
      if (idsOrSlugs.length === 0) return [];
      const asked = list(repeatLast(idsOrSlugs));
      const find = async (condition: Query): Promise<PositionRow[]> =>
        // `cross join` keeps SQLite to this order: it would walk the release otherwise.
        read.run(sql<PositionRow>`
          select rc.position, v.course_id as id, v.slug from course_versions v cross join release_courses rc
          where v.project = ${release.project} and v.published = 1 and ${condition}
            and rc.version_id = v.id and rc.release_id = ${release.id}`);
      const [byId, bySlug] = [await find(sql`v.course_id in ${asked}`), await find(sql`v.slug in ${asked}`)];
      return [...new Map([...byId, ...bySlug].map((row) => [row.position, row])).values()];
    },
  };

  async function* readPositions<T>(
    release: Release,
    from: number,
    end: number,
    columns: Query,
    tables = VERSIONS,
  ): AsyncGenerator<T[]> {
    for (let start = from; start < end; start += ROWS_PER_READ) {
      // Other requests come first.
      if (start > from) await Bun.sleep(0);
      yield await read.run(sql<T>`
        select ${columns} from release_courses rc ${tables}
        where rc.release_id = ${release.id} and rc.position >= ${start}
          and rc.position < ${Math.min(start + ROWS_PER_READ, end)}
        order by rc.position`);
    }
  }

  async function* pickPositions<T>(
    release: Release,
    positions: number[],
    columns: Query,
    tables = VERSIONS,
  ): AsyncGenerator<T[]> {
    for (let from = 0; from < positions.length; from += ROWS_PER_READ) {
      if (from > 0) await Bun.sleep(0);
      const some = positions.slice(from, from + ROWS_PER_READ);
      const rows = await read.run(sql<T & { position: number }>`
        select ${columns}, rc.position from release_courses rc ${tables}
        where rc.release_id = ${release.id} and rc.position in ${list(repeatLast(some))}`);
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      yield some.flatMap((position) => byPosition.get(position) ?? []);
    }
  }
}

interface SummaryRow {
  summary: string;
}

interface ListedRow extends SummaryRow {
  id: number;
  content_digest: string | null;
  slug: string;
  meta: string | null;
}

interface TraitRow extends SummaryRow {
  id: string;
  created_at: string;
  name: string;
  meta: string | null;
}

interface PositionRow {
  position: number;
  id: string;
  slug: string;
}

/** The end of a summary: `"updatedAt":"2026-01-31T09:30:00.000Z"}` */
const SUMMARY_END = /"updatedAt":"([^"]+)"\}$/;

function toTraits({ id, created_at: createdAt, name, summary, meta }: TraitRow): CourseTraits {
  const updatedAt = SUMMARY_END.exec(summary)?.[1];
  if (updatedAt === undefined) throw new Error(`the summary of course ${id} does not end with updatedAt`);
  return { id, name, createdAt, updatedAt, meta: meta ?? undefined };
}

function toSummary({ summary }: SummaryRow): string {
  return summary;
}

function toListed({ id: versionId, summary, slug, meta, content_digest: digest }: ListedRow): ListedCourse {
  return { versionId, summary, slug, meta: meta ?? undefined, contentDigest: digest ?? undefined };
}
