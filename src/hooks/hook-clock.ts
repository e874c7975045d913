/** The time of whoever delivers, in milliseconds since 1970. A test gives its own, and decides when time passes. */
export interface HookClock {
  now(): number;
  /** Calls `work` once after a delay, unless the function that it returns is called before. */
  startTimer(work: () => void, delayMs: number): () => void;
}

/** The clock of the system. */
export const systemClock: HookClock = {
  now: () => Date.now(),
  startTimer(work, delayMs) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or when `work` has ended, if that comes first. Rejects as `work` does. */
export async function wait(clock: HookClock, delayMs: number, work?: Promise<unknown>): Promise<void> {
  let stopTimer = (): void => {};
  const passed = new Promise<void>((resolve) => (stopTimer = clock.startTimer(resolve, delayMs)));
  await Promise.race(work === undefined ? [passed] : [passed, work]).finally(stopTimer);
}
