import type { CatalogReader, CourseParts, LessonParts } from "../../catalog/catalog-reader.ts";
import type { LessonList } from "./lesson-list.ts";

const IDS_AT_ONCE = 500;

/** The lessons of a version, in the order of their list. Throws when one is not there. */
export async function* readInOrder(
  catalog: CatalogReader,
  version: Pick<CourseParts, "versionId" | "baseId">,
  list: LessonList,
): AsyncGenerator<LessonParts> {
  for (let from = 0; from < list.lessons; from += IDS_AT_ONCE) {
    const count = Math.min(IDS_AT_ONCE, list.lessons - from);
    const ids = Array.from({ length: count }, (_, index) => JSON.parse(list.id(from + index)) as string);
    for await (const lessons of catalog.readLessons(version, ids)) yield* lessons;
  }
}
