import type { AssetReference, CompiledCourse, SourceRecord, WrittenDigests } from "./compile-course.ts";

/** The channel that ordinary keys read. Others are previews. */
export const LIVE_CHANNEL = "live";

export interface ReleaseCounts {
  courses: number;
  drafts: number;
  /** Of drafts, too. */
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

export interface SourceCounts extends ReleaseCounts {
  name: string;
}

export interface ReleaseSource extends SourceCounts {
  /** What its last import has read, such as `folder courses`. */
  label: string;
  changedAt: string;
}

export interface ReleaseRecord extends Release {
  createdAt: string;
  source: string;
  /** Undefined where the import was the whole catalog. */
  sourceName: string | undefined;
  changes: CatalogChanges;
  /** When it was pruned; undefined while its content can be read. */
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
  /** Another one means another store, or an earlier state of it: everything that was read before is invalid. */
  identity: string;
  /** False when this role may not read all that the identity is made of. */
  isIdentityWhole: boolean;
  keys: number;
  publications: number;
}

export interface ChangeFeed {
  readRevisions(): Promise<Revisions>;
  /** The publications after the one with this id, oldest first; for 0 the current one of every channel. */
  publicationsSince(id: number): Promise<Publication[]>;
  /** Closes every connection, with the statements that wait on it. The next statement opens new ones. */
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
  /** The named source that brought the course to the release; undefined where there is none, or no release was asked for. */
  source: string | undefined;
  /** Where its source had the course, in NFC; undefined where there are no paths. */
  sourcePath: string | undefined;
  /** The format as which it was read; undefined where that is Lectern's own, or there is none. */
  format: string | undefined;
  /** The id of its original; undefined for what is no translation. */
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
  /** In the order of the list of courses, drafts after all others. */
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
  /** Such as `import of folder courses`. */
  task: string;
}

/** JSON texts; `meta` is undefined where the author gave none. */
export interface RenderedVersion {
  course: string;
  meta: string | undefined;
  /** Undefined where it is that of the chapters. */
  tree: string | undefined;
  lessons: Map<string, { document: string; meta: string; translationKey: string | undefined }>;
}

/** What imports and publications compare with. Reading takes no lock. */
export interface PublishingReader {
  /** Undefined for a channel that was never published on, or was deleted. */
  findCurrentRelease(project: string, channel: string): Promise<Release | undefined>;
  listVersions(release: Release): Promise<CourseVersion[]>;
  listSources(release: Release): Promise<ReleaseSource[]>;
  /** The newest version of each of these courses in any release of the project. */
  listNewestVersions(project: string, courseIds: string[]): Promise<CourseVersion[]>;
  listLessonRecords(versionId: number): Promise<Map<string, LessonRecord>>;
  /** The rendered course of a version, and those of its lessons that are asked for, by id. Throws BodyDamaged. */
  readVersion(versionId: number, lessonIds: string[]): Promise<RenderedVersion>;
  listVersionAssets(versionId: number): Promise<AssetReference[]>;
  /** The courses that had these slugs last, of those that a publication on the channel took away, by slug. */
  findFormerOwners(project: string, channel: string, slugs: string[]): Promise<Map<string, string>>;
  /** When each lesson that any version of a course has was first imported, by lesson id. */
  listFirstSeen(project: string, courseId: string): Promise<Map<string, string>>;
  findRelease(project: string, number: number): Promise<ReleaseRecord | undefined>;
  listProjects(): Promise<string[]>;
  /** The whole log of a project, oldest first. */
  listPublications(project: string): Promise<PublicationRecord[]>;
}

export interface PublishingStore extends PublishingReader {
  /**
   * Takes the lock that is needed to write a project's catalog; the database or the system frees it, however the process
   * ends. Removes what an interrupted import has left. `onWait` is called once if another process holds the lock; when it
   * throws, so does this.
   */
  lockProject(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<LockedProject>;
}

/** The lock of one project, and all that changes its catalog. Every method throws once the lock is freed or lost. */
export interface LockedProject {
  /** Writes courses, in short transactions; no reader sees them. Resolves with their version ids, in order. */
  writeVersions(courses: CompiledCourse[]): Promise<number[]>;
  createRelease(release: NewRelease, publication: NewPublication): Promise<Release>;
  /** Makes a release that exists the current one of a channel; undefined deletes the channel. */
  publishRelease(release: Release | undefined, publication: NewPublication): Promise<void>;
  /** Deletes, in short transactions, the course versions of the project that no release refers to. */
  removeUnreferencedVersions(): Promise<void>;
  /** Marks releases as pruned and deletes what only they refer to. Also finishes an interrupted prune. */
  pruneReleases(releases: Release[], at: string): Promise<void>;
  unlock(): Promise<void>;
}

/** A source that `lectern follow` could not read or publish. */
export interface FollowFailure {
  project: string;
  channel: string;
  /** Undefined where the source is the whole catalog. */
  sourceName: string | undefined;
  /** Without user, password and query. */
  source: string;
  failingSince: string;
  fault: string;
}

/** What `lectern status` and `/metrics` tell of followed sources. */
export interface FollowFailures {
  recordFailure(failure: FollowFailure): Promise<void>;
  clearFailure(project: string, channel: string, sourceName: string | undefined): Promise<void>;
}
