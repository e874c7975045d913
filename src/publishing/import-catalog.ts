// An import: read the source, compile what changed, write it aside, publish all of it at once.
import { digestSource, type CompiledCourse, type DatedCourse, type SourceDigests } from "../catalog/compile-course.ts";
import type { Course, CourseInput } from "../catalog/course.ts";
import {
  LIVE_CHANNEL,
  type CatalogChanges,
  type CourseVersion,
  type LockedProject,
  type NewPublication,
} from "../catalog/store.ts";
import type { Report, SourceCourse } from "../content/source.ts";
import { CatalogLinks } from "./catalog-links.ts";
import { CatalogNames } from "./catalog-names.ts";
import type { CatalogPlan } from "./catalog-plan.ts";
import { CourseCompiler } from "./course-compiler.ts";
import { CourseHistory } from "./course-history.ts";
import { compareForList } from "./course-order.ts";
import { CoursePlans } from "./course-plans.ts";
import { FormerNames } from "./former-names.ts";
import type { ImportOptions, ImportOutcome } from "./import-options.ts";
import { hasGeneratedIds, keepLessonIds, listMovedFiles, type ReadCourse } from "./lesson-identity.ts";
import { listBatches } from "./list-batches.ts";
import { createHolder } from "./lock-holder.ts";
import { countCourses, digestPlan, NO_CHANGES, type ListedCourse } from "./release-counts.ts";
import { RemovalCount, type AskingOutcome } from "./removals.ts";
import { SourceScope } from "./source-scope.ts";
import { WaitingCourses, type SettledCourse } from "./waiting-courses.ts";
import { withConsent } from "./with-consent.ts";

/**
 * Makes the courses of a source the whole catalog of a project, or what a named source has of it, as a new release that is
 * published on a channel.
 * One error in the source, and nothing is published; no difference to the current release, and no release is made.
 * Readers see the old release until the new one is complete. Throws what the source or the store throws.
 */
export async function importCatalog(options: ImportOptions): Promise<ImportOutcome> {
  await options.source.prepare?.();
  return withConsent(options.confirmRemovals, (approvedPlan) => importOnce(options, approvedPlan));
}

async function importOnce(options: ImportOptions, approvedPlan?: string): Promise<ImportOutcome | AskingOutcome> {
  const { store, project, dryRun, source, now, onWait } = options;
  if (dryRun) return new CatalogImport(options, undefined, undefined).run();
  const locked = await store.lockProject(project, createHolder(`import of ${source.label}`, now()), onWait);
  const run = new CatalogImport(options, locked, approvedPlan);
  try {
    return await run.run();
  } finally {
    // When this fails too, the store remembers that the import was cut off, and the next one cleans up.
    if (run.leftVersions) await locked.removeUnreferencedVersions();
    await locked.unlock();
  }
}

/** `source` is undefined once the ids of a course are final. */
type PendingCourse = SettledCourse & { source: SourceCourse | undefined };

class CatalogImport {
  /** True while versions are written that no release refers to. */
  leftVersions = false;
  readonly #options: ImportOptions;
  /** What it writes to; undefined in a dry run. */
  readonly #target: LockedProject | undefined;
  readonly #at: string;
  readonly #changes: CatalogChanges = { ...NO_CHANGES };
  readonly #removals = new RemovalCount();
  /** The plan that a person has agreed to; undefined where nobody was asked yet. */
  readonly #approvedPlan: string | undefined;
  readonly #names = new CatalogNames();
  readonly #links: CatalogLinks;
  readonly #waiting = new WaitingCourses();
  readonly #compiler: CourseCompiler;
  /** What the new release has of the source. */
  readonly #listed: Omit<ListedCourse, "source">[] = [];
  /** Of a dry run only: it may be long. */
  readonly #plans: CoursePlans;
  #movedFiles = 0;
  #errors = 0;
  #scope: SourceScope | undefined;
  #formerNames: FormerNames | undefined;
  /** The courses of the current release that the source did not yield yet. */
  #remaining = new Map<string, CourseVersion>();

