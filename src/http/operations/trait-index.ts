// What filters and orders of courses need to know of a release, in memory.
import type { CatalogReader, CourseTraits } from "../../catalog/catalog-reader.ts";
import type { CourseMetaDocument } from "../../catalog/meta-document.ts";
import type { Sort } from "../request/course-filter.ts";
import { KeptIndexes } from "./kept-indexes.ts";
import type { LargeWork } from "./large-work.ts";
import { LineCollector, type LineIndex } from "./line-index.ts";
import { orderCourses, type CourseOrder, type Orders } from "./course-orders.ts";

const MAX_BYTES = 16 * 1024 * 1024;
/** Stands around each tag. The JSON text of a tag has none, since it escapes control characters. */
const EDGE = "\t";

export type TraitIndexes = KeptIndexes<TraitIndex>;

/** Makes the indexes, which are read from the catalog when they are needed. */
export function createTraitIndexes(catalog: CatalogReader): TraitIndexes {
  return new KeptIndexes(MAX_BYTES, async (release, work) => TraitIndex.build(catalog.readTraits(release), work));
}

/** Languages, tags, dates and orders of the courses of a release, by their positions in the list. */
export class TraitIndex {
  readonly #languages: LineIndex;
  readonly #tags: LineIndex;
  readonly #updatedAt: Float64Array;
  readonly #orders: Orders;

  private constructor(languages: LineIndex, tags: LineIndex, updatedAt: Float64Array, orders: Orders) {
    this.#languages = languages;
    this.#tags = tags;
    this.#updatedAt = updatedAt;
    this.#orders = orders;
  }

  static async build(chunks: AsyncIterable<CourseTraits[]>, work: LargeWork): Promise<TraitIndex> {
    const [languages, tags] = [new LineCollector(), new LineCollector()];
    const courses: CourseTraits[] = [];
    const updates: number[] = [];
    for await (const chunk of chunks) {
      work.stopIfGone();
      const metas = chunk.map(({ meta }) =>
        meta === undefined ? undefined : (JSON.parse(meta) as CourseMetaDocument),
      );
      languages.add(metas.map((meta) => toLanguageLine(meta?.language ?? "")));
      tags.add(metas.map((meta) => EDGE + (meta?.tags ?? []).map((tag) => toTagText(tag) + EDGE).join("")));
      // Without the meta, which may be long.
      for (const { id, name, createdAt, updatedAt } of chunk) {
        courses.push({ id, name, createdAt, updatedAt, meta: undefined });
        updates.push(Date.parse(updatedAt));
      }
    }
    const orders = await orderCourses(courses, work);
    return new TraitIndex(languages.finish(), tags.finish(), new Float64Array(updates), orders);
  }

  get courses(): number {
    return this.#updatedAt.length;
  }

  get bytes(): number {
    const orders = Object.values(this.#orders).reduce((sum: number, order: CourseOrder) => sum + order.bytes, 0);
    return this.#languages.bytes + this.#tags.bytes + this.#updatedAt.byteLength + orders;
  }

  /** The positions of courses whose language is in a range, which is in lower case (RFC 4647 §3.3.1), in order. */
  async findLanguage(range: string, work: LargeWork): Promise<number[]> {
    return this.#languages.search(toLanguageLine(range), work);
  }

  /** The positions of courses that have a tag, in order. */
  async findTag(tag: string, work: LargeWork): Promise<number[]> {
    return this.#tags.search(EDGE + toTagText(tag) + EDGE, work);
  }

  /** The positions of courses that were changed at a time or later, in order. */
  findUpdatedSince(timestamp: string): number[] {
    const since = Date.parse(timestamp);
    const positions: number[] = [];
    for (let position = 0; position < this.courses; position++) {
      if ((this.#updatedAt[position] ?? 0) >= since) positions.push(position);
    }
    return positions;
  }

  /** Puts positions in an order; all of them where none are given. */
  sort(positions: number[] | undefined, sort: Sort): number[] {
    const isDescending = sort.startsWith("-");
    const order = this.#orders[(isDescending ? sort.slice(1) : sort) as keyof Orders];
    return order.list(positions, isDescending);
  }
}

/** A language begins with a range of the same subtags. */
function toLanguageLine(language: string): string {
  return language === "" ? "" : `${EDGE}${language.toLowerCase()}-`;
}

function toTagText(tag: string): string {
  return JSON.stringify(tag).slice(1, -1);
}
