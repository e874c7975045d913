// A client for programs that read a catalog. It has no dependencies and runs in browsers, Node, Bun and Deno.
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
  /** The number of items per request; 1000 by default. */
  pageSize?: number | undefined;
  /** Called after each page with the number of matches on all pages. */
  onTotal?: ((total: number) => void) | undefined;
}

export interface CourseListOptions extends ListOptions {
  /** Finds courses whose names contain this text, ignoring case and accents. */
  name?: string | undefined;
  /** Finds courses in this language or a variant of it: `pt` finds `pt-BR` too. */
  language?: string | undefined;
  /** Finds courses with this tag, or with all of these tags. */
  tag?: string | readonly string[] | undefined;
  /** Finds up to 100 courses by id or slug. */
  ids?: readonly string[] | undefined;
  /** Finds courses changed at this time or later: an ISO 8601 date, or a date-time with a zone. */
  updatedSince?: string | undefined;
  /** The order; by default `-createdAt`, newest first. */
  sort?: "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | undefined;
}

/** A list: iterate over it with `for await`, or call `toArray()` or `page()`. */
export interface CatalogList<T> extends AsyncIterable<T> {
  toArray(): Promise<T[]>;
  /** Returns one page, for sites that paginate. Sends one request. */
  page(range?: PageRange): Promise<ListPage<T>>;
}

export interface PageRange {
  /** The maximum number of items on the page; `pageSize` by default. */
  limit?: number | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
}

export interface ListPage<T> {
  /** The number of matches on all pages. */
  total: number;
  results: T[];
}

/** Names the optional parts of an answer; the result's type then includes them. */
export interface Including<Include extends string> {
  include: readonly Include[];
}

/** Reads one catalog. Methods reject with a CatalogError if the service refuses a request or cannot be reached. */
export interface CatalogClient {
  /** The pinned release; if undefined, each request reads the current one. */
  readonly release: number | undefined;
  /** Lists published courses, by default newest first. Fetches pages on demand, all from one release. */
  listCourses<I extends CourseListInclude>(
    options: CourseListOptions & Including<I>,
  ): CatalogList<CourseSummaryWith<I>>;
  listCourses(options?: CourseListOptions): CatalogList<CourseSummary>;
  /** Returns a course with its chapters, and the id and name of each lesson. */
  getCourse<I extends CourseInclude>(idOrSlug: string, options: RequestOptions & Including<I>): Promise<CourseWith<I>>;
  getCourse(idOrSlug: string, options?: RequestOptions): Promise<Course>;
  /** Lists the id and name of each lesson in a course, in order. */
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
  /**
   * Finds lessons and courses that contain all words of `text`; the last word can be incomplete. Returns one page of
   * up to 20 results.
   */
  search(text: string, options?: SearchOptions): Promise<SearchPage>;
  /**
   * Returns the changes from release `since` to the release that this client reads. If the service answers with status
   * 404 or 410, read everything again.
   */
  changes(since: number, options?: RequestOptions): Promise<Changes>;
  /** Returns the readable releases, the most recently published first. */
  releases(options?: RequestOptions): Promise<Release[]>;
  /**
   * Returns a client that is pinned to one release, by default the current one. All its answers come from that release,
   * even if another is published.
   */
  pinned(release?: number, options?: RequestOptions): Promise<CatalogClient>;
}

/** Creates a client. Throws a TypeError if the base URL or the key is invalid. */
export function createCatalogClient(options: CatalogClientOptions): CatalogClient {
  const base = new URL(options.baseUrl);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, "")}/api/v1`;
  // Throws if the key is not a valid header value; otherwise each request would throw.
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
  const readPage = async <T>(url: string, signal: AbortSignal | undefined): Promise<ListPage<T> & Answer> => {
    const answer = await get(url, { signal });
    const { total, results } = (answer.data ?? {}) as ListPage<T>;
    if (!Array.isArray(results)) throw new CatalogError(0, "The service sent a list without results");
    return { ...answer, total, results };
  };
  async function* readPages<T>(segments: string[], given: CourseListOptions & Partial<Including<string>> = {}) {
    const { pageSize = 1000, onTotal, signal, ...query } = given;
    // A request without ids would return all courses.
    if (query.ids?.length === 0) return onTotal?.(0);
    const path = toUrl(segments);
    let url: string | undefined = toUrl(segments, { ...query, limit: pageSize });
    const seen = new Set<string>();
    while (url !== undefined) {
      seen.add(url);
      const { total, results, link }: ListPage<T> & Answer = await readPage<T>(url, signal);
      onTotal?.(total);
      yield* results;
      const page = findNextPage(link);
      // Use only the link's query, because the key must not go to another host.
      const [written] = /\?[^#]*/.exec(page ?? "") ?? [];
      // Written as `fetch` sends it, so that a page written in another way is recognized.
      const linked = written && new URL(written, "https://any.example").search;
      // The Link of a cached answer can name another release with the same page.
      const next = release === undefined ? linked : linked?.replace(/(?<=[?&]release=)\d+/, String(release));
      if (page !== undefined && results.length === 0) {
        throw new CatalogError(
          0,
          "The service sent an empty page with a link to a next page: the list would never end",
        );
      }
      if (page !== undefined && next === undefined) {
        throw new CatalogError(
          0,
          `The link to the next page, ${page}, has no query, so the list cannot be read to its end`,
        );
      }
      url = next === undefined ? undefined : path.replace(/\?.*/, "") + next;
      if (url !== undefined && seen.has(url)) {
        throw new CatalogError(0, `The list links back to ${next}, which was already read: the list would never end`);
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
    async page({ limit, offset } = {}) {
      const { pageSize = 1000, onTotal, signal, ...query } = given ?? {};
      if (query.ids?.length === 0) return { total: 0, results: [] };
      const url = toUrl(segments, { ...query, limit: limit ?? pageSize, offset });
      const { total, results } = await readPage<T>(url, signal);
      onTotal?.(total);
      return { total, results };
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
      const url = toUrl(["courses"], { limit: 1 });
      const answer = await get(url, options);
      const current = answer.release ?? (answer.isKept ? (await get(url, options, true)).release : null);
      if (current === null) throw new CatalogError(404, "Nothing is published yet");
      if (!/^[1-9]\d{0,8}$/.test(current))
        throw new CatalogError(0, `The service sent a release that is not a number: "${current.slice(0, 20)}"`);
      return createClient(get, root, Number(current));
    },
  };
}

function toQuery({ include }: Options = {}): Query {
  return include === undefined ? {} : { include };
}
