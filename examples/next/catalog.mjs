// Reads a catalog on the server of a Next.js site. Answers are kept until the webhook says that they are old.
import { createCatalogClient } from "@lectern/server/client";

const { LECTERN_URL: baseUrl = "http://localhost:3000", LECTERN_KEY: apiKey = "" } = process.env;
/** Should a webhook not arrive. */
const REVALIDATE_SECONDS = 3600;

/** A client whose answers are kept under tags. */
function tagged(...tags) {
  const keep = { cache: "force-cache", next: { tags: ["catalog", ...tags], revalidate: REVALIDATE_SECONDS } };
  return createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, ...keep }) });
}

/** A client that asks each time. */
export const fresh = createCatalogClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, { ...init, cache: "no-store" }) });

export async function listCourses() {
  const courses = [];
  for await (const course of tagged("courses").listCourses({ include: ["meta"] })) courses.push(course);
  return courses;
}

/** By id or slug. */
export const getCourse = (course) => tagged(`course:${course}`).getCourse(course, { include: ["meta"] });

/** The course by id or slug. */
export const getLesson = (course, lesson) => tagged(`course:${course}`).getLesson(course, lesson, { include: ["meta", "nav"] });
