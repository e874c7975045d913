import { test } from "bun:test";
import * as fc from "fast-check";
import { readRandomSettings } from "./random.ts";

const { seed, rounds: numRuns } = readRandomSettings(100);

/** A property test: `check` throws for a counterexample. */
export function property<T>(
  name: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void | Promise<void>,
  /** The share of the usual number of inputs, for slow checks. */
  share = 1,
): void {
  const checked = fc.asyncProperty(inputs, async (input) => check(input));
  test(`${name}, seed ${seed}`, () => fc.assert(checked, { seed, numRuns: Math.ceil(numRuns * share) }));
}
