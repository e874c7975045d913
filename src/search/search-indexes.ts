// All indexes of a server, in one process. Only a few are open at once, and those with work take turns.
import { ContentMissing } from "../catalog/catalog-reader.ts";
import { measureSpare } from "../catalog/disk-space.ts";
import type { SearchResultDocument } from "../catalog/documents.ts";
import type { SearchedCourse, SearchReader } from "../catalog/search-reader.ts";
import type { ChangeFeed } from "../catalog/store.ts";
import { cutExcerpt } from "./excerpt.ts";
import { isUnfit, openIndexFile, removeIndexFile } from "./index-file.ts";
import { ProjectIndex } from "./project-index.ts";
import type { SearchQuery } from "./query.ts";
import { findMatches, type Place } from "./release-view.ts";
import { unpackPositions, type Search, type SearchOutcome, type SearchRequest } from "./searcher.ts";
import { readLimitedText, readVisibleText, type VisibleText } from "./visible-text.ts";
import { normalizeText } from "./words.ts";

const MAX_OPEN = 8;
/** The interval at which open indexes are compared with the store: prunes, unlike publications, are not announced. */
const REFRESH_MS = 60_000;
/** The delay after an error such as a full disk, and the interval at which work waits for its end. */
const RETRY_MS = 5000;
const RESTING_MS = 50;
/** The interval at which a command looks whether its release is indexed. */
const BUILD_INTERVAL_MS = 5;
/**
 * How many bytes are read of one lesson, and of all lessons on a page of results. The excerpt of a larger lesson comes
 * from its beginning.
 */
const MAX_LESSON_BYTES = 2 * 1024 * 1024;
const MAX_PAGE_BYTES = 4 * MAX_LESSON_BYTES;

export interface IndexStore {
  texts: SearchReader;
  changes: Pick<ChangeFeed, "readRevisions">;
  /** Returns the bytes that the database still needs on its disk. */
  measureLog: () => number;
}

/** Called at the first fault in a series. */
export type OnFault = (fault: { project: string; error: unknown }) => void;

export class SearchIndexes {
  readonly #store: IndexStore;
  readonly #folder: string;
  readonly #onFault: OnFault;
  /** The open indexes, the most recently used one last. */
  readonly #open = new Map<string, ProjectIndex>();
  readonly #opening = new Map<string, Promise<ProjectIndex | undefined>>();
  /** When work resumes on each project whose last step failed. */
  readonly #faulty = new Map<string, number>();
  readonly #refresh: Timer;
  #isWorking = false;
  #isClosed = false;

  constructor(store: IndexStore, folder: string, onFault: OnFault) {
    this.#store = store;
    this.#folder = folder;
    this.#onFault = onFault;
    this.#refresh = setInterval(() => this.refresh(), REFRESH_MS);
    this.#refresh.unref();
  }

