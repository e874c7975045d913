/** After so long without taking anything, a download may be cut for another. */
const MIN_STALLED_MS = 5000;

/** Room in the budget, until it is given back. */
export interface PieceShare {
  /** Says that all that was sent is taken: the next piece is being read. */
  noteTaken(): void;
  /** Says that a piece was sent, which the client has yet to take. */
  noteSent(): void;
  /** Gives all of it back; a second time does nothing. */
  release(): void;
}

interface HeldShare {
  bytes: number;
  sentAtMs: number;
  cut: () => void;
}

/**
 * The memory for assets that are being sent. Nobody waits for it: when it runs out, the download whose client has taken nothing
 * for the longest time is cut, and where all take something, what finds no room is refused. It neither takes from nor adds to
 * what answers with a key may use.
 */
export class PieceBudget {
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** Those that wait for their clients, the one that has waited longest first. */
  readonly #waiting = new Set<HeldShare>();
  #usedBytes = 0;
  #cuts = 0;

  /** `now` gives milliseconds of any clock. */
  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** How many downloads were cut. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Undefined when there is no room now. `cut` is called when this room is given to another; it is released by then. */
  take(bytes: number, cut: () => void): PieceShare | undefined {
    if (this.#usedBytes + bytes > this.#maxBytes) this.#cutStalled();
    if (this.#usedBytes + bytes > this.#maxBytes) return undefined;
    this.#usedBytes += bytes;
    const held: HeldShare = { bytes, sentAtMs: 0, cut };
    return {
      noteTaken: () => void this.#waiting.delete(held),
      noteSent: () => {
        held.sentAtMs = this.#now();
        if (held.bytes > 0) this.#waiting.add(held);
      },
      release: () => this.#release(held),
    };
  }

  #cutStalled(): void {
    const [longest] = this.#waiting;
    if (longest === undefined || this.#now() - longest.sentAtMs < MIN_STALLED_MS) return;
    this.#release(longest);
    this.#cuts++;
    longest.cut();
  }

  #release(held: HeldShare): void {
    this.#waiting.delete(held);
    this.#usedBytes -= held.bytes;
    held.bytes = 0;
  }
}
