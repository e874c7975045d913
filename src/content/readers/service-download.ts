// Downloads another service's catalog completely, before an import takes its lock.
import {
  CatalogError,
  createCatalogClient,
  type AnswerCache,
  type CatalogClient,
  type RequestOptions,
} from "../../../packages/client/src/catalog-client.ts";
import { DEFAULT_SERVICE_LIMITS, formatSize, type SourceLimits } from "../limits.ts";
import { cutText } from "../quote.ts";
import type { Finding } from "../source.ts";
import { createLimitedFetch } from "./limited-fetch.ts";
import {
  checkSame,
  courseAnswer,
  keyLessons,
  lessonAnswer,
  listedCourse,
  readAnswer,
  readWholeCourse,
  type ServiceCourse,
  type ServiceLesson,
  type WholeCourse,
} from "./service-answers.ts";
import { Spool, type SpooledText } from "../files/spool.ts";

/** The maximum number of concurrent requests for lessons. */
const MAX_REQUESTS = 8;
/** The maximum number of retries. Their delays give a busy or restarting service time to recover. */
const RETRIES = 6;
/** The limits of the list of courses, which a broken service could continue endlessly. */
const MAX_PAGES = 10_000;
const MAX_COURSES = 1_000_000;

export interface ServiceAccess {
  apiKey: string;
  /** The answers of earlier runs, which are revalidated. */
  cache: AnswerCache;
  /** Aborts requests in progress. */
  signal?: AbortSignal | undefined;
}

export interface Download {
  /** Courses by id, in list order. */
  courses: ReadonlyMap<string, SpooledText>;
  spool: Spool;
  warnings: Finding[];
}

export interface DownloadOptions extends ServiceAccess {
  url: string;
  /** The name of the service in the locations of problems. */
  host: string;
  limits: SourceLimits;
  onLesson: (() => void) | undefined;
}

/**
 * Reads all courses of one release, or of the current state if the service does not number releases. Throws
 * CatalogError if the service fails, refuses a request or sends invalid answers, and ExpectedError if the disk is full.
 */
