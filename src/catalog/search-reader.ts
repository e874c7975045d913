import type { Bytes } from "./body.ts";
import type { Release } from "./store.ts";

/** A lesson to index or to show in results. `body` contains its document. */
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

/** What a project's search index reads. Iterators read in chunks and skip content that was pruned meanwhile. */
export interface SearchReader {
  /** Lists the unpruned releases: first those that are current on a channel, then the others, newest first. */
  listKeptReleases(project: string): Promise<IndexedRelease[]>;
  findNewestPublication(project: string): Promise<LoggedPublication | undefined>;
  /** Returns false if the store was replaced, or restored to a state before this publication. */
  hasPublication(publication: LoggedPublication): Promise<boolean>;
  /** Returns the versions of a release's published courses, in list order. Throws ContentMissing. */
  readCourseVersions(release: Release): AsyncIterable<number[]>;
  /** Returns the lesson versions of a course version, in order. */
  listLessonVersions(versionId: number): Promise<number[]>;
  readSearchedLessons(lessonVersionIds: readonly number[]): AsyncIterable<SearchedLesson[]>;
  readSearchedCourses(versionIds: readonly number[]): Promise<SearchedCourse[]>;
  /** Returns those of the given ids that exist in the store. */
  filterVersions(table: "course_versions" | "lesson_versions", ids: readonly number[]): Promise<number[]>;
}
