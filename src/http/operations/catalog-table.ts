// What searches, filters and orders of the list of courses need of a release, in memory: a column each, no object per course.
import type { CourseTraits } from "../../catalog/catalog-reader.ts";
import { compareCodePoints } from "../../catalog/compare-code-points.ts";
import type { CourseMetaDocument } from "../../catalog/meta-document.ts";
import type { Sort } from "../request/parameters.ts";
import type { Making } from "./making.ts";

/** This many rows are searched, read or sorted before other requests may get their turn. */
const ROWS_AT_ONCE = 500;
/** Stands around each tag. The JSON text of a tag has none, since it escapes control characters. */
const EDGE = "\t";
const LINE_BREAK = 10;

type OrderKey = "createdAt" | "updatedAt" | "name";

/** The courses of a release by their positions in the list. Every method throws as `making` does. */
export class CatalogTable {
  readonly #ids: TextColumn;
  readonly #names: TextColumn;
  readonly #languages: TextColumn;
  readonly #tags: TextColumn;
  readonly #times: Record<"createdAt" | "updatedAt", Float64Array>;
  /** Made when they are first asked for; in ascending order, equal courses by id. */
  readonly #orders: Partial<Record<OrderKey, Uint32Array>> = {};

  private constructor(
    columns: Record<"ids" | "names" | "languages" | "tags", TextColumn>,
    times: [number[], number[]],
  ) {
    this.#ids = columns.ids;
    this.#names = columns.names;
    this.#languages = columns.languages;
    this.#tags = columns.tags;
    this.#times = { createdAt: Float64Array.from(times[0]), updatedAt: Float64Array.from(times[1]) };
  }

  static async load(chunks: AsyncIterable<CourseTraits[]>, making: Making): Promise<CatalogTable> {
    const [ids, names, languages, tags] = [
      new TextCollector(),
      new TextCollector(),
      new TextCollector(),
      new TextCollector(),
    ];
    const [createdAt, updatedAt]: [number[], number[]] = [[], []];
    for await (const chunk of chunks) {
      await making.pause();
      ids.add(chunk.map(({ id }) => id));
      // Folded names hold no line break.
      names.add(chunk.map(({ name }) => name));
      const metas = chunk.map(({ meta }) => meta && (JSON.parse(meta) as CourseMetaDocument));
      languages.add(metas.map((meta) => toLanguageLine(meta ? meta.language : "")));
      tags.add(metas.map((meta) => EDGE + (meta ? meta.tags : []).map((tag) => toTagText(tag) + EDGE).join("")));
      for (const course of chunk) {
        createdAt.push(Date.parse(course.createdAt));
        updatedAt.push(Date.parse(course.updatedAt));
      }
    }
    const columns = { ids: ids.finish(), names: names.finish(), languages: languages.finish(), tags: tags.finish() };
    return new CatalogTable(columns, [createdAt, updatedAt]);
  }

