// The catalog of another service, read to its end before anybody waits for it.
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

/** Requests for lessons that are under way at once. */
const MAX_REQUESTS = 8;
/** A service that is busy, or comes back, is waited for. */
const RETRIES = 6;
/** Beyond these the list of courses leads nowhere. */
const MAX_PAGES = 10_000;
const MAX_COURSES = 1_000_000;

export interface ServiceAccess {
  apiKey: string;
  /** Answers of earlier runs: what did not change is not sent again. */
  cache: AnswerCache;
  /** Ends requests under way when it is aborted. */
  signal?: AbortSignal | undefined;
}

export interface Download {
  /** By id, in the order of the list. */
  courses: ReadonlyMap<string, SpooledText>;
  spool: Spool;
  warnings: Finding[];
}

/** What a download is of. */
export interface DownloadOptions extends ServiceAccess {
  url: string;
  /** Names the service in places. */
  host: string;
  limits: SourceLimits;
  onLesson: (() => void) | undefined;
}

/**
 * Reads all courses of one release, or, where the service does not number them, of whatever is current. Throws CatalogError
 * where the service fails, refuses, or answers what cannot be read; ExpectedError where there is no room for it.
 */
export async function downloadCatalog(options: DownloadOptions): Promise<Download> {
  const { deadlineMs } = options.limits.service ?? DEFAULT_SERVICE_LIMITS;
  const ended = new AbortController();
  const end = (): void => {
    const minutes = deadlineMs / 60_000;
    ended.abort(new CatalogError(0, `it was not read to its end within ${minutes} minutes (--service-deadline)`));
  };
  const timer = setTimeout(end, deadlineMs);
  const signal = options.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, options.signal]);
  const spool = new Spool();
  try {
    return await new Downloader(options, spool, signal).run();
  } catch (error) {
    // Other requests are under way, or wait to be repeated.
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
  /** That of the first answer which says so; undefined where none does. */
  #release: string | undefined;
  #pages = 0;
  /** True where pages of the list gave different totals. */
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
    // A service that knows the specification alone takes no notice of `include`.
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
      // Another service may call something else a digest.
      const whole =
        digest === undefined || this.#release === undefined
          ? undefined
          : await (translations.length > 0 ? this.#readTagged(client, id) : this.#readWhole(unkept, id, digest));
      const course = whole ?? (await this.#readByLessons(client, id));
      this.#courses.set(id, await this.#spool.append(JSON.stringify(course)));
    }
    return { courses: this.#courses, spool: this.#spool, warnings: this.#checkTotal() };
  }

  /** The client for one release; for whatever is current where the service does not number them. */
  async #openRelease(): Promise<CatalogClient> {
    const { url, apiKey, cache } = this.#options;
    const settings = { baseUrl: url, apiKey, retries: RETRIES, fetch: this.#fetch };
    const client = createCatalogClient({ ...settings, cache: byContent(cache) });
    try {
      return await client.pinned(undefined, this.#request);
    } catch (error) {
      // The client's own error says that no answer names a release.
      if (error instanceof CatalogError && error.status === 404) return client;
      throw error;
    }
  }

  /** A client without the cache: whole courses are kept under their digests, not their tags. */
  async #openUnkept(release: number | undefined): Promise<CatalogClient> {
    const { url, apiKey } = this.#options;
    const client = createCatalogClient({ baseUrl: url, apiKey, retries: RETRIES, fetch: this.#fetch });
    return release === undefined ? client : client.pinned(release);
  }

  #takeRelease(release: string | undefined, path: string): void {
    if (release === undefined) return this.#takeUnnumbered(path);
    this.#release ??= release;
    if (release === this.#release) return;
    const [other, first] = [release, this.#release].map((text) => cutText(text, 20));
    throw new CatalogError(
      0,
      `${path} is of release ${other}, and what came before of ${first}. Run the command again`,
    );
  }

  // A page of the list may be of another release; what else names none was asked for by a name that the list gave.
  #takeUnnumbered(path: string): void {
    if (this.#release === undefined || !path.endsWith("/courses")) return;
    const first = cutText(this.#release, 20);
    throw new CatalogError(0, `${path} names no release, and what came before is of ${first}. Run the command again`);
  }

  #takeTotal(total: unknown): void {
    if (++this.#pages > MAX_PAGES) throw new CatalogError(0, `its list of courses has more than ${MAX_PAGES} pages`);
    const hasChanged = this.#pages > 1 && total !== this.#total;
    if (hasChanged && this.#release !== undefined) this.#refuseTotal(total);
    this.#hasChanged ||= hasChanged;
    this.#total = total;
  }

  /** What the meaning of `total` is where a service does not number its releases, nobody knows. */
  #checkTotal(): Finding[] {
    const { size } = this.#courses;
    if (this.#release !== undefined) {
      if (this.#total !== size) this.#refuseTotal(this.#total);
      return [];
    }
    const warn = (message: string): Finding[] => [{ kind: "skipped-part", file: this.#options.host, message }];
    if (this.#hasChanged) {
      return warn("changed while its list was read: courses may be missing. Import it again when nobody changes it");
    }
    if (typeof this.#total !== "number" || size >= this.#total) return [];
    const message = `lists ${size} of the ${this.#total} courses that its total counts; the others are not imported`;
    return warn(message);
  }

  #refuseTotal(total: unknown): never {
    const shown = cutText(JSON.stringify(total) ?? "nothing", 80);
    throw new CatalogError(0, `its total of courses is ${shown}, and its list holds ${this.#courses.size}`);
  }

  /**
   * Reads a course of a Lectern with one request; with none where an earlier run has read one of this digest. Undefined where the
   * answer is no whole course.
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
   * The same for a course with translations. No digest covers which lessons those have, only the tag of the answer: `client` is
   * the one with the cache.
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
    if (new Set(ids).size < ids.length) throw new CatalogError(0, `course "${id}" has a lesson twice`);
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
    let characters = 0;
    const readSome = async (): Promise<void> => {
      for (const id of waiting) {
        const what = `lesson "${id}" of course "${courseId}"`;
        const lesson = readAnswer(lessonAnswer, await client.getLesson(courseId, id, this.#request), what);
        checkSame(id, lesson.id, what);
        characters += (lesson.additionalText?.length ?? 0) + (lesson.quizHtml?.length ?? 0);
        this.#checkCourseSize(courseId, characters);
        lessons.set(id, { ...lesson, id });
        this.#options.onLesson?.();
      }
    };
    await Promise.all(Array.from({ length: MAX_REQUESTS }, readSome));
    return lessons;
  }

  // A course is in memory as a whole, like a line of NDJSON.
  #checkCourseSize(id: string, characters: number): void {
    const { maxLineBytes } = this.#options.limits;
    if (characters <= maxLineBytes) return;
    throw new CatalogError(0, `course "${id}" has more than ${formatSize(maxLineBytes)} (--max-line-size)`);
  }
}

// The release is in the address, and what did not change between two of them has the same tag.
function byContent(cache: AnswerCache): AnswerCache {
  const toKey = (url: string): string =>
    url.replace(/([?&])release=\d+(&|$)/, (_, before, after) => (after === "" ? "" : before));
  return { get: (url) => cache.get(toKey(url)), set: (url, answer) => cache.set(toKey(url), answer) };
}
