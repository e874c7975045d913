import type { LargeAnswerLimiter } from "../operations/answer-work.ts";
import type { Answer, AnswerBody } from "./answer.ts";

const IDLE_MS = 60_000;

/** The memory of a body that is cached or being read. */
interface HeldBody {
  readonly body: AnswerBody;
  readonly project: string;
  bytes: number;
  isCached: boolean;
  readonly readers: Set<Request>;
}

/**
 * Caches large answers for a minute after their last use. Counts the memory of answers that are cached or being read.
 * When memory is short, drops cached answers that nobody is reading.
 */
export class LargeAnswers {
  /** Returns true while a request's answer is being sent. The listener replaces this function. */
  isUnderWay: (request: Request) => boolean = () => false;
  readonly #limits: LargeAnswerLimiter;
  readonly #cached = new Map<string, { answer: Answer; held: HeldBody; usedAtMs: number }>();
  readonly #held = new Map<AnswerBody, HeldBody>();

  constructor(limits: LargeAnswerLimiter) {
    this.#limits = limits;
    limits.makeRoom = (hasRoom) => this.#makeRoom(hasRoom);
  }

  find(key: string): Answer | undefined {
    const found = this.#cached.get(key);
    if (found === undefined) return undefined;
    this.#cached.delete(key);
    this.#cached.set(key, { ...found, usedAtMs: Date.now() });
    return found.answer;
  }

  keep(key: string, project: string, answer: Answer): void {
    if (this.#cached.has(key)) return;
    const held = this.#hold(project, answer.body);
    held.isCached = true;
    this.#cached.set(key, { answer, held, usedAtMs: Date.now() });
  }

  addReader(project: string, body: AnswerBody, request: Request): void {
    this.#hold(project, body).readers.add(request);
  }

  /** Drops answers that have been idle for a minute, and readers whose answer has been sent. Call it regularly. */
  sweep(nowMs: number): void {
    for (const [key, { held, usedAtMs }] of this.#cached) {
      if (nowMs - usedAtMs > IDLE_MS) this.#drop(key, held);
    }
    for (const held of this.#held.values()) {
      for (const request of held.readers) if (!this.isUnderWay(request)) held.readers.delete(request);
      this.#release(held);
    }
  }

  clear(): void {
    for (const [key, { held }] of this.#cached) this.#drop(key, held);
  }

  #hold(project: string, body: AnswerBody): HeldBody {
    const held = this.#held.get(body) ?? { body, project, bytes: 0, isCached: false, readers: new Set() };
    this.#held.set(body, held);
    // The body might have gained a coding since it was last counted.
    this.#limits.count(project, body.bytes - held.bytes);
    held.bytes = body.bytes;
    return held;
  }

  #makeRoom(hasRoom: () => boolean): void {
    for (const held of this.#held.values()) this.#release(held);
    for (const [key, { held }] of this.#cached) {
      if (hasRoom()) return;
      // Dropping a body that is being read frees no memory.
      if (held.readers.size === 0) this.#drop(key, held);
    }
  }

  #drop(key: string, held: HeldBody): void {
    this.#cached.delete(key);
    held.isCached = false;
    this.#release(held);
  }

  /** Forgets readers whose answer has been sent, up to one that still reads, and then a body that nobody needs. */
  #release(held: HeldBody): void {
    for (const request of held.readers) {
      if (this.isUnderWay(request)) return;
      held.readers.delete(request);
    }
    if (held.isCached) return;
    this.#held.delete(held.body);
    this.#limits.count(held.project, -held.bytes);
    held.bytes = 0;
  }
}
