// What `include` adds to courses and lessons: members after those of the specification, in the order of the table of routes.
import type { CatalogReader, ListedCourse } from "../../catalog/catalog-reader.ts";
import { renderCourseMetaMembers, renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import { lessonNotFound } from "../request/errors.ts";
import { toCourse, toLesson, type Operation } from "./operation.ts";
import { readText } from "./unpack.ts";

/** A part of the list of courses: these positions, or else all from one to another. */
export interface PartOfList {
  from: number;
  end: number;
  positions: number[] | undefined;
}

/** The courses of a part of the list, with what is asked for, as JSON texts in chunks. */
export async function* readCoursesWith(
  catalog: CatalogReader,
  release: Release,
  { from, end, positions }: PartOfList,
): AsyncGenerator<string[]> {
  const chunks =
    positions === undefined ? catalog.readListed(release, from, end) : catalog.pickListed(release, positions);
  for await (const courses of chunks) yield courses.map(renderListed);
}

/** GET /courses/:id with `include`. */
export const getCourseWith: Operation = async ({ catalog, release, readsDrafts, segments, work }) => {
  const course = await catalog.findCourseParts(...toCourse(release, segments), readsDrafts);
  if (course === undefined) return undefined;
  const { slug, meta, published } = course;
  const members = renderCourseMetaMembers(slug, meta, published);
  return { data: [appendMembers(await readText(course, work), members)], digest: undefined };
};

/** GET /courses/:courseId/lessons/:lessonId with `include`. */
export const getLessonWith: Operation = async ({ catalog, release, readsDrafts, segments, work }) => {
  const lesson = await catalog.findLessonParts(...toCourse(release, segments), toLesson(segments), readsDrafts);
  if (lesson === "no course") return undefined;
  if (lesson === "no lesson") throw lessonNotFound();
  const members = renderLessonMetaMembers(lesson.meta);
  return { data: [appendMembers(await readText(lesson, work), members)], digest: undefined };
};

function renderListed({ summary, slug, meta }: ListedCourse): string {
  // The list holds published courses only.
  return appendMembers(summary, renderCourseMetaMembers(slug, meta, true));
}

/** The JSON text of an object, which is not empty, with more members at its end. */
function appendMembers(object: string, members: string): string {
  return `${object.slice(0, -1)},${members}}`;
}
