import type { DatedCourse, SourceDigests, SourceRecord } from "../catalog/compile-course.ts";
import type { Course, DerivedDates } from "../catalog/course.ts";
import type { LessonDocument } from "../catalog/documents.ts";
import type { CatalogChanges, CourseVersion, LessonRecord, PublishingReader } from "../catalog/store.ts";

import { toContentKey } from "./lesson-identity.ts";
import type { RemovalCount } from "./removals.ts";

interface KnownVersion {
  version: CourseVersion;
  lessons: Map<string, LessonRecord>;
}

/** What earlier imports know of one course: it gives dates to what has none, and tells what changed. */
export class CourseHistory {
  /** The version in the release that an import compares with. */
  readonly current: KnownVersion | undefined;
  /** Most trusted first: the version in the current release, then the newest of any channel. */
  readonly #known: KnownVersion[];
  readonly #store: PublishingReader;
  /** Lessons that no known version has, but an older one had. */
  #firstSeen = new Map<string, string>();

  private constructor(store: PublishingReader, current: KnownVersion | undefined, known: KnownVersion[]) {
    this.#store = store;
    this.current = current;
    this.#known = known;
  }

  /** Reads what the store knows of a course; `newest` may be the same version as `current`. */
  static async load(
    store: PublishingReader,
    current: CourseVersion | undefined,
    newest: CourseVersion | undefined,
  ): Promise<CourseHistory> {
    const known: KnownVersion[] = [];
    for (const version of [current, newest]) {
      if (version === undefined || known.some((other) => other.version.versionId === version.versionId)) continue;
      known.push({ version, lessons: await store.listLessonRecords(version.versionId) });
    }
    return new CourseHistory(store, current && known[0], known);
  }

  /** The lessons that a course may have ids of: those of the most trusted version. */
  get lessons(): ReadonlyMap<string, LessonRecord> {
    return this.#known[0]?.lessons ?? new Map<string, LessonRecord>();
  }

  /** Keys of the contents of some of these lessons; see `toContentKey`. */
  async readContents(lessonIds: string[]): Promise<Map<string, string>> {
    const version = this.#known[0]?.version;
    if (version === undefined) return new Map();
    const { lessons } = await this.#store.readVersion(version.versionId, lessonIds);
    return new Map([...lessons].map(([id, text]) => [id, toContentKey(JSON.parse(text) as LessonDocument)]));
  }

  /** Must be called before `dateCourse`: looks further back for lessons that the known versions do not have. */
  async prepareDates(course: Course): Promise<void> {
    const isKnown = (lesson: { id: string }): boolean => this.#known.some(({ lessons }) => lessons.has(lesson.id));
    const hasReturned = this.#known.length > 0 && course.chapters.some(({ lessons }) => !lessons.every(isKnown));
    if (hasReturned) this.#firstSeen = await this.#store.listFirstSeen(course.project, course.id);
  }

  /** Gives every part of a course its dates. `at` is the time of this import. */
  dateCourse(course: Course, digests: SourceDigests, at: string): DatedCourse {
    const lessons = course.chapters
      .flatMap((chapter) => chapter.lessons)
      .map((lesson, index) => {
        const content = digests.contents[index] ?? "";
        const written = digests.written[index] ?? { named: undefined, content: undefined };
        return { lesson, written, content, ...this.#toRecord(lesson.id, lesson, digests.lessons[index] ?? "", at) };
      });
    return {
      course,
      sourceDigest: digests.course,
      own: this.#toRecord(undefined, course, digests.own, at),
      lessons,
      assets: [],
    };
  }

  /** The record of a lesson of this id, or of the course's own part for undefined, whose source has this digest. */
  #toRecord(
    lessonId: string | undefined,
    { derivedDates }: DerivedDates,
    sourceDigest: string,
    at: string,
  ): SourceRecord {
    const records: SourceRecord[] = this.#known
      .map(({ version, lessons }) => (lessonId === undefined ? version.own : lessons.get(lessonId)))
      .filter((record) => record !== undefined);
    const firstSeenAt =
      records.map((record) => record.firstSeenAt).sort()[0] ??
      this.#firstSeen.get(lessonId ?? "") ??
      derivedDates?.createdAt ??
      at;
    const same = records.find((record) => record.sourceDigest === sourceDigest);
    return {
      sourceDigest,
      firstSeenAt,
      changedAt: same?.changedAt ?? (records.length === 0 ? derivedDates?.updatedAt : undefined) ?? at,
    };
  }

  /** Adds to `changes` what this course changes against the current release, and to `removals` what it loses. */
  countChanges(course: Course, digests: SourceDigests, changes: CatalogChanges, removals: RemovalCount): void {
    const before = this.current?.lessons ?? new Map<string, LessonRecord>();
    if (this.current === undefined) changes.coursesAdded++;
    else changes.coursesChanged++;
    let kept = 0;
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
    for (const [index, lesson] of lessons.entries()) {
      const record = before.get(lesson.id);
      if (record === undefined) changes.lessonsAdded++;
      else kept++;
      if (record !== undefined && record.sourceDigest !== digests.lessons[index]) changes.lessonsChanged++;
    }
    const loss = { removed: before.size - kept, total: before.size };
    changes.lessonsRemoved += loss.removed;
    if (this.current !== undefined) removals.addLessons(this.current.version.slug, loss);
  }
}
