import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { publish } from "../support/catalog.ts";
import { publishingAt } from "../support/in-process.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey, waitFor } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { anyEngine, createTestFolder, useTestStore } from "../support/store.ts";

const lessons = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => ({
    id: `l${index}`,
    name: `Lesson ${index}`,
    additionalText: `<p>${word}</p>`,
  }));
const COURSES = [{ _id: "a", slug: "a", name: "A", chapters: [{ name: "One", lessons: lessons(3, "alpha") }] }];
const FOUND = ["a/l0", "a/l1", "a/l2"];

const disk = await openSmallDisk(1024 * 1024);

describe("the search process", () => {
  let key: string;
  const folder = createTestFolder();
  const database = useTestStore(anyEngine, async () => {
    await publish(database.store, "acme", COURSES);
    key = await createKey(database.store, "acme");
    return async () => {
      await disk?.drop();
      folder.remove();
    };
  });
  const serve = (name: string, maxSearchMs?: number): Promise<SearchServer> =>
    startSearchServer(database, {
      searchDir: join(folder.path, name),
      ...(maxSearchMs === undefined ? {} : { maxSearchMs }),
    });
  const listFiles = (name: string): string[] =>
    readdirSync(join(folder.path, name)).filter((file) => file.endsWith(".db"));

  test("has private files whose names do not reveal the project; a second server takes the next number", async () => {
    const [one, two] = [await serve("shared"), await serve("shared")];
    expect(await one.find("alpha", key)).toEqual(FOUND);
    expect(await two.find("alpha", key)).toEqual(FOUND);
    expect(
      listFiles("shared")
        .map((file) => file.replace(/^[0-9a-f]{32}/, ""))
        .sort(),
    ).toEqual(["-0.db", "-1.db"]);
    for (const file of readdirSync(join(folder.path, "shared"))) {
      expect(statSync(join(folder.path, "shared", file)).mode & 0o777).toBe(0o600);
    }
    await Promise.all([one.stop(), two.stop()]);
    const three = await serve("shared");
    expect(await three.find("alpha", key)).toEqual(FOUND);
    await three.stop();
    expect(listFiles("shared")).toHaveLength(2);
  });

  test.each<[what: string, spoil: (path: string) => void]>([
    ["a file that is not an index", (path) => writeFileSync(path, "nothing of SQLite ".repeat(1000))],
    ["an index with other word rules", (path) => change(path, "pragma user_version = 1")],
    ["an index of another store", (path) => change(path, "update origin set identity = 'another'")],
    ["an index of a later state of the store", (path) => change(path, "update origin set publication = 999")],
  ])("rebuilds over %s", async (_, spoil) => {
    const before = await serve("spoiled");
    expect(await before.find("alpha", key)).toEqual(FOUND);
    await before.stop();
    const [file = ""] = listFiles("spoiled");
    spoil(join(folder.path, "spoiled", file));
    const after = await serve("spoiled");
    expect(await after.find("alpha", key)).toEqual(FOUND);
    await after.stop();
    expect(listFiles("spoiled")).toEqual([file]);
  });

  test("has a lower priority than the server", async () => {
    const server = await serve("lower");
    expect(await server.find("alpha", key)).toEqual(FOUND);
    expect(getPriority(findChild(join(folder.path, "lower")))).toBe(Math.max(10, getPriority()));
    await server.stop();
  });

  test("is restarted when it ends", async () => {
    const server = await serve("ended");
    expect(await server.find("alpha", key)).toEqual(FOUND);
    for (const round of [1, 2]) {
      process.kill(findChild(join(folder.path, "ended")), "SIGKILL");
      await waitFor(() => server.searchLog().split("search process ended").length > round);
      // Another text each time: answers are cached.
      expect(await server.find(`alpha -round${round}`, key)).toEqual(FOUND);
    }
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain("lectern_search_restarts_total 2\n");
    await server.stop();
  });

  test("is killed when a search takes too long: that request is 503, and no other", async () => {
    const server = await serve("slow", 0);
    const answers = await Promise.all(
      ["alpha", "lesson", "less"].map((q) => server.get(`/api/v1/search?q=${q}`, { key })),
    );
    for (const { status, headers, text } of answers) {
      expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
      expect(text).toContain("takes too long");
    }
    expect((await server.get("/api/v1/courses", { key })).status).toBe(200);
    await server.stop();
  });

  test("fails no search but the one that hangs", async () => {
    const searcher = [process.execPath, join(import.meta.dir, "stuck-searcher.ts"), join(folder.path, "second")];
    // Longer than a search waits for its index.
    const server = await startSearchServer(database, { searcher, maxSearchMs: 1600 });
    const answers = await Promise.all(
      ["one", "two", "three"].map(async (q) => (await server.get(`/api/v1/search?q=${q}`, { key })).status),
    );
    expect(answers).toEqual([503, 200, 200]);
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain("lectern_searches_cut_total 1\n");
    await server.stop();
  });

  test("takes the project whose searches took the least time, and starts few searches of each", async () => {
    const [otherKey, lateKey] = await Promise.all(
      ["other", "late"].map(async (project) => {
        await publish(database.store, project, COURSES);
        return createKey(database.store, project);
      }),
    );
    const order = join(folder.path, "order");
    const searcher = [process.execPath, join(import.meta.dir, "held-searcher.ts"), order];
    const listTurns = (): string[] => (existsSync(order) ? readFileSync(order, "utf8").trim().split("\n") : []);
    // On this clock, each search takes 100 ms, except those of one project, which take none.
    const now = (): number => 100 * listTurns().filter((project) => project !== "other").length;
    const server = await startSearchServer(database, { searcher, now });
    const ask = (q: string, asking = "") => server.get(`/api/v1/search?q=${q}`, { key: asking });
    const waiting = async (count: number): Promise<void> =>
      waitFor(async () => {
        const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
        return metrics.includes(`lectern_searches_waiting ${count}\n`);
      });
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
    const statuses = (await Promise.all([first, ...many])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(17);
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
    expect((await Promise.all([...few, ...late])).every(({ status }) => status === 200)).toBe(true);
    // A project that comes late does not make up for the time before.
    const turns = ["acme", "other", "other", "acme", "acme", "late", "acme", "late", "acme", "late", "acme"];
    expect(listTurns().slice(0, turns.length)).toEqual(turns);
    await server.stop();
  });

  test("queues at most 16 searches per project and refuses others at once", async () => {
    const searcher = [process.execPath, join(import.meta.dir, "stuck-searcher.ts"), join(folder.path, "many")];
    const server = await startSearchServer(database, { searcher, maxSearchMs: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) => server.get(`/api/v1/search?q=text${index}`, { key })),
    );
    const refused = answers.filter(({ text }) => text.includes("Too many searches"));
    // One more waits where the process was ready before the last of them came; on a slow machine, some wait for too long.
    expect(refused.length).toBeGreaterThanOrEqual(80 - 16 - 1);
    expect(refused.every(({ status, headers }) => status === 503 && headers.has("retry-after"))).toBe(true);
    expect(answers.filter(({ text }) => text.includes("takes too long"))).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(80 - 1 - refused.length);
    await server.stop();
  });

  test("queues one search of each project, however many searches of others wait", async () => {
    const keys = await Promise.all(
      Array.from({ length: 9 }, async (_, n) => {
        await publish(database.store, `full${n}`, COURSES);
        return createKey(database.store, `full${n}`);
      }),
    );
    const file = join(folder.path, "full");
    const searcher = [process.execPath, join(import.meta.dir, "held-searcher.ts"), file];
    const server = await startSearchServer(database, { searcher });
    const ask = (each: string, q: number) => server.get(`/api/v1/search?q=many${q}`, { key: each });
    const many = keys.slice(1).flatMap((each) => Array.from({ length: 17 }, (_, q) => ask(each, q)));
    const waiting = (count: number): Promise<void> =>
      waitFor(async () => {
        const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
        return metrics.includes(`lectern_searches_waiting ${count}\n`);
      });
    await waiting(128);
    const last = ask(keys[0] ?? "", 0);
    await Promise.race([last, waiting(129)]);
    writeFileSync(`${file}.allowed`, "999");
    expect((await last).status).toBe(200);
    await Promise.all(many);
    await server.stop();
  });

  test("that never becomes ready lets searches wait for a while only", async () => {
    const server = await startSearchServer(database, { searcher: ["sleep", "1000"] });
    const { status, headers, text } = await server.get("/api/v1/search?q=alpha", { key });
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    expect(text).toContain("Too many searches");
    expect(await (await fetch(`${server.adminUrl}/metrics`)).text()).toContain("lectern_searches_waiting 0\n");
    await server.stop();
  });

  test("cannot write its folder: 503 on this path only, logged once", async () => {
    writeFileSync(join(folder.path, "file"), "");
    const server = await serve("file/below");
    for (let round = 0; round < 3; round++) {
      expect((await server.ask(`q=alpha${round}`, { key })).status).toBe(503);
    }
    expect((await server.get("/api/v1/courses", { key })).status).toBe(200);
    await waitFor(() => server.searchLog().includes("cannot read or build the search index"));
    expect(server.searchLog().split("cannot read or build the search index")).toHaveLength(2);
    await server.stop();
  });

  test("builds an index beside eight others that cannot be built, each logged once", async () => {
    const broken = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await publish(database.store, `broken${index}`, COURSES);
        return createKey(database.store, `broken${index}`);
      }),
    );
    const ofBroken = "project like 'broken%'";
    await database.execute(
      `update lesson_versions set body = substr(body, 1, 5) where id in (select l.lesson_version_id
       from version_lessons l join course_versions v on v.id = l.version_id where ${ofBroken})`,
    );
    const server = await serve("beside");
    const askBroken = async () =>
      Promise.all(broken.map(async (each) => expect((await server.ask("q=alpha", { key: each })).status).toBe(503)));
    await askBroken();
    expect(await server.find("alpha", key)).toEqual(FOUND);
    await askBroken();
    expect(await server.find("alpha", key)).toEqual(FOUND);
    expect(server.searchLog().split("cannot read or build the search index")).toHaveLength(1 + broken.length);
    await server.stop();
  });

  test.skipIf(disk === undefined)("finds its disk full: 503 on this path only, logged once", async () => {
    const random = crypto.getRandomValues(Buffer.alloc(1_500_000)).toString("base64").replaceAll(/\W/g, " ");
    const chapters = [{ name: "One", lessons: [{ id: "l", name: "Large", additionalText: `<p>${random}</p>` }] }];
    await publish(database.store, "large", [{ ...COURSES[0], chapters }]);
    const largeKey = await createKey(database.store, "large");
    const server = await startSearchServer(database, {
      searchDir: join(disk?.path ?? "", "search"),
      prefix: disk?.prefix ?? [],
    });
    await waitFor(async () => {
      await server.ask("q=large", { key: largeKey });
      return server.searchLog().includes("cannot read or build the search index");
    });
    expect((await server.ask("q=large", { key: largeKey })).status).toBe(503);
    expect((await server.get("/api/v1/courses/a/lessons/l", { key: largeKey })).status).toBe(200);
    expect(server.searchLog().split("cannot read or build the search index")).toHaveLength(2);
    await server.stop();
  });

  test("shows the beginning of a lesson that is too large to read for an excerpt", async () => {
    const filler = Array.from({ length: 220_000 }, (_, index) => `padding${(index * 7919) % 100_003}`).join(" ");
    const additionalText = `<h2 id="h">Begin "here"</h2><p>${filler}</p><h2 id="end">End</h2><p>needle</p>`;
    const chapters = [
      { name: "One", lessons: [{ id: "l", name: "Long", quizHtml: '"additionalText":"x', additionalText }] },
    ];
    await publish(database.store, "long", [{ ...COURSES[0], chapters }]);
    const longKey = await createKey(database.store, "long");
    const server = await serve("long");
    const { results } = await server.read("q=needle", longKey);
    expect(results).toMatchObject([
      {
        lessonId: "l",
        headingId: "",
        heading: "",
        excerpt: expect.stringMatching(/^Begin &quot;here&quot; padding0 padding7919 .* …$/),
      },
    ]);
    await server.stop();
  });

  test("deletes pruned content", async () => {
    const store = database.store;
    const prunedKey = await createKey(store, "pruned");
    const edit = (count: number, at: string) =>
      publish(
        store,
        "pruned",
        [{ ...COURSES[0], chapters: [{ name: "One", lessons: lessons(count, `word${count}`) }] }],
        at,
      );
    await edit(4, "2026-01-01T00:00:00.000Z");
    const server = await serve("pruned");
    expect(await server.find("word4", prunedKey)).toHaveLength(4);
    await edit(5, "2026-01-02T00:00:00.000Z");
    await pruneReleases(publishingAt(store, "pruned", "2026-02-01T00:00:00.000Z"), 1);
    await edit(6, "2026-03-02T00:00:00.000Z");
    await pruneReleases(publishingAt(store, "pruned", "2026-04-01T00:00:00.000Z"), 1);
    await server.pollsTwice();
    expect(await server.find("word6", prunedKey)).toHaveLength(6);
    await server.stop();
    // Opening compares as well.
    const again = await serve("pruned");
    await waitFor(async () => (await again.find("word6", prunedKey)).length === 6);
    await again.stop();
    const file = new Database(join(folder.path, "pruned", listFiles("pruned")[0] ?? ""));
    expect(file.query("select count(*) as rows from words").get()).toEqual({ rows: 7 });
    file.close();
  });
});

function change(path: string, sql: string): void {
  const file = new Database(path);
  file.run(sql);
  file.close();
}

/** The process that has the index in a folder open. */
function findChild(folder: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      if (environment.includes(folder) && environment.includes("LECTERN_WORKER_SETTINGS")) return Number(pid);
    } catch {
      // It ended, or is another user's.
    }
  }
  throw new Error("no process");
}
