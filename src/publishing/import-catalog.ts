// An import reads, completes, settles, compiles, writes and publishes courses. A plan does the same without writing.
import { compileCourse, type CompiledCourse, type CourseOrigin } from "../catalog/compile-course.ts";
import { LIVE_CHANNEL, type LockedProject, type Release } from "../catalog/store.ts";
import { judged } from "../content/source.ts";
import { CatalogLinks } from "./catalog-links.ts";
import { CatalogNames, FormerNames } from "./catalog-names.ts";
import { planCourse, planRemovedCourse, type CoursePlan } from "./catalog-plan.ts";
import { ChangeCount, digestPlan, type AskingOutcome } from "./change-count.ts";
import type { ImportOptions, ImportOutcome } from "./import-options.ts";
import { compareForList, countCourses, type ListedCourse } from "./listed-courses.ts";
import { withLock } from "./publish.ts";
import { settleCourses, type ReadCourse, type SettledCourse, type SettlingContext } from "./settle-courses.ts";
import { SourceScope } from "./source-scope.ts";

/** A course of the new release, before `source` is added. */
type OwnCourse = Omit<ListedCourse, "source">;

interface ImportUnderWay extends SettlingContext {
  options: ImportOptions;
  /** Undefined if the import is only planned. */
  target: LockedProject | undefined;
  /** The release to compare with. */
  base: Release | undefined;
  current: Release | undefined;
  names: CatalogNames;
  count: ChangeCount;
  broken: BrokenCourses;
  /** Maps the ids of courses to their origins. */
  origins: Map<string, CourseOrigin>;
  own: OwnCourse[];
  plans: CoursePlan[];
}

/**
 * Replaces a project's catalog, or one source's part of it, with a source's courses, and publishes the new release on a
 * channel. If the source has errors, publishes nothing, except with `keepGoing`. If nothing has changed, creates no
 * release. Readers see the old release until the new one is complete. The project's lock is free while a person
 * decides. After consent, the import therefore plans again, and asks again if the plan differs. Throws the errors of
 * the source and the store.
 */
export async function importCatalog(options: ImportOptions): Promise<ImportOutcome> {
  const { source, dryRun, confirmRemovals } = options;
  await source.prepare?.();
  for (let approvedPlan: string | undefined; ;) {
    const outcome = dryRun
      ? await importOnce(options, undefined, undefined)
      : await withLock(options, `import of ${source.label}`, (locked) => importOnce(options, locked, approvedPlan));
    if (outcome.status !== "asking") return outcome;
    const { removals, plan } = outcome;
    const isAgreed = await confirmRemovals?.(removals, approvedPlan !== undefined);
    if (isAgreed !== true) return { status: "refused", removals };
    approvedPlan = plan;
  }
}

