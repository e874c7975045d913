// An import that is large enough for threads: what it stores, and that no thread outlives it.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { encodeBody } from "../../src/catalog/body.ts";
import { openNdjsonInput } from "../../src/content/readers/ndjson.ts";
import { EncodingThreads } from "../../src/publishing/encoding-threads.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { importCourses, importNdjson, type AuthoredCourse } from "../support/catalog.ts";
import { publishingAt } from "../support/in-process.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const THREADS = Math.min(availableParallelism() - 1, 2);
const started: Worker[] = [];
const ended: Worker[] = [];

const onWorker = (worker: Worker): void => {
  started.push(worker);
  worker.on("exit", () => ended.push(worker));
};
beforeEach(() => {
  started.length = 0;
  ended.length = 0;
  process.on("worker", onWorker);
});
afterEach(() => {
  process.off("worker", onWorker);
});

/** Each has lessons on both sides of what is compressed, in scripts of one, two and three bytes a character. */
const createCourse = (number: number, characters = 60_000): AuthoredCourse => ({
  _id: `course-${number}`,
  name: `Course ${number}`,
  chapters: ["Water", "Nước", "水"].map((word) => ({
    name: word,
    lessons: [0, 10, characters].map((length) => ({
      id: `${word}-${length}`,
      name: `${word} ${length}`,
      additionalText: `${number} ${word} \n"`.repeat(length).slice(0, length),
    })),
  })),
});
// One is too large for threads: it is compiled between those that are on them. It ends its small import below.
const COURSES = Array.from({ length: 42 }, (_, number) => createCourse(number, number === 35 ? 2_700_000 : undefined));
/** Enough for threads. */
const LARGE = COURSES.slice(0, 30);
const [firstEngine] = engines;
const toNdjson = (courses: AuthoredCourse[]): string => courses.map((course) => `${JSON.stringify(course)}\n`).join("");

describe.each(engines)("a large import on $name", (engine) => {
  let database: TestStore;
  beforeEach(async () => {
    database = await openTestStore(engine);
  });
  afterEach(() => database.drop());

  const readLessons = (project: string): Promise<unknown[]> =>
    database.execute(`select v.course_id, v.lesson_list_digest, v.lesson_list, l.lesson_id, l.digest, l.body
      from course_versions v join version_lessons vl on vl.version_id = v.id
      join lesson_versions l on l.id = vl.lesson_version_id
      where v.project = '${project}' order by v.course_id, l.lesson_id`);
  const countVersions = async (): Promise<number> => (await database.execute("select id from course_versions")).length;

  test("leaves neither threads nor versions when its source fails on the way", async () => {
    const chunks = LARGE.map((course) => new TextEncoder().encode(toNdjson([course])));
    const input = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) throw new Error("the pipe broke");
        controller.enqueue(chunk);
      },
    });
    const imported = importCatalog({
      ...publishingAt(database.store, "acme", "2026-01-01T00:00:00.000Z"),
      channel: "live",
      source: openNdjsonInput(() => input, { assetBase: undefined }),
      dryRun: false,
      merge: false,
      report: () => undefined,
      confirmRemovals: undefined,
    });
    expect(await imported.catch(String)).toContain("the pipe broke");
    expect([started.length, ended.length]).toEqual([THREADS, THREADS]);
    expect(await countVersions()).toBe(0);
  });

  // What threads make does not depend on the database.
  if (engine !== firstEngine) return;

  test("stores the same bytes as small ones, which start no thread", async () => {
    for (let from = 0; from < COURSES.length; from += 6) {
      const part = COURSES.slice(from, from + 6);
      const { outcome } = await importNdjson(database.store, "parts", toNdjson(part), undefined, { merge: true });
      expect(outcome.status).toBe("published");
    }
    expect(started).toHaveLength(0);
    const { outcome, problems } = await importCourses(database.store, "whole", COURSES);
    expect([outcome.status, problems]).toEqual(["published", []]);
    expect([started.length, ended.length]).toEqual([THREADS, THREADS]);
    const [parts, whole] = [await readLessons("parts"), await readLessons("whole")];
    expect(whole).toHaveLength(COURSES.length * 9);
    expect(Bun.deepEquals(whole, parts)).toBeTrue();
  });

  test("leaves neither when a course at its end is wrong", async () => {
    const { outcome } = await importCourses(database.store, "acme", [...LARGE, { name: "" }]);
    expect([outcome.status, started.length, ended.length]).toEqual(["invalid", THREADS, THREADS]);
    expect(await countVersions()).toBe(0);
  });
});

describe("threads", () => {
  const TEXTS = COURSES.slice(0, 2).map((course) => JSON.stringify(course));

  test.each([
    [1, TEXTS],
    [3, TEXTS],
    [3, ["", "\u{1f4a7}", "x".repeat(5000)]],
    [2, []],
  ])("give what encoding here gives, in the same order: %d of them", async (count, texts) => {
    const threads = new EncodingThreads(count);
    const [first, second] = await Promise.all([threads.encode(texts), threads.encode(texts.toReversed())]);
    expect(first).toEqual(texts.map(encodeBody));
    expect(second).toEqual(texts.toReversed().map(encodeBody));
    await threads.close();
    expect(ended).toHaveLength(count);
  });

  test("that are closed reject what they have not done, and what comes later", async () => {
    const threads = new EncodingThreads(2);
    const encoded = threads.encode(TEXTS);
    await threads.close();
    expect(await encoded.catch(String)).toContain("closed");
    expect(await threads.encode(TEXTS).catch(String)).toContain("closed");
  });
});
