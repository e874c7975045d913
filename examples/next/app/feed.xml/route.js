import { listCourses, listLessons, SITE_URL, toPath } from "../catalog.mjs";

export const dynamic = "force-static";

const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The 30 most recently changed lessons. */
export async function GET() {
  const all = (await listCourses()).map(async (course) => (await listLessons(course.slug)).map((lesson) => ({ ...lesson, course: course.slug })));
  const lessons = (await Promise.all(all)).flat().sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, 30);
  const entries = lessons.map(({ course, slug, name, description, updatedAt }) => {
    const address = new URL(toPath(course, slug), SITE_URL).href;
    return `<entry><title>${escape(name)}</title><id>${address}</id><link href="${address}"/><updated>${updatedAt}</updated><summary>${escape(description)}</summary></entry>`;
  });
  const head = `<title>Courses</title><id>${SITE_URL}</id><author><name>Courses</name></author><updated>${lessons[0]?.updatedAt ?? "1970-01-01T00:00:00Z"}</updated>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">${head}${entries.join("\n")}</feed>`, {
    headers: { "content-type": "application/atom+xml" },
  });
}
