// The way of a catalog from a branch to its readers and back, with the commands and the server that people run.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { dataOf, linkOf, releaseOf } from "../support/answers.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { send, waitFor, type Answer } from "../support/server.ts";
import { createTestFolder, engines, type TestDatabase } from "../support/store.ts";

const LESSONS = ["Leaves", "Water", "Heat", "Time", "Cups"];

describe.each(engines)("a story on $name", (engine) => {
  let database: TestDatabase;
  let server: RunningCommand;
  const folder = createTestFolder();
  const source = join(folder.path, "courses");

  beforeAll(async () => {
    database = await engine.createDatabase();
    await (await openStore(database.url, { create: true })).close();
    server = await startServing(["serve", "--database", database.url]);
  });
  afterAll(async () => {
    server.kill();
    await server.exited;
    await database.drop();
    folder.remove();
  });

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  };
  /** Runs a command that must succeed and complain of nothing; gives what it printed. */
  const run = async (...args: string[]): Promise<string> => {
    const result = await runCommand([...args, "--project", "acme", "--database", database.url]);
    expect({ args, ...result }).toMatchObject({ args, exitCode: 0, stderr: "" });
    return result.stdout;
  };
  const createKey = async (...args: string[]): Promise<string> => {
    const command = ["keys", "create", "--json", "--project", "acme", "--database", database.url];
    const result = await runCommand([...command, ...args]);
    expect(result.exitCode).toBe(0);
    return (JSON.parse(result.stdout) as { key: string }).key;
  };
  const get = (path: string, key: string): Promise<Answer> => send(server.url, `/api/v1${path}`, { key });
  const namesOf = async (key: string): Promise<string[]> =>
    dataOf(await get("/courses", key)).results.map((course) => course.name);
  /** Waits for the server to show a release. */
  const seesRelease = (key: string, release: number): Promise<void> =>
    waitFor(async () => releaseOf(await get("/courses", key)) === release);

  test("import, preview, plan, promote, roll back, promote again, prune, and a reader who turns pages all along", async () => {
    // Somebody starts a catalog.
    write("tea/course.yaml", "_id: tea\nname: Tea\nslug: tea\ncreatedAt: 2026-01-02\n");
    for (const [index, name] of LESSONS.entries()) {
      write(`tea/01-basics/0${index + 1}-${name.toLowerCase()}.md`, `# ${name}\n\nFirst edition.\n`);
    }
    write("coffee/course.yaml", "_id: coffee\nname: Coffee\ncreatedAt: 2026-01-01\n");
    write("coffee/01-basics/01-beans.md", "# Beans\n\nFirst edition.\n");
    expect(await run("import", source)).toBe(
      "Published release 1 of acme: 2 courses, 6 lessons.\n" +
        "  courses: 2 added, 0 changed, 0 removed\n" +
        "  lessons: 6 added, 0 changed, 0 removed\n",
    );
    const live = await createKey("--name", "website");
    await seesRelease(live, 1);
    expect(await namesOf(live)).toEqual(["Tea", "Coffee"]);

    // A branch changes a lesson, moves one, adds one, gives a course another name and slug, and takes a course away.
    const lessons = dataOf(await get("/courses/tea/lessons", live)).results;
    expect(lessons.map((lesson) => lesson.name)).toEqual(LESSONS);
    const [leaves, water, heat] = lessons.map((lesson) => lesson.id);
    write("tea/course.yaml", "_id: tea\nname: All about tea\nslug: all-about-tea\ncreatedAt: 2026-01-02\n");
    write("tea/01-basics/01-leaves.md", "# Leaves\n\nSecond edition.\n");
    rmSync(join(source, "tea/01-basics/02-water.md"));
    write("tea/02-more/01-soft-water.md", "# Water\n\nFirst edition.\n");
    write("tea/02-more/02-honey.md", "# Honey\n\nSecond edition.\n");
    rmSync(join(source, "coffee"), { recursive: true });
    write("cocoa/course.yaml", "_id: cocoa\nname: Cocoa\ncreatedAt: 2026-01-03\n");
    write("cocoa/01-basics/01-beans.md", "# Beans\n\nSecond edition.\n");
    expect(await run("import", source, "--channel", "pr-42")).toBe(
      "Published release 2 of acme on channel pr-42: 2 courses, 7 lessons.\n" +
        "  courses: 1 added, 1 changed, 1 removed\n" +
        "  lessons: 2 added, 1 changed, 1 removed\n" +
        "  1 lesson file moved; the lessons keep their ids\n",
    );

    // Who has the preview's key sees the branch; everybody else sees what they saw, and cannot get at it.
    const preview = await createKey("--channel", "pr-42", "--expires", "30d");
    await seesRelease(preview, 2);
    expect(await namesOf(preview)).toEqual(["Cocoa", "All about tea"]);
    expect(dataOf(await get(`/courses/tea/lessons/${leaves}`, preview)).additionalText).toBe(
      '<a id="leaves"></a>\n<p>Second edition.</p>\n',
    );
    expect(dataOf(await get(`/courses/tea/lessons/${water}`, preview)).name).toBe("Water");
    expect(await namesOf(live)).toEqual(["Tea", "Coffee"]);
    for (const path of ["/courses", "/courses/tea", "/courses/tea/lessons", `/courses/tea/lessons/${leaves}`]) {
      const [own, others, gone] = [
        await get(`${path}?release=1`, live),
        await get(`${path}?release=2`, live),
        await get(`${path}?release=1`, preview),
      ];
      expect([own.status, others.status, gone.status]).toEqual([200, 404, 404]);
      expect(others.headers.get("catalog-release")).toBeNull();
      expect(others.text).not.toContain("Second");
    }
    for (const path of ["/courses/cocoa", "/courses/cocoa?release=2", "/courses/all-about-tea"]) {
      expect((await get(path, live)).status).toBe(404);
    }
    expect(JSON.parse(await run("channels", "list", "--json"))).toEqual([
      { channel: "live", release: 1, publishedAt: expect.any(String), keys: 1 },
      { channel: "pr-42", release: 2, publishedAt: expect.any(String), keys: 1 },
    ]);

    // What would it do to the live catalog?
    expect(await run("import", source, "--dry-run")).toBe(
      `Would publish in acme: 2 courses, 7 lessons.
  courses: 1 added, 1 changed, 1 removed
  lessons: 2 added, 1 changed, 1 removed
+ course "Cocoa" (cocoa), lessons: 1
~ course "All about tea" (all-about-tea): name, slug, chapters
    slug "tea" stops being current and leads to "all-about-tea" from now on
    + lesson "Honey" (${dataOf(await get("/courses/tea/lessons", preview)).results.at(-1)?.id})
    ~ lesson "Leaves" (${leaves}): additionalText
    > lesson "Water" (${water}): moved from Basics to More, same id
- course "Coffee" (coffee), lessons: 1
    slug "coffee" stops being current and finds nothing any more
`,
    );
    const plan = JSON.parse(await run("import", source, "--dry-run", "--json")) as { courses: { id: string }[] };
    expect(plan).toMatchObject({
      project: "acme",
      channel: "live",
      changes: {
        coursesAdded: 1,
        coursesChanged: 1,
        coursesRemoved: 1,
        lessonsAdded: 2,
        lessonsChanged: 1,
        lessonsRemoved: 1,
      },
      counts: { courses: 2, drafts: 0, lessons: 7 },
    });
    expect(plan.courses.map((course) => course.id)).toEqual(["cocoa", "tea", "coffee"]);
    expect(await namesOf(live)).toEqual(["Tea", "Coffee"]);

    // A reader opens the first page of the list of lessons, then the branch goes live: the reviewed release itself.
    const firstPage = await get("/courses/tea/lessons?limit=2", live);
    expect(await run("publish", "--release", "2")).toBe("Channel live of acme is at release 2 now, after release 1.\n");
    await seesRelease(live, 2);
    expect(await namesOf(live)).toEqual(["Cocoa", "All about tea"]);
    const formerly = await get("/courses/tea/lessons", live);
    expect(formerly.status).toBe(200);
    const renamed = await get(`/courses/all-about-tea/lessons/${water}`, live);
    expect(renamed.status).toBe(200);

    // The reader's other pages are those of the release of the first page.
    const pages: Answer[] = [firstPage];
    for (let page: Answer | undefined = firstPage; page !== undefined;) {
      const next: string | undefined = linkOf("/courses/tea/lessons", page, "next");
      page = next === undefined ? undefined : await get(next, live);
      if (page !== undefined) pages.push(page);
    }
    expect(pages.map(releaseOf)).toEqual([1, 1, 1]);
    expect(pages.flatMap((page) => dataOf(page).results)).toEqual(lessons);
    expect(pages.map((page) => dataOf(page).total)).toEqual([5, 5, 5]);
    const pinned = await get(`/courses/tea/lessons/${leaves}?release=1`, live);
    expect(dataOf(pinned).additionalText).toContain("First edition.");

    // Something is wrong with it: back, and forward again.
    expect(await run("rollback")).toBe("Channel live of acme is at release 1 now, after release 2.\n");
    await seesRelease(live, 1);
    expect(await namesOf(live)).toEqual(["Tea", "Coffee"]);
    const ahead = await get("/courses/all-about-tea", live);
    expect([ahead.status, ahead.headers.get("content-location")]).toEqual([200, "tea"]);
    expect(dataOf(ahead).name).toBe("Tea");
    expect(dataOf(await get("/courses?release=2", live)).results).toHaveLength(2);
    expect(await run("publish", "--release", "2")).toBe("Channel live of acme is at release 2 now, after release 1.\n");
    await seesRelease(live, 2);

    // The branch is done with, and its key with it. Old releases go, but none that a reader may be reading.
    expect(await run("channels", "delete", "pr-42")).toBe("Deleted channel pr-42 of acme, after release 2.\n");
    await waitFor(async () => (await namesOf(preview)).length === 0);
    expect((await get("/courses/tea", preview)).status).toBe(404);
    expect(await run("prune", "--keep", "1")).toBe("Nothing to prune in acme.\n");
    expect((await get(`/courses/tea/lessons/${heat}?release=1`, live)).status).toBe(200);
    // A minute and a bit later; the log is where the time is kept.
    await database.execute("update publications set published_at = '2026-01-01T00:00:00.000Z'");
    expect(await run("prune", "--keep", "1")).toBe("Pruned 1 release of acme: 1.\n");
    for (const path of ["/courses", "/courses/tea", `/courses/tea/lessons/${heat}`, "/courses/nothing"]) {
      await waitFor(async () => (await get(`${path}?release=1`, live)).status === 410);
    }
    expect(await namesOf(live)).toEqual(["Cocoa", "All about tea"]);
    const log = JSON.parse(await run("releases", "--json")) as Record<string, unknown>[];
    expect(log.map(({ release, channel, action, isCurrent }) => [release, channel, action, isCurrent])).toEqual([
      [null, "pr-42", "delete", false],
      [2, "live", "publish", true],
      [1, "live", "rollback", false],
      [2, "live", "publish", false],
      [2, "pr-42", "import", false],
      [1, "live", "import", false],
    ]);
  });
});
