// Where things are on this site.
import { getCollection } from "astro:content";
import { rewriteImages, rewriteLinks } from "@lectern/client/html";

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** The address of a course or a lesson, by the id of its entry. */
export const toPath = (id) => `/${id.split("/").map(encodeURIComponent).join("/")}/`;

/** By `COURSE/LESSON`, which are ids of the catalog. */
let lessons;
export async function listLessons() {
  lessons ??= new Map((await getCollection("lessons")).map((entry) => [`${entry.data.courseId}/${entry.data.lessonId}`, entry]));
  return lessons;
}

/** HTML of authors that are trusted, whose links lead to the pages of this site: sanitise it here where they are not. */
export async function resolve(html) {
  const known = await listLessons();
  const linked = rewriteLinks(html, ({ href, fragment, courseId, lessonId }) => {
    if (courseId === undefined) return ABSOLUTE.test(href) ? undefined : null;
    const target = known.get(`${courseId}/${lessonId}`);
    if (target === undefined) return null;
    // Authors link to headings that are no longer there: the page is better than nothing.
    return toPath(target.id) + (target.rendered.html.includes(`"${fragment.slice(1)}"`) ? fragment : "");
  });
  return rewriteImages(linked, ({ src }) => (ABSOLUTE.test(src) ? undefined : null));
}
