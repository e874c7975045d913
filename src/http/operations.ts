// The four operations. Each gets the release and its parsed path, and returns what to answer.
import { isIdentifier } from "../catalog/course.ts";
import type { CatalogReader, Release } from "../catalog/store.ts";
import { courseNotFound, lessonNotFound } from "./errors.ts";
import { formatPageLinks, parseName, parsePage } from "./list-parameters.ts";
import { parseQuery } from "./request-url.ts";

export interface OperationInput {
  catalog: CatalogReader;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  readsDrafts: boolean;
  /** As it came, for links to other pages. */
  path: string;
  query: string;
  /** Decoded path parameters, in order. */
  segments: string[];
}

export interface OperationResult {
  /** JSON text of the envelope's `data`. */
  data: string;
  /** Changes exactly when `data` does. */
  digest: string;
  link?: string | undefined;
}

export type Operation = (input: OperationInput) => Promise<OperationResult>;

/** GET /courses: published courses, newest first. */
export const listCourses: Operation = async ({ catalog, release, path, query }) => {
  const parameters = parseQuery(query);
  const page = parsePage(parameters);
  const name = parseName(parameters);
  const { total, summaries } =
    // No name holds U+0000, and a database may not take it.
    release === undefined || name.includes("\0")
      ? { total: 0, summaries: [] }
      : await catalog.listCourses(release, name, page.limit ?? Infinity, page.offset ?? 0);
  const shared = new URLSearchParams(parameters.filter((parameter) => parameter[0] === "name"));
  return { ...renderList(total, `[${summaries.join(",")}]`), link: formatPageLinks(path, shared, page, total) };
};

/** GET /courses/:id */
export const getCourse: Operation = async ({ catalog, release, readsDrafts, query, segments: [course] }) => {
  parseQuery(query);
  if (release === undefined || !isIdentifier(course ?? "")) throw courseNotFound();
  const document = await catalog.findCourse(release, course ?? "", readsDrafts);
  if (document === undefined) throw courseNotFound();
  return { data: document.text, digest: document.digest };
};

/** GET /courses/:courseId/lessons: in the order of the chapters. */
export const listLessons: Operation = async ({ catalog, release, readsDrafts, path, query, segments: [course] }) => {
  const page = parsePage(parseQuery(query));
  if (release === undefined || !isIdentifier(course ?? "")) throw courseNotFound();
  const document = await catalog.findLessonList(release, course ?? "", readsDrafts);
  if (document === undefined) throw courseNotFound();
  const { total } = document;
  if (page.limit === undefined && page.offset === undefined) return renderList(total, document.text);
  const offset = page.offset ?? 0;
  const lessons = (JSON.parse(document.text) as unknown[]).slice(offset, offset + (page.limit ?? total));
  const link = formatPageLinks(path, new URLSearchParams(), page, total);
  return { ...renderList(total, JSON.stringify(lessons)), link };
};

/** GET /courses/:courseId/lessons/:lessonId */
export const getLesson: Operation = async ({ catalog, release, readsDrafts, query, segments: [course, lesson] }) => {
  parseQuery(query);
  if (release === undefined || !isIdentifier(course ?? "")) throw courseNotFound();
  const found = await catalog.findLesson(release, course ?? "", lesson ?? "", readsDrafts);
  if (found === "no course") throw courseNotFound();
  if (found === "no lesson") throw lessonNotFound();
  return { data: found.text, digest: found.digest };
};

function renderList(total: number, results: string): OperationResult {
  const data = `{"total":${total},"results":${results}}`;
  return { data, digest: Bun.SHA256.hash(data, "hex").slice(0, 32) };
}
