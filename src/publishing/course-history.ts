import type { DatedCourse, SourceDigests, SourceRecord } from "../catalog/compile-course.ts";
import type { Course, DerivedDates } from "../catalog/course.ts";
import type { CourseVersion, LessonRecord, PublishingReader } from "../catalog/store.ts";

export interface KnownVersion {
  version: CourseVersion;
  lessons: Map<string, LessonRecord>;
}

/** What earlier imports know of one course: it gives dates to what has none. */
export class CourseHistory {
  /** Most trusted first: the version in the current release, then the newest of any channel. */
  readonly #known: KnownVersion[] = [];
  readonly #store: PublishingReader;

  private constructor(store: PublishingReader) {
    this.#store = store;
  }

  /** Reads what the store has of a course; `newest` may be the same version as `current`. */
  static async load(
    store: PublishingReader,
    current: CourseVersion | undefined,
    newest: CourseVersion | undefined,
  ): Promise<CourseHistory> {
    const history = new CourseHistory(store);
    const versions = current?.versionId === newest?.versionId ? [current] : [current, newest];
    for (const version of versions) {
      if (version === undefined) continue;
      history.#known.push({ version, lessons: await store.listLessonRecords(version.versionId) });
    }
    return history;
  }

  /** The most trusted version: lessons may have ids of it. */
  get newest(): KnownVersion | undefined {
    return this.#known[0];
  }

  /** Gives every part of a course its dates. `at` is the time of this import. */
  async dateCourse(course: Course, digests: SourceDigests, at: string): Promise<DatedCourse> {
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
    const isKnown = ({ id }: { id: string }): boolean => this.#known.some((version) => version.lessons.has(id));
    // Lessons that no known version has may have been in an older one.
    const hasReturned = this.#known.length > 0 && !lessons.every(isKnown);
    const firstSeen = hasReturned ? await this.#store.listFirstSeen(course.project, course.id) : undefined;
    const ownRecords = this.#known.map(({ version }) => version.own);
    return {
      course,
      sourceDigest: digests.course,
      own: toRecord(ownRecords, course, digests.own, undefined, at),
      lessons: lessons.map((lesson, index) => {
        const records = this.#known.flatMap((version) => version.lessons.get(lesson.id) ?? []);
        return { lesson, ...toRecord(records, lesson, digests.lessons[index] ?? "", firstSeen?.get(lesson.id), at) };
      }),
    };
  }
}

/** `records` are those of the same item in known versions, `firstSeenBefore` is from older ones. */
function toRecord(
  records: SourceRecord[],
  { derivedDates }: DerivedDates,
  sourceDigest: string,
  firstSeenBefore: string | undefined,
  at: string,
): SourceRecord {
  const [firstSeen] = records.map((record) => record.firstSeenAt).sort();
  const same = records.find((record) => record.sourceDigest === sourceDigest);
  const derivedChange = records.length === 0 ? derivedDates?.updatedAt : undefined;
  return {
    sourceDigest,
    firstSeenAt: firstSeen ?? firstSeenBefore ?? derivedDates?.createdAt ?? at,
    changedAt: same?.changedAt ?? derivedChange ?? at,
  };
}
