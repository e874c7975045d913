// The four operations. Each gets a release and parsed input, and returns what to answer.
import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import { startList, type StoredDocument } from "../../catalog/stored-document.ts";
import { lessonNotFound } from "../request/errors.ts";
import { formatPageLinks } from "../request/page-links.ts";
import { getCourseWith, getLessonWith, readCoursesWith, type PartOfList } from "./include.ts";
import type { LargeWork } from "./large-work.ts";
import { requireRows } from "./incomplete-release.ts";
import { selectCourses } from "./select-courses.ts";
import { toCourse, toLesson, type Operation, type OperationResult } from "./operation.ts";

/** A part of a list with more courses than this waits for a turn. */
const MAX_COURSES_AT_ONCE = 100;
/**
 * The estimated size of a summary that was not read yet. Twice, since the list and the parts that it is made of are in
 * memory together.
 */
const ESTIMATED_BYTES = 2 * 300;

/** GET /courses: published courses, newest first. */
export const listCourses: Operation = async (input) => {
  const { catalog, release, parameters, work } = input;
  const { include, limit, offset = 0 } = parameters;
  if (release === undefined) return renderList(0, "");
  const positions = await selectCourses(input, release);
  const total = positions?.length ?? release.courses;
  const end = Math.min(limit === undefined ? total : offset + limit, total);
  const link = formatPageLinks(parameters, release.number, total);
  if (end - offset > MAX_COURSES_AT_ONCE) await work.begin((end - offset) * ESTIMATED_BYTES);
  const part = { from: offset, end, positions: positions?.slice(offset, end) };
  const chunks =
    include.length > 0 ? readCoursesWith(catalog, release, part, include, work) : readCourses(catalog, release, part);
  const counted = { total, onPage: Math.max(0, end - offset) };
  return { data: joinSummaries(release, counted, chunks, work), digest: undefined, link };
};

/** GET /courses/:id */
export const getCourse: Operation = async (input) => {
  const { catalog, release, readsDrafts, segments, parameters } = input;
  if (parameters.include.length > 0) return getCourseWith(input);
  const document = await catalog.findCourse(...toCourse(release, segments), readsDrafts);
  return document && renderDocument(document);
};

/** GET /courses/:courseId/lessons: in the order of the chapters. */
export const listLessons: Operation = async (input) => {
  const { catalog, lessonLists, release, readsDrafts, parameters, segments, work } = input;
  const { include, limit, offset } = parameters;
  const course = toCourse(release, segments);
  if (include.length === 0 && limit === undefined && offset === undefined) {
    const document = await catalog.findLessonList(...course, readsDrafts);
    if (document === undefined) return undefined;
    const { content, digest, total } = document;
    return typeof content === "string" ? renderList(total, content.slice(1, -1)) : { data: content, digest };
  }
  const list = await lessonLists.find(...course, readsDrafts, include, work);
  if (list === undefined) return undefined;
  const from = offset ?? 0;
  const link = formatPageLinks(parameters, course[0].number, list.total);
  return { ...renderList(list.total, list.slice(from, from + (limit ?? list.total))), link };
};

/** GET /courses/:courseId/lessons/:lessonId */
export const getLesson: Operation = async (input) => {
  const { catalog, release, readsDrafts, segments, parameters } = input;
  if (parameters.include.length > 0) return getLessonWith(input);
  const found = await catalog.findLesson(...toCourse(release, segments), toLesson(segments), readsDrafts);
  if (found === "no course") return undefined;
  if (found === "no lesson") throw lessonNotFound();
  return renderDocument(found);
};

function readCourses(catalog: CatalogReader, release: Release, part: PartOfList): AsyncIterable<string[]> {
  const { from, end, positions } = part;
  return positions === undefined
    ? catalog.readSummaries(release, from, end)
    : catalog.pickSummaries(release, positions);
}

function renderDocument({ content, digest }: StoredDocument): OperationResult {
  return { data: typeof content === "string" ? [content] : content, digest };
}

/** `results` is the array without its brackets. */
function renderList(total: number, results: string): OperationResult {
  return { data: [startList(total), results, "]}"], digest: undefined };
}

async function* joinSummaries(
  release: Release,
  counted: { total: number; onPage: number },
  chunks: AsyncIterable<string[]>,
  work: LargeWork,
): AsyncGenerator<string> {
  yield startList(counted.total);
  let found = 0;
  for await (const summaries of chunks) {
    work.stopIfGone();
    yield (found === 0 ? "" : ",") + summaries.join(",");
    found += summaries.length;
  }
  requireRows(release, found, counted.onPage);
  yield "]}";
}
