// An import: read the source, compile what changed, write it aside, publish all of it at once.
import { hostname } from "node:os";
import { compileCourse, digestSource, type CompiledCourse, type SourceDigests } from "../catalog/compile-course.ts";
import { completeCourse } from "../catalog/complete-course.ts";
import type { Course } from "../catalog/course.ts";
import type {
  CatalogChanges,
  CourseVersion,
  LockHolder,
  PublishingStore,
  Release,
  ReleaseCounts,
} from "../catalog/store.ts";
import type { ContentSource, Report } from "../content/source.ts";
import { CatalogNames } from "./catalog-names.ts";
import { compareForList } from "./course-order.ts";
import { CourseHistory } from "./course-history.ts";

/** A batch is closed when it holds so many courses or so much text; a single course may be larger. */
const MAX_BATCH_COURSES = 100;
const MAX_BATCH_CHARACTERS = 4_000_000;

export interface ImportOptions {
  project: string;
  channel: string;
  source: ContentSource;
  store: PublishingStore;
  now: () => Date;
  /** Tell what would change, and write nothing. */
  dryRun: boolean;
  report: Report;
  /** Called when the import must wait for another one of the same project. */
  onWait: (holder: LockHolder | undefined) => void;
}

export type ImportOutcome =
  | { status: "invalid" }
  | { status: "unchanged"; release: Release }
  | { status: "planned"; changes: CatalogChanges; counts: ReleaseCounts }
  | { status: "published"; release: Release; changes: CatalogChanges };

/**
 * Makes the courses of a source the whole catalog of a project, as a new release that is published on a channel.
 * One error in the source, and nothing is published; no difference to the current release, and no release is made.
 * Readers see the old release until the new one is complete. Throws what the source or the store throws.
 */
export async function importCatalog(options: ImportOptions): Promise<ImportOutcome> {
  const { store, project, dryRun } = options;
  if (dryRun) return new CatalogImport(options).run();
  const holder = {
    pid: process.pid,
    host: hostname(),
    since: options.now().toISOString(),
    source: options.source.label,
  };
  const lock = await store.lockProject(project, holder, options.onWait);
  const run = new CatalogImport(options);
  try {
    return await run.run();
  } finally {
    // When this fails too, the entry of the lock stays, and the next import cleans up.
    if (run.leftVersions) await store.removeUnreferencedVersions(project);
    await lock.release();
  }
}

/** A course of the new release: what the order and the comparison need. */
type ListedCourse = Pick<CourseVersion, "versionId" | "courseId" | "published" | "createdAt" | "lessons">;

interface PendingCourse {
  course: Course;
  digests: SourceDigests;
}

