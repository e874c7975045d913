// Reads a catalog on the server of a Next.js site, and caches answers until the webhook invalidates them.
import { CatalogError, createCatalogClient } from "@lectern/client";
import { rewriteImages, rewriteLinks } from "@lectern/client/html";

const { LECTERN_URL: baseUrl = "http://localhost:3000", LECTERN_KEY: apiKey = "" } = process.env;
/** Pages are at most this old if an event of the webhook does not arrive. */
const REVALIDATE_SECONDS = 3600;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

export const SITE_URL = process.env.SITE_URL ?? "http://localhost:3001/";

/** Creates a client whose answers Next.js caches under tags. */
function tagged(...tags) {
  const keep = { cache: "force-cache", next: { tags: ["catalog", ...tags], revalidate: REVALIDATE_SECONDS } };
  return createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, ...keep }) });
}

/** A client without a cache. */
export const fresh = createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, cache: "no-store" }) });

export const listCourses = () => tagged("courses").listCourses({ include: ["meta"] }).toArray();

/** Returns a course by id or slug; undefined if there is none. */
export const getCourse = (course) => orUndefined(tagged(`course:${course}`).getCourse(course, { include: ["meta", "tree"] }));

/** Lists the lessons of a course, given by id or slug, with their slugs. */
export const listLessons = (course) => tagged(`course:${course}`).listLessons(course, { include: ["meta", "digest"] }).toArray();

/** Returns a lesson by the course's id or slug and the lesson's slug; undefined if there is none. */
export async function getLesson(course, slug) {
  const found = (await listLessons(course)).find((lesson) => lesson.slug === slug);
  return found && orUndefined(tagged(`course:${course}`).getLesson(course, found.id, { include: ["meta", "nav"] }));
}

async function orUndefined(promise) {
  return promise.catch((error) => {
    if (error instanceof CatalogError && error.status === 404) return undefined;
    throw error;
  });
}

/** Returns up to eight results with their paths, without those that have no page. The key stays on this server. */
export async function search(text) {
  const { results } = await fresh.search(text, { limit: 8 });
  const slugs = new Map((await listCourses()).map(({ _id, slug }) => [_id, slug]));
  const found = results.map(async ({ headingId, ...result }) => {
    const slug = slugs.get(result.courseId);
    const lesson = slug && result.lessonId && (await listLessons(result.courseId)).find(({ id }) => id === result.lessonId);
    if (!slug || (result.lessonId && !lesson)) return [];
    return { ...result, path: toPath(slug, ...(lesson ? [lesson.slug] : [])) + (headingId && `#${encodeURIComponent(headingId)}`) };
  });
  return (await Promise.all(found)).flat();
}

export const toPath = (...segments) => `/${segments.map((each) => `${encodeURIComponent(each)}/`).join("")}`;

/** Points links to this site's pages. If you do not trust the authors, sanitize their HTML here. */
export async function resolve(html) {
  const links = [];
  rewriteLinks(html, (link) => void links.push(link));
  const slugs = new Map((await listCourses()).map(({ _id, slug }) => [_id, slug]));
  const addresses = new Map();
  for (const { courseId, lessonId, fragment } of links) {
    // Remove links to drafts, which have no page.
    const slug = slugs.get(courseId);
    const lesson = slug && (await listLessons(courseId)).find(({ id }) => id === lessonId);
    if (!lesson) continue;
    // If the heading no longer exists, link to the page.
    const { additionalText } = fragment === "" ? { additionalText: "" } : await tagged(`course:${courseId}`).getLesson(courseId, lessonId);
    const place = additionalText.includes(`"${fragment.slice(1)}"`) ? fragment : "";
    addresses.set(`${courseId}/${lessonId}${fragment}`, toPath(slug, lesson.slug) + place);
  }
  const linked = rewriteLinks(html, ({ href, fragment, courseId, lessonId }) => {
    if (courseId === undefined) return ABSOLUTE.test(href) ? undefined : null;
    return addresses.get(`${courseId}/${lessonId}${fragment}`) ?? null;
  });
  return rewriteImages(linked, ({ src }) => (ABSOLUTE.test(src) ? undefined : null));
}
