import type { Answer } from "./answer.ts";
import type { EncodedBody } from "./encoded-body.ts";
import { countIndexBytes } from "./index-bytes.ts";
import { MemoryBudget, type Reservation } from "../operations/memory-budget.ts";

const IDLE_MS = 60_000;
/** The most that kept answers may take besides their bodies, of which many can share one. */
const MAX_INDEX_BYTES = 2 * 1024 * 1024;

interface HeldBody {
  body: EncodedBody;
  reservation: Reservation;
  /** How many kept answers have it. */
  uses: number;
  readers: Set<Request>;
}

/**
 * Large answers: those that are kept ready for a minute after their last use, and those that clients are still reading.
 * They share one budget with those that are being made. Kept answers that no client is reading are dropped when a request
 * needs the room.
 */
export class LargeAnswers {
  readonly budget: MemoryBudget;
  /** Tells whether the answer to a request is still being sent; a server sets it when it begins to listen. */
  isUnderWay: (request: Request) => boolean = () => false;
  /** Least recently used first. */
  readonly #kept = new Map<string, { answer: Answer; usedAtMs: number }>();
  #indexBytes = 0;
  /** By digest, so that equal content is in memory only once. */
  readonly #held = new Map<string, HeldBody>();

  constructor(maxBytes: number, maxWaitMs: number | undefined) {
    this.budget = new MemoryBudget({ maxBytes, maxWaitMs, makeRoom: (isEnough) => this.#makeRoom(isEnough) });
  }

  find(key: string): Answer | undefined {
    if (this.#kept.size === 0) return undefined;
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    found.usedAtMs = Date.now();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.answer;
  }

  findBody(digest: string): EncodedBody | undefined {
    return this.#held.get(digest)?.body;
  }

  /** Registers a body that was made, with its room in the budget. */
  hold(body: EncodedBody, reservation: Reservation): void {
    this.#held.set(body.digest, { body, reservation, uses: 0, readers: new Set() });
  }

  /** Keeps an answer ready. */
  keep(key: string, answer: Answer): void {
    const held = this.#held.get(answer.body.digest);
    if (held === undefined || this.#kept.has(key)) return;
    held.uses++;
    this.#kept.set(key, { answer, usedAtMs: Date.now() });
    this.#indexBytes += countIndexBytes(key, answer);
    for (const [oldest, { answer: old }] of this.#kept) {
      if (this.#indexBytes <= MAX_INDEX_BYTES) return;
      this.#forget(oldest, old);
    }
  }

  /** Counts the bytes that compression has added to a body. */
  recount(body: EncodedBody): void {
    this.#held.get(body.digest)?.reservation.resize(body.bytes);
  }

  /** Counts a body until the answer to this request was sent. */
  addReader(project: string, body: EncodedBody, request: Request): void {
    // The body may have been dropped between its making and this call.
    if (!this.#held.has(body.digest)) this.hold(body, this.budget.count(project, body.bytes));
    this.#held.get(body.digest)?.readers.add(request);
  }

  /** Drops answers that were not requested for a minute, and readers whose answer was sent. Call it at short intervals. */
  sweep(nowMs: number): void {
    for (const [key, { answer, usedAtMs }] of this.#kept) {
      if (nowMs - usedAtMs > IDLE_MS) this.#forget(key, answer);
    }
    this.#endReaders();
  }

  #makeRoom(isEnough: () => boolean): void {
    this.#endReaders();
    for (const [key, { answer }] of this.#kept) {
      if (isEnough()) return;
      // Dropping a body that is being read would free no memory.
      if (this.#held.get(answer.body.digest)?.readers.size === 0) this.#forget(key, answer);
    }
  }

  #endReaders(): void {
    for (const held of this.#held.values()) {
      for (const request of held.readers) if (!this.isUnderWay(request)) held.readers.delete(request);
      this.#releaseUnused(held);
    }
  }

  #forget(key: string, answer: Answer): void {
    this.#kept.delete(key);
    this.#indexBytes -= countIndexBytes(key, answer);
    const held = this.#held.get(answer.body.digest);
    if (held === undefined) return;
    held.uses--;
    this.#releaseUnused(held);
  }

  #releaseUnused({ body, uses, readers, reservation }: HeldBody): void {
    if (uses > 0 || readers.size > 0) return;
    this.#held.delete(body.digest);
    reservation.release();
  }
}
