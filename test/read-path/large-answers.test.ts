// Large answers: each is made once and is in memory once, however slowly it is read; where they are asked for faster than they are
// read, a server waits, it refuses, it serves others.
import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createKey, formatRequest, HANGS_AFTER_MS, startTestServer, waitFor } from "../support/server.ts";
import type { TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { askOnce, decodeBody } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { startSlowReader } from "./slow-reader.ts";

/** 16 MB with what each holds: the system buffers up to 10 MB of an unread answer. */
const COURSES = 600;
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
    thumbnail: `https://cdn.example.org/${Bun.hash(String(index)).toString(36).repeat(2000)}`,
    createdAt: "2025-01-01",
  }));
const other: AuthoredCourse[] = [{ _id: "o", slug: "o", name: "Other", createdAt: "2025-01-01" }];

describe("large answers", () => {
  const database = useTestStore();
  let server: TestServer | undefined;
  let key: string;
  let otherKey: string;

  beforeAll(async () => {
    await publish(database.store, "acme", createCourses("one"));
    await publish(database.store, "other", other);
    key = await createKey(database.store, "acme");
    otherKey = await createKey(database.store, "other");
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const start = async (options: Parameters<typeof startTestServer>[1]): Promise<TestServer> => {
    server = await startTestServer(database.store, options);
    return server;
  };
  const readGauge = async (name: string): Promise<number> => (await readMetrics(server?.adminUrl ?? "")).sum(name);

  test("are not rendered for disconnected clients, and a remaining client gets the shared answer", async () => {
    const held = holdCatalog(database.store.catalog);
    const { url, ...running } = await start({ catalog: held.catalog, largeAnswerWaitMs: HANGS_AFTER_MS });
    const sockets = Array.from({ length: 30 }, (_, n) => {
      const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
      socket.write(formatRequest(`${LIST}?offset=${n + 1}`, { key }));
      return socket;
    });
    await waitFor(() => held.isAsked());
    const staying = running.get(`${LIST}?offset=1`, { key });
    await waitFor(async () => (await readGauge("lectern_large_answers_waiting")) === sockets.length - PERMITS);
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await readGauge("lectern_large_answers_waiting")) === 0);
    held.release();
    expect((await staying).status).toBe(200);
    // The first piece of those in progress, and all of the one with a waiting client.
    expect(held.pieces()).toBeLessThanOrEqual(PERMITS + Math.ceil(COURSES / 500));
  });

  test("with full lessons stop rendering for disconnected clients", async () => {
    const lessons = Array.from({ length: 400 }, (_, n) => ({ id: `l${n}`, name: `Lesson ${n}` }));
    await publish(database.store, "whole", [{ _id: "w", name: "Whole", chapters: [{ name: "All", lessons }] }]);
    const wholeKey = await createKey(database.store, "whole");
    const { catalog } = database.store;
    const gone = Promise.withResolvers<void>();
    let pieces = 0;
    const counting: CatalogReader = {
      ...catalog,
      async *readLessonBodies(...part) {
        for await (const piece of catalog.readLessonBodies(...part)) {
          if (++pieces === 2) await gone.promise;
          yield piece;
        }
      },
    };
    const { url, ...running } = await start({ catalog: counting });
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
    socket.write(formatRequest(`${LIST}/w?include=lessons`, { key: wholeKey }));
    await waitFor(() => pieces === 2);
    socket.destroy();
    // Once requests after it have been answered, the server has seen that.
    for (let n = 0; n < 3; n++) await running.get(LIST, { key: otherKey });
    gone.resolve();
    expect((await running.get(`${LIST}/w?include=lessons`, { key: wholeKey })).status).toBe(200);
    // Two of the one that has ended, and all of the next one: one lesson, then 16 at a time.
    expect(pieces).toBe(2 + 1 + Math.ceil(399 / 16));
  });

  test("that nobody reads fill only their own memory; further ones are refused, and everything else is served", async () => {
    const maxBytes = 80 * MIB;
    const { url, ...running } = await start({ largeAnswerBytes: maxBytes, largeAnswerWaitMs: 300 });
    const readers = [];
    for (let n = 1; n <= 8; n++) readers.push(await startSlowReader(url, `${LIST}?offset=${n}`, key));
    const statuses = readers.map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(-2)).toEqual([503, 503]);
    expect(await readGauge("lectern_large_answer_bytes")).toBeLessThan(maxBytes);

    const refused = await running.get(`${LIST}?offset=9`, { key });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.text).toBe(
      '{"data":{},"success":false,"message":"Too many large answers are in progress; try again","code":503}',
    );
    for (const path of [`${LIST}/c00001`, `${LIST}?limit=2`, `${LIST}?name=course+17&limit=1`]) {
      expect([path, (await running.get(path, { key })).status]).toEqual([path, 200]);
    }
    expect((await running.get(LIST, { key: otherKey })).status).toBe(200);

    for (const { socket } of readers) socket.destroy();
    // It may take a moment until the server sees that they have gone.
    await waitFor(async () => (await running.get(`${LIST}?offset=9`, { key })).status === 200);
  });

  test("larger than the whole memory limit are rendered alone", async () => {
    const running = await start({ largeAnswerBytes: MIB, largeAnswerWaitMs: 300 });
    const { status, text } = await running.get(LIST, { key });
    expect(status).toBe(200);
    expect((JSON.parse(text) as { data: { total: number } }).data.total).toBe(COURSES);
  });
});

