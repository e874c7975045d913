// A project's index. It is built in slices, current releases first, and compared with the store after each publication.
import { ContentMissing } from "../catalog/catalog-reader.ts";
import type { IndexedRelease, SearchedLesson, SearchReader } from "../catalog/search-reader.ts";
import type { Release } from "../catalog/store.ts";
import type { IndexedText, IndexFile } from "./index-file.ts";
import { loadView, type ReleaseView } from "./release-view.ts";
import { readLessonText, readVisibleText } from "./visible-text.ts";
import { formatTokens } from "./words.ts";

const MAX_INDEXED_LENGTH = 16 * 1024 * 1024;
const SLICE_MS = 5;
/** A view takes 12 bytes for each course and lesson. */
const MAX_VIEWS = 4;
/** Rows are sorted in batches of about this many lessons, because FTS5 is faster if added rows ascend. */
const LESSONS_PER_BATCH = 2000;
const VERSIONS_PER_BATCH = 500;
const CHARACTERS_PER_COMMIT = 8 * 1024 * 1024;

export class ProjectIndex {
  readonly project: string;
  readonly file: IndexFile;
  readonly #reader: SearchReader;
  /** The most recently used view is the last. */
  readonly #views = new Map<number, ReleaseView>();
  /** The releases that are completely indexed. */
  readonly #whole = new Set<number>();
  #work: AsyncGenerator<void> | undefined;
  #isCurrent = false;
  #hasSwept = false;
  #sliceBeganAtMs = 0;
  #uncommitted = 0;

  constructor(project: string, file: IndexFile, reader: SearchReader) {
    this.project = project;
    this.file = file;
    this.#reader = reader;
  }

  get hasWork(): boolean {
    return !this.#isCurrent || this.#work !== undefined;
  }

  /** Schedules a comparison with the store, after a publication or a prune. */
  refresh(): void {
    this.#isCurrent = false;
  }

  /**
   * Works for one time slice. Throws if the store cannot be read or the file cannot be written; call it again later.
   */
  async step(): Promise<void> {
    this.#sliceBeganAtMs = performance.now();
    try {
      if (this.#work === undefined) {
        this.#isCurrent = true;
        this.#work = this.#build();
      }
      if ((await this.#work.next()).done === true) this.#work = undefined;
    } catch (error) {
      this.#work = undefined;
      this.#isCurrent = false;
      this.file.rollback();
      this.#uncommitted = 0;
      // A release was pruned during this comparison. The next comparison omits the release.
      if (!(error instanceof ContentMissing)) throw error;
    }
  }

  /**
   * Returns a release's view; undefined until all of it is indexed. Throws ContentMissing if the release was pruned,
   * and the store's errors.
   */
  async view(release: Release): Promise<ReleaseView | undefined> {
    const known = this.#views.get(release.id);
    if (known === undefined) return this.#whole.has(release.id) ? this.#loadView(release) : undefined;
    this.#keepView(release, known);
    return known;
  }

  close(): void {
    this.file.close();
  }

  async #loadView(release: Release): Promise<ReleaseView | undefined> {
    const versions: number[] = [];
    for await (const some of this.#reader.readCourseVersions(release)) versions.push(...some);
    const view = loadView(this.file, versions);
    if (view !== undefined) this.#keepView(release, view);
    return view;
  }

  #keepView({ id }: Release, view: ReleaseView): void {
    this.#views.delete(id);
    this.#views.set(id, view);
    const [oldest = id] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS) this.#views.delete(oldest);
  }

