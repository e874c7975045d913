import type { CourseTraits } from "../../catalog/catalog-reader.ts";
import { compareCodePoints } from "../../catalog/compare-code-points.ts";
import type { LargeWork } from "./large-work.ts";

/** So many courses are sorted or merged before other requests get their turn. */
const COURSES_AT_ONCE = 500;

const KEYS = ["createdAt", "updatedAt", "name"] as const;

/** The orders of the courses of a release, by what they are sorted by. */
export type Orders = Record<(typeof KEYS)[number], CourseOrder>;

/** Sorts courses by each key; equal ones by id. Throws 499 when the client of `work` has disconnected. */
export async function orderCourses(courses: CourseTraits[], work: LargeWork): Promise<Orders> {
  const order = async (key: (typeof KEYS)[number]): Promise<CourseOrder> => {
    const compare = (a: CourseTraits, b: CourseTraits): number =>
      compareCodePoints(a[key], b[key]) || compareCodePoints(a.id, b.id);
    const positions = await sortInTurns(courses, compare, work);
    const begins = new Uint8Array(positions.length);
    for (let index = 0; index < positions.length; index++) {
      if (index % COURSES_AT_ONCE === COURSES_AT_ONCE - 1) await work.pause();
      const [one, before] = [courses[positions[index] ?? 0], courses[positions[index - 1] ?? 0]];
      if (index === 0 || one?.[key] !== before?.[key]) begins[index] = 1;
    }
    return new CourseOrder(positions, begins);
  };
  return { createdAt: await order("createdAt"), updatedAt: await order("updatedAt"), name: await order("name") };
}

/** All positions of a list in another order. */
export class CourseOrder {
  readonly #positions: Uint32Array;
  /** For each of them 1 where it is not equal to the one before, by what they are sorted by. */
  readonly #begins: Uint8Array;

  constructor(positions: Uint32Array, begins: Uint8Array) {
    this.#positions = positions;
    this.#begins = begins;
  }

  get bytes(): number {
    return this.#positions.byteLength + this.#begins.byteLength;
  }

  /** Positions in this order, or in the opposite one, in which equal courses still come by id; undefined for all. */
  list(wanted: number[] | undefined, isDescending: boolean): number[] {
    const isWanted = wanted && new Uint8Array(this.#positions.length);
    for (const position of wanted ?? []) if (isWanted) isWanted[position] = 1;
    const listed: number[] = [];
    // An iterator would take ten times as long.
    const add = (from: number, end: number): void => {
      for (let index = from; index < end; index++) {
        const position = this.#positions[index] ?? 0;
        if (isWanted === undefined || isWanted[position] === 1) listed.push(position);
      }
    };
    if (!isDescending) {
      add(0, this.#positions.length);
      return listed;
    }
    let end = this.#positions.length;
    for (let from = end - 1; from >= 0; from--) {
      if (this.#begins[from] !== 1) continue;
      add(from, end);
      end = from;
    }
    return listed;
  }
}

/** The positions of items in their order: parts are sorted, then merged two and two. */
async function sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  work: LargeWork,
): Promise<Uint32Array> {
  const compareAt = (a: number, b: number): number => compare(items[a] as T, items[b] as T);
  let sorted = new Uint32Array(items.length);
  for (let index = 0; index < items.length; index++) sorted[index] = index;
  for (let from = 0; from < items.length; from += COURSES_AT_ONCE) {
    if (from > 0) await work.pause();
    sorted.subarray(from, from + COURSES_AT_ONCE).sort(compareAt);
  }
  for (let size = COURSES_AT_ONCE; size < items.length; size *= 2) {
    const merged = new Uint32Array(items.length);
    for (let from = 0; from < items.length; from += 2 * size) {
      const [middle, end] = [Math.min(from + size, items.length), Math.min(from + 2 * size, items.length)];
      let [left, right] = [from, middle];
      for (let to = from; to < end; to++) {
        if (to % COURSES_AT_ONCE === 0) await work.pause();
        const takesLeft =
          right >= end || (left < middle && compareAt(sorted[left] as number, sorted[right] as number) <= 0);
        merged[to] = (takesLeft ? sorted[left++] : sorted[right++]) as number;
      }
    }
    sorted = merged;
  }
  return sorted;
}