  /** With all its orders, made or not. */
  get bytes(): number {
    const texts = this.#ids.bytes + this.#names.bytes + this.#languages.bytes + this.#tags.bytes;
    return texts + this.#ids.length * (2 * Float64Array.BYTES_PER_ELEMENT + 3 * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** The positions of the courses whose folded name contains a text, in order. */
  findName(text: string, making: Making): Promise<number[]> {
    return this.#names.search(text, making);
  }

  /** The positions of courses whose language is in a range, which is in lower case (RFC 4647 §3.3.1), in order. */
  findLanguage(range: string, making: Making): Promise<number[]> {
    return this.#languages.search(toLanguageLine(range), making);
  }

  /** The positions of courses that have a tag, in order. */
  findTag(tag: string, making: Making): Promise<number[]> {
    return this.#tags.search(EDGE + toTagText(tag) + EDGE, making);
  }

  /** The positions of courses that were changed at a time or later, in order. */
  findUpdatedSince(timestamp: string): number[] {
    const since = Date.parse(timestamp);
    const positions: number[] = [];
    for (const [position, updatedAt] of this.#times.updatedAt.entries())
      if (updatedAt >= since) positions.push(position);
    return positions;
  }

  /** Puts positions in an order; all of them where none are given. Equal courses come by id, whichever way. */
  async sort(positions: readonly number[] | undefined, sort: Sort, making: Making): Promise<number[]> {
    const key = (sort.startsWith("-") ? sort.slice(1) : sort) as OrderKey;
    const order = (this.#orders[key] ??= await this.#makeOrder(key, making));
    const isWanted = positions && new Uint8Array(order.length);
    for (const position of positions ?? []) if (isWanted) isWanted[position] = 1;
    const listed = [...(isWanted ? order.filter((position) => isWanted[position] === 1) : order)];
    return sort.startsWith("-") ? reverseGroups(listed, (a, b) => this.#isEqual(key, a, b)) : listed;
  }

  async #makeOrder(key: OrderKey, making: Making): Promise<Uint32Array> {
    const byId = await this.#compareTexts(this.#ids, making);
    if (key !== "name") {
      const times = this.#times[key];
      return sortInTurns(times.length, (a, b) => (times[a] ?? 0) - (times[b] ?? 0) || byId(a, b), making);
    }
    const byName = await this.#compareTexts(this.#names, making);
    return sortInTurns(this.#names.length, (a, b) => byName(a, b) || byId(a, b), making);
  }

  async #compareTexts(column: TextColumn, making: Making): Promise<(a: number, b: number) => number> {
    const texts = await column.readAll(making);
    return (a, b) => compareCodePoints(texts[a] ?? "", texts[b] ?? "");
  }

  #isEqual(key: OrderKey, a: number, b: number): boolean {
    return key === "name" ? this.#names.read(a) === this.#names.read(b) : this.#times[key][a] === this.#times[key][b];
  }
}

/** A language begins with a range of the same subtags. */
function toLanguageLine(language: string): string {
  return language === "" ? "" : `${EDGE}${language.toLowerCase()}-`;
}

function toTagText(tag: string): string {
  return JSON.stringify(tag).slice(1, -1);
}

/** The opposite order, in which runs of equal ones stay as they are. */
function reverseGroups(positions: number[], isEqual: (a: number, b: number) => boolean): number[] {
  const reversed: number[] = [];
  for (let end = positions.length; end > 0;) {
    let from = end - 1;
    while (from > 0 && isEqual(positions[from - 1] ?? 0, positions[from] ?? 0)) from--;
    for (let index = from; index < end; index++) reversed.push(positions[index] ?? 0);
    end = from;
  }
  return reversed;
}

/** The positions of `length` rows in an order: parts are sorted, then merged two and two. */
async function sortInTurns(
  length: number,
  compare: (a: number, b: number) => number,
  making: Making,
): Promise<Uint32Array> {
  let sorted = Uint32Array.from({ length }, (_, index) => index);
  for (let from = 0; from < length; from += ROWS_AT_ONCE) {
    await making.pause();
    sorted.subarray(from, from + ROWS_AT_ONCE).sort(compare);
  }
  for (let size = ROWS_AT_ONCE; size < length; size *= 2) {
    const merged = new Uint32Array(length);
    for (let from = 0; from < length; from += 2 * size) {
      const [middle, end] = [Math.min(from + size, length), Math.min(from + 2 * size, length)];
      let [left, right] = [from, middle];
      for (let to = from; to < end; to++) {
        if (to % ROWS_AT_ONCE === 0) await making.pause();
        const takesLeft = right >= end || (left < middle && compare(sorted[left] ?? 0, sorted[right] ?? 0) <= 0);
        merged[to] = sorted[takesLeft ? left++ : right++] ?? 0;
      }
    }
    sorted = merged;
  }
  return sorted;
}

/** A text for each row, as one text with a line each: a search is one pass over it. */
class TextColumn {
  readonly length: number;
  readonly #text: Buffer;
  /** The offset of each row's line, and the end of the last line. */
  readonly #starts: Uint32Array;

  constructor(text: Buffer, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
    this.length = starts.length - 1;
  }

  get bytes(): number {
    return this.#text.byteLength + this.#starts.byteLength;
  }

  read(row: number): string {
    return this.#text.toString("utf8", this.#starts[row], (this.#starts[row + 1] ?? 1) - 1);
  }

  async readAll(making: Making): Promise<string[]> {
    const texts: string[] = [];
    for (let row = 0; row < this.length; row++) {
      if (row % ROWS_AT_ONCE === 0) await making.pause();
      texts.push(this.read(row));
    }
    return texts;
  }

  /** The rows that contain a text, in order. */
  async search(text: string, making: Making): Promise<number[]> {
    const needle = Buffer.from(text);
    const rows: number[] = [];
    // No line holds a line break, so a search for one must not match across two lines.
    if (needle.includes(LINE_BREAK)) return rows;
    for (let first = 0; first < this.length; first += ROWS_AT_ONCE) {
      await making.pause();
      const end = Math.min(first + ROWS_AT_ONCE, this.length);
      const part = this.#text.subarray(0, this.#starts[end]);
      let row = first;
      for (let found = part.indexOf(needle, this.#starts[first]); found !== -1;) {
        while ((this.#starts[row + 1] ?? Infinity) <= found) row++;
        rows.push(row);
        row++;
        if (row >= end) break;
        found = part.indexOf(needle, this.#starts[row]);
      }
    }
    return rows;
  }
}

/** Collects the texts of a column, which must hold no line break, in order. */
class TextCollector {
  readonly #parts: Buffer[] = [];
  readonly #starts: number[] = [0];
  #length = 0;

  add(lines: string[]): void {
    for (const line of lines) {
      this.#length += Buffer.byteLength(line) + 1;
      this.#starts.push(this.#length);
    }
    this.#parts.push(Buffer.from(`${lines.join("\n")}\n`));
  }

  finish(): TextColumn {
    return new TextColumn(Buffer.concat(this.#parts), Uint32Array.from(this.#starts));
  }
}
