import type { CatalogChanges, CourseVersion, Release, ReleaseCounts, SourceCounts } from "../catalog/store.ts";

/** Where counting begins. */
export const NO_CHANGES: CatalogChanges = {
  coursesAdded: 0,
  coursesChanged: 0,
  coursesRemoved: 0,
  lessonsAdded: 0,
  lessonsChanged: 0,
  lessonsRemoved: 0,
};

/** A course of a release: what its place in the list and the counts need. */
export type ListedCourse = Pick<
  CourseVersion,
  "versionId" | "courseId" | "published" | "createdAt" | "sourceDigest" | "lessons" | "source"
>;

/** Counts courses, drafts and lessons. */
export function countCourses(listed: Pick<ListedCourse, "published" | "lessons">[]): ReleaseCounts {
  const courses = listed.filter((course) => course.published).length;
  const lessons = listed.reduce((sum, course) => sum + course.lessons, 0);
  return { courses, drafts: listed.length - courses, lessons };
}

/** The same for each named source, by name. */
export function countSources(listed: ListedCourse[]): SourceCounts[] {
  return [...Map.groupBy(listed, ({ source }) => source)]
    .flatMap(([name, courses]) => (name === undefined ? [] : [{ name, ...countCourses(courses) }]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Tells one plan of an import from another: what it makes of which release. */
export function digestPlan(base: Release | undefined, listed: readonly ListedCourse[]): string {
  const hasher = new Bun.CryptoHasher("sha256").update(`${base?.id}\n`);
  const courses = listed.map(({ courseId, sourceDigest }) => `${sourceDigest} ${courseId}\n`);
  for (const course of courses.sort()) hasher.update(course);
  return hasher.digest("hex");
}
