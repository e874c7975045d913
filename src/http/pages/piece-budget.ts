/** Room in the budget, until it is given back. */
export interface PieceShare {
  /** Gives back all but so many bytes. */
  shrink(bytes: number): void;
  /** Gives all of it back; a second time does nothing. */
  release(): void;
}

/**
 * The memory for assets that are being sent. Nobody waits for it: what finds no room is refused, and neither takes from nor
 * adds to what answers with a key may use.
 */
export class PieceBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Undefined when there is no room now. */
  take(bytes: number): PieceShare | undefined {
    if (this.#usedBytes + bytes > this.#maxBytes) return undefined;
    this.#usedBytes += bytes;
    let held = bytes;
    const shrink = (to: number): void => {
      if (to >= held) return;
      this.#usedBytes -= held - to;
      held = to;
    };
    return { shrink, release: () => shrink(0) };
  }
}
