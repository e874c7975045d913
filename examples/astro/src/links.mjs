// Addresses on this site.
import { getCollection } from "astro:content";
import { rewriteImages, rewriteLinks } from "@lectern/client/html";

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** Returns the address of a course or lesson by entry id. */
export const toPath = (id) => `/${id.split("/").map(encodeURIComponent).join("/")}/`;

/** Lessons by the catalog's ids: `COURSE/LESSON`. */
let lessons;
export async function listLessons() {
  lessons ??= new Map((await getCollection("lessons")).map((entry) => [`${entry.data.courseId}/${entry.data.lessonId}`, entry]));
  return lessons;
}

/** Points links to this site's pages. If you do not trust the authors, sanitize their HTML here. */
export async function resolve(html) {
  const known = await listLessons();
  const linked = rewriteLinks(html, ({ href, fragment, courseId, lessonId }) => {
    if (courseId === undefined) return ABSOLUTE.test(href) ? undefined : null;
    const target = known.get(`${courseId}/${lessonId}`);
    if (target === undefined) return null;
    // If the heading no longer exists, link to the page.
    return toPath(target.id) + (target.rendered.html.includes(`"${fragment.slice(1)}"`) ? fragment : "");
  });
  return rewriteImages(linked, ({ src }) => (ABSOLUTE.test(src) ? undefined : null));
}
