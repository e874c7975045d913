import { ContentMissing, type CatalogReader, type CourseTraits, type ListedCourse } from "../catalog/catalog-reader.ts";
import type { Release } from "../catalog/store.ts";
import type { Connection } from "./engine.ts";
import { list, repeatLast, sql, toRecord, type Query, type Row } from "./query.ts";

export const ROWS_PER_READ = 500;

/** Reads all rows from one position to another in steps, between which other requests come. Throws ContentMissing. */
export async function* readSteps<T>(
  id: number,
  from: number,
  end: number,
  readStep: (start: number, next: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  for (let start = from; start < end; start += ROWS_PER_READ) {
    if (start > from) await Bun.sleep(0);
    const next = Math.min(start + ROWS_PER_READ, end);
    const rows = await readStep(start, next);
    if (rows.length < next - start) throw new ContentMissing(id);
    yield rows;
  }
}

const VERSIONS = sql`join course_versions v on v.id = rc.version_id left join course_meta m on m.version_id = v.id`;
const LISTED = sql`v.slug, v.digest, v.summary, m.document as meta`;
const TRAITS = sql`v.course_id as id, v.folded_name as name, v.created_at, v.updated_at, m.document as meta`;

type ListReader = Pick<CatalogReader, "readCourses" | "pickCourses" | "readTraits" | "findPositions">;

export function createListQueries(read: Connection): ListReader {
  return {
    async *readCourses(release, { from, end }) {
      for await (const rows of readPositions(release, from, end, LISTED)) {
        yield rows.map((row) => toRecord<ListedCourse>(row));
      }
    },

    async *pickCourses(release, positions) {
      for (let from = 0; from < positions.length; from += ROWS_PER_READ) {
        if (from > 0) await Bun.sleep(0);
        const some = positions.slice(from, from + ROWS_PER_READ);
        const rows = await read.run(sql<{ position: number }>`
          select rc.position, ${LISTED} from release_courses rc ${VERSIONS}
          where rc.release_id = ${release.id} and rc.position in ${list(repeatLast(some))}`);
        const byPosition = new Map(rows.map(({ position, ...row }) => [position, toRecord<ListedCourse>(row)]));
        if (byPosition.size < some.length) throw new ContentMissing(release.id);
        yield some.flatMap((position) => byPosition.get(position) ?? []);
      }
    },

    async *readTraits(release) {
      for await (const rows of readPositions(release, 0, release.courses, TRAITS)) {
        yield rows.map((row) => toRecord<CourseTraits>(row));
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

  function readPositions(release: Release, from: number, end: number, columns: Query): AsyncGenerator<Row[]> {
    return readSteps(release.id, from, end, (start, next) =>
      read.run(sql<Row>`
        select ${columns} from release_courses rc ${VERSIONS}
        where rc.release_id = ${release.id} and rc.position >= ${start} and rc.position < ${next}
        order by rc.position`),
    );
  }
}

interface PositionRow {
  position: number;
  id: string;
  slug: string;
}
