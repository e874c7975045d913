// Publications and prunes between two reads of one request: no answer has less than its release counts, and none such is kept.
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { errorBody } from "../support/acme.ts";
import { dataOf } from "../support/answers.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createUnboundServer, publishingAt } from "../support/in-process.ts";
import { executeAll } from "../support/saved-state.ts";
import { createKey } from "../support/server.ts";
import { openTestStore, sqlite, useTestStore } from "../support/store.ts";

const AGAIN = "The catalog is temporarily unavailable; try again";
const PRUNED = "This release is no longer kept";
/** Courses and chapters are read in chunks of 500, whole lessons in chunks of 16. */
const [COURSES, CHAPTERS, LESSONS] = [600, 600, 40];

/** Every second lesson is the same in all editions, so that a version has the others only beside those of the one before. */
function createEdition(edition: string): AuthoredCourse[] {
  const lessons = Array.from({ length: LESSONS }, (_, index) => {
    return { id: `l${index}`, name: `L${index}`, additionalText: index % 2 === 0 ? "Same" : edition };
  });
  const create = (id: string, published: boolean): AuthoredCourse => {
    return { _id: id, slug: `${id}-slug`, name: id, published, chapters: [{ id: "c", name: "C", lessons }] };
  };
  const others = Array.from({ length: COURSES - 1 }, (_, index) => {
    const chapters = index === 0 ? Array.from({ length: CHAPTERS }, () => ({ name: "C" })) : [];
    const course = { _id: `c${index}`, name: `Course ${index}, ${edition}`, tags: ["t"], createdAt: "2025-01-01" };
    return { ...course, chapters, translationOf: index === 1 ? "a" : null };
  });
  return [create("a", true), ...others, create("draft", false)];
}

const PATHS = `/courses /courses?limit=550&offset=20 /courses?name=course&limit=5 /courses?sort=-name&limit=3
  /courses?include=meta,digest /courses?ids=a,c1,c2 /courses/a?include=meta /courses/draft?include=lessons,meta
  /courses/a-slug/lessons?limit=5&include=digest /courses/draft/lessons/l1 /courses/a/lessons/l1?include=nav
  /courses/c0?include=tree /changes?since=1`.split(/\s+/);

const IN_CHUNKS = new Set<string>(
  `readCourses pickCourses readTraits readLessons readLessonBodies readChapters compareLessons readDifference
    readKeptReleases`.split(/\s+/),
);

/** A catalog that calls `between` before each read, and before each chunk of one. */
function interrupt(catalog: CatalogReader, between: () => Promise<void>): CatalogReader {
  async function* chunk(chunks: AsyncIterable<unknown>): AsyncGenerator {
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      await between();
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  }
  return new Proxy(catalog, {
    get(target, name: keyof CatalogReader) {
      const read = (target[name] as (...given: unknown[]) => unknown).bind(target);
      if (IN_CHUNKS.has(name)) return (...given: unknown[]) => chunk(read(...given) as AsyncIterable<unknown>);
      return async (...given: unknown[]) => {
        await between();
        return read(...given);
      };
    },
  });
}

/** With the column that names a version. */
const tables = Object.entries({
  release_courses: "version_id",
  version_lessons: "version_id",
  version_chapters: "version_id",
  course_meta: "version_id",
  course_trees: "version_id",
  course_versions: "id",
});
/** No two releases have versions in common. */
const ofRelease = (number: number): string =>
  `in (select version_id from kept_release_courses where release_id = ${number})`;

