// A course of many chapters without lessons, and one of many lessons that comes and goes.
import { beforeAll, expect, test } from "bun:test";
import type { Range } from "../../src/catalog/catalog-reader.ts";
import { publish } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const CHAPTERS = 2000;

const database = useTestStore();
const keys: string[] = [];

beforeAll(async () => {
  for (const edition of ["one", "two", "three"]) {
    const chapters = Array.from({ length: CHAPTERS }, (_, n) => ({ id: `c${n}`, name: `Chapter ${n} ${edition}` }));
    await publish(database.store, "acme", [{ _id: "a", slug: "a-slug", name: "A", chapters }]);
    const lessons = Array.from({ length: CHAPTERS }, (_, n) => ({ id: `l${n}`, name: "L" }));
    const long = { _id: "long", name: "Long", chapters: [{ id: "c", name: "C", lessons }] };
    await publish(database.store, "long", [{ _id: "b", name: edition }, ...(edition === "two" ? [] : [long])]);
  }
  for (const project of ["acme", "long"]) keys.push(await createKey(database.store, project));
});

const courses = ["lessons", "tree", "meta,tree", "lessons,meta", "lessons,tree"].flatMap((include) => [
  `/courses/a?include=${include}`,
  `/courses/a-slug?include=${include}`,
]);
const changes = [1, 2, 3].flatMap((since) => [1, 2, 3].map((release) => `/changes?since=${since}&release=${release}`));

test.each([
  ["courses", courses, 0],
  ["changes of chapters", changes, 0],
  ["changes of lessons", changes, 1],
])("lists their parts for two %s at a time", async (_, paths, project) => {
  const { catalog } = database.store;
  let [listing, most] = [0, 0];
  const count = <A extends unknown[], T>(read: (...asked: A) => AsyncIterable<T>) =>
    async function* (...asked: A): AsyncGenerator<T> {
      most = Math.max(most, ++listing);
      yield* read(...asked);
      // Other requests get turns.
      for (let turn = 0; turn < paths.length; turn++) await new Promise((resolve) => setImmediate(resolve));
      listing--;
    };
  const counted =
    project === 0
      ? { readChapters: count((...asked: [number]) => catalog.readChapters(...asked)) }
      : { readLessons: count((...asked: [number, Range]) => catalog.readLessons(...asked)) };
  const server = await createUnboundServer(database.store, { catalog: { ...catalog, ...counted } });
  const answers = await Promise.all(paths.map((path) => server.get(`/api/v1${path}`, { key: keys[project] })));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect(most).toBe(2);
});
