import type { AssetReference, CompiledCourse, SourceRecord, WrittenDigests } from "./compile-course.ts";

/** The channel that keys read by default. Other channels are previews. */
export const LIVE_CHANNEL = "live";

export interface ReleaseCounts {
  courses: number;
  drafts: number;
  lessons: number;
}

/** What an import changed since the previously current release. */
export interface CatalogChanges {
  coursesAdded: number;
  coursesChanged: number;
  coursesRemoved: number;
  lessonsAdded: number;
  lessonsChanged: number;
  lessonsRemoved: number;
}

export interface Release extends ReleaseCounts {
  /** Never reused, even after the release is deleted: caches depend on unique ids. */
  id: number;
  project: string;
  number: number;
}

export interface SourceCounts extends ReleaseCounts {
  name: string;
}

export interface ReleaseSource extends SourceCounts {
  /** What the last import of the source read, such as `folder courses`. */
  label: string;
  changedAt: string;
}

export interface ReleaseRecord extends Release {
  createdAt: string;
  source: string;
  sourceName: string | undefined;
  changes: CatalogChanges;
  prunedAt: string | undefined;
}

export interface Publication {
  project: string;
  channel: string;
  publishedAt: string;
  release: Release | undefined;
}

export type PublicationAction = "import" | "remove" | "publish" | "rollback" | "delete";

export interface PublicationRecord {
  id: number;
  channel: string;
  action: PublicationAction;
  publishedAt: string;
  release: ReleaseRecord | undefined;
}

/** The identity of a store, and counters that grow with every change. */
export interface Revisions {
  /** Changes if the store is replaced or restored to an earlier state: discard everything that was read before. */
  identity: string;
  /** False if the database role is not allowed to read the whole identity. */
  isIdentityWhole: boolean;
  keys: number;
  publications: number;
}

export interface ChangeFeed {
  readRevisions(): Promise<Revisions>;
  /** Returns the publications after this id, oldest first; for 0, the current one of every channel. */
  publicationsSince(id: number): Promise<Publication[]>;
  /** Closes all connections, which makes pending statements fail. The next statement reconnects. */
  reconnect(): void;
}

export interface CourseVersion {
  versionId: number;
  courseId: string;
  slug: string;
  published: boolean;
  createdAt: string;
  sourceDigest: string;
  own: SourceRecord;
  lessons: number;
  /** The named source of the course in a release; undefined if the course has none, or outside a release. */
  source: string | undefined;
  sourcePath: string | undefined;
  /** The format of the course's source; undefined for Lectern's own format and for sources without files. */
  format: string | undefined;
  translationOf: string | undefined;
}

export interface NewPublication {
  channel: string;
  action: PublicationAction;
  at: string;
}

export interface NewRelease extends ReleaseCounts {
  source: string;
  sourceName: string | undefined;
  changes: CatalogChanges;
  /** The versions in list order, drafts last. */
  versions: Pick<CourseVersion, "versionId" | "courseId" | "source" | "translationOf">[];
  sources: ReleaseSource[];
}

export interface LessonRecord extends SourceRecord, WrittenDigests {
  sourcePath: string | undefined;
}

export interface LockHolder {
  pid: number;
  host: string;
  since: string;
  /** What the holder does, such as `import of folder courses`. */
  task: string;
}

/** A course version as JSON texts; `meta` is undefined if the course has none. */
export interface RenderedVersion {
  course: string;
  meta: string | undefined;
  tree: string | undefined;
  lessons: Map<string, { document: string; meta: string; translationKey: string | undefined }>;
}

export interface PublishingReader {
  /** Returns undefined for a deleted channel, or one that never had a publication. */
  findCurrentRelease(project: string, channel: string): Promise<Release | undefined>;
  listVersions(release: Release): Promise<CourseVersion[]>;
  listSources(release: Release): Promise<ReleaseSource[]>;
  /** Returns the newest version of each of these courses among all releases of the project. */
  listNewestVersions(project: string, courseIds: string[]): Promise<CourseVersion[]>;
  listLessonRecords(versionId: number): Promise<Map<string, LessonRecord>>;
  /** Returns a rendered course version with the requested lessons, keyed by lesson id. Throws BodyDamaged. */
  readVersion(versionId: number, lessonIds: string[]): Promise<RenderedVersion>;
  listVersionAssets(versionId: number): Promise<AssetReference[]>;
  /** Returns, by slug, the id of the course that last had each of these former slugs on the channel. */
  findFormerOwners(project: string, channel: string, slugs: string[]): Promise<Map<string, string>>;
  /** Returns, by lesson id, the time of the first import of each lesson in any version of a course. */
  listFirstSeen(project: string, courseId: string): Promise<Map<string, string>>;
  findRelease(project: string, number: number): Promise<ReleaseRecord | undefined>;
  listProjects(): Promise<string[]>;
  /** Returns a project's whole publication log, oldest first. */
  listPublications(project: string): Promise<PublicationRecord[]>;
}

export interface PublishingStore extends PublishingReader {
  /**
   * Acquires a project's write lock, which the database or the operating system frees when the process ends. Removes
   * leftovers of interrupted imports. Calls `onWait` once if another process holds the lock, and throws if `onWait`
   * does.
   */
  lockProject(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<LockedProject>;
}

/** A project's write lock and the writes that it guards. Methods throw once the lock is freed or lost. */
export interface LockedProject {
  /** Writes courses, which readers cannot see yet, in short transactions. Returns their version ids, in order. */
  writeVersions(courses: CompiledCourse[]): Promise<number[]>;
  createRelease(release: NewRelease, publication: NewPublication): Promise<Release>;
  /** Makes an existing release current on a channel. Without a release, deletes the channel. */
  publishRelease(release: Release | undefined, publication: NewPublication): Promise<void>;
  /** Deletes, in short transactions, the project's course versions that no release refers to. */
  removeUnreferencedVersions(): Promise<void>;
  /** Marks releases as pruned and deletes the content that only they refer to. Finishes interrupted prunes. */
  pruneReleases(releases: Release[], at: string): Promise<void>;
  unlock(): Promise<void>;
}

/** A source that `lectern follow` could not read or publish. */
export interface FollowFailure {
  project: string;
  channel: string;
  /** Undefined if the source is the whole catalog. */
  sourceName: string | undefined;
  /** The source without user name, password and query. */
  source: string;
  failingSince: string;
  fault: string;
}

/** Records failures of followed sources, for `lectern status` and `/metrics`. */
export interface FollowFailures {
  recordFailure(failure: FollowFailure): Promise<void>;
  clearFailure(project: string, channel: string, sourceName: string | undefined): Promise<void>;
}
