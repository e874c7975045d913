// What a server asks of the database to answer requests.
import type { Release } from "./store.ts";
import type { Bytes, StoredDocument } from "./stored-document.ts";

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
  /** How many it has. */
  lessons: number;
}

/** A course that two releases do not have in common. */
export interface CourseDifference extends VersionRef {
  courseId: string;
  /** What the other release has; undefined where it has no such course. */
  other: VersionRef | undefined;
}

/** What a version has of its course. */
export interface VersionParts extends StoredDocument {
  /** The version whose lessons it has, but for its own; undefined where all are its own. */
  baseId: number | undefined;
  lessons: number;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
}

/** A course with what is answered of it only where it is asked for. */
export interface CourseParts extends VersionParts, VersionRef {
  /** The digest of all that is answered of it; undefined where it was stored without. */
  contentDigest: string | undefined;
}

/** A lesson with what is answered of it only where it is asked for. */
export interface LessonParts extends StoredDocument {
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
}

/** An element of the list of courses. */
export interface ListedCourse {
  /** Rendered. */
  summary: string;
  slug: string;
  /** JSON text; undefined where the author gave none. */
  meta: string | undefined;
  versionId: number;
  /** The digest of all that is answered of it; undefined where it was stored without. */
  contentDigest: string | undefined;
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

/** Reads of one release. Courses are found by id or slug. Without `drafts` a draft counts as absent. */
export interface CatalogReader {
  findCourse(release: Release, idOrSlug: string, drafts: boolean): Promise<StoredDocument | undefined>;
  /** The id and name of each lesson, in order; `total` is how many. To be read with `decodeLessonList`. */
  findLessonList(
    release: Release,
    idOrSlug: string,
    drafts: boolean,
  ): Promise<(StoredDocument & { total: number }) | undefined>;
  findVersion(release: Release, idOrSlug: string, drafts: boolean): Promise<VersionRef | undefined>;
  /** Distinguishes a missing course from a missing lesson, for the message of the error. */
  findLesson(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<StoredDocument | "no course" | "no lesson">;
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
  /** The rendered summaries at positions `from` to `end - 1` of the list of courses, in order, in chunks. */
  readSummaries(release: Release, from: number, end: number): AsyncIterable<string[]>;
  /** The rendered summaries at these positions, in the order given, in chunks. */
  pickSummaries(release: Release, positions: number[]): AsyncIterable<string[]>;
  /** The folded names of the list of courses, in order, in chunks. */
  readNames(release: Release): AsyncIterable<string[]>;
  /** The kept releases that a channel has published since it was last deleted, in no order, in chunks. */
  readKeptReleases(project: string, channel: string): AsyncIterable<KeptRelease[]>;
  /**
   * The courses of one release that are not the same in another, in the order of the list of courses, in chunks. Without
   * `drafts` a draft of either counts as absent.
   */
  readDifference(one: Release, other: Release, drafts: boolean): AsyncIterable<CourseDifference[]>;
  /** Throws when there is no such version. */
  readCourse(versionId: number): Promise<VersionParts>;
  findCourseParts(release: Release, idOrSlug: string, drafts: boolean): Promise<CourseParts | undefined>;
  /** Distinguishes a missing course from a missing lesson, for the message of the error. */
  findLessonParts(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<LessonParts | "no course" | "no lesson">;
  /** The list of courses at positions `from` to `end - 1`, in order, in chunks. */
  readListed(release: Release, from: number, end: number): AsyncIterable<ListedCourse[]>;
  /** The courses at these positions of the list, in the order given, in chunks. */
  pickListed(release: Release, positions: number[]): AsyncIterable<ListedCourse[]>;
  /** What filters and orders need of the list of courses, in order, in chunks. */
  readTraits(release: Release): AsyncIterable<CourseTraits[]>;
  /** Where the published courses with these ids or slugs stand in the list, each once, in no order. */
  findPositions(release: Release, idsOrSlugs: string[]): Promise<{ position: number; id: string; slug: string }[]>;
  /** Lessons of a course, in the order of the ids, in chunks. Throws when one is not there. */
  readLessons(course: Pick<CourseParts, "versionId" | "baseId">, lessonIds: string[]): AsyncIterable<LessonParts[]>;
  /** What `formatContents` gives of the lessons of a version, in gzip; undefined where it was stored without. */
  readContents(versionId: number): Promise<Bytes | undefined>;
}
