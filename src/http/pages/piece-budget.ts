/** After so long without taking anything, a download may be cut for another. */
const MIN_STALLED_MS = 5000;

/** Room in the budget, until it is given back. */
export interface PieceShare {
  noteTaken(): void;
  noteSent(): void;
  release(): void;
}

interface HeldShare {
  bytes: number;
  sentAtMs: number;
  cut: () => void;
}

/** When memory for assets runs out, the longest stalled download is cut, else the request is refused. */
export class PieceBudget {
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** Those that wait for their clients, the one that has waited longest first. */
  readonly #waiting = new Set<HeldShare>();
  #usedBytes = 0;
  #cuts = 0;

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

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
