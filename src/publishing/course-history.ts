import type { ImportDates, SourceDigests, SourceRecord } from "../catalog/compile-course.ts";
import type { Course } from "../catalog/course.ts";
import type { CatalogChanges, CourseVersion, PublishingStore } from "../catalog/store.ts";

interface KnownVersion {
  version: CourseVersion;
  lessons: Map<string, SourceRecord>;
}

/** What earlier imports know of one course: it gives dates to what has none, and tells what changed. */
export class CourseHistory {
  readonly #current: KnownVersion | undefined;
  /** Most trusted first: the version in the current release, then the newest of any channel. */
  readonly #known: KnownVersion[];
  /** Lessons that neither has, but an older version had. */
  readonly #firstSeen: Map<string, string>;

  private constructor(current: KnownVersion | undefined, known: KnownVersion[], firstSeen: Map<string, string>) {
    this.#current = current;
    this.#known = known;
    this.#firstSeen = firstSeen;
  }

  static async load(
    store: PublishingStore,
    project: string,
    course: Course,
    current: CourseVersion | undefined,
    newest: CourseVersion | undefined,
  ): Promise<CourseHistory> {
    const known: KnownVersion[] = [];
    for (const version of [current, newest]) {
      if (version === undefined || known.some((other) => other.version.versionId === version.versionId)) continue;
      known.push({ version, lessons: await store.listLessonRecords(version.versionId) });
    }
    const isKnown = (lesson: { id: string }): boolean => known.some(({ lessons }) => lessons.has(lesson.id));
    const returned = known.length > 0 && course.chapters.some(({ lessons }) => !lessons.every(isKnown));
    const firstSeen = returned ? await store.listFirstSeen(project, course.id) : new Map<string, string>();
    return new CourseHistory(current && known[0], known, firstSeen);
  }

  /** The dates of a lesson of this id, or of the course's own part for undefined, whose source has this digest. */
  datesOf(lessonId: string | undefined, sourceDigest: string, at: string): ImportDates {
    const records = this.#known
      .map(({ version, lessons }) => (lessonId === undefined ? version.own : lessons.get(lessonId)))
      .filter((record) => record !== undefined);
    const firstSeenAt =
      records.map((record) => record.firstSeenAt).sort()[0] ?? this.#firstSeen.get(lessonId ?? "") ?? at;
    const same = records.find((record) => record.sourceDigest === sourceDigest);
    return { firstSeenAt, changedAt: same?.changedAt ?? at };
  }

  /** Adds to `changes` what this course changes against the current release. */
  countChanges(course: Course, digests: SourceDigests, changes: CatalogChanges): void {
    const before = this.#current?.lessons ?? new Map<string, SourceRecord>();
    if (this.#current === undefined) changes.coursesAdded++;
    else changes.coursesChanged++;
    let kept = 0;
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
    for (const [index, lesson] of lessons.entries()) {
      const record = before.get(lesson.id);
      if (record === undefined) changes.lessonsAdded++;
      else kept++;
      if (record !== undefined && record.sourceDigest !== digests.lessons[index]) changes.lessonsChanged++;
    }
    changes.lessonsRemoved += before.size - kept;
  }
}