describe("a release that is pruned while it is read", () => {
  let key: string;
  const database = useTestStore(undefined, async () => {
    const { store } = database;
    for (const day of [1, 2]) await publish(store, "acme", createEdition(`of ${day}`), `2026-01-0${day}T00:00:00.000Z`);
    key = await createKey(store, "acme", { drafts: true });
    await executeAll(
      database,
      tables.map(([table]) => `create table kept_${table} as select * from ${table}`),
    );
  });
  afterEach(() => restore());

  let gone: number | undefined;
  const pruneContent = async (release: number): Promise<void> => {
    gone = release;
    const removals = tables.map(([table, column]) => `delete from ${table} where ${column} ${ofRelease(release)}`);
    const mark = `update releases set pruned_at = '2026-01-03' where project = 'acme' and number = ${release}`;
    await executeAll(database, [mark, ...removals]);
  };
  const restore = async (): Promise<void> => {
    if (gone === undefined) return;
    const where = ofRelease(gone);
    gone = undefined;
    const mark = "update releases set pruned_at = null where project = 'acme'";
    const toInsert = ([table, column]: string[]) =>
      `insert into ${table} select * from kept_${table} where ${column} ${where}`;
    await executeAll(database, [mark, ...tables.map(toInsert)]);
  };

  /** Makes a request, and prunes a release before the read of this number. Returns the answer and the number of reads. */
  async function askBeside(path: string, pruned: number, at: number) {
    let reads = 0;
    const catalog = interrupt(database.store.catalog, async () => {
      if (reads++ === at) await pruneContent(pruned);
    });
    const server = await createUnboundServer(database.store, { catalog });
    const answer = await server.get(`/api/v1${path}`, { key });
    return { answer, reads, server };
  }

  test.each(PATHS)("is answered whole or not at all, and whole again later: %s", async (plainPath) => {
    const cases: [path: string, pruned: number, code: number, message: string][] = [
      [plainPath, 2, 503, AGAIN],
      [`${plainPath}${plainPath.includes("?") ? "&" : "?"}release=2`, 2, 410, PRUNED],
    ];
    if (plainPath.includes("since=")) cases.push([plainPath, 1, 410, PRUNED]);
    for (const [path, pruned, code, message] of cases) {
      const { answer: whole, reads } = await askBeside(path, pruned, Infinity);
      expect([path, whole.status, reads > 0]).toEqual([path, 200, true]);
      for (const at of new Set([1 % reads, reads >> 1, reads - 1])) {
        const { answer, server } = await askBeside(path, pruned, at);
        const { status, headers, text } = answer;
        const [retryAfter, cacheControl] = [headers.get("retry-after"), headers.get("cache-control")];
        if (status === 200) expect([at, text]).toEqual([at, whole.text]);
        else {
          const expected = [at, code, errorBody(code, message), code === 503 ? "1" : null, "no-store"];
          expect([at, status, text, retryAfter, cacheControl]).toEqual(expected);
        }
        await restore();
        const later = await server.get(`/api/v1${path}`, { key });
        expect([at, later.status, later.text]).toEqual([at, 200, whole.text]);
      }
    }
  });

  test("is 410 for requests that name it and 503 for others, even if both wait for the same reads", async () => {
    let count = 0;
    const catalog = interrupt(database.store.catalog, async () => {
      // The number is looked up before.
      if (++count === 4) await pruneContent(2);
    });
    const server = await createUnboundServer(database.store, { catalog });
    const answers = await Promise.all(
      ["", "?release=2", "?release=2", ""].map((query) => server.get(`/api/v1/courses${query}`, { key })),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 410, 410, 503]);
    await restore();
    const texts = await Promise.all(["", "?release=2"].map((query) => server.get(`/api/v1/courses${query}`, { key })));
    expect(texts.map((answer) => dataOf(answer).results.length)).toEqual([COURSES, COURSES]);
  });

  test("is 503 for every request while an unpruned row is missing, and not listed without its draft, as counts would be wrong", async () => {
    const server = await createUnboundServer(database.store);
    const ask = (query: string) => server.get(`/api/v1/courses${query}`, { key });
    /** The numbers of releases, as a server lists them that has just started. */
    const list = async (): Promise<number[]> => {
      const started = await createUnboundServer(database.store);
      const { results } = dataOf(await started.get("/api/v1/releases", { key }));
      return results.map((release) => (release as unknown as { number: number }).number);
    };
    const without = async (position: number, check: () => Promise<void>): Promise<void> => {
      const row = `release_id = 2 and position = ${position}`;
      await database.execute(`delete from release_courses where ${row}`);
      await check();
      await database.execute(`insert into release_courses select * from kept_release_courses where ${row}`);
    };
    await without(3, async () => {
      for (const query of ["", "", "?release=2", "?name=course", "?sort=name", "?include=digest"]) {
        const { status, headers } = await ask(query);
        expect([query, status, headers.get("retry-after")]).toEqual([query, 503, "1"]);
      }
      expect([(await ask("?limit=3")).status, await list()]).toEqual([200, [2, 1]]);
    });
    // The draft.
    await without(COURSES, async () => expect(await list()).toEqual([1]));
    expect((await ask("")).status).toBe(200);
  });

  test("is no longer served by a server that missed the prune", async () => {
    const { store } = database;
    await publish(store, "late", createEdition("one"), "2026-01-01T00:00:00.000Z");
    const lateKey = await createKey(store, "late");
    const server = await createUnboundServer(store);
    await publish(store, "late", createEdition("two"), "2026-01-02T00:00:00.000Z");
    await pruneReleases(publishingAt(store, "late", "2026-01-03T00:00:00.000Z"), 1);
    for (const path of ["/courses", "/courses/none", "/courses/a/lessons/l1"]) {
      const ask = (query: string) => server.get(`/api/v1${path}${query}`, { key: lateKey });
      expect([(await ask("")).status, (await ask("?release=1")).status]).toEqual([503, 410]);
    }
    await server.look();
    expect((await server.get("/api/v1/courses/a", { key: lateKey })).status).toBe(200);
  });
});

test("a list is of the release that a worker just loaded, even right after another read", async () => {
  const database = await openTestStore(sqlite);
  const { store } = database;
  await publish(
    store,
    "acme",
    ["a", "b"].map((id) => ({ _id: id, name: id })),
  );
  const key = await createKey(store, "acme");
  const server = await createUnboundServer(store);
  const publisher = new Database(database.url.slice("sqlite:".length));
  const miss = server.get("/api/v1/courses/a", { key });
  // Another process commits, and tells: nothing here gives way to anything else.
  publisher.run(`begin immediate;
    create temp table one as select * from releases; update one set id = 2, number = 2; insert into releases select * from one;
    insert into release_courses (release_id, position, version_id) select 2, position, version_id from release_courses;
    insert into publications (id, project, channel, release_id, action, published_at)
      select 2, project, channel, 2, action, published_at from publications;
    commit`);
  const release = { id: 2, project: "acme", number: 2, courses: 2, drafts: 0, lessons: 0 };
  const publications = [{ project: "acme", channel: "live", publishedAt: "2026-01-01T00:00:00Z", release }];
  server.apply({ keys: [], publications, replacesKeys: false, replacesPublications: false });
  const lists = ["", "?limit=1", "?name=a"].map((query) => server.get(`/api/v1/courses${query}`, { key }));
  expect((await miss).status).toBe(200);
  expect((await Promise.all(lists)).map((answer) => dataOf(answer).results.length)).toEqual([2, 1, 1]);
  publisher.close();
  await database.drop();
});
