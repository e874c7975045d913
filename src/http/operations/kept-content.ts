import type { LargeWork } from "./large-work.ts";

/** The share of the room that one project may fill. */
const PROJECT_SHARE = 1 / 2;

interface Kept<Value> {
  /** Least recently used first. */
  values: Map<string, Value>;
  bytes: number;
}

/**
 * What was made of content, in memory, by keys that no two projects share. A project that fills its share displaces its own; when
 * all is full, the project with the most gives way. So nobody who asks for much takes from others what they use.
 */
export class KeptContent<Value extends { readonly bytes: number }> {
  readonly #maxBytes: number;
  readonly #minKeptBytes: number;
  readonly #byProject = new Map<string, Kept<Value>>();
  #bytes = 0;
  /** One that is larger than any share: otherwise each request would make the largest again. */
  #oversized: { key: string; value: Value } | undefined;

  /** `maxBytes` is the room of all together, besides one value above a share. Values below `minKeptBytes` are not kept. */
  constructor(maxBytes: number, minKeptBytes = 0) {
    this.#maxBytes = maxBytes;
    this.#minKeptBytes = minKeptBytes;
  }

  /**
   * The value of a key, which `make` makes where it is not kept: one at a time where `isLong`, so that it is made once for all who
   * wait. Throws as `make` and `work` do.
   */
  async obtain(
    { project, key, isLong }: { project: string; key: string; isLong: boolean },
    work: LargeWork,
    make: () => Promise<Value>,
  ): Promise<Value> {
    const known = this.#find(project, key);
    if (known !== undefined) return known;
    if (isLong) await work.begin(0);
    const madeMeanwhile = this.#find(project, key);
    if (madeMeanwhile !== undefined) return madeMeanwhile;
    const value = await make();
    this.#keep(project, key, value);
    return value;
  }

  #find(project: string, key: string): Value | undefined {
    if (this.#oversized?.key === key) return this.#oversized.value;
    const values = this.#byProject.get(project)?.values;
    const value = values?.get(key);
    if (values === undefined || value === undefined) return undefined;
    values.delete(key);
    values.set(key, value);
    return value;
  }

  #keep(project: string, key: string, value: Value): void {
    if (value.bytes < this.#minKeptBytes) return;
    const share = this.#maxBytes * PROJECT_SHARE;
    if (value.bytes > share) {
      this.#oversized = { key, value };
      return;
    }
    const own: Kept<Value> = this.#byProject.get(project) ?? { values: new Map(), bytes: 0 };
    this.#byProject.set(project, own);
    this.#bytes += value.bytes - (own.values.get(key)?.bytes ?? 0);
    own.bytes += value.bytes - (own.values.get(key)?.bytes ?? 0);
    own.values.delete(key);
    own.values.set(key, value);
    while (own.bytes > share) this.#dropOldest(project, own);
    while (this.#bytes > this.#maxBytes) this.#dropOldest(...this.#findLargest());
  }

  #findLargest(): [project: string, kept: Kept<Value>] {
    return [...this.#byProject].reduce((largest, each) => (each[1].bytes > largest[1].bytes ? each : largest));
  }

  #dropOldest(project: string, kept: Kept<Value>): void {
    const [oldest] = kept.values;
    if (oldest === undefined) return;
    const [key, { bytes }] = oldest;
    kept.values.delete(key);
    kept.bytes -= bytes;
    this.#bytes -= bytes;
    if (kept.values.size === 0) this.#byProject.delete(project);
  }
}