async function importOnce(
  options: ImportOptions,
  target: LockedProject | undefined,
  approvedPlan: string | undefined,
): Promise<ImportOutcome | AskingOutcome> {
  const { store, project, channel } = options;
  const current = await store.findCurrentRelease(project, channel);
  // A new channel is compared with the live one, whose versions it shares.
  const base = current ?? (await store.findCurrentRelease(project, LIVE_CHANNEL));
  const scope = await SourceScope.open(options, base);

  let errors = 0;
  const report = judged((problem) => {
    if (problem.severity === "error") errors++;
    options.report(problem);
  }, options.strict);
  const formerChannel = current === undefined ? LIVE_CHANNEL : channel;
  const under: ImportUnderWay = {
    options,
    target,
    store,
    project,
    at: options.now().toISOString(),
    base,
    current,
    scope,
    report,
    hasErrors: () => errors > 0 && options.keepGoing !== true,
    names: new CatalogNames(),
    formerNames: new FormerNames(store, project, formerChannel, scope.versions),
    links: new CatalogLinks(options.lessonUrl, report),
    count: new ChangeCount(),
    broken: new BrokenCourses(),
    origins: new Map(),
    own: [],
    plans: [],
  };
  const { names, formerNames, count, broken, own, plans } = under;
  /** True while the store has versions that no release refers to. */
  let leavesVersions = false;
  let isPublished = false;

  try {
    for await (const batch of settleCourses(under, readCourses(under))) {
      for (const settled of batch) count.add(settled);
      leavesVersions ||= batch.some(({ version }) => version === undefined);
      own.push(...(await (target === undefined ? planCourses(batch, under) : writeCourses(batch, target, under))));
    }
    // With `keepGoing`, courses with errors keep their published state, but errors from here on stop the import.
    const allowed = options.keepGoing === true && own.length > 0 ? errors : 0;
    const isMatched = broken.keep(under);
    // If a broken course cannot be matched, keep all courses that the source lacks.
    if (errors <= allowed && (options.merge === true || !isMatched)) keepCourses(under);
    scope.checkOthers(names, report);
    if (errors > allowed) return { status: "invalid" };
    names.reportMissingOriginals(report);
    formerNames.report(report);

    for (const version of scope.own.values()) {
      count.remove(version);
      if (target === undefined) plans.push(await planRemovedCourse(store, version));
    }
    const outcome = await publishCatalog(under, approvedPlan);
    isPublished = outcome.status === "published";
    return broken.count === 0 || outcome.status === "asking" ? outcome : { ...outcome, broken: broken.count };
  } finally {
    // If the cleanup fails, too, the next import repeats it, and a prune deletes the files.
    if (leavesVersions && !isPublished) await target?.removeUnreferencedVersions();
    if (!isPublished) await options.files?.linked.discard(options.files.assets, under.at).catch(() => undefined);
  }
}

async function publishCatalog(
  { options, target, base, current, scope, count, own, plans, at }: ImportUnderWay,
  approvedPlan: string | undefined,
): Promise<ImportOutcome | AskingOutcome> {
  const { channel, source, sourceName, files, confirmRemovals } = options;
  const { changes, movedFiles, takenOver } = count;
  const listed = scope.listAll(own).sort(compareForList);
  const counts = countCourses(listed);
  const sources = scope.describeSources(listed, source.label, at);
  const stored = files?.linked.countStored();
  if (target === undefined) {
    const plan = { changes, counts, sources, courses: plans };
    return { status: "planned", plan: stored === undefined ? plan : { ...plan, files: stored } };
  }

  const result = { changes, sources, movedFiles, takenOver, files: stored };
  const publication = { channel, action: "import", at } as const;
  if (base !== undefined && Object.values(changes).every((each) => each === 0)) {
    if (base === current) return { status: "unchanged", release: base, changes, files: stored };
    await target.publishRelease(base, publication);
    return { status: "published", release: base, ...result };
  }
  if (channel === LIVE_CHANNEL && confirmRemovals !== undefined) {
    const removals = count.findRemovals(scope, approvedPlan !== undefined);
    const plan = digestPlan(base, listed);
    if (removals !== undefined && plan !== approvedPlan) return { status: "asking", removals, plan };
  }
  const newRelease = { ...counts, source: source.label, sourceName, changes, sources, versions: listed };
  const release = await target.createRelease(newRelease, publication);
  return { status: "published", release, ...result };
}

/** Courses with errors. Readers keep the published versions of these courses. */
class BrokenCourses {
  count = 0;
  readonly #paths = new Set<string>();
  readonly #ids = new Set<string>();
  #isMatched = true;

  /** Adds a course. `sourcePath` is undefined if the path is unknown. */
  addPath(sourcePath: string | undefined): void {
    this.count++;
    if (sourcePath === undefined) this.#isMatched = false;
    else this.#paths.add(sourcePath.normalize("NFC"));
  }

  addId(id: string): void {
    this.count++;
    this.#ids.add(id);
  }

