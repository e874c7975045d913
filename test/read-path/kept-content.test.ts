// What servers keep of content beside answers: no project takes from another what that uses.
import { expect, test } from "bun:test";
import { KeptContent } from "../../src/http/operations/kept-content.ts";
import { LargeWork } from "../../src/http/operations/large-work.ts";
import { MemoryBudget } from "../../src/http/operations/memory-budget.ts";

const MAX_BYTES = 100;

function createKept(minKeptBytes = 0) {
  const kept = new KeptContent<{ bytes: number }>(MAX_BYTES, minKeptBytes);
  const budget = new MemoryBudget({ maxBytes: 1000 });
  let made = 0;
  /** True when the value was kept. */
  const ask = async (project: string, key: string, bytes: number, isLong = false): Promise<boolean> => {
    const before = made;
    const work = new LargeWork(budget, project, { signal: new AbortController().signal });
    await kept.obtain({ project, key: `${project} ${key}`, isLong }, work, async () => {
      made++;
      await Bun.sleep(0);
      return { bytes };
    });
    work.end();
    return made === before;
  };
  return { ask, made: () => made };
}

test("a project fills half of the room, and then pushes out its own, the least recently used first", async () => {
  const { ask } = createKept();
  for (const key of ["1", "2", "3", "4", "5"]) expect(await ask("a", key, 10)).toBe(false);
  expect(await ask("a", "1", 10)).toBe(true);
  expect(await ask("a", "6", 10)).toBe(false);
  expect(await ask("a", "1", 10)).toBe(true);
  expect(await ask("a", "2", 10)).toBe(false);
});

test("whoever asks for much in turn takes nothing from others, however long they wait", async () => {
  const { ask } = createKept();
  await ask("b", "1", 30);
  await ask("c", "1", 15);
  for (let round = 0; round < 100; round++) await ask("a", String(round % 10), 20);
  expect(await ask("b", "1", 30)).toBe(true);
  expect(await ask("c", "1", 15)).toBe(true);
});

test("when all is full, the project with the most gives way", async () => {
  const { ask } = createKept();
  for (const key of ["1", "2", "3", "4"]) await ask("a", key, 10);
  for (const key of ["1", "2", "3"]) await ask("b", key, 10);
  for (const project of ["c", "d", "e", "f"]) await ask(project, "1", 10);
  expect(await ask("a", "1", 10)).toBe(false);
  for (const project of ["b", "c", "d", "e", "f"]) expect(await ask(project, "1", 10)).toBe(true);
});

test("of values above a share one is kept, and it pushes out nothing else", async () => {
  const { ask } = createKept();
  await ask("a", "small", 40);
  await ask("b", "small", 40);
  expect(await ask("a", "large", 1000)).toBe(false);
  expect(await ask("a", "large", 1000)).toBe(true);
  expect(await ask("b", "large", 60)).toBe(false);
  expect(await ask("a", "large", 1000)).toBe(false);
  for (const project of ["a", "b"]) expect(await ask(project, "small", 40)).toBe(true);
});

test("values that are quickly made are not kept", async () => {
  const { ask } = createKept(10);
  await ask("a", "1", 9);
  expect(await ask("a", "1", 9)).toBe(false);
});

test("what takes long is made once for all who ask for it at once", async () => {
  const { ask, made } = createKept();
  await Promise.all(Array.from({ length: 10 }, async () => ask("a", "1", 10, true)));
  expect(made()).toBe(1);
});
