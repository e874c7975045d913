// What the rest of the program asks of the database. The words: a release is an immutable, numbered snapshot of a
// project's catalog; a publication makes it the current release of a channel; releases share course versions.
import type { CompiledCourse, SourceRecord } from "./compile-course.ts";

export interface ReleaseCounts {
  /** Published courses: what the list of courses holds. */
  courses: number;
  drafts: number;
  /** Of published courses and drafts. */
  lessons: number;
}

/** What an import changed, against the release that was current before. */
export interface CatalogChanges {
  coursesAdded: number;
  coursesChanged: number;
  coursesRemoved: number;
  lessonsAdded: number;
  lessonsChanged: number;
  lessonsRemoved: number;
}

export interface Release extends ReleaseCounts {
  /** Never used again in this database, also after the release was removed: caches may rely on it. */
  id: number;
  project: string;
  /** Counts from 1 in each project. */
  number: number;
}

export interface ReleaseRecord extends Release {
  createdAt: string;
  source: string;
  changes: CatalogChanges;
}

/** An entry of the publication log. The newest of a channel names its current release; undefined when it has none. */
export interface Publication {
  id: number;
  project: string;
  channel: string;
  publishedAt: string;
  release: Release | undefined;
}

/** Rendered JSON text and a digest that changes exactly when the text does. */
export interface StoredDocument {
  text: string;
  digest: string;
}

export interface CoursePage {
  /** Matches in all, this page's and the others'. */
  total: number;
  /** Rendered course summaries, newest course first. */
  summaries: string[];
}

/** Reads of one release. Courses are asked for by id or slug; drafts exist only for who may read them. */
export interface CatalogReader {
  findCourse(release: Release, idOrSlug: string, drafts: boolean): Promise<StoredDocument | undefined>;
  /** A JSON array with the id and name of each lesson, in order; `total` is its length. */
  findLessonList(
    release: Release,
    idOrSlug: string,
    drafts: boolean,
  ): Promise<(StoredDocument & { total: number }) | undefined>;
  /** Tells the two reasons for nothing apart, so that the answer can. */
  findLesson(
    release: Release,
    idOrSlug: string,
    lessonId: string,
    drafts: boolean,
  ): Promise<StoredDocument | "no course" | "no lesson">;
  /** Published courses whose folded name contains `foldedName`; "" is in every name. */
  listCourses(release: Release, foldedName: string, limit: number, offset: number): Promise<CoursePage>;
}

/** How far the store has come: counters that grow with every change. */
export interface Revisions {
  keys: number;
  publications: number;
}

/** What a running server follows. */
export interface ChangeFeed {
  readRevisions(): Promise<Revisions>;
  /** The current publication of every channel that was published on after the publication with this id; 0 for all. */
  publicationsSince(id: number): Promise<Publication[]>;
}

/** A course in a release, as much as an import needs to tell whether it changed. */
export interface CourseVersion {
  versionId: number;
  courseId: string;
  slug: string;
  published: boolean;
  createdAt: string;
  sourceDigest: string;
  own: SourceRecord;
  lessons: number;
}

export interface NewRelease extends ReleaseCounts {
  project: string;
  channel: string;
  at: string;
  source: string;
  changes: CatalogChanges;
  /** In the order of the list of courses, drafts after all others. */
  versionIds: number[];
}

export interface LockHolder {
  pid: number;
  host: string;
  since: string;
  source: string;
}

/** Writes of an import. Only the holder of a project's lock may use them. */
export interface PublishingStore {
  /**
   * Takes the lock under which a project's catalog is written; the database or the system frees it when the process
   * ends in whatever way. `onWait` is called once if another holds it.
   */
  lockProject(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<ProjectLock>;
  findCurrentRelease(project: string, channel: string): Promise<Release | undefined>;
  listVersions(release: Release): Promise<CourseVersion[]>;
  /** The newest version of each of these courses in any release of the project. */
  listNewestVersions(project: string, courseIds: string[]): Promise<CourseVersion[]>;
  /** What imports remember of a version's lessons, by lesson id. */
  listLessonRecords(versionId: number): Promise<Map<string, SourceRecord>>;
  /** When each lesson that any version of a course has was first imported, by lesson id. */
  listFirstSeen(project: string, courseId: string): Promise<Map<string, string>>;
  /**
   * Writes courses aside, in short transactions; no reader sees them. Answers with their version ids, in order.
   */
  writeVersions(project: string, courses: CompiledCourse[]): Promise<number[]>;
  /** Makes a release of versions and publishes it, in one transaction. */
  publishRelease(release: NewRelease): Promise<Release>;
  /** Removes, in short transactions, the course versions of a project that no release refers to. */
  removeUnreferencedVersions(project: string): Promise<void>;
  listReleases(project: string): Promise<ReleaseRecord[]>;
  /** The current release number of each channel of a project. */
  listChannels(project: string): Promise<{ channel: string; number: number }[]>;
}

export interface ProjectLock {
  release(): Promise<void>;
}
