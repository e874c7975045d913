/** The number that Bun compresses at once; more would hold memory and end no sooner. */
const MAX_UNDER_WAY = 4;
/** Each waiting compression holds its content: up to 64 KiB, and so 16 MiB in all. */
const MAX_WAITING = 256;

/** Compressions of small bodies: a few at once, in the order in which they were asked for. */
export class CompressionQueue {
  readonly #maxUnderWay: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor({ maxUnderWay = MAX_UNDER_WAY, maxWaiting = MAX_WAITING } = {}) {
    this.#maxUnderWay = maxUnderWay;
    this.#maxWaiting = maxWaiting;
  }

  /** Runs `compress` when its turn comes. Undefined, at once, when too many wait already. */
  async run<T>(compress: () => Promise<T>): Promise<T | undefined> {
    if (this.#underWay < this.#maxUnderWay) {
      this.#underWay++;
    } else if (this.#waiting.length < this.#maxWaiting) {
      // The compression that ends passes its turn on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      return undefined;
    }
    try {
      return await compress();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }
}
