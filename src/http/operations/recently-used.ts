/** Values in memory by their keys. The least recently used are dropped once all of them take more than they may. */
export class RecentlyUsed<Key, Value extends { readonly bytes: number }> {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #values = new Map<Key, Value>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  /** Undefined when it is not kept, or not any more. */
  find(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Keeps a value, also one that is too large: otherwise each request would make the largest of all again. */
  keep(key: Key, value: Value): void {
    this.#drop(key);
    this.#values.set(key, value);
    this.#bytes += value.bytes;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#values.size === 1) return;
      this.#drop(oldest);
    }
  }

  #drop(key: Key): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}