export async function downloadCatalog(options: DownloadOptions): Promise<Download> {
  const { deadlineMs } = options.limits.service ?? DEFAULT_SERVICE_LIMITS;
  const ended = new AbortController();
  const end = (): void => {
    const minutes = deadlineMs / 60_000;
    const limit = minutes === 1 ? "1 minute" : `${minutes} minutes`;
    ended.abort(new CatalogError(0, `the download did not finish within ${limit} (--service-deadline)`));
  };
  const timer = setTimeout(end, deadlineMs);
  const signal = options.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, options.signal]);
  const spool = new Spool();
  try {
    return await new Downloader(options, spool, signal).run();
  } catch (error) {
    // Stops other requests and their retries.
    ended.abort(error);
    await spool.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

class Downloader {
  readonly #options: DownloadOptions;
  readonly #spool: Spool;
  readonly #fetch: ReturnType<typeof createLimitedFetch>;
  readonly #request: RequestOptions;
  readonly #courses = new Map<string, SpooledText>();
  /** The release in the first answer that names one. */
  #release: string | undefined;
  #pages = 0;
  /** True if pages of the list gave different totals. */
  #hasChanged = false;
  #total: unknown;

  constructor(options: DownloadOptions, spool: Spool, ended: AbortSignal) {
    this.#options = options;
    this.#spool = spool;
    this.#request = { signal: ended };
    const { limits } = options;
    const service = limits.service ?? DEFAULT_SERVICE_LIMITS;
    this.#fetch = createLimitedFetch(limits, service, ended, (release, path) => this.#takeRelease(release, path));
  }

  async run(): Promise<Download> {
    const client = await this.#openRelease();
    const unkept = await this.#openUnkept(client.release);
    // A service that supports only the specification ignores `include`.
    const onTotal = (total: unknown): void => this.#takeTotal(total);
    const list = client.listCourses({ ...this.#request, include: ["meta", "digest"], onTotal });
    for await (const listed of list) {
      const {
        _id: id,
        digest,
        translations,
      } = readAnswer(listedCourse, listed, `element ${this.#courses.size} of the list of courses`);
      if (this.#courses.has(id)) throw new CatalogError(0, `it lists course "${id}" twice. Run the command again`);
      if (this.#courses.size >= MAX_COURSES) throw new CatalogError(0, "it lists more than 1,000,000 courses");
      // Services without numbered releases could use `digest` differently.
      const whole =
        digest === undefined || this.#release === undefined
          ? undefined
          : await (translations.length > 0 ? this.#readTagged(client, id) : this.#readWhole(unkept, id, digest));
      const course = whole ?? (await this.#readByLessons(client, id));
      this.#courses.set(id, await this.#spool.append(JSON.stringify(course)));
    }
    return { courses: this.#courses, spool: this.#spool, warnings: this.#checkTotal() };
  }

  /** Returns a client pinned to one release, or unpinned if the service does not number releases. */
  async #openRelease(): Promise<CatalogClient> {
    const { url, apiKey, cache } = this.#options;
    const settings = { baseUrl: url, apiKey, retries: RETRIES, fetch: this.#fetch };
    const client = createCatalogClient({ ...settings, cache: byContent(cache) });
    try {
      return await client.pinned(undefined, this.#request);
    } catch (error) {
      // The client reports 404 for a service whose answers lack `Catalog-Release`: read it without pinning a release.
      if (error instanceof CatalogError && error.status === 404) return client;
      throw error;
    }
  }

  /** Returns a client without the cache: whole courses are cached by digest, not by ETag. */
  async #openUnkept(release: number | undefined): Promise<CatalogClient> {
    const { url, apiKey } = this.#options;
    const client = createCatalogClient({ baseUrl: url, apiKey, retries: RETRIES, fetch: this.#fetch });
    return release === undefined ? client : client.pinned(release);
  }

  #takeRelease(release: string | undefined, path: string): void {
    if (release === undefined) return this.#takeUnnumbered(path);
    if (this.#release === undefined && this.#pages > 0 && path.endsWith("/courses")) {
      const named = cutText(release, 20);
      throw new CatalogError(
        0,
        `${path} belongs to release ${named}, but an earlier page names no release. Run the command again`,
      );
    }
    this.#release ??= release;
    if (release === this.#release) return;
    const [other, first] = [release, this.#release].map((text) => cutText(text, 20));
    throw new CatalogError(
      0,
      `${path} belongs to release ${other}, but earlier answers belong to release ${first}. Run the command again`,
    );
  }

  // A page of the list could belong to another release. Other answers cannot: they are requested by ids from the list.
  #takeUnnumbered(path: string): void {
    if (this.#release === undefined || !path.endsWith("/courses")) return;
    const first = cutText(this.#release, 20);
    throw new CatalogError(
      0,
      `${path} names no release, but earlier answers belong to release ${first}. Run the command again`,
    );
  }

  #takeTotal(total: unknown): void {
    if (++this.#pages > MAX_PAGES) throw new CatalogError(0, `its list of courses has more than ${MAX_PAGES} pages`);
    const hasChanged = this.#pages > 1 && total !== this.#total;
    if (hasChanged && this.#release !== undefined) this.#refuseTotal(total);
    this.#hasChanged ||= hasChanged;
    this.#total = total;
  }

  /**
   * Checks the list's total. If the total is wrong, throws CatalogError or, if releases have no numbers, returns a
   * warning.
   */
  #checkTotal(): Finding[] {
    const { size } = this.#courses;
    if (this.#release !== undefined) {
      if (this.#total !== size) this.#refuseTotal(this.#total);
      return [];
    }
    const warn = (message: string): Finding[] => [{ kind: "skipped-part", file: this.#options.host, message }];
    if (this.#hasChanged) {
      return warn(
        "the catalog changed during the download, so courses might be missing; import it again when it is stable",
      );
    }
    if (typeof this.#total !== "number" || size >= this.#total) return [];
    const message = `lists only ${size} of its ${this.#total} courses; the others are not imported`;
    return warn(message);
  }

  #refuseTotal(total: unknown): never {
    const shown = cutText(JSON.stringify(total) ?? "nothing", 80);
    throw new CatalogError(0, `its total of courses is ${shown}, but its list contains ${this.#courses.size}`);
  }

  /**
   * Reads a course of a Lectern service with one request, or from the cache by digest. Returns undefined for an
   * incomplete course.
   */
  async #readWhole(client: CatalogClient, id: string, digest: string): Promise<ServiceCourse | undefined> {
    const { url, cache } = this.#options;
    const key = `${new URL(url).href} whole course ${id}`;
    const kept = await cache.get(key);
    const isKept = kept?.etag === digest;
    const answer: unknown = isKept ? JSON.parse(kept.body) : await client.getCourse(id, this.#askWhole());
    const course = readWholeCourse(answer, id);
    if (course !== undefined && !isKept) await cache.set(key, { etag: digest, body: JSON.stringify(course) });
    return this.#takeWhole(id, course);
  }

  /**
   * Like `#readWhole`, but for a course with translations. The digest does not cover the translations, but the ETag
   * does, so `client` caches by ETag.
   */
  async #readTagged(client: CatalogClient, id: string): Promise<ServiceCourse | undefined> {
    return this.#takeWhole(id, readWholeCourse(await client.getCourse(id, this.#askWhole()), id));
  }

  #askWhole() {
    return { ...this.#request, include: ["lessons", "meta", "tree"] as const };
  }

  #takeWhole(id: string, course: WholeCourse | undefined): ServiceCourse | undefined {
    if (course === undefined) return undefined;
    checkSame(id, course._id, `course "${id}"`);
    const whole = keyLessons({ ...course, _id: id });
    for (const { lessons } of whole.chapters) for (const _ of lessons) this.#options.onLesson?.();
    return whole;
  }

  async #readByLessons(client: CatalogClient, id: string): Promise<ServiceCourse> {
    const course = readAnswer(courseAnswer, await client.getCourse(id, this.#request), `course "${id}"`);
    checkSame(id, course._id, `course "${id}"`);
    const ids = course.chapters.flatMap((chapter) => chapter.lessons.map((lesson) => lesson.id));
    if (new Set(ids).size < ids.length) throw new CatalogError(0, `course "${id}" contains a lesson twice`);
    const lessons = await this.#readLessons(client, id, ids);
    const chapters = course.chapters.map((chapter) => ({
      ...chapter,
      lessons: chapter.lessons.flatMap((lesson) => lessons.get(lesson.id) ?? []),
    }));
    return { ...course, _id: id, chapters };
  }

  async #readLessons(client: CatalogClient, courseId: string, ids: string[]): Promise<Map<string, ServiceLesson>> {
    const lessons = new Map<string, ServiceLesson>();
    const waiting = ids.values();
    let bytes = 0;
    const readSome = async (): Promise<void> => {
      for (const id of waiting) {
        const what = `lesson "${id}" of course "${courseId}"`;
        const lesson = readAnswer(lessonAnswer, await client.getLesson(courseId, id, this.#request), what);
        checkSame(id, lesson.id, what);
        bytes += Buffer.byteLength(JSON.stringify(lesson));
        this.#checkCourseSize(courseId, bytes);
        lessons.set(id, { ...lesson, id });
        this.#options.onLesson?.();
      }
    };
    await Promise.all(Array.from({ length: MAX_REQUESTS }, readSome));
    return lessons;
  }

  // A whole course is in memory, like a line of NDJSON, so the same limit applies.
  #checkCourseSize(id: string, bytes: number): void {
    const { maxLineBytes } = this.#options.limits;
    if (bytes <= maxLineBytes) return;
    throw new CatalogError(0, `course "${id}" exceeds ${formatSize(maxLineBytes)} (--max-line-size)`);
  }
}

// Removes the release from cache keys, since unchanged content keeps its ETag in a new release.
function byContent(cache: AnswerCache): AnswerCache {
  const toKey = (url: string): string =>
    url.replace(/([?&])release=\d+(&|$)/, (_, before, after) => (after === "" ? "" : before));
  return { get: (url) => cache.get(toKey(url)), set: (url, answer) => cache.set(toKey(url), answer) };
}