  constructor(options: ImportOptions, target: LockedProject | undefined, approvedPlan: string | undefined) {
    this.#options = options;
    this.#target = target;
    this.#approvedPlan = approvedPlan;
    this.#at = options.now().toISOString();
    this.#plans = new CoursePlans(options.store);
    this.#links = new CatalogLinks(options.lessonUrl, this.#report);
    const { bodies } = options;
    this.#compiler = new CourseCompiler(
      (courses) => this.#writeCourses(courses),
      bodies && ((data) => bodies.encode(data)),
    );
  }

  async run(): Promise<ImportOutcome | AskingOutcome> {
    const { store, project, channel, merge, source, sourceName } = this.#options;
    const current = await store.findCurrentRelease(project, channel);
    // A new preview is a change of what is live: that is what it shares versions with, and what its plan shows.
    const base = current ?? (await store.findCurrentRelease(project, LIVE_CHANNEL));
    const scope = await SourceScope.open(this.#options, base);
    this.#scope = scope;
    this.#remaining = scope.own;
    this.#formerNames = new FormerNames(store, project, current === undefined ? LIVE_CHANNEL : channel, scope.versions);
    try {
      await this.#readSource(scope);
    } finally {
      await this.#compiler.close();
    }
    if (merge) this.#keepRemaining();
    scope.checkOthers(this.#names, this.#report);
    if (this.#errors > 0) return { status: "invalid" };
    this.#names.reportMissingOriginals(this.#report);
    this.#formerNames.report(this.#report);

    await this.#removeRemaining();
    const hasChanged = Object.values(this.#changes).some((count) => count > 0);
    const listed = scope.listAll(this.#listed).sort(compareForList);
    const counts = countCourses(listed);
    const sources = scope.describeSources(listed, source.label, this.#at);
    const target = this.#target;
    const files = this.#options.files?.linked.countStored();
    if (target === undefined) {
      const plan: CatalogPlan = { changes: this.#changes, counts, sources, courses: this.#plans.plans };
      return { status: "planned", plan: files === undefined ? plan : { ...plan, files } };
    }
    const { takenOver } = scope;
    const result = { changes: this.#changes, sources, movedFiles: this.#movedFiles, takenOver, files };
    const publication: NewPublication = { channel, action: "import", at: this.#at };
    if (base !== undefined && !hasChanged) {
      if (base === current) return { status: "unchanged", release: base, changes: this.#changes };
      await target.publishRelease(base, publication);
      return { status: "published", release: base, ...result };
    }

    if (channel === LIVE_CHANNEL && this.#options.confirmRemovals !== undefined) {
      const asking = this.#removals.findQuestion(scope, digestPlan(base, listed), this.#approvedPlan);
      if (asking !== undefined) return asking;
    }
    const newRelease = { ...counts, source: source.label, sourceName, changes: this.#changes, sources };
    const release = await target.createRelease({ ...newRelease, versions: listed }, publication);
    this.leftVersions = false;
    return { status: "published", release, ...result };
  }

  readonly #report: Report = (problem) => {
    if (problem.severity === "error") this.#errors++;
    this.#options.report(problem);
  };

  async #readSource(scope: SourceScope): Promise<void> {
    let yielded = 0;
    await this.#takeBatches(this.#readCourses(scope, () => yielded++));
    if (yielded === 0 && this.#errors === 0) {
      this.#report({
        severity: "error",
        kind: "no-course",
        file: this.#options.source.label,
        message: scope.emptyMessage,
      });
    }
    if (this.#errors > 0) return;
    this.#links.finish();
    await this.#takeBatches(this.#readWaiting(scope));
    await this.#compiler.finish();
  }

  async *#readCourses(scope: SourceScope, onCourse: () => void): AsyncGenerator<PendingCourse> {
    for await (const sourceCourse of this.#options.source.read(this.#report)) {
      onCourse();
      const course = scope.complete(sourceCourse.course);
      if (!this.#names.add(course, sourceCourse, this.#report)) continue;
      if (!scope.claim(course, sourceCourse, this.#report)) continue;
      yield { key: sourceCourse.key, course, source: sourceCourse, moved: [] };
    }
  }

  async *#readWaiting(scope: SourceScope): AsyncGenerator<PendingCourse> {
    const complete = (input: CourseInput): Course => scope.complete(input);
    for await (const settled of this.#waiting.take(complete, this.#links, this.#report)) {
      yield { ...settled, source: undefined };
    }
  }

  async #takeBatches(courses: AsyncIterable<PendingCourse>): Promise<void> {
    // After an error nothing will be published; reading on only finds the other problems.
    for await (const batch of listBatches(courses, () => this.#errors === 0)) await this.#takeBatch(batch);
  }

  async #takeBatch(batch: PendingCourse[]): Promise<void> {
    const { store, project } = this.#options;
    const unmatched: (PendingCourse & ReadCourse)[] = [];
    await this.#formerNames?.check(batch);
    for (const pending of batch) {
      const { key, course } = pending;
      const delivered = this.#links.fill(key, course);
      const digests = digestSource(delivered);
      const isShared = this.#links.knowsTargets(key, course) && this.#shareCurrent(course, digests);
      if (!isShared) unmatched.push({ ...pending, delivered, digests });
      else if (pending.source !== undefined) this.#links.settle(key, course);
    }
    const newest = await store.listNewestVersions(
      project,
      unmatched.map(({ course }) => course.id),
    );
    const newestById = new Map(newest.map((version) => [version.courseId, version]));
    const courses: DatedCourse[] = [];
    for (const pending of unmatched) {
      const dated = await this.#takeCourse(pending, newestById.get(pending.course.id));
      if (dated !== undefined) courses.push(dated);
    }
    if (courses.length > 0) await this.#compiler.take(courses);
  }

  async #writeCourses(courses: CompiledCourse[]): Promise<void> {
    this.leftVersions = true;
    const versionIds = (await this.#target?.writeVersions(courses)) ?? [];
    for (const [index, { id: courseId, published, createdAt, sourceDigest, lessons }] of courses.entries()) {
      const versionId = versionIds[index] ?? 0;
      this.#listed.push({ versionId, courseId, published, createdAt, sourceDigest, lessons: lessons.length });
    }
  }

  /** Lists a course by a version that exists, or gives what it is to be compiled from. */
  async #takeCourse(
    pending: PendingCourse & ReadCourse,
    newest: CourseVersion | undefined,
  ): Promise<DatedCourse | undefined> {
    const { store, files } = this.#options;
    const { key, source, course: authored } = pending;
    const current = this.#remaining.get(authored.id);
    const history = await CourseHistory.load(store, current, newest);
    let { moved } = pending;
    if (source !== undefined) {
      moved = await keepLessonIds(pending, history.lessons, (ids) => history.readContents(ids));
      this.#links.settle(key, authored);
      if (!this.#links.knowsTargets(key, authored)) {
        this.#waiting.add({ key, course: authored, moved }, source);
        return undefined;
      }
    }
    const course = this.#links.fill(key, authored);
    // Without links it is the course that was digested, and without generated ids none of its ids have changed since.
    const isSame = course === pending.delivered && !hasGeneratedIds(course);
    const digests = isSame ? pending.digests : digestSource(course, pending.digests);
    if (this.#shareCurrent(course, digests)) return undefined;
    this.#movedFiles += listMovedFiles(moved).size;
    this.#remaining.delete(course.id);
    history.countChanges(course, digests, this.#changes, this.#removals);
    const formerSource = current && this.#scope?.countMoved(current);
    await history.prepareDates(course);
    const dated = history.dateCourse(course, digests, this.#at);
    if (this.#target === undefined) {
      await this.#plans.add(dated, history, moved, formerSource);
      if (files !== undefined) await files.linked.plan(course, files.assets);
      const { id: courseId, published, createdAt = this.#at } = course;
      const lessons = dated.lessons.length;
      this.#listed.push({ versionId: 0, courseId, published, createdAt, sourceDigest: digests.course, lessons });
      return undefined;
    }
    if (newest?.sourceDigest !== digests.course) {
      if (files !== undefined) dated.assets = await files.linked.store(course, files.assets, this.#at);
      return dated;
    }
    this.#listed.push(newest);
    return undefined;
  }

  /** Takes over the version of the current release when the source did not change. */
  #shareCurrent(course: Course, digests: SourceDigests): boolean {
    const current = this.#remaining.get(course.id);
    if (current?.sourceDigest !== digests.course) return false;
    this.#remaining.delete(course.id);
    this.#listed.push(current);
    const formerSource = this.#scope?.countMoved(current);
    if (formerSource === undefined) return true;
    this.#changes.coursesChanged++;
    if (this.#target === undefined) this.#plans.addMoved(course, formerSource);
    return true;
  }

  #keepRemaining(): void {
    for (const version of this.#remaining.values()) {
      if (this.#names.addKept(version, ", which the source does not have and --merge keeps", this.#report))
        this.#listed.push(version);
    }
    this.#remaining.clear();
  }

  async #removeRemaining(): Promise<void> {
    for (const version of this.#remaining.values()) {
      this.#changes.coursesRemoved++;
      this.#changes.lessonsRemoved += version.lessons;
      this.#removals.addCourse(version.slug, version.lessons);
      if (this.#target === undefined) await this.#plans.addRemoved(version);
    }
  }
}
