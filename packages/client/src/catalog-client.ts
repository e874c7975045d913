// The client for programs that read a catalog: in browsers, Node, Bun and Deno, with nothing but what all of them have.
import type {
  ChangesDocument,
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
  ReleaseDocument,
  TreeSectionDocument,
} from "../../../src/catalog/documents.ts";
import type {
  CourseInclude,
  CourseListInclude,
  CourseSummaryWith,
  CourseWith,
  LessonInclude,
  LessonListInclude,
  LessonSummaryWith,
  LessonWith,
} from "./included.ts";
import { CatalogError } from "./catalog-error.ts";
import type { CatalogClientOptions, RequestOptions } from "./client-options.ts";
import { findNextPage } from "./next-page.ts";
import type { SearchOptions, SearchPage } from "./search.ts";
import { createGetter, type Answer, type Get } from "./send-request.ts";

export {
  verifyWebhook,
  WebhookError,
  type PublishedEvent,
  type TestEvent,
  type WebhookEvent,
  type WebhookRequest,
} from "./verify-webhook.ts";

export { CatalogError } from "./catalog-error.ts";

export type * from "./client-options.ts";

export type * from "./included.ts";

export type * from "./search.ts";

export type Course = CourseDocument;
export type CourseSummary = CourseSummaryDocument;
export type Lesson = LessonDocument;
export type LessonSummary = LessonSummaryDocument;
/** A section of a course with `include: ["tree"]`. */
export type TreeSection = TreeSectionDocument;
export type Changes = ChangesDocument;
export type Release = ReleaseDocument;

export interface ListOptions extends RequestOptions {
  /** How many items one request asks for; 1000 unless given. */
  pageSize?: number | undefined;
  /** Called with the number of all matches, whenever a page has come. */
  onTotal?: ((total: number) => void) | undefined;
}

export interface CourseListOptions extends ListOptions {
  /** Only courses whose name contains this text, whatever its case and accents. */
  name?: string | undefined;
  /** Only courses in this language or a variety of it: `pt` finds `pt-BR` too. */
  language?: string | undefined;
  /** Only courses that have this tag, or all of these. */
  tag?: string | readonly string[] | undefined;
  /** Only these courses, up to 100, by id or slug. */
  ids?: readonly string[] | undefined;
  /** Only courses that were last changed then or later: an ISO 8601 date, or date-time with zone. */
  updatedSince?: string | undefined;
  /** `-createdAt`, the newest first, unless given. */
  sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | undefined;
}

/** The elements of a list, one after the other: `for await`, or all of them with `toArray()`. */
export interface CatalogList<T> extends AsyncIterable<T> {
  toArray(): Promise<T[]>;
}

/** What an answer shall have beyond its fields: see the result's type. */
export interface Including<Include extends string> {
  include: readonly Include[];
}

/** Reads one catalog. Every method rejects with a CatalogError when the service cannot be reached, or refuses. */
export interface CatalogClient {
  /** The release that is read; undefined for whatever is current at each request. */
  readonly release: number | undefined;
  /** Published courses, the newest first unless sorted otherwise. Pages are fetched as they are needed, all of one release. */
  listCourses<I extends CourseListInclude>(
    options: CourseListOptions & Including<I>,
  ): CatalogList<CourseSummaryWith<I>>;
  listCourses(options?: CourseListOptions): CatalogList<CourseSummary>;
  /** A course with its chapters and the id and name of each lesson. */
  getCourse<I extends CourseInclude>(idOrSlug: string, options: RequestOptions & Including<I>): Promise<CourseWith<I>>;
  getCourse(idOrSlug: string, options?: RequestOptions): Promise<Course>;
  /** The id and name of each lesson of a course, in order. */
  listLessons<I extends LessonListInclude>(
    courseIdOrSlug: string,
    options: ListOptions & Including<I>,
  ): CatalogList<LessonSummaryWith<I>>;
  listLessons(courseIdOrSlug: string, options?: ListOptions): CatalogList<LessonSummary>;
  getLesson<I extends LessonInclude>(
    courseIdOrSlug: string,
    lessonId: string,
    options: RequestOptions & Including<I>,
  ): Promise<LessonWith<I>>;
  getLesson(courseIdOrSlug: string, lessonId: string, options?: RequestOptions): Promise<Lesson>;
  /** Lessons and courses with all these words; the last word may be the beginning of one. One page, 20 results at most. */
  search(text: string, options?: SearchOptions): Promise<SearchPage>;
  /** What differs between release `since` and the one that is read. A status of 404 or 410 says to read everything again. */
  changes(since: number, options?: RequestOptions): Promise<Changes>;
  /** The releases that can be read, the last one published first. */
  releases(options?: RequestOptions): Promise<Release[]>;
  /** A client that reads one release, the current one unless given: what it reads fits together, whatever is published. */
  pinned(release?: number, options?: RequestOptions): Promise<CatalogClient>;
}

