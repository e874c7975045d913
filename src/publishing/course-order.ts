import { compareCodePoints } from "../catalog/compare-code-points.ts";

interface Listed {
  courseId: string;
  published: boolean;
  createdAt: string;
}

/** The order of the list of courses: newest first, equal times by id. Drafts, which no list shows, come after. */
export function compareForList(a: Listed, b: Listed): number {
  if (a.published !== b.published) return a.published ? -1 : 1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return compareCodePoints(a.courseId, b.courseId);
}
