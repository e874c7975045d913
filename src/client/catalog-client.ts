// The client for programs that read a catalog: in browsers, Node, Bun and Deno, with nothing but what all of them have.
import type {
  ChangesDocument,
  CourseDocument,
  CourseSummaryDocument,
  LessonDocument,
  LessonSummaryDocument,
  ReleaseDocument,
} from "../catalog/documents.ts";
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
import { pause } from "./pause.ts";
import { findNextPage } from "./next-page.ts";
import { readEnvelope } from "./read-envelope.ts";

export {
  verifyWebhook,
  WebhookError,
  type PublishedEvent,
  type TestEvent,
  type WebhookEvent,
  type WebhookRequest,
} from "./verify-webhook.ts";

export type * from "./included.ts";

export type Course = CourseDocument;
export type CourseSummary = CourseSummaryDocument;
export type Lesson = LessonDocument;
export type LessonSummary = LessonSummaryDocument;
export type Changes = ChangesDocument;
export type Release = ReleaseDocument;

export interface CatalogClientOptions {
  /** Where the service is, such as `https://catalog.example`; with the path before `/api/v1` where a proxy adds one. */
  baseUrl: string | URL;
  apiKey: string;
  /** Keeps answers, so that what did not change is not sent again: a `Map`, or a store of your own. For one key only. */
  cache?: AnswerCache | undefined;
  /** How often a request is sent again after 429, 502, 503, 504 or a fault of the network; 3 unless given. */
  retries?: number | undefined;
  /** Used in place of the global `fetch`. A CatalogError that it throws is not tried again. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** An answer that is kept, to be asked for again with its ETag. */
export interface CachedAnswer {
  etag: string;
  body: string;
}

/** Keeps answers by their URL. What it gives up is asked for as a whole. */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

export interface RequestOptions {
  /** Ends the request, its waiting and its repetitions; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

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
  ): AsyncIterable<CourseSummaryWith<I>>;
  listCourses(options?: CourseListOptions): AsyncIterable<CourseSummary>;
  /** A course with its chapters and the id and name of each lesson. */
  getCourse<I extends CourseInclude>(idOrSlug: string, options: RequestOptions & Including<I>): Promise<CourseWith<I>>;
  getCourse(idOrSlug: string, options?: RequestOptions): Promise<Course>;
  /** The id and name of each lesson of a course, in order. */
  listLessons<I extends LessonListInclude>(
    courseIdOrSlug: string,
    options: ListOptions & Including<I>,
  ): AsyncIterable<LessonSummaryWith<I>>;
  listLessons(courseIdOrSlug: string, options?: ListOptions): AsyncIterable<LessonSummary>;
  getLesson<I extends LessonInclude>(
    courseIdOrSlug: string,
    lessonId: string,
    options: RequestOptions & Including<I>,
  ): Promise<LessonWith<I>>;
  getLesson(courseIdOrSlug: string, lessonId: string, options?: RequestOptions): Promise<Lesson>;
  /** What differs between release `since` and the one that is read. A status of 404 or 410 says to read everything again. */
  changes(since: number, options?: RequestOptions): Promise<Changes>;
  /** The releases that can be read, the last one published first. */
  releases(options?: RequestOptions): Promise<Release[]>;
  /** A client that reads one release, the current one unless given: what it reads fits together, whatever is published. */
  pinned(release?: number, options?: RequestOptions): Promise<CatalogClient>;
}

/** What the service has refused, or why it was not reached. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  /** The HTTP status; 0 when there was no answer that can be read. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Throws a TypeError for a base URL or key that can be none. */
export function createCatalogClient(options: CatalogClientOptions): CatalogClient {
  const base = new URL(options.baseUrl);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, "")}/api/v1`;
  // Refuses here, not at each request, what no header can hold.
  const headers = Object.fromEntries(new Headers({ "x-api-key": options.apiKey }));
  return createClient(createGetter(options, headers), root, undefined);
}

/** An answer that was read: the `data` of its envelope, and the headers that lists and releases need. */
interface Answer {
  data: unknown;
  link: string | null;
  release: string | null;
}

type Options = RequestOptions & Partial<Including<string>>;
type Query = { include?: readonly string[] } & Record<string, string | number | readonly string[] | undefined>;

type Get = (url: string, options: RequestOptions | undefined) => Promise<Answer>;

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
  async function* list<T>(segments: string[], given: CourseListOptions & Partial<Including<string>> = {}) {
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
  return {
    release,
    listCourses: (options?: CourseListOptions) => list<never>(["courses"], options),
    getCourse: (course: string, options?: Options) =>
      read<never>(toUrl(["courses", course], toQuery(options)), options),
    listLessons: (course: string, options?: ListOptions) => list<never>(["courses", course, "lessons"], options),
    getLesson: (course: string, lesson: string, options?: Options) =>
      read<never>(toUrl(["courses", course, "lessons", lesson], toQuery(options)), options),
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

function createGetter({ cache, retries = 3, ...options }: CatalogClientOptions, headers: Record<string, string>): Get {
  const send = options.fetch ?? fetch;

  const tryOnce = async (url: string, signal: AbortSignal | undefined): Promise<Answer | Refusal> => {
    const known = await cache?.get(url);
    const conditional = known === undefined ? headers : { ...headers, "if-none-match": known.etag };
    // A redirect would take the key along.
    const response = await send(url, { headers: conditional, redirect: "manual", signal: signal ?? null });
    const body = await response.text();
    const isKept = response.status === 304 && known !== undefined;
    const envelope = readEnvelope(isKept ? known.body : body);
    if (!(isKept || response.status === 200) || envelope?.data === undefined) {
      return toRefusal(response, envelope?.message);
    }
    const etag = response.headers.get("etag");
    if (!isKept && etag !== null) await cache?.set(url, { etag, body });
    // Of this answer, also where its body is an earlier one's: another release may have the same content.
    return {
      data: envelope.data,
      link: response.headers.get("link"),
      release: response.headers.get("catalog-release"),
    };
  };

  return async (url, { signal } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await tryOnce(url, signal).catch((cause: unknown): Refusal => {
        signal?.throwIfAborted();
        // A `fetch` of the caller's own refuses what it does not want.
        if (cause instanceof CatalogError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        // Bun asks whether the computer has a network.
        const message = `${new URL(url).host} cannot be reached: ${reason.replace(/\.? (?:Is|Was) [^?]*\?.*$/s, "")}`;
        return { error: new CatalogError(0, message, { cause }), isPassing: true, waitMs: undefined };
      });
      if (!("error" in answer)) return answer;
      if (!answer.isPassing || attempt > retries) throw answer.error;
      // Twice as long each time, and never the same: clients that fail together do not come back together.
      await pause(answer.waitMs ?? 250 * 2 ** attempt * (0.5 + Math.random()), signal);
    }
  };
}

/** Why there is no answer; `isPassing` where asking again may help, after `waitMs` milliseconds if that is known. */
interface Refusal {
  error: CatalogError;
  isPassing: boolean;
  waitMs: number | undefined;
}

const PASSING = [429, 502, 503, 504];
/** A service that wants to be left alone for longer is told of by the error. */
const MAX_WAIT_MS = 60_000;

function toRefusal(response: Response, given: string | undefined): Refusal {
  const { status } = response;
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);
  const message = isRedirect
    ? `The service redirects${describeTarget(response)}; give that address as baseUrl`
    : status === 304
      ? "The service answered 304 to a request without If-None-Match; is a cache in front of it broken?"
      : given ||
        `The service answered ${status}${PASSING.includes(status) ? "" : " without an envelope: is baseUrl its address?"}`;
  const retryAfter = response.headers.get("retry-after");
  // Seconds, or a date (RFC 9110, section 10.2.3).
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  const isPassing = PASSING.includes(status) && !(waitMs > MAX_WAIT_MS);
  return {
    error: new CatalogError(status, message),
    isPassing,
    waitMs: Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs),
  };
}

function describeTarget(response: Response): string {
  const target = response.headers.get("location");
  return target === null ? "" : ` to ${target}`;
}
