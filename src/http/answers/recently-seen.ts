/** A power of two, so that a part of a hash is a slot. Four bytes each. */
const SLOTS = 65_536;

/** Remembers in fixed memory which of any number of things came up lately; now and then it takes one for another. */
export class RecentlySeen {
  readonly #hashes = new Uint32Array(SLOTS);

  /** Notes a thing. Returns whether it came up before, as far as that is remembered. */
  note(name: string): boolean {
    const hash = Bun.hash.xxHash32(name);
    const slot = hash % SLOTS;
    const held = this.#hashes[slot];
    if (held === hash) return true;
    // Not always: two in one slot that come up by turns would else be forgotten for each other for ever.
    if (held === 0 || Math.random() < 0.5) this.#hashes[slot] = hash;
    return false;
  }
}
