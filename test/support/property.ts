import { test } from "bun:test";
import * as fc from "fast-check";
import { readRandomSettings } from "./random.ts";

const { seed, rounds: numRuns } = readRandomSettings(300);

/** A test of a property: `check` throws for an input that does not have it. */
export function property<T>(
  name: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void | Promise<void>,
  /** Of the usual number of inputs, where each takes long. */
  share = 1,
): void {
  const checked = fc.asyncProperty(inputs, async (input) => check(input));
  test(`${name}, seed ${seed}`, () => fc.assert(checked, { seed, numRuns: Math.ceil(numRuns * share) }));
}
