// An in-memory table of a release's courses, for filtering and sorting. It stores columns, not an object per course.
import type { CatalogReader, CourseTraits } from "../../catalog/catalog-reader.ts";
import type { CourseMetaDocument } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import type { Sort } from "../request/parameters.ts";
import type { AnswerWork } from "./answer-work.ts";
import { ROWS_AT_ONCE, TextColumn } from "./text-column.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_PROJECT = MAX_BYTES / 2;
/** The estimated overhead of a table. */
const TABLE_BYTES = 1000;
/** Surrounds each tag. A tag's JSON text cannot contain it, because control characters are escaped. */
const EDGE = "\t";

/** The use of a project's table that is being loaded, or that is too large for the cache. */
interface Loan {
  users: number;
  ended: Promise<void>;
  end: () => void;
}

/** Caches the tables of releases. Evicts the least recently used tables when others need the memory. */
export class CatalogTables {
  readonly #kept = new Map<number, { project: string; table: CatalogTable }>();
  readonly #loading = new Map<number, Promise<CatalogTable>>();
  /** One per project, because tables outside the cache can have any size. */
  readonly #loans = new Map<string, Loan>();

  /**
   * Passes a release's table to `select`. Does not cache a table larger than a project's share: the project's other
   * tables then wait until all requests that waited for this one have used it. A request with a permit must not call
   * this, because those users need permits. Throws as `work` and `select` do.
   */
  async use<T>(
    release: Release,
    catalog: CatalogReader,
    work: AnswerWork,
    select: (table: CatalogTable) => Promise<T>,
  ): Promise<T> {
    const { id, project } = release;
    const known = this.#kept.get(id);
    if (known !== undefined) {
      this.#kept.delete(id);
      this.#kept.set(id, known);
      return select(known.table);
    }
    const others = this.#loans.get(project);
    if (others !== undefined && !this.#loading.has(id)) {
      await others.ended;
      work.stopIfGone();
      return this.use(release, catalog, work, select);
    }
    const loan = others ?? this.#lend(project);
    loan.users++;
    try {
      return await select(await work.share(this.#loading, id, () => this.#load(release, catalog, work)));
    } finally {
      if (--loan.users === 0) {
        this.#loans.delete(project);
        loan.end();
      }
    }
  }

  #lend(project: string): Loan {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const loan = { users: 0, ended, end };
    this.#loans.set(project, loan);
    return loan;
  }

  async #load(release: Release, catalog: CatalogReader, work: AnswerWork): Promise<CatalogTable> {
    if (release.courses > ROWS_AT_ONCE) await work.hold(0);
    const table = await CatalogTable.load(release, catalog.readTraits(release), work);
    this.#keep(release, table);
    return table;
  }

  #keep({ id, project }: Release, table: CatalogTable): void {
    if (table.bytes > MAX_BYTES_OF_PROJECT) return;
    this.#kept.set(id, { project, table });
    let [bytes, ofProject] = [0, 0];
    // Keep the newest tables that fit.
    for (const [each, kept] of [...this.#kept].toReversed()) {
      const size = kept.table.bytes + TABLE_BYTES;
      const isTooMuch =
        bytes + size > MAX_BYTES || (kept.project === project && ofProject + size > MAX_BYTES_OF_PROJECT);
      if (isTooMuch && each !== id) {
        this.#kept.delete(each);
        continue;
      }
      bytes += size;
      if (kept.project === project) ofProject += size;
    }
  }
}

