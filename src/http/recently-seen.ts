/** A power of two, so that a part of a hash is a slot. Four bytes each. */
const SLOTS = 65_536;

/** Remembers in fixed memory which of any number of things came up lately; now and then it takes one for another. */
export class RecentlySeen {
  readonly #hashes = new Uint32Array(SLOTS);

  /** Notes a thing. Returns whether it came up before, unless another has taken its slot since. */
  note(name: string): boolean {
    const hash = Bun.hash.xxHash32(name);
    const slot = hash % SLOTS;
    const wasSeen = this.#hashes[slot] === hash;
    this.#hashes[slot] = hash;
    return wasSeen;
  }
}
