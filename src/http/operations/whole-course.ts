// A course with whole lessons: its document, and those of its lessons, which are read piece by piece.
import type { CatalogReader, CourseParts } from "../../catalog/catalog-reader.ts";
import { renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import { appendMembers, renderObject } from "./json-pieces.ts";
import type { LargeWork } from "./large-work.ts";
import type { LessonList } from "./lesson-list.ts";
import { readInOrder } from "./read-lessons.ts";
import { readBytes } from "./unpack.ts";

/** A course with more lessons waits for a turn. */
const MAX_LESSONS_AT_ONCE = 20;

/**
 * The JSON text of a course with whole lessons, in pieces. `members` is what its meta adds at its end; with them the lessons have
 * theirs. Throws as `work` does.
 */
export async function* renderWholeCourse(
  catalog: CatalogReader,
  course: CourseParts,
  { list, members }: { list: LessonList; members: string },
  work: LargeWork,
): AsyncGenerator<string> {
  if (list.lessons > MAX_LESSONS_AT_ONCE) await work.begin(0);
  const lessons = readInOrder(catalog, course, list);
  yield `${JSON.stringify(list.head).slice(0, -1)},"chapters":[`;
  for (let chapter = 0; chapter < list.chapters; chapter++) {
    yield `${chapter === 0 ? "" : ","}${JSON.stringify(list.chapter(chapter)).slice(0, -1)},"lessons":[`;
    const [first, end] = [list.firstOf(chapter), list.firstOf(chapter + 1)];
    for (let index = first; index < end; index++) {
      const next = await lessons.next();
      // It throws where a lesson is missing.
      if (next.done === true) return;
      work.stopIfGone();
      if (index > first) yield ",";
      const meta = members === "" ? "" : renderLessonMetaMembers(next.value.meta);
      yield* renderObject(await readBytes(next.value, work), meta);
    }
    yield "]}";
  }
  yield `],${appendMembers(JSON.stringify(list.tail), members).slice(1)}`;
}