class CatalogTable {
  readonly #columns = {
    id: new TextColumn(),
    name: new TextColumn(),
    languages: new TextColumn(),
    tags: new TextColumn(),
  };
  readonly #times: Record<"createdAt" | "updatedAt", Float64Array>;
  /** The rows in each order, with ties in order of id. Each order is computed on first use. */
  readonly #orders: Partial<Record<Sort | "id", Uint32Array>> = {};

  private constructor(rows: number) {
    this.#times = { createdAt: new Float64Array(rows), updatedAt: new Float64Array(rows) };
  }

  static async load(
    { courses }: Release,
    chunks: AsyncIterable<CourseTraits[]>,
    work: AnswerWork,
  ): Promise<CatalogTable> {
    const table = new CatalogTable(courses);
    const { id, name, languages, tags } = table.#columns;
    const { createdAt, updatedAt } = table.#times;
    for await (const chunk of chunks) {
      await work.pause();
      for (const [index, course] of chunk.entries()) {
        createdAt[id.length + index] = Date.parse(course.createdAt);
        updatedAt[id.length + index] = Date.parse(course.updatedAt);
      }
      id.add(chunk.map((course) => course.id));
      // Folded names contain no line break.
      name.add(chunk.map((course) => course.name));
      const metas = chunk.map(({ meta }) => meta && (JSON.parse(meta) as CourseMetaDocument));
      languages.add(metas.map((meta) => toLanguageLine(meta ? meta.language : "")));
      tags.add(metas.map((meta) => EDGE + (meta ? meta.tags : []).map((tag) => toTagText(tag) + EDGE).join("")));
      if (table.answerBytes > 0) await work.hold(table.answerBytes);
    }
    for (const column of Object.values(table.#columns)) column.finish();
    return table;
  }

  get bytes(): number {
    const { id, name, languages, tags } = this.#columns;
    const texts = id.bytes + name.bytes + languages.bytes + tags.bytes;
    return texts + id.length * (2 * Float64Array.BYTES_PER_ELEMENT + 6 * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** The bytes that count as a large answer: all those of a table too large for the cache. */
  get answerBytes(): number {
    return this.bytes > MAX_BYTES_OF_PROJECT ? this.bytes : 0;
  }

  findName(text: string, work: AnswerWork): Promise<number[]> {
    return this.#columns.name.search(text, work);
  }

  /** Finds the courses that match a lower-case language range (RFC 4647 §3.3.1). Returns ascending positions. */
  findLanguage(range: string, work: AnswerWork): Promise<number[]> {
    return this.#columns.languages.search(toLanguageLine(range), work);
  }

  findTag(tag: string, work: AnswerWork): Promise<number[]> {
    return this.#columns.tags.search(EDGE + toTagText(tag) + EDGE, work);
  }

  findUpdatedSince(timestamp: string): number[] {
    const since = Date.parse(timestamp);
    const positions: number[] = [];
    this.#times.updatedAt.forEach((updatedAt, position) => {
      if (updatedAt >= since) positions.push(position);
    });
    return positions;
  }

  /** Sorts `positions`, or all rows if undefined. Ties are in ascending order of id, even in descending sorts. */
  async sort(positions: readonly number[] | undefined, sort: Sort, work: AnswerWork): Promise<number[]> {
    const order = await this.#obtainOrder(sort, work);
    await work.pause();
    if (positions === undefined) return [...order];
    const isWanted = new Uint8Array(order.length);
    for (const position of positions) isWanted[position] = 1;
    const sorted: number[] = [];
    order.forEach((position) => {
      if (isWanted[position] === 1) sorted.push(position);
    });
    return sorted;
  }

  async #obtainOrder(key: Sort | "id", work: AnswerWork): Promise<Uint32Array> {
    return (this.#orders[key] ??= await this.#makeOrder(key, work));
  }

  async #makeOrder(key: Sort | "id", work: AnswerWork): Promise<Uint32Array> {
    if (key === "id") {
      const rows = Uint32Array.from({ length: this.#columns.id.length }, (_, row) => row);
      return sortInTurns(rows, this.#columns.id.compareRows, work);
    }
    // The sort is stable, so ties keep the order of ids.
    const byId = await this.#obtainOrder("id", work);
    const column = key.replace("-", "") as "name" | "createdAt" | "updatedAt";
    const times = column === "name" ? [] : this.#times[column];
    const compare =
      column === "name" ? this.#columns.name.compareRows : (a: number, b: number) => (times[a] ?? 0) - (times[b] ?? 0);
    return sortInTurns(byId, key.startsWith("-") ? (a, b) => compare(b, a) : compare, work);
  }
}

/** Formats a language or a range as a line. A range matches the languages whose lines begin with the range's line. */
function toLanguageLine(language: string): string {
  return language === "" ? "" : `${EDGE}${language.toLowerCase()}-`;
}

function toTagText(tag: string): string {
  return JSON.stringify(tag).slice(1, -1);
}

async function sortInTurns(
  rows: Uint32Array,
  compare: (a: number, b: number) => number,
  work: AnswerWork,
): Promise<Uint32Array> {
  let sorted = rows.slice();
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await work.pause();
    sorted.subarray(from, from + ROWS_AT_ONCE).sort(compare);
  }
  for (let size = ROWS_AT_ONCE; size < rows.length; size *= 2) {
    const merged = new Uint32Array(rows.length);
    for (let from = 0; from < rows.length; from += 2 * size) {
      const [middle, end] = [Math.min(from + size, rows.length), Math.min(from + 2 * size, rows.length)];
      let [left, right] = [from, middle];
      for (let to = from; to < end; to++) {
        if (to % ROWS_AT_ONCE === 0) await work.pause();
        const takesLeft = right >= end || (left < middle && compare(sorted[left] ?? 0, sorted[right] ?? 0) <= 0);
        merged[to] = sorted[takesLeft ? left++ : right++] ?? 0;
      }
    }
    sorted = merged;
  }
  return sorted;
}
