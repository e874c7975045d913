import type { Answer } from "./answer.ts";

const IDLE_MS = 60_000;

/**
 * A few large answers, so that many readers share the bytes of one: an answer of megabytes is under way for long. Kept
 * for a minute after the last use.
 */
export class LargeAnswers {
  readonly #maxBytes: number;
  readonly #answers = new Map<string, { answer: Answer; usedAtMs: number }>();

  /** The newest answer is kept even when it alone is larger than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(key: string): Answer | undefined {
    if (this.#answers.size === 0) return undefined;
    const found = this.#answers.get(key);
    if (found !== undefined) found.usedAtMs = Date.now();
    return found?.answer;
  }

  add(key: string, answer: Answer): void {
    this.#answers.set(key, { answer, usedAtMs: Date.now() });
    const oldestFirst = [...this.#answers].sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    let bytes = oldestFirst.reduce((sum, [, large]) => sum + large.answer.body.bytes, 0);
    for (const [oldestKey, large] of oldestFirst.slice(0, -1)) {
      if (bytes <= this.#maxBytes) return;
      this.#answers.delete(oldestKey);
      bytes -= large.answer.body.bytes;
    }
  }

  /** Forgets what nobody asked for lately. */
  sweep(nowMs: number): void {
    for (const [key, { usedAtMs }] of this.#answers) if (nowMs - usedAtMs > IDLE_MS) this.#answers.delete(key);
  }
}
