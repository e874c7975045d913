import type { Body } from "./body.ts";
import type { Release } from "./store.ts";

/** Rows that a release counts are missing: it was pruned meanwhile, or the store is damaged. */
export class ContentMissing extends Error {
  constructor(releaseOrVersionId: number) {
    super(`release or course version ${releaseOrVersionId} has fewer rows than it counts`);
  }
}

export interface KeptRelease extends Release {
  /** Of its last publication on the channel: later ones have higher numbers. */
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
  /** What the other release has; undefined where it has no such course. */
  other: VersionRef | undefined;
}

/** What the list of courses shows. `meta` is JSON text; undefined where the author gave none. */
export interface ListedCourse {
  summary: string;
  slug: string;
  meta: string | undefined;
  /** Changes when anything does that is answered of the course. */
  digest: string;
  versionId: number;
  /** What it has in common with its translations in the release; undefined where there are none, and where no release was asked. */
  translationGroup: string | undefined;
}

export interface CourseParts extends VersionRef, ListedCourse {
  lessons: number;
  /** Undefined where the tree is that of the chapters. */
  treeDigest: string | undefined;
}

export interface LessonParts extends Body {
  /** JSON text, here and below. */
  meta: string;
  versionId: number;
  position: number;
  /** Counts the chapters of the course from 0. */
  chapter: number;
  translationKey: string | undefined;
  /** Of its course. */
  translationGroup: string | undefined;
}

/** A published course of a group: an original or a translation. */
export interface TranslatedCourse {
  translationGroup: string;
  versionId: number;
  courseId: string;
  slug: string;
  /** Undefined where nobody says. */
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
  /** Of its document. */
  digest: string;
  meta: string;
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
  translationKey: string | undefined;
}

export interface ComparedLesson extends Pick<ListedLesson, "id" | "name" | "chapter" | "digest" | "meta"> {
  position: number;
  /** Undefined where the other version has no such lesson. */
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

/** `from` to `end - 1`. */
export interface Range {
  from: number;
  end: number;
}

/** Without `drafts` a draft counts as absent. Iterated reads come in chunks and yield between them. */
export interface CatalogReader {
  findCourse(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  findLessonList(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  /** Distinguishes a missing course from a missing lesson, for the message of the error. */
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
  /** The last owner of a slug on the channel; without `drafts` the last published one. */
  findFormerSlug(
    release: Release,
    channel: string,
    slug: string,
    drafts: boolean,
  ): Promise<{ courseId: string; slug: string } | undefined>;
  /** A release that a channel has published since it was last deleted; "pruned" when its content was deleted. */
  findPublishedRelease(project: string, channel: string, number: number): Promise<Release | "pruned" | undefined>;
  /** The kept releases that a channel has published since it was last deleted, in no order. */
  readKeptReleases(project: string, channel: string): AsyncIterable<KeptRelease[]>;

  readCourses(release: Release, range: Range): AsyncIterable<ListedCourse[]>;
  /** The courses at these positions of the list, in the order given. */
  pickCourses(release: Release, positions: readonly number[]): AsyncIterable<ListedCourse[]>;
  /** Of the published courses, in the order of their list. */
  readTraits(release: Release): AsyncIterable<CourseTraits[]>;
  /** Where the published courses with these ids or slugs stand in the list, each once, in no order. */
  findPositions(release: Release, idsOrSlugs: string[]): Promise<{ position: number; id: string; slug: string }[]>;

  /** The published courses of some groups of a release, in no order: at most 100 of each. */
  listTranslations(release: Release, groups: readonly string[]): Promise<TranslatedCourse[]>;
  /** The lessons of some versions that have one of these keys, in no order. */
  listTranslatedLessons(versionIds: readonly number[], keys: readonly string[]): Promise<TranslatedLesson[]>;

  readLessons(versionId: number, range: Range): AsyncIterable<ListedLesson[]>;
  /** The same with their bodies, which may be megabytes each. */
  readLessonBodies(versionId: number, range: Range): AsyncIterable<(ListedLesson & { body: Body["bytes"] })[]>;
  listChapters(versionId: number): Promise<Chapter[]>;
  /** A course may have tens of thousands. */
  findChapter(versionId: number, number: number): Promise<Chapter | undefined>;

  /** The courses of one release that differ in another, in list order. Without `drafts` drafts count as absent. */
  readDifference(one: Release, other: Release, drafts: boolean): AsyncIterable<CourseDifference[]>;
  compareLessons(versionId: number, otherId: number): AsyncIterable<ComparedLesson[]>;
  findVersion(versionId: number): Promise<CourseParts | undefined>;
  /** The tree of a course version; undefined where it is that of the chapters. */
  findTree(versionId: number): Promise<Body | undefined>;
}
