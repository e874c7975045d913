import type { Bytes } from "./body.ts";
import type { Release } from "./store.ts";

/** A lesson as it is indexed and found; `body` is that of its document. */
export interface SearchedLesson {
  lessonVersionId: number;
  lessonId: string;
  name: string;
  body: Bytes;
}

export interface SearchedCourse {
  versionId: number;
  courseId: string;
  name: string;
  description: string;
}

export interface LoggedPublication {
  id: number;
  publishedAt: string;
}

export interface IndexedRelease extends Release {
  isCurrent: boolean;
}

/** What an index of the texts of a project reads. Iterated reads come in chunks; what was pruned meanwhile is missing in them. */
export interface SearchReader {
  /** The releases whose content is kept: the current ones of channels first, then the newest. */
  listKeptReleases(project: string): Promise<IndexedRelease[]>;
  findNewestPublication(project: string): Promise<LoggedPublication | undefined>;
  /** False when the store is an earlier state of itself than the one in which the publication was read, or another. */
  hasPublication(publication: LoggedPublication): Promise<boolean>;
  /** The versions of the published courses of a release, in the order of their list. Throws ContentMissing. */
  readCourseVersions(release: Release): AsyncIterable<number[]>;
  /** The lesson versions of a course version, in order. */
  listLessonVersions(versionId: number): Promise<number[]>;
  readSearchedLessons(lessonVersionIds: readonly number[]): AsyncIterable<SearchedLesson[]>;
  readSearchedCourses(versionIds: readonly number[]): Promise<SearchedCourse[]>;
  /** Those of the ids that the store has. */
  filterCourseVersions(ids: readonly number[]): Promise<number[]>;
  filterLessonVersions(ids: readonly number[]): Promise<number[]>;
}