class CatalogImport {
  /** True while versions are written that no release refers to. */
  leftVersions = false;
  readonly #options: ImportOptions;
  readonly #at: string;
  readonly #changes: CatalogChanges = {
    coursesAdded: 0,
    coursesChanged: 0,
    coursesRemoved: 0,
    lessonsAdded: 0,
    lessonsChanged: 0,
    lessonsRemoved: 0,
  };
  readonly #listed: ListedCourse[] = [];
  #errors = 0;
  /** The courses of the current release that the source did not yield yet. */
  #remaining = new Map<string, CourseVersion>();

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#at = options.now().toISOString();
  }

  async run(): Promise<ImportOutcome> {
    const { store, project, channel, dryRun, source } = this.#options;
    const current = await store.findCurrentRelease(project, channel);
    const versions = current === undefined ? [] : await store.listVersions(current);
    this.#remaining = new Map(versions.map((version) => [version.courseId, version]));
    await this.#readSource();
    if (this.#errors > 0) return { status: "invalid" };

    for (const version of this.#remaining.values()) {
      this.#changes.coursesRemoved++;
      this.#changes.lessonsRemoved += version.lessons;
    }
    const hasChanged = Object.values(this.#changes).some((count) => count > 0);
    if (current !== undefined && !hasChanged) return { status: "unchanged", release: current };
    const counts = countCourses(this.#listed);
    if (dryRun) return { status: "planned", changes: this.#changes, counts };

    this.#listed.sort(compareForList);
    const release = await store.publishRelease({
      ...counts,
      project,
      channel,
      at: this.#at,
      source: source.label,
      changes: this.#changes,
      versionIds: this.#listed.map((course) => course.versionId),
    });
    this.leftVersions = false;
    return { status: "published", release, changes: this.#changes };
  }

  async #readSource(): Promise<void> {
    const { project, source } = this.#options;
    const report: Report = (problem) => {
      if (problem.severity === "error") this.#errors++;
      this.#options.report(problem);
    };
    const names = new CatalogNames();
    let yielded = 0;
    let batch: PendingCourse[] = [];
    let characters = 0;
    for await (const sourceCourse of source.read(report)) {
      yielded++;
      const course = completeCourse(project, sourceCourse.course);
      if (!names.add(course, sourceCourse, report)) continue;
      // After an error nothing will be published; reading on only finds the other problems.
      if (this.#errors > 0) continue;
      batch.push({ course, digests: digestSource(course) });
      characters += countCharacters(course);
      if (batch.length < MAX_BATCH_COURSES && characters < MAX_BATCH_CHARACTERS) continue;
      await this.#takeBatch(batch);
      batch = [];
      characters = 0;
    }
    if (yielded === 0 && this.#errors === 0) {
      report({ severity: "error", file: source.label, message: "there is no course in this source" });
    }
    if (this.#errors === 0) await this.#takeBatch(batch);
  }

  async #takeBatch(batch: PendingCourse[]): Promise<void> {
    const { store, project, dryRun } = this.#options;
    const unmatched = batch.filter((pending) => !this.#shareCurrent(pending));
    const ids = unmatched.map(({ course }) => course.id);
    const newest = new Map(
      (await store.listNewestVersions(project, ids)).map((version) => [version.courseId, version]),
    );
    const compiled: CompiledCourse[] = [];
    for (const pending of unmatched) {
      const { course, digests } = pending;
      const current = this.#remaining.get(course.id);
      this.#remaining.delete(course.id);
      const history = await CourseHistory.load(store, project, course, current, newest.get(course.id));
      history.countChanges(course, digests, this.#changes);
      const same = newest.get(course.id);
      if (same?.sourceDigest === digests.course) this.#listed.push(same);
      else if (dryRun)
        this.#listed.push({
          ...course,
          courseId: course.id,
          versionId: 0,
          createdAt: "",
          lessons: digests.lessons.length,
        });
      else
        compiled.push(
          compileCourse(course, digests, (lesson, digest) => history.datesOf(lesson?.id, digest, this.#at)),
        );
    }
    if (compiled.length === 0) return;
    this.leftVersions = true;
    const versionIds = await store.writeVersions(project, compiled);
    for (const [index, course] of compiled.entries()) {
      this.#listed.push({
        versionId: versionIds[index] ?? 0,
        courseId: course.id,
        published: course.published,
        createdAt: course.createdAt,
        lessons: course.lessons.length,
      });
    }
  }

  /** Takes over the version of the current release when the source did not change. */
  #shareCurrent({ course, digests }: PendingCourse): boolean {
    const current = this.#remaining.get(course.id);
    if (current?.sourceDigest !== digests.course) return false;
    this.#remaining.delete(course.id);
    this.#listed.push(current);
    return true;
  }
}

function countCourses(listed: ListedCourse[]): ReleaseCounts {
  const courses = listed.filter((course) => course.published).length;
  const lessons = listed.reduce((sum, course) => sum + course.lessons, 0);
  return { courses, drafts: listed.length - courses, lessons };
}

function countCharacters(course: Course): number {
  let characters = 0;
  for (const { lessons } of course.chapters) {
    for (const lesson of lessons) characters += lesson.additionalText.length + lesson.quizHtml.length + 200;
  }
  return characters;
}
