export interface HookClock {
  now(): number;
  startTimer(work: () => void, delayMs: number): () => void;
}

export const systemClock: HookClock = {
  now: () => Date.now(),
  startTimer(work, delayMs) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or earlier when `work` resolves. Rejects if `work` rejects. */
export async function wait(clock: HookClock, delayMs: number, work?: Promise<unknown>): Promise<void> {
  const passed = Promise.withResolvers<void>();
  const stopTimer = clock.startTimer(passed.resolve, delayMs);
  await Promise.race([passed.promise, ...(work === undefined ? [] : [work])]).finally(stopTimer);
}
