// Tables of a catalog with long names and tags, which are too large to be cached.
import { beforeAll, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { publish } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { readMetrics } from "./metrics.ts";

const COURSES = 1200;
const RELEASES = 4;
/** More than a project's tables may take in the cache. */
const TABLE_BYTES = 18 * 1024 * 1024;
const NAME = "long name ".repeat(90);
/** With three bytes for each character. */
const LONG = { createdAt: "2025-01-01", tags: Array.from({ length: 50 }, (_, n) => `${n}${"名".repeat(98)}`) };

const database = useTestStore();
let key: string;

beforeAll(async () => {
  for (let release = 1; release <= RELEASES; release++) {
    const courses = Array.from({ length: COURSES }, (_, n) => {
      return { ...LONG, _id: `c${n}`, slug: `s${n}`, name: `${n === 0 ? release : n} ${NAME}` };
    });
    await publish(database.store, "acme", courses);
  }
  key = await createKey(database.store, "acme");
});

const pathOf = (release: number, name: string): string =>
  `/api/v1/courses?name=${name}&include=digest&limit=1&release=${release}`;

/** A catalog that calls `then` with a release whenever its traits have been read. */
function watchTraits(catalog: CatalogReader, then: (release: number) => Promise<void>): CatalogReader {
  const readTraits: CatalogReader["readTraits"] = async function* (release) {
    yield* catalog.readTraits(release);
    await then(release.number);
  };
  return { ...catalog, readTraits };
}

test("count as large answers while they are made", async () => {
  const counted: number[] = [];
  const catalog = watchTraits(database.store.catalog, async () => {
    counted.push((await readMetrics(server.adminUrl)).sum("lectern_large_answer_bytes"));
  });
  const server = await startTestServer(database.store, { catalog });
  expect((await server.get(pathOf(1, "long"), { key })).status).toBe(200);
  await server.stop();
  expect(counted).toHaveLength(1);
  expect(counted[0]).toBeGreaterThan(TABLE_BYTES);
});

test("are in memory one at a time per project, once for all requests that wait for one", async () => {
  const answered = new Set<number>();
  const waitingWhenRead: number[][] = [];
  const all = Array.from({ length: RELEASES }, (_, index) => index + 1);
  const catalog = watchTraits(database.store.catalog, async (read) => {
    waitingWhenRead.push(all.filter((release) => release < read && !answered.has(release)));
  });
  const server = await createUnboundServer(database.store, { catalog });
  const asked = all.map(async (release) => {
    const answers = ["long", "name", "long%20name"].map((name) => server.get(pathOf(release, name), { key }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    answered.add(release);
  });
  await Promise.all(asked);
  expect(waitingWhenRead).toEqual([[], [], [], []]);
});

test("are made of a few long rows at a time", async () => {
  const { catalog } = database.store;
  const release = await catalog.findPublishedRelease("acme", "live", 1);
  if (release === undefined || release === "pruned") throw new Error("no release");
  const chunks = await Array.fromAsync(catalog.readTraits(release));
  expect(chunks.flat()).toHaveLength(COURSES);
  expect(Math.max(...chunks.map((rows) => rows.length))).toBeLessThanOrEqual(100);
});
