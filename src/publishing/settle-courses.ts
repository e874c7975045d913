// The middle part of an import: settles courses, that is, gives them their final ids, links and dates.
import { digestSource, type DatedCourse, type SourceDigests } from "../catalog/compile-course.ts";
import type { Course } from "../catalog/course.ts";
import type { CourseVersion, PublishingReader } from "../catalog/store.ts";
import type { Location, Report, SourceCourse } from "../content/source.ts";
import type { CatalogLinks } from "./catalog-links.ts";
import { dateCourse, readHistory, type KnownVersion } from "./course-history.ts";
import type { FormerNames } from "./catalog-names.ts";
import { keepLessonIds, type MovedFile } from "./lesson-identity.ts";
import type { SourceScope } from "./source-scope.ts";

/** A batch ends at this many courses or this many characters; a single course can be larger. */
const MAX_BATCH_COURSES = 100;
const MAX_BATCH_CHARACTERS = 500_000;
/** Deferred courses beyond this total size are not held in memory, but read a second time. */
const MAX_HELD_CHARACTERS = 8_000_000;

/** A course that was read. If it must wait for the ids of other courses, its own ids are already final. */
export interface ReadCourse {
  key: string;
  course: Course;
  /** Undefined once the ids are final. */
  source?: SourceCourse;
  moved: MovedFile[];
}

/** A course in the new release. `version` or `dated` is enough to determine its position in lists. */
export interface SettledCourse {
  course: Course;
  version: CourseVersion | undefined;
  /** Undefined when the course is unchanged. */
  dated: DatedCourse | undefined;
  /** The version in the current release that this one replaces, if any. */
  before: KnownVersion | undefined;
  moved: MovedFile[];
  /** The source that loses the course: null for the unnamed source, undefined if the source stays the same. */
  formerSource: string | null | undefined;
}

export interface SettlingContext {
  store: PublishingReader;
  project: string;
  at: string;
  scope: SourceScope;
  links: CatalogLinks;
  formerNames: FormerNames;
  report: Report;
  hasErrors: () => boolean;
}

/**
 * Yields courses in batches: first those whose link targets are known, then the others. After an error, only reports
 * problems.
 */
export async function* settleCourses(
  context: SettlingContext,
  courses: AsyncIterable<ReadCourse>,
): AsyncGenerator<SettledCourse[]> {
  const { links, hasErrors } = context;
  const waiting = new WaitingCourses();
  for await (const batch of inBatches(courses)) {
    if (!hasErrors()) yield settleBatch(context, batch, waiting);
  }
  if (hasErrors()) return;
  links.finish();
  for await (const batch of inBatches(readWaiting(context, waiting.courses))) {
    if (!hasErrors()) yield settleBatch(context, batch, waiting);
  }
}

async function* inBatches<T extends { course: Course }>(courses: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let characters = 0;
  for await (const each of courses) {
    batch.push(each);
    characters += countCharacters(each.course);
    if (batch.length < MAX_BATCH_COURSES && characters < MAX_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function countCharacters({ chapters }: Course): number {
  let characters = 0;
  for (const { lessons } of chapters) {
    for (const lesson of lessons) characters += lesson.additionalText.length + lesson.quizHtml.length + 200;
  }
  return characters;
}

async function settleBatch(
  context: SettlingContext,
  batch: ReadCourse[],
  waiting: WaitingCourses,
): Promise<SettledCourse[]> {
  const { store, project, scope, links, formerNames } = context;
  await formerNames.check(batch);
  const settled: SettledCourse[] = [];
  const differing: ReadCourse[] = [];
  for (const read of batch) {
    const { key, course, source } = read;
    const mayBeUnchanged = scope.own.has(course.id) && links.knowsTargets(key, course);
    const unchanged = mayBeUnchanged
      ? takeUnchanged(context, course, digestSource(links.fill(key, course)))
      : undefined;
    if (unchanged === undefined) differing.push(read);
    else {
      settled.push(unchanged);
      if (source !== undefined) links.settle(key, course);
    }
  }
  const ids = differing.map(({ course }) => course.id);
  const newest = new Map((await store.listNewestVersions(project, ids)).map((version) => [version.courseId, version]));
  for (const each of differing) {
    const one = await settleCourse(context, each, newest.get(each.course.id), waiting);
    if (one !== undefined) settled.push(one);
  }
  return settled;
}

/** Returns undefined for a deferred course. `newest` is the newest version of the course on any channel. */
async function settleCourse(
  context: SettlingContext,
  { key, course, source, moved }: ReadCourse,
  newest: CourseVersion | undefined,
  waiting: WaitingCourses,
): Promise<SettledCourse | undefined> {
  const { store, scope, links, at } = context;
  const current = scope.own.get(course.id);
  const known = await readHistory(store, current, newest);
  if (source !== undefined) {
    moved = keepLessonIds(course, known[0]?.lessons ?? new Map());
    links.settle(key, course);
    if (!links.knowsTargets(key, course)) {
      waiting.add({ key, course, moved }, source);
      return undefined;
    }
  }
  const filled = links.fill(key, course);
  const digests = digestSource(filled);
  const unchanged = takeUnchanged(context, filled, digests);
  if (unchanged !== undefined) return unchanged;
  scope.own.delete(course.id);
  return {
    course: filled,
    version: newest?.sourceDigest === digests.course ? newest : undefined,
    dated: await dateCourse(store, known, filled, digests, at),
    before: current && known[0],
    moved,
    formerSource: current && scope.findLoser(current),
  };
}

/** Returns undefined for a course that is new or differs from the current release. */
function takeUnchanged({ scope }: SettlingContext, course: Course, digests: SourceDigests): SettledCourse | undefined {
  const version = scope.own.get(course.id);
  if (version?.sourceDigest !== digests.course) return undefined;
  scope.own.delete(course.id);
  return { course, version, dated: undefined, before: undefined, moved: [], formerSource: scope.findLoser(version) };
}

interface WaitingCourse extends Omit<ReadCourse, "course" | "source"> {
  /** Undefined for a course that is read again after the others. */
  course: Course | undefined;
  place: Location;
  readAgain: SourceCourse["readAgain"];
}

class WaitingCourses {
  readonly courses: WaitingCourse[] = [];
  #heldCharacters = 0;

  add({ key, course, moved }: ReadCourse, { readAgain, locate }: SourceCourse): void {
    const characters = countCharacters(course);
    const isHeld = readAgain === undefined || this.#heldCharacters + characters <= MAX_HELD_CHARACTERS;
    if (isHeld) this.#heldCharacters += characters;
    this.courses.push({ key, course: isHeld ? course : undefined, moved, place: locate([]), readAgain });
  }
}

/** Yields the waiting courses. Reports and skips those whose lessons changed since the first read. */
async function* readWaiting(
  { scope, links, report }: SettlingContext,
  waiting: WaitingCourse[],
): AsyncGenerator<ReadCourse> {
  for (const { key, course: held, moved, place, readAgain } of waiting) {
    let hasErrors = false;
    // Report only errors, because the first read already reported the warnings.
    const reportError: Report = (problem) => {
      if (problem.severity !== "error") return;
      hasErrors = true;
      report(problem);
    };
    const again = held === undefined ? await readAgain?.(reportError) : undefined;
    const course = held ?? (again && scope.complete(again.course));
    if (course !== undefined && (held !== undefined || links.keepSettledIds(key, course))) {
      yield { key, course, moved };
      continue;
    }
    if (hasErrors) continue;
    const message = "changed during the import; run the import again";
    report({ severity: "error", kind: "unreadable", ...place, message });
  }
}
