// Reads on connections that were lost without notice, and never end: the test moves the timers.
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { DamageWatch } from "../../src/following/damage-watch.ts";
import { GuardedCatalog } from "../../src/following/guarded-catalog.ts";

const TIMEOUT_MS = 20_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Advances the timers, and lets what they started go on. */
async function advance(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

test("reads that never end fail together, their connections are replaced once, and later reads are answered", async () => {
  let replaced = 0;
  const limit = { timeoutMs: TIMEOUT_MS, onTimeout: () => replaced++ };
  const guarded = new GuardedCatalog({} as CatalogReader, new DamageWatch(() => false), 2, limit);
  const begun: string[] = [];
  const ends: string[] = [];
  const start = (name: string, read: Promise<void>): void => {
    const note = (end: string) => () => void ends.push(`${name} ${end}`);
    const begin = (): Promise<void> => {
      begun.push(name);
      return read;
    };
    guarded.guard("acme", begin).then(note("answered"), note("failed"));
  };
  const never = new Promise<void>(() => {});
  start("first", never);
  await advance(TIMEOUT_MS / 2);
  start("second", never);
  start("behind", Promise.resolve());
  await advance(TIMEOUT_MS / 2 - 1);
  expect([ends, replaced]).toEqual([[], 0]);
  await advance(1);
  expect([ends.toSorted(), replaced]).toEqual([["behind failed", "first failed", "second failed"], 1]);
  expect(begun).toEqual(["first", "second"]);
  start("slow", new Promise((resolve) => void setTimeout(resolve, TIMEOUT_MS - 1)));
  start("quick", Promise.resolve());
  await advance(TIMEOUT_MS - 1);
  expect([ends.slice(3), replaced]).toEqual([["quick answered", "slow answered"], 1]);
});
