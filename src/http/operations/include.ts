// What `include` adds to courses and lessons: members after those of the specification, in the order of the table of routes.
import type { CatalogReader, ListedCourse } from "../../catalog/catalog-reader.ts";
import { renderCourseMetaMembers, renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import { digestText } from "../../catalog/stored-document.ts";
import { lessonNotFound } from "../request/errors.ts";
import type { Include } from "../request/parameters.ts";
import { appendMembers, renderObject } from "./json-pieces.ts";
import type { LargeWork } from "./large-work.ts";
import { toCourse, toLesson, type Operation } from "./operation.ts";
import { readContentDigest } from "./read-contents.ts";
import { readBytes } from "./unpack.ts";
import { renderWholeCourse } from "./whole-course.ts";

/** A part of the list of courses: these positions, or else all from one to another. */
export interface PartOfList {
  from: number;
  end: number;
  positions: number[] | undefined;
}

/** The courses of a part of the list, with what is asked for, as JSON texts in chunks. Throws as `work` does. */
export async function* readCoursesWith(
  catalog: CatalogReader,
  release: Release,
  { from, end, positions }: PartOfList,
  include: readonly Include[],
  work: LargeWork,
): AsyncGenerator<string[]> {
  const chunks =
    positions === undefined ? catalog.readListed(release, from, end) : catalog.pickListed(release, positions);
  for await (const courses of chunks) {
    const texts: string[] = [];
    for (const course of courses) texts.push(await renderListed(catalog, course, include, work));
    yield texts;
  }
}

/** GET /courses/:id with `include`. */
export const getCourseWith: Operation = async (input) => {
  const { catalog, lessonLists, readsDrafts, segments, parameters, work } = input;
  const [release, idOrSlug] = toCourse(input.release, segments);
  const course = await catalog.findCourseParts(release, idOrSlug, readsDrafts);
  if (course === undefined) return undefined;
  const { include } = parameters;
  const { slug, meta, published } = course;
  const members = include.includes("meta") ? renderCourseMetaMembers(slug, meta, published) : "";
  if (!include.includes("lessons")) {
    return { data: renderObject(await readBytes(course, work), members), digest: undefined };
  }
  // The content of all that is answered: a release that does not change the course gets the answer that is there already.
  const digest = digestText(`${include.join(",")} ${await readContentDigest(catalog, course, work)}`);
  const list = await lessonLists.read(release.project, course, work);
  return { data: renderWholeCourse(catalog, course, { list, members }, work), digest };
};

/** GET /courses/:courseId/lessons/:lessonId with `include`. */
export const getLessonWith: Operation = async (input) => {
  const { catalog, lessonLists, readsDrafts, segments, parameters, work } = input;
  const [release, idOrSlug] = toCourse(input.release, segments);
  const lessonId = toLesson(segments);
  const lesson = await catalog.findLessonParts(release, idOrSlug, lessonId, readsDrafts);
  if (lesson === "no course") return undefined;
  if (lesson === "no lesson") throw lessonNotFound();
  const members: string[] = [];
  if (parameters.include.includes("meta")) members.push(renderLessonMetaMembers(lesson.meta));
  if (parameters.include.includes("nav")) {
    const version = await catalog.findVersion(release, idOrSlug, readsDrafts);
    if (version === undefined) return undefined;
    const list = await lessonLists.read(release.project, version, work);
    members.push(JSON.stringify(list.locate(lessonId)).slice(1, -1));
  }
  return { data: renderObject(await readBytes(lesson, work), members.join(",")), digest: undefined };
};

async function renderListed(
  catalog: CatalogReader,
  course: ListedCourse,
  include: readonly Include[],
  work: LargeWork,
): Promise<string> {
  const { summary, slug, meta } = course;
  // The list holds published courses only.
  const published = true;
  const withMeta = include.includes("meta") ? renderCourseMetaMembers(slug, meta, published) : "";
  if (!include.includes("digest")) return appendMembers(summary, withMeta);
  const digest = await readContentDigest(catalog, { ...course, published }, work);
  return appendMembers(appendMembers(summary, withMeta), `"digest":"${digest}"`);
}