  /**
   * Keeps the published state of courses with errors. Returns false if one of them cannot be matched, because that
   * course could be any that the source lacks.
   */
  keep({ scope, names, report, own }: ImportUnderWay): boolean {
    for (const version of scope.own.values()) {
      const { courseId, sourcePath } = version;
      if (!this.#ids.has(courseId) && !this.#paths.delete(sourcePath ?? "")) continue;
      scope.own.delete(courseId);
      if (names.addKept(version, ", which has errors in the source and stays as it is", report)) own.push(version);
    }
    return this.#isMatched && this.#paths.size === 0;
  }
}

/** Reads a source to its end and yields the valid courses, with ids. */
async function* readCourses(under: ImportUnderWay): AsyncGenerator<ReadCourse> {
  const { scope, names, broken, origins, report } = under;
  const { source, sourceName } = under.options;
  let isEmpty = true;
  for await (const sourceCourse of source.read(report, (path) => broken.addPath(path))) {
    isEmpty = false;
    const course = scope.complete(sourceCourse.course);
    if (!names.add(course, sourceCourse, report) || !scope.claim(course, sourceCourse, report)) {
      broken.addId(course.id);
      continue;
    }
    const { sourcePath } = sourceCourse.course;
    origins.set(course.id, { sourcePath: sourcePath?.normalize("NFC"), format: sourceCourse.format });
    yield { key: sourceCourse.key, course, source: sourceCourse, moved: [] };
  }
  if (!isEmpty || under.hasErrors() || broken.count > 0) return;
  const retiring = sourceName === undefined ? "" : `; \`lectern sources remove ${sourceName}\` removes it`;
  const message = `this source contains no course${retiring}`;
  report({ severity: "error", kind: "no-course", file: source.label, message });
}

async function writeCourses(
  batch: SettledCourse[],
  target: LockedProject,
  { options: { files }, at, origins }: ImportUnderWay,
): Promise<OwnCourse[]> {
  const listed: OwnCourse[] = [];
  const compiled: CompiledCourse[] = [];
  const unchanged = batch.flatMap(({ course, version }) => (version === undefined ? [] : course));
  await files?.linked.storeLost(unchanged, files.assets, at);
  for (const { course, version, dated } of batch) {
    if (version !== undefined) listed.push(version);
    else if (dated !== undefined) {
      const assets = (await files?.linked.store(course, files.assets, at)) ?? [];
      compiled.push(compileCourse(dated, assets, origins.get(course.id)));
    }
  }
  const versionIds = compiled.length === 0 ? [] : await target.writeVersions(compiled);
  for (const [index, { row }] of compiled.entries()) {
    const { courseId, published, createdAt, sourceDigest, lessons, translationOf } = row;
    const versionId = versionIds[index] ?? 0;
    listed.push({ versionId, courseId, published, createdAt, sourceDigest, lessons, translationOf });
  }
  return listed;
}

/** Does the same as `writeCourses`, but writes nothing and adds the changes to `plans`. */
async function planCourses(
  batch: SettledCourse[],
  { options: { files }, store, plans }: ImportUnderWay,
): Promise<OwnCourse[]> {
  const listed: OwnCourse[] = [];
  const courses = batch.map(({ course }) => course);
  await files?.linked.plan(courses, files.assets);
  for (const settled of batch) {
    const { course, version, dated, formerSource } = settled;
    if (dated !== undefined || formerSource !== undefined) plans.push(await planCourse(store, settled));
    const { id: courseId, published, translationOf } = course;
    const { sourceDigest = "", lessons: { length: lessons } = [], own } = dated ?? {};
    const createdAt = course.createdAt ?? own?.firstSeenAt ?? "";
    const planned = { versionId: 0, courseId, published, createdAt, sourceDigest, lessons, translationOf };
    listed.push(version ?? planned);
  }
  return listed;
}

function keepCourses({ scope, names, report, own }: ImportUnderWay): void {
  for (const version of scope.own.values()) {
    if (names.addKept(version, ", which the source does not contain and --merge keeps", report)) own.push(version);
  }
  scope.own.clear();
}
