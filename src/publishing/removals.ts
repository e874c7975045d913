// What an import takes away from readers, and when that is so much that a person has to agree to it.

/** How much of a whole goes. */
export interface Loss {
  removed: number;
  total: number;
}

/** What goes. Courses and lessons of the catalog are named only where they decide. */
export interface Removals {
  courses?: Loss;
  lessons?: Loss;
  /** Courses that lose most of their lessons. */
  ofCourses: (Loss & { slug: string })[];
}

/** An import that needs a person's consent. All of it is undone by then, to be made again. */
export interface AskingOutcome {
  status: "asking";
  removals: Removals;
  plan: string;
}

/** An edit of a shorter course easily takes half of it. */
const MIN_LESSONS = 10;

/** Counts what an import removes. */
export class RemovalCount {
  #courses = 0;
  #lessons = 0;
  readonly #whole: Removals["ofCourses"] = [];
  readonly #partial: Removals["ofCourses"] = [];

  /** Counts a course that goes as a whole. */
  addCourse(slug: string, lessons: number): void {
    this.#courses++;
    this.#add(this.#whole, { slug, removed: lessons, total: lessons });
  }

  /** Counts what a course that stays loses of its lessons. */
  addLessons(slug: string, loss: Loss): void {
    this.#add(this.#partial, { slug, ...loss });
  }

  /**
   * What a person must agree to before `plan` is published; undefined where there is nothing, or where `approvedPlan` is the
   * same. The totals are those of before.
   */
  findQuestion(
    { ownCount, ownLessons }: { ownCount: number; ownLessons: number },
    plan: string,
    approvedPlan: string | undefined,
  ): AskingOutcome | undefined {
    const courses = { removed: this.#courses, total: ownCount };
    const lessons = { removed: this.#lessons, total: ownLessons };
    const removals = this.#findLarge(courses, lessons) ?? (approvedPlan && findAny(courses, lessons));
    return removals && plan !== approvedPlan ? { status: "asking", removals, plan } : undefined;
  }

  #findLarge(courses: Loss, lessons: Loss): Removals | undefined {
    // With so many courses, it goes without saying that their lessons go.
    if (isMost(courses)) return { courses, ofCourses: this.#partial };
    const ofCourses = [...this.#whole, ...this.#partial];
    const isOfOne = ofCourses.some(({ total }) => total === lessons.total);
    if (isMost(lessons) && !isOfOne) return { lessons, ofCourses };
    return ofCourses.length === 0 ? undefined : { ofCourses };
  }

  #add(list: Removals["ofCourses"], loss: Removals["ofCourses"][number]): void {
    this.#lessons += loss.removed;
    if (loss.total >= MIN_LESSONS && isMost(loss)) list.push(loss);
  }
}

/** A plan that replaces the approved one needs consent for whatever it removes. */
function findAny(courses: Loss, lessons: Loss): Removals | undefined {
  if (courses.removed > 0) return { courses, ofCourses: [] };
  return lessons.removed > 0 ? { lessons, ofCourses: [] } : undefined;
}

function isMost({ removed, total }: Loss): boolean {
  return removed * 2 > total;
}
