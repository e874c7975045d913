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
import { toCourse, toLesson, type Operation, type OperationInput, type OperationResult } from "./operation.ts";

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
  if (release === undefined) return renderList(0, []);
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
  const { catalog, readsDrafts, parameters, segments } = input;
  const { include, limit, offset } = parameters;
  const [release, course] = toCourse(input.release, segments);
  if (include.length > 0 || limit !== undefined || offset !== undefined)
    return listLessonsInParts(input, release, course);
  const document = await catalog.findLessonList(release, course, readsDrafts);
  if (document === undefined) return undefined;
  const { content, digest, total } = document;
  return typeof content === "string" ? renderList(total, [content.slice(1, -1)]) : { data: content, digest };
};

/** A page of the list, or one with more than ids and names. */
async function listLessonsInParts(
  { catalog, lessonLists, readsDrafts, parameters, work }: OperationInput,
  release: Release,
  course: string,
): Promise<OperationResult | undefined> {
  const { include, limit, offset: from = 0 } = parameters;
  const version = await catalog.findVersion(release, course, readsDrafts);
  if (version === undefined) return undefined;
  const list = await lessonLists.read(release.project, version, work);
  const contents = include.length === 0 ? undefined : await lessonLists.readContents(release.project, version, work);
  const total = list.lessons;
  const end = Math.min(limit === undefined ? total : from + limit, total);
  const lessons = list.render(from, end, contents && ((index) => contents.members(index, include)));
  return { ...renderList(total, lessons), link: formatPageLinks(parameters, release.number, total) };
}

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

/** `results` is the array without its brackets, in pieces. */
function renderList(total: number, results: Iterable<string>): OperationResult {
  return { data: joinPieces(startList(total), results, "]}"), digest: undefined };
}

function* joinPieces(start: string, pieces: Iterable<string>, end: string): Generator<string> {
  yield start;
  yield* pieces;
  yield end;
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
