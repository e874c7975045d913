// What the rest of the program asks of the database.
import type { AssetReference, CompiledCourse, SourceRecord, WrittenDigests } from "./compile-course.ts";

/** The channel that ordinary keys read. Others are previews. */
export const LIVE_CHANNEL = "live";

export interface ReleaseCounts {
  /** Published ones. */
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
  /** When an import last changed it: a UTC timestamp. */
  changedAt: string;
}

export interface ReleaseRecord extends Release {
  createdAt: string;
  /** What the import has read. */
  source: string;
  /** Undefined where the import was the whole catalog. */
  sourceName: string | undefined;
  changes: CatalogChanges;
  /** When it was pruned; undefined while its content can be read. */
  prunedAt: string | undefined;
}

/** The current release of a channel; undefined after the channel was deleted. */
export interface Publication {
  project: string;
  channel: string;
  release: Release | undefined;
}

export type PublicationAction = "import" | "remove" | "publish" | "rollback" | "delete";

export interface PublicationRecord {
  id: number;
  channel: string;
  action: PublicationAction;
  publishedAt: string;
  /** Undefined for the deletion of a channel. */
  release: ReleaseRecord | undefined;
}

/** The identity of a store, and counters that grow with every change. */
export interface Revisions {
  /**
   * When it differs, the store is another one or was put back to an earlier state: everything that was read before is
   * invalid.
   */
  identity: string;
  /** False when this role may not read all that the identity is made of. */
  isIdentityWhole: boolean;
  keys: number;
  publications: number;
}

export interface ChangeFeed {
  readRevisions(): Promise<Revisions>;
  /** The current publication of every channel that was published on after the publication with this id; 0 for all. */
  publicationsSince(id: number): Promise<Publication[]>;
  /** Closes every connection, with the statements that wait on it. The next statement opens new ones. */
  reconnect(): void;
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
  /** The named source that brought the course to the release; undefined where there is none, or no release was asked for. */
  source: string | undefined;
  /** Where its source had the course, in NFC; undefined where there are no paths. */
  sourcePath: string | undefined;
  /** The format as which it was read; undefined where that is Lectern's own, or there is none. */
  format: string | undefined;
}

export interface NewPublication {
  channel: string;
  action: PublicationAction;
  /** A UTC timestamp. */
  at: string;
}

export interface NewRelease extends ReleaseCounts {
  source: string;
  sourceName: string | undefined;
  changes: CatalogChanges;
  /** In the order of the list of courses, drafts after all others. */
  versions: Pick<CourseVersion, "versionId" | "source">[];
  sources: ReleaseSource[];
}

export interface LessonRecord extends SourceRecord {
  /** Undefined where the source has no paths. */
  sourcePath: string | undefined;
  written: WrittenDigests;
}

export interface LockHolder {
  pid: number;
  host: string;
  since: string;
  /** Such as `import of folder courses`. */
  task: string;
}

/** What imports and publications compare with. Reading takes no lock. */
export interface PublishingReader {
  /** Undefined for a channel that was never published on, or was deleted. */
  findCurrentRelease(project: string, channel: string): Promise<Release | undefined>;
  listVersions(release: Release): Promise<CourseVersion[]>;
  /** The named sources of a release that is kept, by name. */
  listSources(release: Release): Promise<ReleaseSource[]>;
  /** The newest version of each of these courses in any release of the project. */
  listNewestVersions(project: string, courseIds: string[]): Promise<CourseVersion[]>;
  /** By lesson id. */
  listLessonRecords(versionId: number): Promise<Map<string, LessonRecord>>;
  /** The rendered course of a version, and those of its lessons that are asked for, by id. */
  readVersion(versionId: number, lessonIds: string[]): Promise<{ course: string; lessons: Map<string, string> }>;
  /** The meta of a version, as JSON text, and of those of its lessons that are asked for, by id; absent where there is none. */
  readMeta(
    versionId: number,
    lessonIds: string[],
  ): Promise<{ course: string | undefined; lessons: Map<string, string> }>;
  listVersionAssets(versionId: number): Promise<AssetReference[]>;
  /** The courses that had these slugs last, of those that a publication on the channel took away, by slug. */
  findFormerOwners(project: string, channel: string, slugs: string[]): Promise<Map<string, string>>;
  /** When each lesson that any version of a course has was first imported, by lesson id. */
  listFirstSeen(project: string, courseId: string): Promise<Map<string, string>>;
  findRelease(project: string, number: number): Promise<ReleaseRecord | undefined>;
  /** The projects that have keys or publications, by name. */
  listProjects(): Promise<string[]>;
  /** The channels on which a project has ever published, and those that its keys read, by name. */
  listChannelNames(project: string): Promise<string[]>;
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
  /** Makes a release of versions and publishes it, in one transaction. */
  createRelease(release: NewRelease, publication: NewPublication): Promise<Release>;
  /** Makes a release that exists the current one of a channel; undefined deletes the channel. */
  publishRelease(release: Release | undefined, publication: NewPublication): Promise<void>;
  /** Deletes, in short transactions, the course versions of the project that no release refers to. */
  removeUnreferencedVersions(): Promise<void>;
  /**
   * Deletes the content of releases: marks them as pruned, then deletes in short transactions what no other release refers
   * to. Also finishes what an interrupted call has left. `at` is the time, a UTC timestamp.
   */
  pruneReleases(releases: Release[], at: string): Promise<void>;
  unlock(): Promise<void>;
}
