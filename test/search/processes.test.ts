import { Database } from "bun:sqlite";
import { afterEach, describe, expect, jest, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { SearchProcess } from "../../src/search/search-process.ts";
import type { SearchRequest } from "../../src/search/searcher.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { publishingAt } from "../support/in-process.ts";
import { startSearchServer, type SearchServer, type SearchServerOptions } from "../support/search.ts";
import { createKey, waitFor } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";

const createCourses = (count: number, word: string) => {
  const additionalText = `<p>${word}</p>`;
  const lessons = Array.from({ length: count }, (_, n) => ({ id: `l${n}`, name: `Lesson ${n}`, additionalText }));
  return [{ _id: "a", slug: "a", name: "A", chapters: [{ name: "One", lessons }] }];
};
const COURSES = createCourses(3, "alpha");
const FOUND = ["a/l0", "a/l1", "a/l2"];
const FAULT = "cannot read or build the search index";
const STUCK = [process.execPath, join(import.meta.dir, "stuck-searcher.ts")];
const HELD = [process.execPath, join(import.meta.dir, "held-searcher.ts")];

const SILENT = pino({ enabled: false });

const DISK_BYTES = 1024 * 1024;
const disk = await openSmallDisk(DISK_BYTES);

describe("the search process", () => {
  let key: string;
  const folder = createTestFolder();
  const running: SearchServer[] = [];
  const database = useTestStore(undefined, async () => {
    key = await publishNew("acme");
    return async () => {
      await disk?.drop();
      folder.remove();
    };
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop();
  });
  const start = async (options: SearchServerOptions): Promise<SearchServer> => {
    const server = await startSearchServer(database, options);
    running.push(server);
    return server;
  };
  const pathOf = (name: string): string => join(folder.path, name);
  const serve = (name: string) => start({ searchDir: pathOf(name) });
  const listFiles = (name: string): string[] => readdirSync(pathOf(name)).filter((file) => file.endsWith(".db"));
  const readMetrics = async ({ adminUrl }: SearchServer) => (await fetch(`${adminUrl}/metrics`)).text();
  const publishNew = async (project: string, courses: AuthoredCourse[] = COURSES): Promise<string> => {
    await publish(database.store, project, courses);
    return createKey(database.store, project);
  };

  test("has private files whose names do not reveal the project, and low priority; a second server takes the next number", async () => {
    const [one, two] = [await serve("shared"), await serve("shared")];
    expect([await one.find("alpha", key), await two.find("alpha", key)]).toEqual([FOUND, FOUND]);
    const ends = listFiles("shared").map((file) => file.replace(/^[0-9a-f]{32}/, ""));
    expect(ends.sort()).toEqual(["-0.db", "-1.db"]);
    for (const file of readdirSync(pathOf("shared"))) {
      expect(statSync(pathOf(`shared/${file}`)).mode & 0o777).toBe(0o600);
    }
    await two.stop();
    expect(getPriority(findChild(pathOf("shared")))).toBe(Math.max(10, getPriority()));
  });

  test("rebuilds over files that are no index, or one with other word rules, or of another or a later state of the store", async () => {
    const spoil: ((path: string) => unknown)[] = [
      (path) => writeFileSync(path, "nothing of SQLite ".repeat(1000)),
      (path) => query(path, "pragma user_version = 1"),
      (path) => query(path, "update origin set identity = 'another'"),
      (path) => query(path, "update origin set publication = 999"),
    ];
    const keys = await Promise.all(spoil.map((_, index) => publishNew(`spoiled${index}`)));
    for (const isSpoiled of [false, true]) {
      const server = await serve("spoiled");
      for (const each of keys) expect([isSpoiled, await server.find("alpha", each)]).toEqual([isSpoiled, FOUND]);
      await server.stop();
      expect(listFiles("spoiled")).toHaveLength(spoil.length);
      for (const [index, file] of listFiles("spoiled").entries()) spoil[index]?.(pathOf(`spoiled/${file}`));
    }
  });

  test("is restarted when it ends", async () => {
    const server = await serve("ended");
    expect(await server.find("alpha", key)).toEqual(FOUND);
    process.kill(findChild(pathOf("ended")), "SIGKILL");
    await waitFor(() => server.searchLog().includes("search process ended"));
    // Another text: answers are cached.
    expect(await server.find("alpha -round", key)).toEqual(FOUND);
    expect(await readMetrics(server)).toContain("lectern_search_restarts_total 1\n");
  });

  test("takes the project whose searches took the least time, and starts few searches of each", async () => {
    const [otherKey, lateKey] = [await publishNew("other"), await publishNew("late")];
    const order = pathOf("order");
    const listTurns = (): string[] => (existsSync(order) ? readFileSync(order, "utf8").trim().split("\n") : []);
    // On this clock, each search takes 100 ms, except those of one project, which take none.
    const now = (): number => 100 * listTurns().filter((project) => project !== "other").length;
    const server = await start({ searcher: [...HELD, order], now });
    const ask = (q: string, asking = "") => server.get(`/api/v1/search?q=${q}`, { key: asking });
    const waiting = (count: number): Promise<void> =>
      waitFor(async () => (await readMetrics(server)).includes(`lectern_searches_waiting ${count}\n`));
    const first = ask("first", key);
    await waitFor(() => existsSync(`${order}.asked`));
    const many = Array.from({ length: 20 }, (_, n) => ask(`many${n}`, key));
    await waiting(16);
    const few = [ask("few1", otherKey), ask("few2", otherKey)];
    await waiting(18);
    writeFileSync(`${order}.allowed`, "4");
    await waitFor(() => listTurns().length === 4);
    await waiting(14);
    const late = Array.from({ length: 3 }, (_, n) => ask(`late${n}`, lateKey));
    await waiting(17);
    writeFileSync(`${order}.allowed`, "99");
    const answers = await Promise.all([first, ...few, ...late, ...many]);
    const refused = answers.flatMap(({ status }, index) => (status === 200 ? [] : [`${status} ${index}`]));
    // The last four of many.
    expect(refused).toEqual([22, 23, 24, 25].map((index) => `503 ${index}`));
    // A project that comes late does not make up for the time before.
    const turns = ["acme", "other", "other", "acme", "acme", "late", "acme", "late", "acme", "late", "acme"];
    expect(listTurns().slice(0, turns.length)).toEqual(turns);
  });

  test("fails no search but the one that hangs, queues at most 16 per project and refuses others at once", async () => {
    // The limit is longer than a search waits for its index, which the next process has still to open.
    const server = await start({ searcher: [...STUCK, pathOf("many")], maxSearchMs: 1600 });
    const texts = Array.from({ length: 40 }, (_, index) => `text${index}`);
    const answers = await Promise.all(texts.map((q) => server.get(`/api/v1/search?q=${q}`, { key })));
    const refused = answers.filter(({ text }) => text.includes("Too many searches"));
    // One more waits where the process was ready before the last of them came; on a slow machine, some wait for too long.
    expect(refused.length).toBeGreaterThanOrEqual(40 - 16 - 1);
    expect(refused.every(({ status, headers }) => status === 503 && headers.has("retry-after"))).toBe(true);
    const cut = answers.filter(({ text }) => text.includes("takes too long"));
    expect(cut.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([[503, "1"]]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40 - 1 - refused.length);
    expect(await readMetrics(server)).toContain("lectern_searches_cut_total 1\n");
  });

  test("queues one search of each project, however many searches of others wait", async () => {
    const file = pathOf("full");
    const searches = new SearchProcess({ command: [...HELD, file], environment: {}, logger: SILENT });
    const ask = async (project: string) => (await searches.search({ release: { project } } as SearchRequest)).status;
    const first = ask("first");
    await waitFor(() => existsSync(`${file}.asked`));
    const many = Array.from({ length: 8 * 16 }, (_, n) => ask(`full${n % 8}`));
    const [refused, last] = [ask("full0"), ask("last")];
    writeFileSync(`${file}.allowed`, "999");
    expect(await Promise.all([refused, last, first])).toEqual(["busy", "found", "found"]);
    expect(new Set(await Promise.all(many))).toEqual(new Set(["found"]));
    await searches.stop();
  });

  test("that never becomes ready lets searches wait for 5 seconds only", async () => {
    const searches = new SearchProcess({ command: ["sleep", "1000"], environment: {}, logger: SILENT });
    jest.useFakeTimers();
    let outcome: unknown;
    void searches.search({ release: { project: "acme" } } as SearchRequest).then((found) => (outcome = found));
    for (const ms of [4999, 1]) {
      expect(outcome).toBeUndefined();
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
    jest.useRealTimers();
    expect([outcome, searches.readMetrics()["lectern_searches_waiting"]]).toEqual([{ status: "busy" }, 0]);
    await searches.stop();
  });

  test("builds an index beside eight others that cannot be built, each logged once", async () => {
    const broken = await Promise.all(Array.from({ length: 8 }, (_, index) => publishNew(`broken${index}`)));
    await database.execute(
      `update lesson_versions set body = substr(body, 1, 5) where id in (select l.lesson_version_id
       from version_lessons l join course_versions v on v.id = l.version_id where project like 'broken%')`,
    );
    const server = await serve("beside");
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(broken.map((each) => server.ask("q=alpha", { key: each })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(await server.find("alpha", key)).toEqual(FOUND);
    }
    expect(server.searchLog().split(FAULT)).toHaveLength(1 + broken.length);
  });

  const publishText = (project: string, additionalText: string): Promise<string> => {
    const lessons = [{ id: "l", name: "Large", quizHtml: '"additionalText":"x', additionalText }];
    return publishNew(project, [{ ...COURSES[0], chapters: [{ name: "One", lessons }] }]);
  };

  test.skipIf(disk === undefined)("finds its disk almost full: 503 on this path only, logged once", async () => {
    const free = DISK_BYTES / 2 - 64 * 1024;
    disk?.fill(disk.freeBytes() - free);
    const random = crypto.getRandomValues(Buffer.alloc(1_500_000)).toString("base64").replaceAll(/\W/g, " ");
    const largeKey = await publishText("large", `<p>${random}</p>`);
    const server = await start({ searchDir: join(disk?.path ?? "", "search"), prefix: disk?.prefix ?? [] });
    const ask = () => server.ask("q=large", { key: largeKey });
    await waitFor(async () => {
      await ask();
      return server.searchLog().includes(FAULT);
    });
    expect((await ask()).status).toBe(503);
    expect((await server.get("/api/v1/courses/a/lessons/l", { key: largeKey })).status).toBe(200);
    expect(server.searchLog().split(FAULT)).toHaveLength(2);
    expect(disk?.freeBytes()).toBeGreaterThan(free - 64 * 1024);
  });

  test("shows the beginning of a lesson that is too large to read for an excerpt", async () => {
    const filler = Array.from({ length: 60_000 }, (_, n) => `${"padding".repeat(5)}${(n * 7919) % 100_003}`).join(" ");
    const text = `<h2 id="h">Begin "here"</h2><p>${filler}</p><h2 id="end">End</h2><p>needle</p>`;
    const longKey = await publishText("long", text);
    const { results } = await (await serve("long")).read("q=needle", longKey);
    const excerpt = expect.stringMatching(/^Begin &quot;here&quot; (?:padding){5}0 (?:padding){5}7919 .* …$/);
    expect(results).toMatchObject([{ lessonId: "l", headingId: "", heading: "", excerpt }]);
  });

  test("deletes pruned content", async () => {
    const { store } = database;
    const prunedKey = await createKey(store, "pruned");
    const edit = (count: number, at: string) => publish(store, "pruned", createCourses(count, `word${count}`), at);
    await edit(4, "2026-01-01T00:00:00.000Z");
    const server = await serve("pruned");
    expect(await server.find("word4", prunedKey)).toHaveLength(4);
    await server.stop();
    await edit(5, "2026-01-02T00:00:00.000Z");
    await pruneReleases(publishingAt(store, "pruned", "2026-02-01T00:00:00.000Z"), 1);
    // Opening compares.
    const again = await serve("pruned");
    await waitFor(async () => (await again.find("word5", prunedKey)).length === 5);
    await again.stop();
    const file = pathOf(`pruned/${listFiles("pruned")[0]}`);
    expect(query(file, "select count(*) as rows from words")).toEqual({ rows: 6 });
  });
});

function query(path: string, sql: string): unknown {
  using file = new Database(path);
  return file.query(sql).get();
}

/** The process that has the index in a folder open. */
function findChild(folder: string): number {
  const command = `grep -lz "^LECTERN_WORKER_SETTINGS=.*${folder}" /proc/[0-9]*/environ`;
  const { stdout } = Bun.spawnSync(["sh", "-c", command], { stderr: "ignore" });
  return Number(/\d+/.exec(stdout.toString())?.[0]);
}
