// What a server asks of the database to answer requests.
import type { Body } from "./body.ts";
import type { Release } from "./store.ts";

/**
 * Rows are not there that a release counts: it was pruned while it was read, or the store is damaged. Nothing that was read so far
 * may be answered.
 */
export class ContentMissing extends Error {
  /** `id` is that of the release or the course version. */
  constructor(id: number) {
    super(`release or course version ${id} has fewer rows than it counts`);
  }
}

/** A release that a channel has published, and that is kept. */
export interface KeptRelease extends Release {
  /** The last publication of it on the channel: later ones have higher numbers. */
  publicationId: number;
  /** When the channel has last published it. */
  publishedAt: string;
  /** Those of its lessons that belong to drafts. */
  draftLessons: number;
}

/** What a release has of a course. */
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

/** A course version as it is answered where `include` asks for more than the course document. */
export interface CourseParts extends VersionRef {
  /** Rendered. */
  summary: string;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  /** The digest of all that is answered of the course. */
  digest: string;
  lessons: number;
}

/** A lesson, with where it stands in its course. */
export interface LessonParts extends Body {
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  versionId: number;
  position: number;
  /** Counts the chapters of the course from 0. */
  chapter: number;
}

/** An element of a list of lessons. */
export interface ListedLesson {
  id: string;
  name: string;
  chapter: number;
  /** Changes when any row of the lesson does. */
  lessonVersionId: number;
  /** Of its document. */
  digest: string;
  /** JSON text; undefined where the author gave none. */
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

/** What the list of courses tells of a course beside its summary. */
export interface ListedCourse {
  /** Rendered. */
  summary: string;
  slug: string;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  /** The digest of all that is answered of the course. */
  digest: string;
}

/** What filters and orders need of a course. */
export interface CourseTraits {
  id: string;
  /** Folded. */
  name: string;
  createdAt: string;
  updatedAt: string;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
}

/** Where a part of a list begins and ends: `from` to `end - 1`. */
export interface Range {
  from: number;
  end: number;
}

/**
 * Reads of one release. Courses are found by id or slug. Without `drafts` a draft counts as absent. What is read in chunks gives
 * other requests their turn between two of them.
 */
export interface CatalogReader {
  findCourse(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  /** The list of all lessons of a course. */
  findLessonList(release: Release, idOrSlug: string, drafts: boolean): Promise<Body | undefined>;
  /** Distinguishes a missing course from a missing lesson, for the message of the error. */
  findLesson(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<Body | "no course" | "no lesson">;
  findCourseParts(release: Release, idOrSlug: string, drafts: boolean): Promise<CourseParts | undefined>;
  /** As `findLesson`. */
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
  /** The kept releases that a channel has published since it was last deleted, in no order, in chunks. */
  readKeptReleases(project: string, channel: string): AsyncIterable<KeptRelease[]>;

  /** A part of the list of courses, in order, in chunks. */
  readCourses(release: Release, range: Range): AsyncIterable<ListedCourse[]>;
  /** The courses at these positions of the list, in the order given, in chunks. */
  pickCourses(release: Release, positions: readonly number[]): AsyncIterable<ListedCourse[]>;
  /** What filters and orders need of the list of courses, in order, in chunks. */
  readTraits(release: Release): AsyncIterable<CourseTraits[]>;
  /** Where the published courses with these ids or slugs stand in the list, each once, in no order. */
  findPositions(release: Release, idsOrSlugs: string[]): Promise<{ position: number; id: string; slug: string }[]>;

  /** A part of the lessons of a course version, in order, in chunks. */
  readLessons(versionId: number, range: Range): AsyncIterable<ListedLesson[]>;
  /** The same with their bodies, which may be megabytes each. */
  readLessonBodies(versionId: number, range: Range): AsyncIterable<(ListedLesson & { body: Body["bytes"] })[]>;
  /** The chapters of a course version, in order. */
  listChapters(versionId: number): Promise<Chapter[]>;
  /** Undefined when the version has no such chapter. */
  findChapter(versionId: number, number: number): Promise<Chapter | undefined>;

  /**
   * The courses of one release that are not the same in another, in the order of the list of courses, in chunks. Without
   * `drafts` a draft of either counts as absent.
   */
  readDifference(one: Release, other: Release, drafts: boolean): AsyncIterable<CourseDifference[]>;
  /** The lessons of a course version, in order, beside those of another, in chunks. */
  compareLessons(versionId: number, otherId: number): AsyncIterable<ComparedLesson[]>;
  /** The ids of the lessons of a course version that another version has not, in order, in chunks. */
  readMissingLessons(versionId: number, otherId: number): AsyncIterable<string[]>;
  findVersion(versionId: number): Promise<CourseParts | undefined>;
}