  /** Searches an index. Never rejects. */
  async search(request: SearchRequest): Promise<SearchOutcome> {
    const { project } = request.release;
    try {
      const index = await this.#obtain(project);
      const outcome = index && (await this.#answer(index, request));
      return outcome ?? { status: this.#faulty.has(project) ? "unavailable" : "building" };
    } catch (error) {
      if (error instanceof ContentMissing) return { status: "gone" };
      this.#takeFault(project, error);
      return { status: "unavailable" };
    }
  }

  /** Compares all open indexes with the store, or only that of `project`. */
  refresh(project?: string): void {
    for (const index of this.#open.values()) if (project === undefined || index.project === project) index.refresh();
    void this.#work();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#refresh);
    for (const index of this.#open.values()) index.close();
    this.#open.clear();
  }

  /** Returns undefined until the release is indexed. */
  async #answer(index: ProjectIndex, request: SearchRequest): Promise<SearchOutcome | undefined> {
    const view = await index.view(request.release);
    if (view === undefined) {
      if (!index.hasWork) {
        const kept = await this.#store.texts.listKeptReleases(index.project);
        if (!kept.some(({ id }) => id === request.release.id)) return { status: "gone" };
        index.refresh();
      }
      void this.#work();
      return undefined;
    }
    const isWanted = unpackPositions(request.courses);
    const { total, places } = findMatches(view, index.file, request.query, isWanted, request);
    const results = await this.#readResults(index, places, request.query);
    return { status: "found", total, results };
  }

  async #readResults(
    index: ProjectIndex,
    places: readonly Place[],
    query: SearchQuery,
  ): Promise<SearchResultDocument[]> {
    const { texts } = this.#store;
    const rows = places.map(({ versionId, position }) => {
      const row = index.file.rowsOf(versionId)?.[position];
      if (position >= 0 && row === undefined) throw new ContentMissing(versionId);
      return row;
    });
    const versions = [...new Set(places.map(({ versionId }) => versionId))];
    const courses = new Map((await texts.readSearchedCourses(versions)).map((course) => [course.versionId, course]));
    const found = await Array.fromAsync(texts.readSearchedLessons(rows.filter((row) => row !== undefined)));
    const lessons = new Map(found.flat().map((lesson) => [lesson.lessonVersionId, lesson]));
    let rest = MAX_PAGE_BYTES;
    return places.map(({ versionId }, at) => {
      const row = rows[at];
      const course = courses.get(versionId);
      const lesson = row === undefined ? undefined : lessons.get(row);
      if (course === undefined || (row !== undefined && lesson === undefined)) throw new ContentMissing(versionId);
      if (lesson === undefined)
        return toResult(course, "", "", { text: normalizeText(course.description), headings: [] }, query);
      const { html, bytes } = readLimitedText(lesson.body, Math.min(rest, MAX_LESSON_BYTES));
      rest -= bytes;
      return toResult(course, lesson.lessonId, lesson.name, readVisibleText(html), query);
    });
  }

  /** Returns undefined if the index is not open yet, or cannot be opened. */
  async #obtain(project: string): Promise<ProjectIndex | undefined> {
    const known = this.#open.get(project);
    if (known !== undefined) {
      this.#open.delete(project);
      this.#open.set(project, known);
      return known;
    }
    if (this.#isResting(project)) return undefined;
    const opening = this.#opening.get(project) ?? this.#openIndex(project).finally(() => this.#opening.delete(project));
    this.#opening.set(project, opening);
    return opening;
  }

  async #openIndex(project: string): Promise<ProjectIndex | undefined> {
    if (!this.#makeRoom()) return undefined;
    const { identity } = await this.#store.changes.readRevisions();
    let file = openIndexFile(this.#folder, project, identity);
    const known = file.publication;
    // The store was restored to an earlier state, so its ids can refer to other content.
    if (known !== undefined && !(await this.#store.texts.hasPublication(known))) {
      file.close();
      removeIndexFile(file.path);
      file = openIndexFile(this.#folder, project, identity);
    }
    const index = new ProjectIndex(project, file, this.#store.texts);
    if (this.#isClosed) file.close();
    else this.#open.set(project, index);
    void this.#work();
    return index;
  }

  /**
   * If too many indexes are open, closes one that rests after a fault, or else the least recently used idle one.
   * Returns false if there is neither.
   */
  #makeRoom(): boolean {
    if (this.#open.size + this.#opening.size < MAX_OPEN) return true;
    const all = [...this.#open.values()];
    const closed = all.find(({ project }) => this.#isResting(project)) ?? all.find(({ hasWork }) => !hasWork);
    if (closed !== undefined) this.#close(closed);
    return closed !== undefined;
  }

  #isResting(project: string): boolean {
    return (this.#faulty.get(project) ?? 0) > performance.now();
  }

  #close(index: ProjectIndex): void {
    this.#open.delete(index.project);
    index.close();
  }

  /** Gives the indexes time slices in turn until none has work. Searches run between slices. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (;;) {
      const busy = [...this.#open.values()].filter(({ hasWork }) => hasWork);
      if (busy.length === 0) break;
      const ready = busy.filter(({ project }) => !this.#isResting(project));
      for (const index of ready) {
        if (this.#open.get(index.project) === index) await this.#step(index);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      if (ready.length === 0) await Bun.sleep(RESTING_MS);
    }
    this.#isWorking = false;
  }

  async #step(index: ProjectIndex): Promise<void> {
    try {
      const { freeBytes, spareBytes } = measureSpare(this.#folder);
      // Twice, because one step can merge parts of the index, which takes tens of megabytes.
      if (freeBytes - this.#store.measureLog() < 2 * spareBytes)
        throw new Error(`the disk of ${this.#folder} is almost full`);
      await index.step();
      this.#faulty.delete(index.project);
    } catch (error) {
      if (!this.#isClosed) this.#takeFault(index.project, error);
    }
  }

  /** Reports a fault if it is the first since a step succeeded. Deletes a damaged index. */
  #takeFault(project: string, error: unknown): void {
    const isKnown = this.#faulty.has(project);
    this.#faulty.set(project, performance.now() + RETRY_MS);
    const index = this.#open.get(project);
    if (index !== undefined && isUnfit(error)) {
      this.#close(index);
      removeIndexFile(index.file.path);
    }
    if (!isKnown) this.#onFault({ project, error });
  }
}

/** Creates a search for a command or a preview, which waits until the release is indexed, and calls `onWait` meanwhile. */
export function createLocalSearch(
  store: IndexStore,
  folder: string,
  onFault: OnFault,
  onWait: () => void = () => {},
): { search: Search; close: () => void } {
  const indexes = new SearchIndexes(store, folder, onFault);
  return {
    async search(request) {
      for (;;) {
        const outcome = await indexes.search(request);
        if (outcome.status !== "building") return outcome;
        onWait();
        await Bun.sleep(BUILD_INTERVAL_MS);
      }
    },
    close: () => indexes.close(),
  };
}

function toResult(
  { courseId, name: courseName }: SearchedCourse,
  lessonId: string,
  lessonName: string,
  text: VisibleText,
  query: SearchQuery,
): SearchResultDocument {
  return { courseId, courseName, lessonId, lessonName, ...cutExcerpt(text, query) };
}
