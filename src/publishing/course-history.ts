import {
  digestFormerOwn,
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

/** Reads two versions of a course, the most trusted first; they may be the same one. */
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

/** Gives every part of a course its dates. `at` is the time of this import. */
export async function dateCourse(
  store: PublishingReader,
  known: KnownVersion[],
  course: Course,
  digests: SourceDigests,
  at: string,
): Promise<DatedCourse> {
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const isKnown = ({ id }: { id: string }): boolean => known.some((version) => version.lessons.has(id));
  // Lessons that no known version has may have been in an older one.
  const hasReturned = known.length > 0 && !lessons.every(isKnown);
  const firstSeen = hasReturned ? await store.listFirstSeen(course.project, course.id) : undefined;
  const ownRecords = known.map(({ version }) => version.own);
  const ownBefore = (isReadAnew(known, course, digests) && digestFormerOwn(course)) || digests.own;
  return {
    course,
    sourceDigest: digests.course,
    own: { ...toRecord(ownRecords, course, ownBefore, undefined, at), sourceDigest: digests.own },
    lessons: lessons.map((lesson, index) => {
      const sourceDigest = digests.lessons[index] ?? "";
      const { writtenDigest } = digestWritten(lesson);
      const records = known.flatMap(({ version, lessons: of }) => {
        const record = of.get(lesson.id);
        if (record === undefined) return [];
        // What Lectern alone has changed moves no date. Before, lessons with ids of their own had no digest of what was written.
        const isSame = (record.writtenDigest ?? writtenDigest) === writtenDigest;
        const isAsWritten = isSame && !isRenderedAlike(version.sourceDigest);
        return isAsWritten && writtenDigest !== undefined ? [{ ...record, sourceDigest }] : [record];
      });
      return { lesson, ...toRecord(records, lesson, sourceDigest, firstSeen?.get(lesson.id), at) };
    }),
  };
}

/** True for a course that is another only because an earlier version of Lectern read it in another way. */
export function isReadAnew(known: KnownVersion[], course: Course, { own }: SourceDigests): boolean {
  const before = digestFormerOwn(course);
  const digests = known.map(({ version }) => version.own.sourceDigest);
  return before !== undefined && digests.includes(before) && !digests.includes(own);
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
