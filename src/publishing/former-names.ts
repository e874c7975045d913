import type { Course } from "../catalog/course.ts";
import type { CourseVersion, PublishingReader } from "../catalog/store.ts";
import { cutTexts } from "../content/quote.ts";
import type { Problem, Report, SourceCourse } from "../content/source.ts";

interface ReadCourse {
  course: Course;
  /** Undefined where it was looked at before. */
  source?: SourceCourse | undefined;
}

/** Tells of courses that take as id or slug what was another course's slug on a channel: its old addresses lead to them. */
export class FormerNames {
  readonly #findFormer: (slugs: string[]) => Promise<Map<string, string>>;
  readonly #slugs = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  readonly #problems: Problem[] = [];

  /** `versions` are the courses that the channel shows. */
  constructor(store: PublishingReader, project: string, channel: string, versions: CourseVersion[]) {
    this.#findFormer = (slugs) => store.findFormerOwners(project, channel, slugs);
    for (const { courseId, slug } of versions) {
      this.#slugs.set(courseId, slug);
      this.#owners.set(slug, courseId);
    }
  }

  /** Looks at names that courses of the catalog did not have before. Does nothing where there was no catalog. */
  async check(courses: readonly ReadCourse[]): Promise<void> {
    if (this.#slugs.size === 0) return;
    const taken = courses.flatMap(({ course, source }) => (source === undefined ? [] : this.#listNew(course, source)));
    if (taken.length === 0) return;
    const former = await this.#findFormer(taken.map(({ name }) => name));
    for (const { course, field, name, source } of taken) {
      const owner = this.#owners.get(name) ?? former.get(name);
      if (owner === undefined || owner === course.id) continue;
      const [shownName, shownOwner] = cutTexts(name, owner);
      const what = `${field === "_id" ? "id" : "slug"} "${shownName}"`;
      const message = `${what} was the slug of course "${shownOwner}": addresses with it lead to this course from now on`;
      this.#problems.push({ severity: "warning", kind: "former-slug", ...source.locate([field]), message });
    }
  }

  /** Tells what was found, once it is known that no two courses clash. */
  report(report: Report): void {
    for (const problem of this.#problems) report(problem);
  }

  #listNew(course: Course, source: SourceCourse) {
    const before = this.#slugs.get(course.id);
    const slug = { course, source, field: "slug", name: course.slug };
    if (before === undefined) return [{ ...slug, field: "_id", name: course.id }, slug];
    return before === course.slug ? [] : [slug];
  }
}
