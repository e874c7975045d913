import type { CatalogChanges, CourseVersion, Release } from "../catalog/store.ts";
import { listMovedFiles } from "./lesson-identity.ts";
import type { ListedCourse } from "./listed-courses.ts";
import type { SettledCourse } from "./settle-courses.ts";

export const NO_CHANGES: CatalogChanges = {
  coursesAdded: 0,
  coursesChanged: 0,
  coursesRemoved: 0,
  lessonsAdded: 0,
  lessonsChanged: 0,
  lessonsRemoved: 0,
};

export interface Loss {
  removed: number;
  total: number;
}

/** The content whose removal by an import needs consent. */
export interface Removals {
  courses?: Loss;
  lessons?: Loss;
  ofCourses: (Loss & { slug: string })[];
}

/**
 * The result of an import that needs a person's consent. The import was rolled back, and starts over after the answer.
 */
export interface AskingOutcome {
  status: "asking";
  removals: Removals;
  plan: string;
}

/** In shorter courses, no removal of lessons needs consent, because an edit often removes half of the lessons. */
const MIN_LESSONS = 10;

export class ChangeCount {
  readonly changes: CatalogChanges = { ...NO_CHANGES };
  movedFiles = 0;
  takenOver = 0;
  readonly #whole: Removals["ofCourses"] = [];
  readonly #partial: Removals["ofCourses"] = [];

  add({ dated, before, moved, formerSource }: SettledCourse): void {
    const { changes } = this;
    if (formerSource !== undefined) this.takenOver++;
    if (dated === undefined) {
      if (formerSource !== undefined) changes.coursesChanged++;
      return;
    }
    if (before === undefined) changes.coursesAdded++;
    else changes.coursesChanged++;
    this.movedFiles += listMovedFiles(moved).size;
    let kept = 0;
    for (const { lesson, sourceDigest } of dated.lessons) {
      const record = before?.lessons.get(lesson.id);
      if (record === undefined) changes.lessonsAdded++;
      else kept++;
      if (record !== undefined && record.sourceDigest !== sourceDigest) changes.lessonsChanged++;
    }
    if (before === undefined) return;
    const { slug } = before.version;
    this.#addLoss(this.#partial, { slug, removed: before.lessons.size - kept, total: before.lessons.size });
  }

  remove({ slug, lessons }: CourseVersion): void {
    this.changes.coursesRemoved++;
    this.#addLoss(this.#whole, { slug, removed: lessons, total: lessons });
  }

  /**
   * Lists the removals that need consent: those of more than half of the catalog or of a course, and any removal in a
   * plan that replaces an approved one.
   */
  findRemovals(scope: { ownCount: number; ownLessons: number }, isAgain: boolean): Removals | undefined {
    const courses = { removed: this.changes.coursesRemoved, total: scope.ownCount };
    const lessons = { removed: this.changes.lessonsRemoved, total: scope.ownLessons };
    const large = this.#findLarge(courses, lessons);
    if (large !== undefined || !isAgain) return large;
    if (courses.removed > 0) return { courses, ofCourses: [] };
    return lessons.removed > 0 ? { lessons, ofCourses: [] } : undefined;
  }

  #findLarge(courses: Loss, lessons: Loss): Removals | undefined {
    // The removal of most courses implies the removal of their lessons, which are not listed again.
    if (isMost(courses)) return { courses, ofCourses: this.#partial };
    const ofCourses = [...this.#whole, ...this.#partial];
    const isOfOne = ofCourses.some(({ total }) => total === lessons.total);
    if (isMost(lessons) && !isOfOne) return { lessons, ofCourses };
    return ofCourses.length === 0 ? undefined : { ofCourses };
  }

  #addLoss(list: Removals["ofCourses"], loss: Removals["ofCourses"][number]): void {
    this.changes.lessonsRemoved += loss.removed;
    if (loss.total >= MIN_LESSONS && isMost(loss)) list.push(loss);
  }
}

function isMost({ removed, total }: Loss): boolean {
  return removed * 2 > total;
}

/** Returns the digest of a plan. Equal digests mean equal changes to the same release. */
export function digestPlan(base: Release | undefined, listed: readonly ListedCourse[]): string {
  const hasher = new Bun.CryptoHasher("sha256").update(`${base?.id}\n`);
  const courses = listed.map(({ courseId, sourceDigest }) => `${sourceDigest} ${courseId}\n`);
  for (const course of courses.sort()) hasher.update(course);
  return hasher.digest("hex");
}