describe("a list of several MB", () => {
  let server: TestServer;
  let key: string;
  const database = useTestStore(undefined, async () => {
    await publish(database.store, "acme", createCourses("one"));
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store, { cacheBytes: 4 * MIB });
    return () => server.stop();
  });

  test("is kept outside the cache in every coding, and evicts nothing", async () => {
    await askOnce(server.url, "/api/v1/courses/c00001", { key });
    const before = await readMetrics(server.adminUrl);
    for (const coding of ["gzip", "identity"]) {
      const ask = async () => askOnce(server.url, LIST, { key, headers: { "accept-encoding": coding } });
      const [first, second] = [await ask(), await ask()];
      expect(first.body.equals(second.body)).toBe(true);
      const text = decodeBody(first);
      expect(text.length).toBeGreaterThan(14_000_000);
      expect((JSON.parse(text) as { data: { total: number } }).data.total).toBe(COURSES);
    }
    const after = await readMetrics(server.adminUrl);
    for (const name of ["lectern_cache_entries", "lectern_cache_bytes"]) expect(after.sum(name)).toBe(before.sum(name));
    // Without its tables the database answers nothing any more: what still comes is kept.
    await database.execute("alter table release_courses rename to release_courses_gone");
    const answers = [await askOnce(server.url, LIST, { key }), await askOnce(server.url, `${LIST}/c00001`, { key })];
    await database.execute("alter table release_courses_gone rename to release_courses");
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test(`is in memory once for ${READERS} clients that read nothing; others are served, and it stays complete after a publication`, async () => {
    const readBytes = async () => (await readMetrics(server.adminUrl)).sum("lectern_large_answer_bytes");
    const whole = (await askOnce(server.url, LIST, { key })).body.toString();
    const before = await readBytes();
    const opened = Array.from({ length: READERS }, async () => startSlowReader(server.url, LIST, key));
    const readers = await Promise.all(opened);
    expect((await askOnce(server.url, `${LIST}/c00007`, { key })).status).toBe(200);
    expect(await readBytes()).toBe(before);

    await publish(database.store, "acme", createCourses("two"));
    const isNew = async () =>
      (await askOnce(server.url, `${LIST}?limit=1`, { key })).headers["catalog-release"] === "2";
    await waitFor(isNew);
    expect((await askOnce(server.url, LIST, { key })).body.includes('"Course 17 two"')).toBe(true);
    for (const reader of readers.slice(0, 2)) expect((await reader.text()) === whole).toBe(true);
    for (const { socket } of readers) socket.destroy();
  });
});

/** A catalog whose lists come only after `release`; counts the pieces that are read. */
function holdCatalog(catalog: CatalogReader) {
  let pieces = 0;
  let isAsked = false;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held: CatalogReader = {
    ...catalog,
    async *readCourses(...part) {
      isAsked = true;
      await released;
      for await (const piece of catalog.readCourses(...part)) {
        pieces++;
        yield piece;
      }
    },
  };
  return { catalog: held, pieces: () => pieces, isAsked: () => isAsked, release };
}
