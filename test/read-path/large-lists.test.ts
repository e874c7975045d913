// The whole list of a large catalog: made once, in memory once, however many clients read it and however slowly.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey, waitFor } from "../support/server.ts";
import { anyEngine, openTestStore, type TestStore } from "../support/store.ts";
import { askOnce, Connection } from "./connection.ts";
import { readMetrics } from "./metrics.ts";
import { startSlowReader } from "./slow-reader.ts";

/** With what each holds, 16 MB: the system's own buffers take some of an answer that nobody reads, up to 10 MB. */
const COURSES = 600;
const READERS = 12;
const LIST = "/api/v1/courses";

const createCourses = (edition: string): AuthoredCourse[] =>
  Array.from({ length: COURSES }, (_, index) => ({
    _id: `c${String(index).padStart(5, "0")}`,
    slug: `s${index}`,
    name: `Course ${index} ${edition}`,
    thumbnail: `https://cdn.example.org/${Bun.hash(String(index)).toString(36).repeat(2000)}`,
    createdAt: "2025-01-01",
  }));

describe("a list of several MB", () => {
  let database: TestStore;
  let server: RunningCommand;
  let key: string;

  beforeAll(async () => {
    database = await openTestStore(anyEngine);
    await publish(database.store, "acme", createCourses("one"));
    key = await createKey(database.store, "acme");
    server = await startServing(["serve", "--cache-size", "4"], { env: { LECTERN_DATABASE: database.url } });
  });
  afterAll(async () => {
    server.kill();
    await server.exited;
    await database.drop();
  });

  test("is made and compressed for whoever asks first, and comes whole", async () => {
    const { headers, body } = await askOnce(server.url, LIST, { key, headers: { "accept-encoding": "gzip" } });
    expect(headers["content-encoding"]).toBe("gzip");
    expect((JSON.parse(gunzipSync(body).toString()) as { data: { total: number } }).data.total).toBe(COURSES);
  });

  test("is kept apart from the cache, in every coding, and pushes nothing out", async () => {
    await askOnce(server.url, "/api/v1/courses/c00001", { key });
    const before = await readMetrics(server.adminUrl);
    for (const coding of ["identity", "br", "zstd", "gzip"]) {
      const first = await askOnce(server.url, LIST, { key, headers: { "accept-encoding": coding } });
      const second = await askOnce(server.url, LIST, { key, headers: { "accept-encoding": coding } });
      expect(first.body.equals(second.body)).toBe(true);
      if (coding === "identity") expect(first.body.length).toBeGreaterThan(14_000_000);
    }
    const after = await readMetrics(server.adminUrl);
    for (const name of ["lectern_cache_entries", "lectern_cache_bytes"]) expect(after.sum(name)).toBe(before.sum(name));
    // Without its tables the database answers nothing any more: what still comes is kept.
    await database.execute("alter table release_courses rename to release_courses_gone");
    const [list, course] = [
      await askOnce(server.url, LIST, { key }),
      await askOnce(server.url, `${LIST}/c00001`, { key }),
    ];
    await database.execute("alter table release_courses_gone rename to release_courses");
    expect([list.status, course.status]).toEqual([200, 200]);
  });

  test(`is in memory once for ${READERS} clients that read nothing; others are served, and it ends whole after a publication`, async () => {
    const readBytes = async () => (await readMetrics(server.adminUrl)).sum("lectern_large_answer_bytes");
    const whole = (await askOnce(server.url, LIST, { key })).body.toString();
    const before = await readBytes();
    const readers = await Promise.all(
      Array.from({ length: READERS }, async () => startSlowReader(server.url, LIST, key)),
    );
    const connection = await Connection.open(server.url);
    for (let time = 0; time < 20; time++) {
      expect((await connection.ask("/api/v1/courses/c00007", { key })).status).toBe(200);
    }
    connection.close();
    expect(await readBytes()).toBe(before);

    await publish(database.store, "acme", createCourses("two"));
    const isNew = async () =>
      (await askOnce(server.url, `${LIST}?limit=1`, { key })).headers["catalog-release"] === "2";
    await waitFor(isNew);
    expect((await askOnce(server.url, LIST, { key })).body.includes('"Course 17 two"')).toBe(true);
    for (const reader of readers.slice(0, 5)) expect((await reader.text()) === whole).toBe(true);
    for (const { socket } of readers) socket.destroy();
  });
});
