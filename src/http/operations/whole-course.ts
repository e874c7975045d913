// A course with whole lessons: its document, and those of its lessons, which are read piece by piece.
import type { CatalogReader, CourseParts } from "../../catalog/catalog-reader.ts";
import type { CourseDocument } from "../../catalog/documents.ts";
import { renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import type { LargeWork } from "./large-work.ts";
import { readText } from "./unpack.ts";

/** A course with more lessons waits for a turn. */
const MAX_LESSONS_AT_ONCE = 20;

/** The JSON text of an object, which is not empty, with more members at its end; "" for none. */
export function appendMembers(object: string, members: string): string {
  return members === "" ? object : `${object.slice(0, -1)},${members}}`;
}

/**
 * The JSON text of a course with whole lessons, in pieces. `text` is its document, `members` what its meta adds at its end; with
 * them the lessons have theirs. Throws as `work` does.
 */
export async function* renderWholeCourse(
  catalog: CatalogReader,
  course: CourseParts,
  { text, members }: { text: string; members: string },
  work: LargeWork,
): AsyncGenerator<string> {
  const { _id, projectId, name, chapters, ...rest } = JSON.parse(text) as CourseDocument;
  const ids = chapters.flatMap(({ lessons }) => lessons.map(({ id }) => id));
  if (ids.length > MAX_LESSONS_AT_ONCE) await work.begin(0);
  const documents = readDocuments(catalog, course, ids, members !== "", work);
  yield `${JSON.stringify({ _id, projectId, name }).slice(0, -1)},"chapters":[`;
  for (const [index, { lessons, ...chapter }] of chapters.entries()) {
    yield `${index === 0 ? "" : ","}${JSON.stringify(chapter).slice(0, -1)},"lessons":[`;
    for (let lesson = 0; lesson < lessons.length; lesson++) {
      const next = await documents.next();
      // It throws where a lesson is missing.
      if (next.done !== true) yield lesson === 0 ? next.value : `,${next.value}`;
    }
    yield "]}";
  }
  yield `],${appendMembers(JSON.stringify(rest), members).slice(1)}`;
}

async function* readDocuments(
  catalog: CatalogReader,
  course: CourseParts,
  ids: string[],
  hasMeta: boolean,
  work: LargeWork,
): AsyncGenerator<string> {
  for await (const lessons of catalog.readLessons(course, ids)) {
    for (const lesson of lessons) {
      work.stopIfGone();
      yield appendMembers(await readText(lesson, work), hasMeta ? renderLessonMetaMembers(lesson.meta) : "");
    }
  }
}
