/** A download whose client reads nothing for this long can be cut to serve another download. */
const MIN_STALLED_MS = 5000;

/** The memory of one download; `bytes` is 0 after its release. */
interface PieceShare {
  bytes: number;
  sentAtMs: number;
  cut: () => void;
}

/** When memory for assets runs out, cuts the download that has stalled longest, or refuses the request if none has. */
export class PieceBudget {
  usedBytes = 0;
  cuts = 0;
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** Downloads that wait for their clients, the longest waiting first. */
  readonly #waiting = new Set<PieceShare>();

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /**
   * Takes a share. Returns undefined if the budget is used up. Calls `cut` if another download gets the share later.
   */
  take(bytes: number, cut: () => void): PieceShare | undefined {
    if (this.usedBytes + bytes > this.#maxBytes) this.#cutStalled();
    if (this.usedBytes + bytes > this.#maxBytes) return undefined;
    this.usedBytes += bytes;
    return { bytes, sentAtMs: 0, cut };
  }

  noteTaken(share: PieceShare): void {
    this.#waiting.delete(share);
  }

  noteSent(share: PieceShare): void {
    share.sentAtMs = this.#now();
    if (share.bytes > 0) this.#waiting.add(share);
  }

  release(share: PieceShare): void {
    this.#waiting.delete(share);
    this.usedBytes -= share.bytes;
    share.bytes = 0;
  }

  #cutStalled(): void {
    const [longest] = this.#waiting;
    if (longest === undefined || this.#now() - longest.sentAtMs < MIN_STALLED_MS) return;
    this.release(longest);
    this.cuts++;
    longest.cut();
  }
}
