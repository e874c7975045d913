// The four operations. Each gets a release and parsed input, and returns what to answer.
import { isIdentifier } from "../../catalog/identifier.ts";
import type { CatalogReader, Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import { startList, type Bytes, type StoredDocument } from "../../catalog/stored-document.ts";
import { courseNotFound, lessonNotFound } from "../request/errors.ts";
import type { ContentRoute } from "../request/route.ts";
import type { LargeWork } from "./large-work.ts";
import type { LessonLists } from "./lesson-lists.ts";
import type { NameIndexes } from "./name-index.ts";
import { formatPageLinks, type Parameters } from "../request/parameters.ts";

/** A part of a list with more courses than this waits for a turn. */
const MAX_COURSES_AT_ONCE = 100;
/**
 * The estimated size of a summary that was not read yet. Twice, since the list and the parts that it is made of are in
 * memory together.
 */
const ESTIMATED_BYTES = 2 * 300;

export interface OperationInput {
  catalog: CatalogReader;
  names: NameIndexes;
  lessonLists: LessonLists;
  /** The channel that the key reads. */
  channel: ServedChannel;
  /** Undefined while the key's channel has no release: the catalog is empty then. */
  release: Release | undefined;
  /** The release of `since`; undefined where that is not given. */
  since: Release | undefined;
  readsDrafts: boolean;
  /** Undecoded, for links to other pages. */
  path: string;
  parameters: Parameters;
  /** Decoded path parameters, in order. */
  segments: string[];
  /** For work that takes long, or much memory. */
  work: LargeWork;
}

export interface OperationResult {
  /**
   * JSON text of the envelope's `data`, in pieces; the pieces of a long list are read from the store one by one. Or the whole
   * body in gzip, as it is stored.
   */
  data: string[] | AsyncIterable<string> | Bytes;
  /** Changes exactly when `data` does. Undefined when the caller must compute it. */
  digest: string | undefined;
  link?: string | undefined;
}

/** Undefined when the release has no such course for this reader, by id or slug. */
export type Operation = (input: OperationInput) => Promise<OperationResult | undefined>;

/** A path that an operation answers, in an envelope and for a key. */
export interface OperationRoute extends ContentRoute {
  operation: Operation;
  /** False for an answer that depends on more than its release, so that it is made anew for each request. */
  isKept?: boolean;
}

/** GET /courses: published courses, newest first. */
export const listCourses: Operation = async ({ catalog, names, release, path, parameters, work }) => {
  const { foldedName, limit, offset = 0 } = parameters;
  if (release === undefined) return renderList(0, "");
  const positions = foldedName === "" ? undefined : await names.search(release, foldedName, work);
  const total = positions?.length ?? release.courses;
  const end = Math.min(limit === undefined ? total : offset + limit, total);
  const link = formatPageLinks(path, parameters, release.number, total);
  if (end - offset > MAX_COURSES_AT_ONCE) await work.begin((end - offset) * ESTIMATED_BYTES);
  const chunks =
    positions === undefined
      ? catalog.readSummaries(release, offset, end)
      : catalog.pickSummaries(release, positions.slice(offset, end));
  return { data: joinSummaries(total, chunks, work), digest: undefined, link };
};

/** GET /courses/:id */
export const getCourse: Operation = async ({ catalog, release, readsDrafts, segments }) => {
  const document = await catalog.findCourse(...toCourse(release, segments), readsDrafts);
  return document && renderDocument(document);
};

/** GET /courses/:courseId/lessons: in the order of the chapters. */
export const listLessons: Operation = async (input) => {
  const { catalog, lessonLists, release, readsDrafts, path, parameters, segments, work } = input;
  const { limit, offset } = parameters;
  const course = toCourse(release, segments);
  if (limit === undefined && offset === undefined) {
    const document = await catalog.findLessonList(...course, readsDrafts);
    if (document === undefined) return undefined;
    const { content, digest, total } = document;
    return typeof content === "string" ? renderList(total, content.slice(1, -1)) : { data: content, digest };
  }
  const list = await lessonLists.find(...course, readsDrafts, work);
  if (list === undefined) return undefined;
  const from = offset ?? 0;
  const link = formatPageLinks(path, parameters, course[0].number, list.total);
  return { ...renderList(list.total, list.slice(from, from + (limit ?? list.total))), link };
};

/** GET /courses/:courseId/lessons/:lessonId */
export const getLesson: Operation = async ({ catalog, release, readsDrafts, segments }) => {
  const lesson = segments[1] ?? "";
  // No lesson has the empty id.
  const found = await catalog.findLesson(
    ...toCourse(release, segments),
    isIdentifier(lesson) ? lesson : "",
    readsDrafts,
  );
  if (found === "no course") return undefined;
  if (found === "no lesson") throw lessonNotFound();
  return renderDocument(found);
};

/** The course that a path names, in a release. Throws 404 for what cannot name one. */
function toCourse(release: Release | undefined, [course = ""]: string[]): [Release, string] {
  // Text that is no valid identifier names no course, and a database may reject it.
  if (release === undefined || !isIdentifier(course)) throw courseNotFound();
  return [release, course];
}

function renderDocument({ content, digest }: StoredDocument): OperationResult {
  return { data: typeof content === "string" ? [content] : content, digest };
}

/** `results` is the array without its brackets. */
function renderList(total: number, results: string): OperationResult {
  return { data: [startList(total), results, "]}"], digest: undefined };
}

async function* joinSummaries(total: number, chunks: AsyncIterable<string[]>, work: LargeWork): AsyncGenerator<string> {
  yield startList(total);
  let separator = "";
  for await (const summaries of chunks) {
    work.stopIfGone();
    yield separator + summaries.join(",");
    separator = ",";
  }
  yield "]}";
}
