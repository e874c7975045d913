import type { Connection, Transact } from "./engine.ts";

interface Waiting {
  use: (transaction: Connection) => Promise<unknown>;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs transactions that come close together as one, which waits for the disk once, and begins one in `pauseMs` at most. When
 * one of them throws, none of them happens, and all reject. How many wait is for the callers to bound.
 */
export function groupTransactions(transact: Transact, pauseMs: number): Transact {
  let group: Waiting[] = [];
  let begunAtMs = -Infinity;

  async function run(): Promise<void> {
    const running = group;
    group = [];
    begunAtMs = performance.now();
    try {
      const results = await transact(async (transaction) => {
        const values: unknown[] = [];
        for (const { use } of running) values.push(await use(transaction));
        return values;
      });
      for (const [index, { resolve }] of running.entries()) resolve(results[index] as never);
    } catch (error) {
      for (const { reject } of running) reject(error);
    }
  }

  return async (use) =>
    new Promise((resolve, reject) => {
      group.push({ use, resolve, reject });
      if (group.length === 1) setTimeout(() => void run(), Math.max(0, begunAtMs + pauseMs - performance.now()));
    });
}
