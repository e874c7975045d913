import type { LargeAnswerLimiter } from "../operations/answer-work.ts";
import type { Answer, AnswerBody } from "./answer.ts";

const IDLE_MS = 60_000;
/** The estimated memory of a cached answer apart from its body. */
const ENTRY_BYTES = 1000;

interface HeldBody {
  readonly body: AnswerBody;
  readonly project: string;
  bytes: number;
  keptAnswers: number;
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
  readonly #kept = new Map<string, { answer: Answer; held: HeldBody; usedAtMs: number }>();
  readonly #held = new Map<AnswerBody, HeldBody>();

  constructor(limits: LargeAnswerLimiter) {
    this.#limits = limits;
    limits.makeRoom = (hasRoom, project) => this.#makeRoom(hasRoom, project);
  }

  find(key: string): Answer | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    found.usedAtMs = Date.now();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.answer;
  }

  /** Returns the cached body with the same content, or else `body`. */
  findEqual(project: string, body: AnswerBody): AnswerBody {
    // The gzip tag identifies both the content and the coder.
    const isEqual = (held: HeldBody): boolean => held.project === project && held.body.tag("gzip") === body.tag("gzip");
    return this.#held.values().find(isEqual)?.body ?? body;
  }

  keep(key: string, project: string, answer: Answer): void {
    if (this.#kept.has(key)) return;
    const held = this.#hold(project, answer.body);
    held.keptAnswers++;
    this.#limits.count(project, ENTRY_BYTES);
    this.#kept.set(key, { answer, held, usedAtMs: Date.now() });
  }

  addReader(project: string, body: AnswerBody, request: Request): void {
    this.#hold(project, body).readers.add(request);
  }

  /** Drops answers that have been idle for a minute, and readers whose answer has been sent. Call it regularly. */
  sweep(nowMs: number): void {
    for (const [key, { usedAtMs }] of this.#kept) {
      if (nowMs - usedAtMs <= IDLE_MS) break;
      this.#drop(key);
    }
    for (const held of this.#held.values()) {
      for (const request of held.readers) if (!this.isUnderWay(request)) held.readers.delete(request);
      this.#release(held);
    }
  }

  clear(): void {
    for (const key of this.#kept.keys()) this.#drop(key);
  }

  #hold(project: string, body: AnswerBody): HeldBody {
    let held = this.#held.get(body);
    if (held === undefined) {
      held = { body, project, bytes: 0, keptAnswers: 0, readers: new Set() };
      this.#held.set(body, held);
    }
    // The body might have gained a coding since it was last counted.
    this.#limits.count(project, body.bytes - held.bytes);
    held.bytes = body.bytes;
    return held;
  }

  #makeRoom(hasRoom: () => boolean, project?: string): void {
    for (const held of this.#held.values()) {
      // One reader under way is enough to keep the body.
      for (const request of held.readers) {
        if (this.isUnderWay(request)) break;
        held.readers.delete(request);
      }
      this.#release(held);
    }
    for (const [key, { held }] of this.#kept) {
      if (hasRoom()) return;
      // Dropping a body that is being read frees no memory.
      if (held.readers.size === 0 && (project ?? held.project) === held.project) this.#drop(key);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    kept.held.keptAnswers--;
    this.#limits.count(kept.held.project, -ENTRY_BYTES);
    this.#release(kept.held);
  }

  #release(held: HeldBody): void {
    if (held.keptAnswers > 0 || held.readers.size > 0) return;
    this.#held.delete(held.body);
    this.#limits.count(held.project, -held.bytes);
    held.bytes = 0;
  }
}
