import { compareCodePoints } from "../catalog/compare-code-points.ts";
import type { CourseVersion, ReleaseCounts, SourceCounts } from "../catalog/store.ts";

export type ListedCourse = Pick<
  CourseVersion,
  "versionId" | "courseId" | "published" | "createdAt" | "sourceDigest" | "lessons" | "source" | "translationOf"
>;

/** Compares courses for the order of lists: newest first, then by id, and drafts last. */
export function compareForList(
  a: Pick<ListedCourse, "courseId" | "published" | "createdAt">,
  b: Pick<ListedCourse, "courseId" | "published" | "createdAt">,
): number {
  if (a.published !== b.published) return a.published ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return compareCodePoints(a.courseId, b.courseId);
}

export function countCourses(listed: Pick<ListedCourse, "published" | "lessons">[]): ReleaseCounts {
  const courses = listed.filter((course) => course.published).length;
  const lessons = listed.reduce((sum, course) => sum + course.lessons, 0);
  return { courses, drafts: listed.length - courses, lessons };
}

export function countSources(listed: ListedCourse[]): SourceCounts[] {
  return [...Map.groupBy(listed, ({ source }) => source)]
    .flatMap(([name, courses]) => (name === undefined ? [] : [{ name, ...countCourses(courses) }]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
