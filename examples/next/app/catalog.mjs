// Reads a catalog on the server of a Next.js site. Answers are kept until the webhook says that they are old.
import { CatalogError, createCatalogClient } from "@lectern/client";
import { rewriteImages, rewriteLinks } from "@lectern/client/html";

const { LECTERN_URL: baseUrl = "http://localhost:3000", LECTERN_KEY: apiKey = "" } = process.env;
/** Should a webhook not arrive. */
const REVALIDATE_SECONDS = 3600;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

export const SITE_URL = process.env.SITE_URL ?? "http://localhost:3001/";

/** A client whose answers are kept under tags. */
function tagged(...tags) {
  const keep = { cache: "force-cache", next: { tags: ["catalog", ...tags], revalidate: REVALIDATE_SECONDS } };
  return createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, ...keep }) });
}

/** A client that asks each time. */
export const fresh = createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, cache: "no-store" }) });

export const listCourses = () => tagged("courses").listCourses({ include: ["meta"] }).toArray();

/** By id or slug; undefined where there is none. */
export const getCourse = (course) => orUndefined(tagged(`course:${course}`).getCourse(course, { include: ["meta", "tree"] }));

/** The lessons of a course, by id or slug, with their slugs. */
export const listLessons = (course) => tagged(`course:${course}`).listLessons(course, { include: ["meta", "digest"] }).toArray();

/** The course by id or slug, the lesson by its slug; undefined where there is none. */
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

/** Up to eight results with their paths; what has no page yet is left out. The key stays on this server. */
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

/** HTML of authors that are trusted, whose links lead to the pages of this site: sanitise it where they are not. */
export async function resolve(html) {
  const links = [];
  rewriteLinks(html, (link) => void links.push(link));
  const slugs = new Map((await listCourses()).map(({ _id, slug }) => [_id, slug]));
  const addresses = new Map();
  for (const { courseId, lessonId, fragment } of links) {
    // A draft has no page, so a link to it leads nowhere.
    const slug = slugs.get(courseId);
    const lesson = slug && (await listLessons(courseId)).find(({ id }) => id === lessonId);
    if (!lesson) continue;
    // Authors link to headings that are no longer there: the page is better than nothing.
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
