// The four operations. Each gets a release and parsed input, and returns what to answer.
import { isIdentifier } from "../catalog/identifier.ts";
import type { CatalogReader, Release } from "../catalog/store.ts";
import { courseNotFound, lessonNotFound } from "./errors.ts";
import type { NameIndexes } from "./name-index.ts";
import { formatPageLinks, type Parameters } from "./parameters.ts";

export interface OperationInput {
  catalog: CatalogReader;
  names: NameIndexes;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  channel: string;
  readsDrafts: boolean;
  /** As it came, for links to other pages. */
  path: string;
  parameters: Parameters;
  /** Decoded path parameters, in order. */
  segments: string[];
}

export interface OperationResult {
  /** JSON text of the envelope's `data`, in pieces. */
  data: string[];
  /** Changes exactly when `data` does; undefined when it is yet to be computed. */
  digest: string | undefined;
  link?: string | undefined;
  /** The current slug of a course that was asked for by one that it had before. */
  currentSlug?: string | undefined;
}

export type Operation = (input: OperationInput) => Promise<OperationResult>;

/** GET /courses: published courses, newest first. */
export const listCourses: Operation = async ({ catalog, names, release, path, parameters }) => {
  const { foldedName, limit, offset = 0 } = parameters;
  if (release === undefined) return renderList(0, "");
  const positions = foldedName === "" ? undefined : await names.search(release, foldedName);
  const total = positions?.length ?? release.courses;
  const end = Math.min(limit === undefined ? total : offset + limit, total);
  const pieces: string[] = [];
  const chunks =
    positions === undefined
      ? catalog.readSummaries(release, offset, end)
      : catalog.pickSummaries(release, positions.slice(offset, end));
  for await (const summaries of chunks) pieces.push((pieces.length === 0 ? "" : ",") + summaries.join(","));
  return { ...renderList(total, ...pieces), link: formatPageLinks(path, parameters, release.number, total) };
};

/** GET /courses/:id */
export const getCourse: Operation = async (input) => {
  const { catalog, readsDrafts } = input;
  return findInCourse(input, async (release, course) => {
    const document = await catalog.findCourse(release, course, readsDrafts);
    return document && { data: [document.text], digest: document.digest };
  });
};

/** GET /courses/:courseId/lessons: in the order of the chapters. */
export const listLessons: Operation = async (input) => {
  const { catalog, readsDrafts, path, parameters } = input;
  const { limit, offset } = parameters;
  return findInCourse(input, async (release, course) => {
    const document = await catalog.findLessonList(release, course, readsDrafts);
    if (document === undefined) return undefined;
    const { total, text } = document;
    if (limit === undefined && offset === undefined) return renderList(total, text.slice(1, -1));
    const from = offset ?? 0;
    const lessons = (JSON.parse(text) as unknown[]).slice(from, from + (limit ?? total));
    const link = formatPageLinks(path, parameters, release.number, total);
    return { ...renderList(total, JSON.stringify(lessons).slice(1, -1)), link };
  });
};

/** GET /courses/:courseId/lessons/:lessonId */
export const getLesson: Operation = async (input) => {
  const { catalog, readsDrafts, segments } = input;
  const lesson = segments[1] ?? "";
  return findInCourse(input, async (release, course) => {
    // No lesson has the empty id.
    const found = await catalog.findLesson(release, course, isIdentifier(lesson) ? lesson : "", readsDrafts);
    if (found === "no course") return undefined;
    if (found === "no lesson") throw lessonNotFound();
    return { data: [found.text], digest: found.digest };
  });
};

/**
 * Answers from the course that the path names: by id or slug, else by a slug that it had before. Throws 404 when `find`
 * gives undefined, which means no such course, for all of them.
 */
async function findInCourse(
  { catalog, release, channel, readsDrafts, segments }: OperationInput,
  find: (release: Release, course: string) => Promise<OperationResult | undefined>,
): Promise<OperationResult> {
  const course = segments[0] ?? "";
  // Text that is no identifier names nothing, and a database may not take it.
  if (release === undefined || !isIdentifier(course)) throw courseNotFound();
  const result = await find(release, course);
  if (result !== undefined) return result;
  const former = await catalog.findFormerSlug(release, channel, course, readsDrafts);
  const moved = former && (await find(release, former.courseId));
  if (former === undefined || moved === undefined) throw courseNotFound();
  return { ...moved, currentSlug: former.slug };
}

/** `results` are the pieces of the array, without its brackets. */
function renderList(total: number, ...results: string[]): OperationResult {
  return { data: [`{"total":${total},"results":[`, ...results, "]}"], digest: undefined };
}
