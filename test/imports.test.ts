// Imports that meet other processes: servers, other imports, keys that change, and their own sudden death.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { publish } from "./support/catalog.ts";
import { runCommand, startFedCommand, type FedCommand } from "./support/command.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "./support/server.ts";
import { createTestFolder, engines, openTestStore, type TestStore } from "./support/store.ts";

const TEXT = "A lesson of about two kilobytes. ".repeat(60);

/** A course with the name of the catalog that it belongs to, so that a mix of two would show. */
const formatCourse = (catalog: string, index: number): string => {
  const lessons = [0, 1, 2, 3].map((n) => ({ id: `l${n}`, name: `${catalog} ${n}`, additionalText: catalog + TEXT }));
  const id = `c${String(index).padStart(5, "0")}`;
  const course = { _id: id, name: `${catalog} ${index}`, createdAt: "2025-01-01", chapters: [{ name: "A", lessons }] };
  return `${JSON.stringify(course)}\n`;
};
const formatCourses = (catalog: string, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => formatCourse(catalog, from + index)).join("");

describe.each(engines)("imports on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  let key: string;
  let folder: { path: string; remove: () => void };
  const children: FedCommand[] = [];

  beforeEach(async () => {
    database = await openTestStore(engine);
    folder = createTestFolder();
    await publish(database.store, "acme", [{ _id: "old", name: "Old", createdAt: "2025-01-01" }]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await server.stop();
    await database.drop();
    folder.remove();
  });

  const importArgs = (source: string, project = "acme"): string[] => {
    return ["import", source, "--project", project, "--database", database.url, "--allow-removals"];
  };
  const startImport = (project?: string): FedCommand => {
    const started = startFedCommand(importArgs("-", project));
    children.push(started);
    return started;
  };

  const count = async (table: string): Promise<number> => {
    const [row] = (await database.execute(`select count(*) as n from ${table}`)) as { n: number }[];
    return row?.n ?? 0;
  };
  const countLeft = async (): Promise<number> => {
    const [row] = (await database.execute(
      "select count(*) as n from course_versions where id not in (select version_id from release_courses)",
    )) as { n: number }[];
    return row?.n ?? 0;
  };
  const readList = async () => {
    const { text, headers } = await server.get("/api/v1/courses", { key });
    const { data } = JSON.parse(text) as { data: { total: number; results: { _id: string; name: string }[] } };
    return { ...data, release: headers.get("catalog-release") };
  };
  const expectOldRelease = async (): Promise<void> => {
    expect(await readList()).toMatchObject({ total: 1, release: "1", results: [{ _id: "old" }] });
    expect((await server.get("/api/v1/courses/old", { key })).status).toBe(200);
    expect((await server.get("/api/v1/courses/c00000", { key })).status).toBe(404);
  };

  test("one that is killed halfway leaves the old release served and the database sound; one that waits for it goes on", async () => {
    const before = await count("lessons");
    const killed = startImport();
    await killed.feed(formatCourses("killed", 0, 150));
    await waitFor(async () => (await countLeft()) >= 100);
    const next = startImport();
    await next.feed(formatCourses("next", 0, 3));
    await waitFor(() => next.stderr().endsWith("\n"));
    expect(next.exitCode()).toBeUndefined();
    await expectOldRelease();
    expect(await countLeft()).toBeGreaterThanOrEqual(100);
    await killed.kill();
    await expectOldRelease();
    if (engine.name === "sqlite") {
      expect(await database.execute("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    }

    const { exitCode, stdout } = await next.end();
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith("Published release 2 of acme: 3 courses, 12 lessons.\n");
    await waitFor(async () => (await readList()).release === "2");
    expect((await readList()).results.map((course) => course.name)).toEqual(["next 0", "next 1", "next 2"]);
    expect(await countLeft()).toBe(0);
    expect(await count("lessons")).toBe(before + 12);
    expect(await count("unfinished_imports")).toBe(0);
  });

  test("while one writes, requests are answered from the old release, and a key is made and revoked at once", async () => {
    const long = startImport();
    const feeding = new AbortController();
    let fed = 0;
    const feedAll = async (): Promise<void> => {
      for (; !feeding.signal.aborted; fed += 50) {
        await long.feed(formatCourses("long", fed, fed + 50));
        // No faster than it is written: all that waits in the pipe is work that is left at the end.
        await waitFor(async () => feeding.signal.aborted || (await countLeft()) >= fed - 250);
      }
    };
    const fedAll = feedAll();
    await waitFor(async () => (await countLeft()) > 0);

    const keys = (...args: string[]) => runCommand(["keys", ...args, "--database", database.url]);
    const created = await keys("create", "--project", "acme", "--json");
    expect(created.exitCode).toBe(0);
    const { id, key: fresh } = JSON.parse(created.stdout) as { id: string; key: string };
    const statusOf = async () => (await server.get("/api/v1/courses/old", { key: fresh })).status;
    await waitFor(async () => (await statusOf()) === 200);
    expect((await keys("revoke", id)).exitCode).toBe(0);
    await waitFor(async () => (await statusOf()) === 401);
    await expectOldRelease();
    const written = await countLeft();
    await waitFor(async () => (await countLeft()) > written);

    feeding.abort();
    await fedAll;
    const { exitCode, stderr } = await long.end();
    expect([exitCode, stderr]).toEqual([0, ""]);
    await waitFor(async () => (await readList()).release === "2");
    const { total, results } = await readList();
    expect(total).toBe(fed);
    expect(results.every((course) => course.name.startsWith("long "))).toBe(true);
  });

  test("a second one of the same project waits, says for whom, and comes after; never a mix; others do not wait", async () => {
    const first = startImport();
    await first.feed(formatCourses("first", 0, 150));
    await waitFor(async () => (await countLeft()) >= 100);

    const second = startImport();
    // More than a pipe holds: the rest waits until the second one reads.
    const fed = second.feed(formatCourses("second", 100, 250));
    await waitFor(() => second.stderr().endsWith("\n"));
    expect(second.exitCode()).toBeUndefined();
    // Another project's import does not wait, and neither does a dry run.
    writeFileSync(join(folder.path, "small.ndjson"), formatCourses("small", 0, 1));
    const other = await runCommand(importArgs(join(folder.path, "small.ndjson"), "other"));
    expect([other.exitCode, other.stderr]).toEqual([0, ""]);
    const dry = await runCommand([...importArgs(join(folder.path, "small.ndjson")), "--dry-run"]);
    expect([dry.exitCode, dry.stderr]).toEqual([0, ""]);

    await first.feed(formatCourses("first", 150, 200));
    const firstResult = await first.end();
    expect(firstResult.exitCode).toBe(0);
    expect(firstResult.stdout).toStartWith("Published release 2 of acme: 200 courses, 800 lessons.\n");
    await waitFor(async () => (await readList()).release === "2");
    expect((await readList()).results.every((course) => course.name.startsWith("first "))).toBe(true);

    await fed;
    const secondResult = await second.end();
    expect(secondResult.exitCode).toBe(0);
    expect(secondResult.stdout).toStartWith("Published release 3 of acme: 150 courses, 600 lessons.\n");
    const who = `import of standard input that process ${first.pid} on ${hostname()} began at `;
    expect(secondResult.stderr).toContain(`Waiting for the ${who}`);
    expect(secondResult.stderr.trimEnd().split("\n")).toHaveLength(1);
    await waitFor(async () => (await readList()).release === "3");
    const { total, results } = await readList();
    expect(total).toBe(150);
    expect(results.every((course) => course.name.startsWith("second "))).toBe(true);
    // What both have in common is the second's in its lessons too.
    const lesson = await server.get("/api/v1/courses/c00120/lessons/l0", { key });
    expect(lesson.text).toContain('"name":"second 0"');
  });
});