/** Throws a TypeError for a base URL or key that can be none. */
export function createCatalogClient(options: CatalogClientOptions): CatalogClient {
  const base = new URL(options.baseUrl);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, "")}/api/v1`;
  // Refuses here, not at each request, what no header can hold.
  const headers = Object.fromEntries(new Headers({ "x-api-key": options.apiKey }));
  return createClient(createGetter(options, headers), root, undefined);
}

type Options = RequestOptions & Partial<Including<string>>;
type Query = { include?: readonly string[] } & Record<string, string | number | readonly string[] | undefined>;

function createClient(get: Get, root: string, release: number | undefined): CatalogClient {
  const toUrl = (segments: string[], { include, ...query }: Query = {}): string => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, include: include?.join(",") || undefined, release })) {
      for (const each of [value ?? []].flat()) search.append(name, String(each));
    }
    return [root, ...segments.map(encodeURIComponent)].join("/") + (search.size === 0 ? "" : `?${search.toString()}`);
  };
  const read = async <T>(url: string, options: RequestOptions | undefined): Promise<T> =>
    (await get(url, options)).data as T;
  async function* readPages<T>(segments: string[], given: CourseListOptions & Partial<Including<string>> = {}) {
    const { pageSize = 1000, onTotal, signal, ...query } = given;
    // No ids are no courses; a request without any would get them all.
    if (query.ids?.length === 0) return onTotal?.(0);
    const path = toUrl(segments);
    let url: string | undefined = toUrl(segments, { ...query, limit: pageSize });
    const seen = new Set<string>();
    while (url !== undefined) {
      seen.add(url);
      const answer: Answer = await get(url, { signal });
      const { total, results } = (answer.data ?? {}) as { total: number; results: T[] };
      if (!Array.isArray(results)) throw new CatalogError(0, "The service answered a list without results");
      onTotal?.(total);
      yield* results;
      const page = findNextPage(answer.link);
      // Only the query of the link is taken: the key goes nowhere but to the service.
      const [next] = /\?[^#]*/.exec(page ?? "") ?? [];
      if (page !== undefined && results.length === 0) {
        throw new CatalogError(0, "The service answered an empty page that leads to another: the list would never end");
      }
      if (page !== undefined && next === undefined) {
        throw new CatalogError(0, `The next page, ${page}, has no query, so the list cannot be read to its end`);
      }
      url = next === undefined ? undefined : path.replace(/\?.*/, "") + next;
      if (url !== undefined && seen.has(url)) {
        throw new CatalogError(0, `The list leads back to ${next}, which was read already: it would never end`);
      }
    }
  }
  const list = <T>(segments: string[], given?: CourseListOptions): CatalogList<T> => ({
    [Symbol.asyncIterator]: () => readPages<T>(segments, given),
    async toArray() {
      const all: T[] = [];
      for await (const each of readPages<T>(segments, given)) all.push(each);
      return all;
    },
  });
  return {
    release,
    listCourses: (options?: CourseListOptions) => list<never>(["courses"], options),
    getCourse: (course: string, options?: Options) =>
      read<never>(toUrl(["courses", course], toQuery(options)), options),
    listLessons: (course: string, options?: ListOptions) => list<never>(["courses", course, "lessons"], options),
    getLesson: (course: string, lesson: string, options?: Options) =>
      read<never>(toUrl(["courses", course, "lessons", lesson], toQuery(options)), options),
    search: (q, { signal, ...query } = {}) => read(toUrl(["search"], { q, ...query }), { signal }),
    changes: (since, options) => read(toUrl(["changes"], { since }), options),
    releases: async (options) => (await read<{ results: Release[] }>(toUrl(["releases"]), options)).results,
    async pinned(number, options) {
      if (number !== undefined) return createClient(get, root, number);
      const current = (await get(toUrl(["courses"], { limit: 1 }), options)).release;
      if (current === null) throw new CatalogError(404, "Nothing is published yet");
      if (!/^[1-9]\d{0,8}$/.test(current)) throw new CatalogError(0, `Release "${current.slice(0, 20)}" is no number`);
      return createClient(get, root, Number(current));
    },
  };
}

function toQuery({ include }: Options = {}): Query {
  return include === undefined ? {} : { include };
}
