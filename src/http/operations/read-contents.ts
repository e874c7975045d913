// The digest of all that is answered of a course. Versions of courses that were stored without have it made of their documents,
// each time.
import type { CatalogReader, CourseParts, VersionRef } from "../../catalog/catalog-reader.ts";
import { digestCourse, toLessonMark } from "../../catalog/course-contents.ts";
import type { LargeWork } from "./large-work.ts";
import { LessonList } from "./lesson-list.ts";
import { readInOrder } from "./read-lessons.ts";
import { readBytes } from "./unpack.ts";

type Digested = Pick<VersionRef, "versionId" | "slug" | "published"> & Pick<CourseParts, "meta" | "contentDigest">;

/** The digest of all that is answered of a course. Throws 499 when the client of `work` has disconnected. */
export async function readContentDigest(
  catalog: CatalogReader,
  { versionId, slug, published, meta, contentDigest }: Digested,
  work: LargeWork,
): Promise<string> {
  if (contentDigest !== undefined) return contentDigest;
  // A list may have hundreds of such courses in one chunk.
  await work.pause();
  const course = await catalog.readCourse(versionId);
  const list = await LessonList.parse(await readBytes(course, work), course, work);
  const marks: string[] = [];
  for await (const lesson of readInOrder(catalog, { versionId, baseId: course.baseId }, list)) {
    marks.push(toLessonMark(lesson));
  }
  return digestCourse({ digest: course.digest, slug, published, meta }, marks);
}
