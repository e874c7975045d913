// Another service of this interface: its catalog is read by the requests that sites make.
import { ExpectedError } from "../../catalog/expected-error.ts";
import {
  CatalogError,
  createCatalogClient,
  type AnswerCache,
  type CatalogClient,
  type Course,
  type CourseWith,
  type Lesson,
} from "../../client/catalog-client.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { FoundCourse, PlainCourse } from "../placed/placed-course.ts";
import { createSourceLinks } from "../placed/source-links.ts";
import type { ContentSource, SourceOptions } from "../source.ts";
import { createSource, type OpenReader } from "./create-source.ts";

type WholeCourse = CourseWith<"lessons" | "meta">;

/** Requests that are under way at once. */
const MAX_REQUESTS = 8;
/** A service that is busy, or comes back, is waited for. */
const RETRIES = 6;

export interface ServiceAccess {
  apiKey: string;
  /** Answers of earlier runs: what did not change is not sent again. */
  cache: AnswerCache;
}

/** True for a SOURCE that names a service. */
export function isServiceUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Opens the catalog that a key reads at another service: all of one release where the service numbers its releases. What it
 * answers is taken as it is, dates too. Throws ExpectedError when it cannot be read.
 */
export function openServiceSource(
  url: string,
  { apiKey, cache }: ServiceAccess,
  { assetBase, inspection, onLesson, limits = DEFAULT_LIMITS }: SourceOptions,
): ContentSource {
  const host = hostOf(url);
  const stage = { links: createSourceLinks(assetBase), limits, reportsEmpty: false };
  const open = async (): Promise<OpenReader> => {
    const client = await explain(host, async () => openRelease(url, apiKey, cache));
    const readWhole = createWholeReader(url, apiKey, cache, client.release);
    const toFound = ({ _id: id, digest }: ListedCourse): FoundCourse => {
      const place = `${host}/${id}`;
      const read = async (): Promise<PlainCourse> =>
        digest === undefined
          ? readCourse(client, id, place, onLesson)
          : toPlain(await readWhole(id, digest), place, onLesson);
      return { key: id, read: async () => explain(host, read) };
    };
    const list = async function* (ids?: string[]): AsyncGenerator<ListedCourse> {
      // A service that knows the specification alone takes no notice of either.
      const courses = client.listCourses({ ids, include: ["digest"] })[Symbol.asyncIterator]();
      for (;;) {
        const next = await explain(host, async () => courses.next());
        if (next.done === true) return;
        yield next.value;
      }
    };
    return {
      stage,
      async *findCourses() {
        for await (const course of list()) yield toFound(course);
      },
      async findCourse(key) {
        for await (const course of list([key])) if (course._id === key) return toFound(course);
        return undefined;
      },
    };
  };
  // A lesson has taken its time when it has arrived.
  return createSource(`service ${host}`, open, { inspection });
}

/** What a list tells of a course; the digest only where the service is a Lectern. */
interface ListedCourse {
  _id: string;
  digest?: string;
}

/** Reads courses of a Lectern whole, with one request for each; with none where an earlier run has read one of this digest. */
function createWholeReader(
  url: string,
  apiKey: string,
  cache: AnswerCache,
  release: number | undefined,
): (id: string, digest: string) => Promise<WholeCourse> {
  // Without the cache: these are kept under their digests, not their tags.
  const unpinned = createCatalogClient({ baseUrl: url, apiKey, retries: RETRIES });
  return async (id, digest) => {
    const key = `${new URL(url).href} whole course ${id}`;
    const kept = await cache.get(key);
    if (kept?.etag === digest) return JSON.parse(kept.body) as WholeCourse;
    const client = release === undefined ? unpinned : await unpinned.pinned(release);
    const course = await client.getCourse(id, { include: ["lessons", "meta"] });
    await cache.set(key, { etag: digest, body: JSON.stringify(course) });
    return course;
  };
}

function toPlain(whole: WholeCourse, place: string, onLesson: (() => void) | undefined): PlainCourse {
  const { projectId: _, translationOf, ...course } = whole;
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  for (const _lesson of lessons) onLesson?.();
  const value = { ...course, translationOf: translationOf === "" ? null : translationOf };
  return { value, place: { file: place }, lessonCount: lessons.length };
}

/** The client for one release; for whatever is current where the service does not number them. */
async function openRelease(url: string, apiKey: string, cache: AnswerCache): Promise<CatalogClient> {
  const client = createCatalogClient({ baseUrl: url, apiKey, retries: RETRIES, cache: byContent(cache) });
  try {
    return await client.pinned();
  } catch (error) {
    // The client's own error says that no answer names a release.
    if (error instanceof CatalogError && error.status === 404) return client;
    throw error;
  }
}

// The release is in the address, and what did not change between two of them has the same tag.
function byContent(cache: AnswerCache): AnswerCache {
  const toKey = (url: string): string =>
    url.replace(/([?&])release=\d+(&|$)/, (_, before, after) => (after === "" ? "" : before));
  return { get: (url) => cache.get(toKey(url)), set: (url, answer) => cache.set(toKey(url), answer) };
}

async function readCourse(
  client: CatalogClient,
  id: string,
  place: string,
  onLesson: (() => void) | undefined,
): Promise<PlainCourse> {
  const course = await client.getCourse(id);
  const lessons = await readLessons(client, course, onLesson);
  const { projectId: _, chapters, ...fields } = course;
  const value = {
    ...fields,
    chapters: chapters.map((chapter) => ({
      id: chapter.id,
      name: chapter.name,
      lessons: chapter.lessons.map((lesson) => lessons.get(lesson.id)),
    })),
  };
  return { value, place: { file: place }, lessonCount: lessons.size };
}

async function readLessons(
  client: CatalogClient,
  { _id: id, chapters }: Course,
  onLesson: (() => void) | undefined,
): Promise<Map<string, Lesson>> {
  const ids = chapters.flatMap(({ lessons }) => lessons.map((lesson) => lesson.id)).values();
  const lessons = new Map<string, Lesson>();
  const readSome = async (): Promise<void> => {
    for (const lessonId of ids) {
      lessons.set(lessonId, await client.getLesson(id, lessonId));
      onLesson?.();
    }
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, readSome));
  return lessons;
}

async function explain<T>(host: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const { status, message } = error;
    const hint = status === 401 ? "; give its key with --api-key-stdin" : "";
    throw new ExpectedError(`${host} cannot be mirrored: ${status === 0 ? "" : `${status}, `}${message}${hint}`, {
      cause: error,
    });
  }
}

function hostOf(url: string): string {
  if (!URL.canParse(url)) throw new ExpectedError(`${url} is no URL of a service.`);
  const { username, password, host } = new URL(url);
  if (username !== "" || password !== "")
    throw new ExpectedError("A key is given with --api-key-stdin, not in the URL.");
  return host;
}
