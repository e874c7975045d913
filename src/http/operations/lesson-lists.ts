import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import { cutLessonList } from "../../catalog/stored-document.ts";
import type { Include } from "../request/parameters.ts";
import type { LargeWork } from "./large-work.ts";
import { readListWith } from "./read-contents.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { unpackText } from "./unpack.ts";

/** The most that all kept lists may take; the least recently used are dropped first. */
const MAX_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_LESSON = 4;
/** The estimated size of a lesson in a list that was not read yet. */
const ESTIMATED_BYTES = 300;
/** This many lessons are located before other requests get their turn. */
const LESSONS_AT_ONCE = 10_000;
/** Lists with more than id and name are kept from so many lessons on: they take longer to make. */
const MIN_KEPT_WITH_MORE = 500;
/** The text between two lessons. No name holds it: a quotation mark in a name has a backslash before it. */
const SEPARATOR = '},{"id":"';

/** Gives parts of lists of lessons, cut out of the whole lists of long courses, which are kept in memory for a while. */
export class LessonLists {
  readonly #catalog: CatalogReader;
  /** By release, drafts, members and course. */
  readonly #lists = new RecentlyUsed<string, LessonList>(MAX_BYTES);

  constructor(catalog: CatalogReader) {
    this.#catalog = catalog;
  }

  /**
   * The list of a course's lessons, with what is asked for of each; undefined when there is no such course for this reader.
   * Throws as `work` does.
   */
  async find(
    release: Release,
    course: string,
    drafts: boolean,
    include: readonly Include[],
    work: LargeWork,
  ): Promise<LessonList | undefined> {
    const key = `${release.id} ${drafts} ${include.join(",")} ${course}`;
    const known = this.#lists.find(key);
    if (known !== undefined) return known;
    const total = await this.#catalog.countLessons(release, course, drafts);
    if (total === undefined) return undefined;
    const isLong = total > LESSONS_AT_ONCE;
    if (isLong) await work.begin(total * ESTIMATED_BYTES);
    const made = this.#lists.find(key);
    if (made !== undefined) return made;
    const text = await this.#readText([release, course, drafts], include, work);
    if (text === undefined) return undefined;
    const list = await LessonList.parse(text, total, work);
    if (isLong || (include.length > 0 && total >= MIN_KEPT_WITH_MORE)) this.#lists.keep(key, list);
    return list;
  }

  async #readText(
    course: [release: Release, idOrSlug: string, drafts: boolean],
    include: readonly Include[],
    work: LargeWork,
  ): Promise<string | undefined> {
    if (include.length > 0) return readListWith(this.#catalog, course, include, work);
    const document = await this.#catalog.findLessonList(...course);
    if (document === undefined) return undefined;
    const { content } = document;
    return typeof content === "string" ? content : cutLessonList(await unpackText(content, work));
  }
}

/** The list of the lessons of one course, as JSON of which any part can be cut out. */
export class LessonList {
  readonly total: number;
  readonly #text: string;
  /** Where each lesson begins. */
  readonly #starts: Uint32Array;

  private constructor(text: string, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
    this.total = starts.length;
  }

  /** Locates the lessons in a JSON array of `total` of them. Throws 499 when the client of `work` has disconnected. */
  static async parse(text: string, total: number, work: LargeWork): Promise<LessonList> {
    const starts = new Uint32Array(total);
    let start = 1;
    for (let lesson = 0; lesson < total; lesson++) {
      starts[lesson] = start;
      start = text.indexOf(SEPARATOR, start) + 2;
      if (lesson % LESSONS_AT_ONCE === LESSONS_AT_ONCE - 1) await work.pause();
    }
    return new LessonList(text, starts);
  }

  get bytes(): number {
    return BYTES_PER_CHARACTER * this.#text.length + BYTES_PER_LESSON * this.total;
  }

  /** The JSON of the lessons at `from` to `end - 1`, with commas between them. */
  slice(from: number, end: number): string {
    const start = this.#starts[from];
    if (start === undefined || end <= from) return "";
    return this.#text.slice(start, (this.#starts[end] ?? this.#text.length) - 1);
  }
}
