// Determines which part of a catalog an import replaces: all of it, or one source's courses.
import { completeCourse } from "../catalog/complete-course.ts";
import type { Course, CourseInput } from "../catalog/course.ts";
import { addFileLocations } from "../catalog/url-templates.ts";
import { ExpectedError } from "../catalog/expected-error.ts";
import { LIVE_CHANNEL, type CourseVersion, type Release, type ReleaseSource } from "../catalog/store.ts";
import { cutTexts } from "../content/quote.ts";
import type { Report, SourceCourse } from "../content/source.ts";
import type { CatalogNames } from "./catalog-names.ts";
import type { ImportOptions } from "./import-options.ts";
import { countCourses, countSources, type ListedCourse } from "./listed-courses.ts";

type ScopeOptions = Pick<ImportOptions, "store" | "project" | "sourceName" | "takeOver" | "sourceMeta" | "editUrl">;

export class SourceScope {
  /** The courses that the import replaces, by id, including those it takes over. */
  readonly own: Map<string, CourseVersion>;
  readonly ownCount: number;
  ownLessons: number;
  readonly #options: ScopeOptions;
  /** The ids of the source's courses, and of courses without a source, which this source can take over. */
  readonly #knownIds: Set<string>;
  readonly #others: Map<string, CourseVersion>;
  readonly versions: CourseVersion[];
  readonly #before: ReleaseSource[];
  readonly #idsByPath = new Map<string, string>();

  private constructor(options: ScopeOptions, versions: CourseVersion[], before: ReleaseSource[]) {
    const { sourceName } = options;
    const byId = (list: CourseVersion[]) => new Map(list.map((version) => [version.courseId, version]));
    const own = versions.filter(({ source }) => source === sourceName);
    this.own = byId(own);
    this.ownCount = own.length;
    this.ownLessons = countCourses(own).lessons;
    this.#others = byId(versions.filter(({ source }) => source !== sourceName));
    const known = versions.filter(({ source }) => source === sourceName || source === undefined);
    this.#knownIds = new Set(known.map(({ courseId }) => courseId));
    this.#options = options;
    this.#before = before;
    this.versions = versions;
    // A translation can name an original that this import does not contain.
    for (const { sourcePath, courseId } of own) if (sourcePath !== undefined) this.#idsByPath.set(sourcePath, courseId);
  }

  /** Opens the scope of an import that compares with `base`. Throws ExpectedError. */
  static async open(options: ScopeOptions, base: Release | undefined): Promise<SourceScope> {
    const { store, project, sourceName } = options;
    const before = base === undefined ? [] : await store.listSources(base);
    if (sourceName === undefined) {
      // A preview can be older than the project's named sources, so look for those of the live channel, too.
      const live = await store.findCurrentRelease(project, LIVE_CHANNEL);
      const ofLive = live === undefined || live.id === base?.id ? [] : await store.listSources(live);
      const names = [...new Set([...before, ...ofLive].map(({ name }) => name))].sort();
      if (names.length > 0) {
        throw new ExpectedError(
          `The courses of ${project} come from named sources: ${names.join(", ")}. Add --source NAME to import one of ` +
            "them, or a new one; `lectern sources remove NAME` removes one.",
        );
      }
    }
    return new SourceScope(options, base === undefined ? [] : await store.listVersions(base), before);
  }

  /** Completes a course. Generated ids differ between sources even if the paths are equal. */
  complete(input: CourseInput): Course {
    const { project, sourceName } = this.#options;
    const keepsId = (id: string): boolean => this.#knownIds.has(id);
    const scope = sourceName === undefined ? undefined : { sourceName, keepsId };
    const course = completeCourse(project, input, scope, this.#idsByPath);
    if (input.sourcePath !== undefined) this.#idsByPath.set(input.sourcePath.normalize("NFC"), course.id);
    return addFileLocations(course, this.#options);
  }

  /** Takes a course over if it belongs to another source. If that is not allowed, reports this and returns false. */
  claim(course: Course, { locate }: SourceCourse, report: Report): boolean {
    const { sourceName, takeOver } = this.#options;
    const other = this.#others.get(course.id);
    if (other === undefined) return true;
    // Delete the course even before an error, so that `checkOthers` does not report it again.
    this.#others.delete(course.id);
    if (takeOver === true) {
      this.own.set(course.id, other);
      this.ownLessons += other.lessons;
      return true;
    }
    const [id, slug] = cutTexts(course.id, other.slug);
    const message =
      `id "${id}" belongs to a course ${describeOwner(other.source)} (slug "${slug}"): give this course its own _id, ` +
      `or move that course to source ${sourceName} with --take-over`;
    report({ severity: "error", kind: "clash", ...locate(["_id"]), message });
    return false;
  }

  /**
   * Returns the source that loses a version to this source: null for the unnamed source, undefined if the version is
   * already this source's own.
   */
  findLoser(version: CourseVersion): string | null | undefined {
    return version.source === this.#options.sourceName ? undefined : (version.source ?? null);
  }

  checkOthers(names: CatalogNames, report: Report): void {
    for (const version of this.#others.values()) {
      names.addKept(version, ` ${describeOwner(version.source)}`, report);
    }
  }

  /** Lists all courses of the new release; `own` lists those of the source. */
  listAll(own: Omit<ListedCourse, "source">[]): ListedCourse[] {
    return [...own.map((course) => ({ ...course, source: this.#options.sourceName })), ...this.#others.values()];
  }

  describeSources(listed: ListedCourse[], label: string, at: string): ReleaseSource[] {
    const before = new Map(this.#before.map((source) => [source.name, source]));
    before.delete(this.#options.sourceName ?? "");
    return countSources(listed).map((counts) => {
      const { label: read = label, changedAt = at } = before.get(counts.name) ?? {};
      return { ...counts, label: read, changedAt };
    });
  }
}

function describeOwner(name: string | undefined): string {
  return name === undefined ? "without a source" : `of source ${name}`;
}
