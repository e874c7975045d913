// Repeatable randomness: a seed gives the same numbers on every machine.

export type Random = ReturnType<typeof createRandom>;

/** The seed and rounds of a random test: `TEST_SEED` and `TEST_ROUNDS`, if set. */
export function readRandomSettings(rounds: number): { seed: number; rounds: number } {
  const read = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
  return { seed: read("TEST_SEED", Date.now() % 1_000_000), rounds: read("TEST_ROUNDS", rounds) };
}

/** Numbers from a seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** An integer from 0 to `limit` - 1. */
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    /** True once in `times`, on average. */
    oneIn: (times: number): boolean => below(times) === 0,
    /** Throws for an empty list. */
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error("nothing to pick from");
      return from[below(from.length)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const shuffled = [...list];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
      }
      return shuffled;
    },
  };
}
