/** The clock of a deliverer, in milliseconds since 1970. Tests give their own. */
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
  const passed = Promise.withResolvers<void>();
  const stopTimer = clock.startTimer(passed.resolve, delayMs);
  await Promise.race([passed.promise, ...(work === undefined ? [] : [work])]).finally(stopTimer);
}
