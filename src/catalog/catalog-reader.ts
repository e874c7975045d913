import type { Body } from "./body.ts";
import type { Release } from "./store.ts";

/** Thrown if rows are missing, because their release was pruned meanwhile or the store is damaged. */
export class ContentMissing extends Error {
  constructor(releaseOrVersionId: number) {
    super(`release or course version ${releaseOrVersionId} has fewer rows than recorded`);
  }
}

export interface KeptRelease extends Release {
  /** The id of the release's last publication on the channel. Later publications have higher ids. */
  publicationId: number;
  publishedAt: string;
  draftLessons: number;
}

export interface VersionRef {
  versionId: number;
  slug: string;
  published: boolean;
}

export interface CourseDifference extends VersionRef {
  courseId: string;
  other: VersionRef | undefined;
}

/** A course in a list. `meta` is JSON text, or undefined if the course has none. */
export interface ListedCourse {
  summary: string;
  slug: string;
  meta: string | undefined;
  /** Changes whenever any answer about the course changes. */
  digest: string;
  versionId: number;
  /** Equal for all translations of a course in a release; undefined if it has none, or outside a release. */
  translationGroup: string | undefined;
}

export interface CourseParts extends VersionRef, ListedCourse {
  lessons: number;
  treeDigest: string | undefined;
}

export interface LessonParts extends Body {
  /** JSON text. */
  meta: string;
  versionId: number;
  position: number;
  chapter: number;
  translationKey: string | undefined;
  translationGroup: string | undefined;
}

/** A course in a translation group: the original or a translation. */
export interface TranslatedCourse {
  translationGroup: string;
  versionId: number;
  courseId: string;
  slug: string;
  language: string | undefined;
}

export interface TranslatedLesson {
  versionId: number;
  translationKey: string;
  id: string;
  meta: string;
}

export interface ListedLesson {
  id: string;
  name: string;
  chapter: number;
  digest: string;
  meta: string;
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
  translationKey: string | undefined;
}

export interface ComparedLesson extends Pick<ListedLesson, "id" | "name" | "chapter" | "digest" | "meta"> {
  position: number;
  /** Undefined if the other version lacks the lesson. */
  other: (Pick<ListedLesson, "name" | "chapter" | "digest" | "meta"> & { position: number }) | undefined;
}

export interface Chapter {
  id: string;
  name: string;
}

export interface CourseTraits {
  id: string;
  name: string;
  createdAt: string;
  updatedAt: string;
  meta: string | undefined;
}

/** The positions from `from` to `end - 1`. */
export interface Range {
  from: number;
  end: number;
}

/** Drafts count as absent unless `drafts` is true. Iterators read in chunks and let other work run in between. */
export interface CatalogReader {
  findCourse(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  findLessonList(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  /** Finds a lesson. Distinguishes a missing course from a missing lesson, for the error message. */
  findLesson(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<Body | "no course" | "no lesson">;
  findCourseParts(release: Release, idOrSlug: string, drafts: boolean): Promise<CourseParts | undefined>;
  findLessonParts(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<LessonParts | "no course" | "no lesson">;
  /** Finds the course that last had a slug on the channel; unless `drafts` is true, ignores drafts. */
  findFormerSlug(
    release: Release,
    channel: string,
    slug: string,
    drafts: boolean,
  ): Promise<{ courseId: string; slug: string } | undefined>;
  /** Finds a release published after the channel's last deletion. Returns "pruned" if its content is gone. */
  findPublishedRelease(project: string, channel: string, number: number): Promise<Release | "pruned" | undefined>;
  /** Returns, in any order, the unpruned releases that were published after the channel's last deletion. */
  readKeptReleases(project: string, channel: string): AsyncIterable<KeptRelease[]>;

  readCourses(release: Release, range: Range): AsyncIterable<ListedCourse[]>;
  /** Returns the courses at these list positions, in the given order. */
  pickCourses(release: Release, positions: readonly number[]): AsyncIterable<ListedCourse[]>;
  /** Returns the traits of the published courses, in list order. */
  readTraits(release: Release): AsyncIterable<CourseTraits[]>;
  /** Finds, in any order and without duplicates, the list positions of published courses by ids or slugs. */
  findPositions(release: Release, idsOrSlugs: string[]): Promise<{ position: number; id: string; slug: string }[]>;

  /** Lists, in any order, a release's published courses in these translation groups: at most 100 per group. */
  listTranslations(release: Release, groups: readonly string[]): Promise<TranslatedCourse[]>;
  /** Lists, in any order, the lessons with these translation keys in these course versions. */
  listTranslatedLessons(versionIds: readonly number[], keys: readonly string[]): Promise<TranslatedLesson[]>;

  readLessons(versionId: number, range: Range): AsyncIterable<ListedLesson[]>;
  /** Returns lessons with their bodies, each of which can be several megabytes long. */
  readLessonBodies(versionId: number, range: Range): AsyncIterable<(ListedLesson & { body: Body["bytes"] })[]>;
  readChapters(versionId: number): AsyncIterable<Chapter[]>;
  findChapter(versionId: number, number: number): Promise<Chapter | undefined>;

  /** Returns the courses that differ between two releases, in list order. */
  readDifference(one: Release, other: Release, drafts: boolean): AsyncIterable<CourseDifference[]>;
  compareLessons(versionId: number, otherId: number): AsyncIterable<ComparedLesson[]>;
  findVersion(versionId: number): Promise<CourseParts | undefined>;
  /** Finds a version's tree. Returns undefined if the tree matches the chapters. */
  findTree(versionId: number): Promise<Body | undefined>;
}
