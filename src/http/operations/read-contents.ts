// What is told of a course and its lessons without their documents. Versions of courses that were stored without have it made of
// the documents, each time.
import type { CatalogReader, CourseParts, VersionRef } from "../../catalog/catalog-reader.ts";
import {
  digestCourse,
  formatContents,
  parseContents,
  toLessonTraits,
  type LessonContents,
  type LessonSource,
} from "../../catalog/course-contents.ts";
import type { CourseDocument, LessonDocument } from "../../catalog/documents.ts";
import type { Release } from "../../catalog/store.ts";
import { digestText } from "../../catalog/stored-document.ts";
import type { Include } from "../request/parameters.ts";
import type { LargeWork } from "./large-work.ts";
import { readText } from "./unpack.ts";

type Digested = VersionRef & Pick<CourseParts, "meta" | "contentDigest">;

/** The digest of all that is answered of a course. Throws 499 when the client of `work` has disconnected. */
export async function readContentDigest(
  catalog: CatalogReader,
  { versionId, slug, published, meta, contentDigest }: Digested,
  work: LargeWork,
): Promise<string> {
  if (contentDigest !== undefined) return contentDigest;
  // A list may have hundreds of such courses in one chunk.
  await work.pause();
  const { course, lessons } = await catalog.readParts(versionId);
  const marks = listLessons(course).map(({ id }) => lessons.get(id) ?? "");
  return digestCourse({ digest: digestText(course), slug, published, meta }, marks);
}

/**
 * The list of a course's lessons with what is asked for, as a JSON array; undefined when there is no such course for this
 * reader. Throws as `work` does.
 */
export async function readListWith(
  catalog: CatalogReader,
  [release, idOrSlug, drafts]: [release: Release, idOrSlug: string, drafts: boolean],
  include: readonly Include[],
  work: LargeWork,
): Promise<string | undefined> {
  const course = await catalog.findCourseParts(release, idOrSlug, drafts);
  if (course === undefined) return undefined;
  const lessons = listLessons(await readText(course, work));
  const contents = await readContents(catalog, course, lessons, work);
  const elements = lessons.map((lesson, index) => {
    const { meta, digest } = contents[index] ?? { meta: "", digest: "" };
    const members = [include.includes("meta") ? meta : "", include.includes("digest") ? digest : ""];
    return [JSON.stringify(lesson).slice(0, -1), ...members.filter((each) => each !== "")].join(",");
  });
  return elements.length === 0 ? "[]" : `[${elements.join("},")}}]`;
}

async function readContents(
  catalog: CatalogReader,
  course: CourseParts,
  lessons: { id: string }[],
  work: LargeWork,
): Promise<LessonContents[]> {
  const stored = await catalog.readContents(course.versionId);
  if (stored !== undefined) return parseContents(stored);
  await work.begin(0);
  const sources: LessonSource[] = [];
  const ids = lessons.map(({ id }) => id);
  for await (const chunk of catalog.readLessons(course, ids)) {
    for (const lesson of chunk) {
      work.stopIfGone();
      const traits = toLessonTraits(JSON.parse(await readText(lesson, work)) as LessonDocument);
      sources.push({ digest: lesson.digest, meta: lesson.meta, traits });
    }
  }
  return parseContents(formatContents(sources));
}

function listLessons(course: string): { id: string; name: string }[] {
  return (JSON.parse(course) as CourseDocument).chapters.flatMap(({ lessons }) => lessons);
}
