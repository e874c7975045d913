// A course of many chapters without lessons.
import { beforeAll, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { publish } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const CHAPTERS = 2000;

const database = useTestStore();
let key: string;

beforeAll(async () => {
  for (const edition of ["one", "two", "three"]) {
    const chapters = Array.from({ length: CHAPTERS }, (_, n) => ({ id: `c${n}`, name: `Chapter ${n} ${edition}` }));
    await publish(database.store, "acme", [{ _id: "a", slug: "a-slug", name: "A", chapters }]);
  }
  key = await createKey(database.store, "acme");
});

const courses = ["lessons", "tree", "meta,tree", "lessons,meta", "lessons,tree"].flatMap((include) => [
  `/courses/a?include=${include}`,
  `/courses/a-slug?include=${include}`,
]);
const changes = [1, 2, 3].flatMap((since) => [1, 2, 3].map((release) => `/changes?since=${since}&release=${release}`));

test.each([
  ["courses", courses],
  ["changes", changes],
])("lists its chapters for two %s at a time", async (_, paths) => {
  const { catalog } = database.store;
  let [listing, most] = [0, 0];
  const readChapters: CatalogReader["readChapters"] = async function* (versionId) {
    most = Math.max(most, ++listing);
    yield* catalog.readChapters(versionId);
    // Other requests get turns.
    for (let turn = 0; turn < paths.length; turn++) await new Promise((resolve) => setImmediate(resolve));
    listing--;
  };
  const server = await createUnboundServer(database.store, { catalog: { ...catalog, readChapters } });
  const answers = await Promise.all(paths.map((path) => server.get(`/api/v1${path}`, { key })));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect(most).toBe(2);
});
