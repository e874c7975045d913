import { getCollection } from "astro:content";
import { toPath } from "../links.mjs";

/** The path of each course and lesson by the ids `COURSE` and `COURSE/LESSON`, for search results. */
export async function GET() {
  const courses = (await getCollection("courses")).map(({ id, data }) => [data.courseId, toPath(id)]);
  const lessons = (await getCollection("lessons")).map(({ id, data }) => [`${data.courseId}/${data.lessonId}`, toPath(id)]);
  return Response.json(Object.fromEntries([...courses, ...lessons]));
}
