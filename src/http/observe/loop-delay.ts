import { Histogram } from "./histogram.ts";
import { LOOP_DELAY } from "./metrics.ts";

const INTERVAL_MS = 100;
const BUCKETS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

/** Measures how late timers fire: a request that arrives then is read as late. */
export class LoopDelay {
  readonly #delays = new Histogram(BUCKETS_MS);
  readonly #timer: Timer;
  #lastMs = performance.now();

  constructor() {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#delays.add(Math.max(0, nowMs - this.#lastMs - INTERVAL_MS));
      this.#lastMs = nowMs;
    }, INTERVAL_MS);
  }

  snapshot(): Record<string, number> {
    return this.#delays.snapshot(LOOP_DELAY, "");
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
