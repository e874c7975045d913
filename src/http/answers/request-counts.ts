/** A power of two, so that a part of a hash is a slot. Four bytes each. */
const SLOTS = 65_536;
/** A slot holds the count of a name in these bits, and above them what of its hash tells it from other names. */
const COUNT_BITS = 0xff;
const MAX_COUNT = COUNT_BITS;
/** After so many requests all counts are halved, so that what was asked for long ago counts less and less. */
const REQUESTS_PER_AGE = 1 << 20;

/** What counts its own requests, since it is at hand whenever there is one. */
export interface Counted {
  /** As it was in the age `age`. */
  count: number;
  age: number;
}

/**
 * How often names are asked for, lately: in fixed memory for those that the cache does not have. Now and then it confuses two
 * names, or forgets one early.
 */
export class RequestCounts {
  readonly #slots = new Uint32Array(SLOTS);
  #age = 0;
  #requests = 0;

  /** Notes a request for a name that counts nothing itself. Returns how often it was asked for, with this one. */
  note(name: string): number {
    this.#noteRequest();
    const hash = Bun.hash.xxHash32(name);
    const slot = hash % SLOTS;
    const held = this.#slots[slot] ?? 0;
    const count = held & COUNT_BITS;
    if (((held ^ hash) & ~COUNT_BITS) === 0 && count > 0) {
      if (count < MAX_COUNT) this.#slots[slot] = held + 1;
      return Math.min(count + 1, MAX_COUNT);
    }
    // Replaced only half of the time: two names that share a slot and alternate would otherwise displace each other for
    // ever.
    if (count === 0 || Math.random() < 0.5) this.#slots[slot] = ((hash & ~COUNT_BITS) | 1) >>> 0;
    return 1;
  }

  /** Something that counts its requests itself, with `count` of them so far. */
  begin(count: number): Counted {
    return { count, age: this.#age };
  }

  /** Notes a request for something that counts itself. */
  noteOwn(counted: Counted): void {
    this.#noteRequest();
    const count = this.read(counted);
    counted.count = count < MAX_COUNT ? count + 1 : count;
    counted.age = this.#age;
  }

  /** How often it was asked for. */
  read({ count, age }: Counted): number {
    return count >>> Math.min(this.#age - age, 31);
  }

  #noteRequest(): void {
    if (++this.#requests < REQUESTS_PER_AGE) return;
    this.#requests = 0;
    this.#age++;
    for (const [slot, held] of this.#slots.entries()) {
      this.#slots[slot] = ((held & ~COUNT_BITS) | ((held & COUNT_BITS) >>> 1)) >>> 0;
    }
  }
}
