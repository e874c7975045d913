// Large answers: each is made once and is in memory once, however slowly it is read; where they are asked for faster than they are
// read, a server waits, it refuses, it serves others.
import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { errorBody } from "../support/acme.ts";
import { dataOf } from "../support/answers.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createKey, formatRequest, HANGS_AFTER_MS, startTestServer, waitFor } from "../support/server.ts";
import type { TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { askOnce, decodeBody } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { startSlowReader } from "./slow-reader.ts";

/** 16 MB with what each holds: the system buffers up to 10 MB of an unread answer. */
const COURSES = 3300;
const MIB = 1024 * 1024;
const LIST = "/api/v1/courses";
/** Who read nothing at once. */
const READERS = 12;
/** As many answers of a project are made at once. */
const PERMITS = 2;

const createCourses = (edition: string): AuthoredCourse[] =>
  Array.from({ length: COURSES }, (_, index) => ({
    _id: `c${String(index).padStart(5, "0")}`,
    slug: `s${index}`,
    name: `Course ${index} ${edition}`,
    thumbnail: `https://cdn.example.org/${Bun.hash(String(index)).toString(36).repeat(380)}`,
    createdAt: "2025-01-01",
  }));

const database = useTestStore(undefined, async () => {
  await publish(database.store, "acme", createCourses("one"));
  await publish(database.store, "other", [{ _id: "o", slug: "o", name: "Other", createdAt: "2025-01-01" }]);
  key = await createKey(database.store, "acme");
  otherKey = await createKey(database.store, "other");
});
let server: TestServer | undefined;
let key: string;
let otherKey: string;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const start = async (options: Parameters<typeof startTestServer>[1]): Promise<TestServer> => {
  server = await startTestServer(database.store, options);
  return server;
};
const readGauge = async (name: string): Promise<number> => (await readMetrics(server?.adminUrl ?? "")).sum(name);

test("lists are not rendered for disconnected clients, and a remaining client gets the shared answer", async () => {
  const { catalog } = database.store;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [rows, isAsked] = [0, false];
  const readCourses: typeof catalog.readCourses = async function* (...part) {
    isAsked = true;
    await released;
    for await (const piece of catalog.readCourses(...part)) {
      rows += piece.length;
      yield piece;
    }
  };
  const running = await start({ catalog: { ...catalog, readCourses }, largeAnswerWaitMs: HANGS_AFTER_MS });
  const port = Number(new URL(running.url).port);
  const sockets = Array.from({ length: 30 }, () => connect({ host: "127.0.0.1", port }));
  for (const [n, socket] of sockets.entries()) socket.write(formatRequest(`${LIST}?offset=${n + 1}`, { key }));
  await waitFor(() => isAsked);
  const staying = running.get(`${LIST}?offset=1`, { key });
  await waitFor(async () => (await readGauge("lectern_large_answers_waiting")) === sockets.length - PERMITS);
  for (const socket of sockets) socket.destroy();
  await waitFor(async () => (await readGauge("lectern_large_answers_waiting")) === 0);
  release();
  expect((await staying).status).toBe(200);
  // The first piece of those in progress, and all of the one with a waiting client.
  expect(rows).toBeLessThanOrEqual(PERMITS * 500 + COURSES);
});

test("lists that nobody reads fill only their own memory; further ones are refused, and everything else is served", async () => {
  const maxBytes = 80 * MIB;
  const running = await start({ largeAnswerBytes: maxBytes, largeAnswerWaitMs: 300 });
  const { url } = running;
  const readers = [];
  for (let n = 1; n <= 8; n++) readers.push(await startSlowReader(url, `${LIST}?offset=${n}`, key));
  expect(readers.map(({ status }) => status).join(" ")).toMatch(/^200 200 .*503 503$/);
  expect(await readGauge("lectern_large_answer_bytes")).toBeLessThan(maxBytes);

  const refused = await running.get(`${LIST}?offset=9`, { key });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(refused.text).toBe(errorBody(503, "Too many large answers are in progress; try again"));
  for (const path of [`${LIST}/c00001`, `${LIST}?limit=2`, `${LIST}?name=course+17&limit=1`]) {
    expect([path, (await running.get(path, { key })).status]).toEqual([path, 200]);
  }
  expect((await running.get(LIST, { key: otherKey })).status).toBe(200);

  for (const { socket } of readers) socket.destroy();
  // It may take a moment until the server sees that they have gone.
  await waitFor(async () => (await running.get(`${LIST}?offset=9`, { key })).status === 200);
});

test("a list larger than the whole memory limit is rendered alone", async () => {
  const running = await start({ largeAnswerBytes: MIB, largeAnswerWaitMs: 300 });
  expect(dataOf(await running.get(LIST, { key })).total).toBe(COURSES);
});

test("a list of several MB is kept outside the cache in every coding, and evicts nothing", async () => {
  const { url } = await start({ cacheBytes: 4 * MIB });
  await askOnce(url, `${LIST}/c00001`, { key });
  const readCache = () => Promise.all(["lectern_cache_entries", "lectern_cache_bytes"].map(readGauge));
  const before = await readCache();
  for (const coding of ["gzip", "identity"]) {
    const read = async () => askOnce(url, LIST, { key, headers: { "accept-encoding": coding } });
    const [first, second] = [await read(), await read()];
    expect(first.body.equals(second.body)).toBe(true);
    expect(decodeBody(first).length).toBeGreaterThan(14_000_000);
  }
  expect(await readCache()).toEqual(before);
  // Without its tables the database answers nothing any more: what still comes is kept.
  await database.execute("alter table release_courses rename to release_courses_gone");
  const answers = [await askOnce(url, LIST, { key }), await askOnce(url, `${LIST}/c00001`, { key })];
  await database.execute("alter table release_courses_gone rename to release_courses");
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test(`it is in memory once for ${READERS} clients that read nothing; others are served, and it stays complete after a publication`, async () => {
  const { url } = await start({ cacheBytes: 4 * MIB });
  const whole = (await askOnce(url, LIST, { key })).body.toString();
  const before = await readGauge("lectern_large_answer_bytes");
  const readers = await Promise.all(Array.from({ length: READERS }, () => startSlowReader(url, LIST, key)));
  expect((await askOnce(url, `${LIST}/c00007`, { key })).status).toBe(200);
  expect(await readGauge("lectern_large_answer_bytes")).toBe(before);

  await publish(database.store, "acme", createCourses("two"));
  await waitFor(async () => (await askOnce(url, `${LIST}?limit=1`, { key })).headers["catalog-release"] === "2");
  expect((await askOnce(url, LIST, { key })).body.includes('"Course 17 two"')).toBe(true);
  for (const reader of readers.slice(0, 2)) expect((await reader.text()) === whole).toBe(true);
  for (const { socket } of readers) socket.destroy();
});
