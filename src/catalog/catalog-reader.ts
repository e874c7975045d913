// What a server asks of the database to answer requests.
import type { Body } from "./body.ts";
import type { Release } from "./store.ts";

/**
 * Rows are missing that a release counts: it was pruned while it was read, or the store is damaged. Nothing that was read so far
 * may be answered.
 */
export class ContentMissing extends Error {
  constructor(releaseOrVersionId: number) {
    super(`release or course version ${releaseOrVersionId} has fewer rows than it counts`);
  }
}

export interface KeptRelease extends Release {
  /** Of its last publication on the channel: later ones have higher numbers. */
  publicationId: number;
  publishedAt: string;
  /** Those of its lessons that belong to drafts. */
  draftLessons: number;
}

export interface VersionRef {
  versionId: number;
  slug: string;
  published: boolean;
}

/** A course that two releases do not have in common. */
export interface CourseDifference extends VersionRef {
  courseId: string;
  /** What the other release has; undefined where it has no such course. */
  other: VersionRef | undefined;
}

/** What the list of courses shows. `meta` is JSON text, here and below; undefined where the author gave none. */
export interface ListedCourse {
  /** JSON text. */
  summary: string;
  slug: string;
  meta: string | undefined;
  /** Changes when anything does that is answered of the course. */
  digest: string;
}

/** A course version as it is answered where `include` asks for more than the course document. */
export interface CourseParts extends VersionRef, ListedCourse {
  lessons: number;
}

/** A lesson, with where it stands in its course. */
export interface LessonParts extends Body {
  meta: string | undefined;
  versionId: number;
  position: number;
  /** Counts the chapters of the course from 0. */
  chapter: number;
}

export interface ListedLesson {
  id: string;
  name: string;
  chapter: number;
  /** Changes when any row of the lesson does. */
  lessonVersionId: number;
  /** Of its document. */
  digest: string;
  meta: string | undefined;
  updatedAt: string;
  hasVideo: boolean;
  hasQuiz: boolean;
}

/** A lesson that one course version has, beside what another version has of it. */
export interface ComparedLesson extends Pick<ListedLesson, "id" | "name" | "chapter" | "digest" | "meta"> {
  position: number;
  /** Undefined where the other version has no such lesson. */
  other: (Pick<ListedLesson, "name" | "chapter" | "digest" | "meta"> & { position: number }) | undefined;
}

export interface Chapter {
  id: string;
  name: string;
}

/** What filters and orders need of a course. */
export interface CourseTraits {
  id: string;
  /** Folded. */
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

/**
 * Reads of one release. Courses are found by id or slug. Without `drafts` a draft counts as absent. What is iterated comes
 * in chunks, between which other requests have their turn.
 */
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
  /**
   * The course of this release that had a slug in any release published on the channel: the last owner of the slug, without
   * `drafts` the last one that is published. Undefined when there is none. `slug` is the current slug of the course.
   */
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

  /** In order. */
  readCourses(release: Release, range: Range): AsyncIterable<ListedCourse[]>;
  /** The courses at these positions of the list, in the order given. */
  pickCourses(release: Release, positions: readonly number[]): AsyncIterable<ListedCourse[]>;
  /** Of the published courses, in the order of their list. */
  readTraits(release: Release): AsyncIterable<CourseTraits[]>;
  /** Where the published courses with these ids or slugs stand in the list, each once, in no order. */
  findPositions(release: Release, idsOrSlugs: string[]): Promise<{ position: number; id: string; slug: string }[]>;

  /** In order. */
  readLessons(versionId: number, range: Range): AsyncIterable<ListedLesson[]>;
  /** The same with their bodies, which may be megabytes each. */
  readLessonBodies(versionId: number, range: Range): AsyncIterable<(ListedLesson & { body: Body["bytes"] })[]>;
  /** In order. */
  listChapters(versionId: number): Promise<Chapter[]>;
  /** Undefined when the version has no such chapter. */
  findChapter(versionId: number, number: number): Promise<Chapter | undefined>;

  /**
   * The courses of one release that are not the same in another, in the order of the list of courses. Without `drafts` a
   * draft of either counts as absent.
   */
  readDifference(one: Release, other: Release, drafts: boolean): AsyncIterable<CourseDifference[]>;
  /** The lessons of a course version, in order, beside those of another. */
  compareLessons(versionId: number, otherId: number): AsyncIterable<ComparedLesson[]>;
  /** The ids of the lessons of a course version that another version has not, in order. */
  readMissingLessons(versionId: number, otherId: number): AsyncIterable<string[]>;
  findVersion(versionId: number): Promise<CourseParts | undefined>;
}
