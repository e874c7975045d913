import { renderCourse, type DatedCourse } from "../catalog/compile-course.ts";
import type { Course } from "../catalog/course.ts";
import type { CourseVersion, PublishingReader } from "../catalog/store.ts";
import {
  planAddedCourse,
  planChangedCourse,
  planMovedCourse,
  planRemovedCourse,
  type CoursePlan,
} from "./catalog-plan.ts";
import type { CourseHistory } from "./course-history.ts";
import type { MovedFile } from "./lesson-identity.ts";

/** The plans of the courses that a dry run finds different. */
export class CoursePlans {
  readonly plans: CoursePlan[] = [];
  readonly #store: PublishingReader;

  constructor(store: PublishingReader) {
    this.#store = store;
  }

  /** A course that is new, or not what it was. `formerSource` is as in its plan. */
  async add(
    dated: DatedCourse,
    history: CourseHistory,
    moved: MovedFile[],
    formerSource: string | null | undefined,
  ): Promise<void> {
    const before = history.current;
    if (before === undefined) {
      this.plans.push(planAddedCourse(dated.course));
      return;
    }
    const changedIds = dated.lessons
      .filter(({ lesson, sourceDigest }) => {
        const record = before.lessons.get(lesson.id);
        return record !== undefined && record.sourceDigest !== sourceDigest;
      })
      .map(({ lesson }) => lesson.id);
    const rendered = renderCourse(dated);
    const plan = await planChangedCourse(this.#store, before.version, dated.course, rendered, changedIds, moved);
    this.plans.push({ ...plan, formerSource });
  }

  /** A course that is as it was, and comes from another source. */
  addMoved(course: Course, formerSource: string | null): void {
    this.plans.push(planMovedCourse(course, formerSource));
  }

  /** A course that goes. */
  async addRemoved(version: CourseVersion): Promise<void> {
    this.plans.push(await planRemovedCourse(this.#store, version));
  }
}
