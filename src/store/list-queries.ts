// Reads of the list of courses of a release, the same on every engine.
import type { CatalogReader, ListedCourse } from "../catalog/catalog-reader.ts";
import type { Release } from "../catalog/store.ts";
import type { Connection } from "./engine.ts";
import { list, repeatLast, sql, type Query } from "./query.ts";

/** How many rows one query reads at most, so that a long list leaves room for other requests in between. */
export const ROWS_PER_READ = 500;

const VERSIONS = sql`join course_versions v on v.id = rc.version_id`;
const SUMMARY = sql`v.summary`;
const NAME = sql`v.folded_name as name`;
const LISTED = sql`v.summary, v.slug, m.document as meta`;
const WITH_META = sql`${VERSIONS} left join course_meta m on m.version_id = v.id`;

type ListReader = Pick<CatalogReader, "readSummaries" | "pickSummaries" | "readNames" | "readListed" | "pickListed">;

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
      for await (const rows of readPositions<ListedRow>(release, from, end, LISTED, WITH_META))
        yield rows.map(toListed);
    },

    async *pickListed(release, positions) {
      for await (const rows of pickPositions<ListedRow>(release, positions, LISTED, WITH_META))
        yield rows.map(toListed);
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
  slug: string;
  meta: string | null;
}

function toSummary({ summary }: SummaryRow): string {
  return summary;
}

function toListed({ summary, slug, meta }: ListedRow): ListedCourse {
  return { summary, slug, meta: meta ?? undefined };
}
