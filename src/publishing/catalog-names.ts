import type { Course } from "../catalog/course.ts";
import type { CourseVersion, PublishingReader } from "../catalog/store.ts";
import { cutText, cutTexts } from "../content/quote.ts";
import type { Location, PartPath, Problem, Report, SourceCourse } from "../content/source.ts";

interface NameOwner {
  /** "id" if the name is both the id and the slug of the course. */
  field: "id" | "slug";
  place: Location;
}

const HINTS = {
  _id: " (made from the slug; give the course its own _id)",
  slug: " (made from the name; give the course its own slug)",
};

/** Collects the ids and slugs of a catalog while it is read, and reports courses whose id or slug is taken. */
export class CatalogNames {
  readonly #names = new Map<string, NameOwner>();
  readonly #keptIds = new Set<string>();
  /** Originals of translations, each with the first location that names it. */
  readonly #originals = new Map<string, Location>();

  /** Adds a course. Returns false if its id or slug is taken, and reports each clash at the later location. */
  add(course: Course, { course: input, locate }: SourceCourse, report: Report): boolean {
    let isUnique = true;
    const clash = (part: PartPath, message: string): void => {
      isUnique = false;
      report({ severity: "error", kind: "clash", ...locate(part), message });
    };
    const owners = { _id: this.#names.get(course.id), slug: this.#names.get(course.slug) };
    for (const field of ["_id", "slug"] as const) {
      const owner = owners[field];
      // Equal generated slugs imply equal ids, so report the clash only once.
      const isReported = field === "slug" && input._id === undefined && owners._id?.place === owner?.place;
      if (owner === undefined || isReported) continue;
      const what = field === "_id" ? `id "${cutText(course.id)}"` : `slug "${cutText(course.slug)}"`;
      const hint = input[field] === undefined ? HINTS[field] : "";
      clash([field], `${what}${hint} is also the ${owner.field} of the course at ${formatPlace(owner.place)}`);
    }
    this.#checkParts(course, locate, clash);
    if (isUnique) {
      const place = locate([]);
      this.#names.set(course.slug, { field: "slug", place });
      this.#names.set(course.id, { field: "id", place });
      const { translationOf: original } = course;
      if (original !== undefined && !this.#originals.has(original)) {
        this.#originals.set(original, locate(["translationOf"]));
      }
    }
    return isUnique;
  }

  /**
   * Adds a stored course that the import keeps. If a course of the source clashes with it, reports that and returns
   * false.
   */
  addKept({ courseId, slug }: CourseVersion, reason: string, report: Report): boolean {
    const [shownId, shownSlug] = cutTexts(courseId, slug);
    const kept = `course "${shownId}" (slug "${shownSlug}")${reason}`;
    const owner = this.#names.get(slug) ?? this.#names.get(courseId);
    if (owner === undefined) {
      this.#keptIds.add(courseId);
      return true;
    }
    const message = `the id or slug of this course clashes with the ${kept}`;
    report({ severity: "error", kind: "clash", ...owner.place, message });
    return false;
  }

  /** Reports translations whose original is missing. Call it after the last course. `whole` names the catalog. */
  reportMissingOriginals(report: Report, whole = "the catalog"): void {
    for (const [original, place] of this.#originals) {
      if (this.#names.get(original)?.field === "id" || this.#keptIds.has(original)) continue;
      const message = `translationOf "${cutText(original)}" matches no course of ${whole}`;
      report({ severity: "warning", kind: "link-to-nothing", ...place, message });
    }
  }

  #checkParts(course: Course, locate: SourceCourse["locate"], clash: (part: PartPath, message: string) => void): void {
    const chapters = new Map<string, PartPath>();
    const lessons = new Map<string, PartPath>();
    const take = (seen: Map<string, PartPath>, what: string, id: string, part: PartPath): void => {
      const first = seen.get(id);
      if (first === undefined) seen.set(id, part);
      else
        clash(
          [...part, "id"],
          `${what} id "${cutText(id)}" is also the id of the ${what} at ${formatPlace(locate(first))}`,
        );
    };
    for (const [c, chapter] of course.chapters.entries()) {
      take(chapters, "chapter", chapter.id, ["chapters", c]);
      for (const [l, lesson] of chapter.lessons.entries()) {
        take(lessons, "lesson", lesson.id, ["chapters", c, "lessons", l]);
      }
    }
  }
}

/**
 * Reports courses whose id or slug is a former slug of another course on a channel, because old URLs would show the
 * wrong course.
 */
export class FormerNames {
  readonly #findFormer: (slugs: string[]) => Promise<Map<string, string>>;
  readonly #slugs = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  readonly #problems: Problem[] = [];

  constructor(store: PublishingReader, project: string, channel: string, versions: CourseVersion[]) {
    this.#findFormer = (slugs) => store.findFormerOwners(project, channel, slugs);
    for (const { courseId, slug } of versions) {
      this.#slugs.set(courseId, slug);
      this.#owners.set(slug, courseId);
    }
  }

  /** Checks names that courses did not have before. Does nothing in a project's first import. */
  async check(courses: readonly { course: Course; source?: SourceCourse }[]): Promise<void> {
    if (this.#slugs.size === 0) return;
    const taken = courses.flatMap(({ course, source }) => (source === undefined ? [] : this.#listNew(course, source)));
    if (taken.length === 0) return;
    const former = await this.#findFormer(taken.map(({ name }) => name));
    for (const { course, field, name, source } of taken) {
      const owner = this.#owners.get(name) ?? former.get(name);
      if (owner === undefined || owner === course.id) continue;
      const [shownName, shownOwner] = cutTexts(name, owner);
      const what = `${field === "_id" ? "id" : "slug"} "${shownName}"`;
      const message = `${what} is a former slug of course "${shownOwner}": its old URLs will point to this course`;
      this.#problems.push({ severity: "warning", kind: "former-slug", ...source.locate([field]), message });
    }
  }

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

function formatPlace({ file, line }: Location): string {
  return line === undefined ? file : `${file}:${line}`;
}
