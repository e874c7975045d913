// How many small bodies are compressed at once, and how many wait.
import { expect, test } from "bun:test";
import { CompressionQueue } from "../../src/http/answers/compression-queue.ts";

/** Lets everything that is decided become known. */
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a few compressions run at once, others wait in order, and what is too much is told at once", async () => {
  const queue = new CompressionQueue({ maxUnderWay: 2, maxWaiting: 3 });
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const run = async (n: number): Promise<number | undefined> =>
    queue.run(async () => {
      started.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      return n;
    });
  const results = [1, 2, 3, 4, 5, 6].map(run);
  expect(await results[5]).toBeUndefined();
  expect(started).toEqual([1, 2]);
  for (let next = 3; next <= 5; next++) {
    ends.shift()?.();
    await settle();
    expect(started).toHaveLength(next);
  }
  for (const end of ends) end();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5, undefined]);
  expect(started).toEqual([1, 2, 3, 4, 5]);
});

test("a compression that fails, or whose client has gone, leaves its turn to the next", async () => {
  const queue = new CompressionQueue({ maxUnderWay: 1, maxWaiting: 3 });
  const gone = async (): Promise<never> => Promise.reject(new Error("gone"));
  const results = await Promise.allSettled([queue.run(gone), queue.run(gone), queue.run(async () => "done")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(await queue.run(async () => "again")).toBe("again");
});
