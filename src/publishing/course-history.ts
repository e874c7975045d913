import {
  digestWritten,
  isRenderedAlike,
  type DatedCourse,
  type SourceDigests,
  type SourceRecord,
} from "../catalog/compile-course.ts";
import type { Course, DerivedDates } from "../catalog/course.ts";
import type { CourseVersion, LessonRecord, PublishingReader } from "../catalog/store.ts";

export interface KnownVersion {
  version: CourseVersion;
  lessons: Map<string, LessonRecord>;
}

/** Reads the current version of a course and, if different, the newest version on any channel. */
export async function readHistory(
  store: PublishingReader,
  current: CourseVersion | undefined,
  newest: CourseVersion | undefined,
): Promise<KnownVersion[]> {
  const known: KnownVersion[] = [];
  for (const version of current?.versionId === newest?.versionId ? [current] : [current, newest]) {
    if (version !== undefined) known.push({ version, lessons: await store.listLessonRecords(version.versionId) });
  }
  return known;
}

/** Dates a course and its lessons. `at` is the time of this import. */
export async function dateCourse(
  store: PublishingReader,
  known: KnownVersion[],
  course: Course,
  digests: SourceDigests,
  at: string,
): Promise<DatedCourse> {
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const isKnown = ({ id }: { id: string }): boolean => known.some((version) => version.lessons.has(id));
  // Lessons that are missing from both versions can exist in older ones.
  const hasReturned = known.length > 0 && !lessons.every(isKnown);
  const firstSeen = hasReturned ? await store.listFirstSeen(course.project, course.id) : undefined;
  const ownRecords = known.map(({ version }) => version.own);
  return {
    course,
    sourceDigest: digests.course,
    own: toRecord(ownRecords, course, digests.own, undefined, at),
    lessons: lessons.map((lesson, index) => {
      const sourceDigest = digests.lessons[index] ?? "";
      const { writtenDigest } = digestWritten(lesson);
      const records = known.flatMap(({ version, lessons: of }) => {
        const record = of.get(lesson.id);
        if (record === undefined) return [];
        // If only Lectern's rendering has changed, the dates stay the same.
        const isSame = writtenDigest !== undefined && record.writtenDigest === writtenDigest;
        return isSame && !isRenderedAlike(version.sourceDigest) ? [{ ...record, sourceDigest }] : [record];
      });
      return { lesson, ...toRecord(records, lesson, sourceDigest, firstSeen?.get(lesson.id), at) };
    }),
  };
}

/** Dates a course or a lesson by its records in the known versions. `firstSeenBefore` comes from older versions. */
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