  async *#build(): AsyncGenerator<void> {
    const newest = await this.#reader.findNewestPublication(this.project);
    // Recorded before indexing, to detect a restored store that lacks this publication: the index is then invalid.
    if (newest?.id !== this.file.publication?.id) this.file.publication = newest;
    const releases = await this.#reader.listKeptReleases(this.project);
    for (const release of releases) {
      if (!this.#whole.has(release.id)) yield* this.#index(release);
      // Ends after a publication, so that the next comparison begins with the newest release.
      if (!this.#isCurrent) return;
    }
    const kept = new Set(releases.map(({ id }) => id));
    const gone = [...this.#whole].filter((id) => !kept.has(id));
    for (const id of gone) {
      this.#whole.delete(id);
      this.#views.delete(id);
    }
    if (gone.length > 0 || !this.#hasSwept) yield* this.#sweep();
    this.#hasSwept = true;
  }

  async *#index(release: IndexedRelease): AsyncGenerator<void> {
    let batch = new Map<number, number[]>();
    let lessons = 0;
    for await (const versions of this.#reader.readCourseVersions(release)) {
      for (const version of versions) {
        if (this.#isSliceOver()) yield;
        if (this.file.hasVersion(version)) continue;
        const ids = await this.#reader.listLessonVersions(version);
        batch.set(version, ids);
        lessons += ids.length;
        if (lessons < LESSONS_PER_BATCH && batch.size < VERSIONS_PER_BATCH) continue;
        yield* this.#addVersions(batch);
        batch = new Map();
        lessons = 0;
      }
    }
    yield* this.#addVersions(batch);
    this.#commit();
    this.#whole.add(release.id);
    if (release.isCurrent) await this.#loadView(release);
  }

  /** Adds the texts that the file lacks, then the rows of the course versions. */
  async *#addVersions(batch: ReadonlyMap<number, number[]>): AsyncGenerator<void> {
    const missing = [...batch.keys()].filter((version) => !this.file.hasRow(-version)).sort((a, b) => b - a);
    const courses = await this.#reader.readSearchedCourses(missing);
    if (courses.length < missing.length) throw new ContentMissing(missing[0] ?? 0);
    for (const { versionId, name, description } of courses.sort((a, b) => b.versionId - a.versionId)) {
      yield* this.#add({ row: -versionId, name: formatTokens(name), headings: "", rest: formatTokens(description) });
    }
    const ids = [...new Set([...batch.values()].flat())].filter((id) => !this.file.hasRow(id)).sort((a, b) => a - b);
    let found = 0;
    for await (const lessons of this.#reader.readSearchedLessons(ids)) {
      found += lessons.length;
      for (const lesson of lessons) yield* this.#add(toIndexedText(lesson));
    }
    if (found < ids.length) throw new ContentMissing(ids[0] ?? 0);
    this.file.begin();
    for (const [version, lessons] of batch) this.file.addVersion(version, Float64Array.from(lessons));
  }

  *#add(text: IndexedText): Generator<void> {
    this.file.begin();
    this.file.addText(text);
    this.#uncommitted += text.rest.length + text.headings.length;
    if (this.#uncommitted > CHARACTERS_PER_COMMIT) this.#commit();
    if (this.#isSliceOver()) yield;
  }

  /** Deletes the versions and rows that the store no longer contains. */
  async *#sweep(): AsyncGenerator<void> {
    for (let after = 0; ;) {
      const versions = this.file.listVersions(after);
      const kept = new Set(await this.#reader.filterVersions("course_versions", versions));
      this.file.begin();
      for (const version of versions) if (!kept.has(version)) this.file.removeVersion(version);
      if (versions.length === 0) break;
      after = versions.at(-1) ?? after;
      yield;
    }
    for (let after = -Number.MAX_SAFE_INTEGER; ;) {
      const rows = this.file.listRows(after);
      const [courses, lessons] = [rows.filter((row) => row < 0), rows.filter((row) => row > 0)];
      const keptCourses = await this.#reader.filterVersions(
        "course_versions",
        courses.map((row) => -row),
      );
      const keptLessons = await this.#reader.filterVersions("lesson_versions", lessons);
      const kept = new Set([...keptCourses.map((id) => -id), ...keptLessons]);
      this.file.begin();
      for (const row of rows) if (!kept.has(row)) this.file.removeRow(row);
      if (rows.length === 0) break;
      after = rows.at(-1) ?? after;
      yield;
    }
    this.#commit();
  }

  #commit(): void {
    this.file.commit();
    this.#uncommitted = 0;
  }

  #isSliceOver(): boolean {
    return performance.now() - this.#sliceBeganAtMs > SLICE_MS;
  }
}

function toIndexedText({ lessonVersionId, name, body }: SearchedLesson): IndexedText {
  const { text, headings } = readVisibleText(readLessonText(body), MAX_INDEXED_LENGTH);
  let rest = "";
  let done = 0;
  for (const { start, end } of headings) {
    rest += text.slice(done, start);
    done = end;
  }
  return {
    row: lessonVersionId,
    name: formatTokens(name),
    headings: formatTokens(headings.map(({ start, end }) => text.slice(start, end)).join("\n")),
    rest: formatTokens(rest + text.slice(done)),
  };
}
