/** A power of two, so that a part of a hash is a slot. Four bytes each. */
const SLOTS = 65_536;

/** Remembers in fixed memory which names came up recently. Now and then it confuses two names, or forgets one early. */
export class RecentlySeen {
  readonly #hashes = new Uint32Array(SLOTS);

  /** Notes a name. True when it was noted before and is still remembered. */
  note(name: string): boolean {
    const hash = Bun.hash.xxHash32(name);
    const slot = hash % SLOTS;
    const held = this.#hashes[slot];
    if (held === hash) return true;
    // Replaced only half of the time: two names that share a slot and alternate would otherwise displace each other for
    // ever.
    if (held === 0 || Math.random() < 0.5) this.#hashes[slot] = hash;
    return false;
  }
}
