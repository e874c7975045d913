// Imports that meet other processes: servers, other imports, keys that change, and their own sudden death.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish, toNdjson } from "../support/catalog.ts";
import { runCommand, startFedCommand, type FedCommand } from "../support/command.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { restoreState, saveState } from "../support/saved-state.ts";
import { engines, useTestStore } from "../support/store.ts";
import { makeFolder } from "../support/written-folder.ts";

const TEXT = "A lesson of half a kilobyte. ".repeat(20);

/** Behind all that the import that is killed comes to. */
const FROM = 50_000;

const idOf = (index: number): string => `c${String(index).padStart(5, "0")}`;
/** Courses with the name of the catalog that they belong to, so that a mix of two would show. */
const formatCourses = (catalog: string, from: number, to: number): string => {
  const chapters = [{ name: "A", lessons: [{ id: "l", name: catalog, additionalText: catalog + TEXT }] }];
  const indexes = Array.from({ length: to - from }, (_, index) => from + index);
  return toNdjson(indexes.map((n) => ({ _id: idOf(n), name: `${catalog} ${n}`, createdAt: "2025-01-01", chapters })));
};

// The tests of an engine build on one another, each in the middle of an import.
describe.each(engines)("imports on $name", (engine) => {
  let server: TestServer;
  let key: string;
  const children: FedCommand[] = [];

  const database = useTestStore(engine, async () => {
    await publish(database.store, "acme", [{ _id: "old", name: "Old", createdAt: "2025-01-01" }]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return async () => {
      for (const child of children.splice(0)) await child.kill();
      await server.stop();
    };
  });

  const importArgs = (source: string, project = "acme"): string[] => {
    return ["import", source, "--project", project, "--database", database.url, "--allow-removals"];
  };
  const startImport = (): FedCommand => {
    const started = startFedCommand(importArgs("-"));
    children.push(started);
    return started;
  };

  const count = async (from: string): Promise<number> => (await database.execute(`select 1 from ${from}`)).length;
  /** Versions of courses from this one on. */
  const countWritten = (from = 0): Promise<number> =>
    count(`course_versions where course_id between '${idOf(from)}' and 'd'`);
  const countLeft = (): Promise<number> =>
    count("course_versions where id not in (select version_id from release_courses)");
  const readList = async () => {
    const answer = await server.get("/api/v1/courses", { key });
    return { ...dataOf(answer), release: releaseOf(answer) };
  };
  const expectOldRelease = async (): Promise<void> => {
    expect(await readList()).toMatchObject({ total: 1, release: 1, results: [{ _id: "old" }] });
    expect((await server.get("/api/v1/courses/old", { key })).status).toBe(200);
    expect((await server.get(`/api/v1/courses/${idOf(0)}`, { key })).status).toBe(404);
  };
  /** The line that an import prints when it waits for another. */
  const readWaiting = async (waiting: FedCommand): Promise<string> => {
    await waitFor(() => waiting.stderr().endsWith("\n"));
    expect(waiting.exitCode()).toBeUndefined();
    return waiting.stderr();
  };
  const describeWaiting = (others: FedCommand): string =>
    `Waiting for the import of standard input that process ${others.pid} on ${hostname()} began at `;
  let killed: FedCommand;
  let next: FedCommand;

  test("do not delay requests, which read the old release, nor the creation and revocation of keys", async () => {
    killed = startImport();
    const feeding = new AbortController();
    let fed = 0;
    const feedAll = async (): Promise<void> => {
      for (; !feeding.signal.aborted; fed += 50) {
        await killed.feed(formatCourses("killed", fed, fed + 50));
        // Not much faster than it is written: all that waits in the pipe is work that is left at the end. An import has up to
        // three batches of 100 courses in its hands.
        await waitFor(async () => feeding.signal.aborted || (await countWritten()) >= fed - 400);
      }
    };
    const fedAll = feedAll();
    await waitFor(async () => (await countWritten()) > 0);

    const keys = (...args: string[]) => runCommand(["keys", ...args, "--database", database.url]);
    const { stdout } = await keys("create", "--project", "acme", "--json");
    const { id, key: fresh } = JSON.parse(stdout) as { id: string; key: string };
    const statusOf = async () => (await server.get("/api/v1/courses/old", { key: fresh })).status;
    await waitFor(async () => (await statusOf()) === 200);
    expect((await keys("revoke", id)).exitCode).toBe(0);
    await waitFor(async () => (await statusOf()) === 401);
    await expectOldRelease();
    const written = await countWritten();
    await waitFor(async () => (await countWritten()) > written);
    feeding.abort();
    await fedAll;
  });

  test("leave the old release served and the database intact when one is killed; a waiting one continues; others do not wait", async () => {
    next = startImport();
    await next.feed(formatCourses("next", FROM, FROM + 150));
    expect(await readWaiting(next)).toStartWith(describeWaiting(killed));
    // Another project's import does not wait, and neither does a dry run.
    const small = join(makeFolder(), "small.ndjson");
    writeFileSync(small, formatCourses("small", 0, 1));
    for (const args of [importArgs(small, "other"), [...importArgs(small), "--dry-run"]])
      expect(await runCommand(args)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await countLeft()).toBeGreaterThanOrEqual(100);
    await killed.kill();
    await expectOldRelease();
    await waitFor(async () => (await countWritten(FROM)) >= 100);
    await expectOldRelease();
  });

  test("wait for another of the same project, name it, and run afterwards, without mixing and without remains of a killed one", async () => {
    const second = startImport();
    // More than a pipe holds: the rest waits until the second one reads.
    const fed = second.feed(formatCourses("second", FROM + 100, FROM + 250));
    await readWaiting(second);
    await next.feed(formatCourses("next", FROM + 150, FROM + 200));
    const first = await next.end();
    expect(first.stdout).toStartWith("Published release 2 of acme: 200 courses, 200 lessons.\n");
    await waitFor(async () => (await readList()).release === 2);
    expect((await readList()).results.every((course) => course.name.startsWith("next "))).toBe(true);

    await fed;
    const { stdout, stderr } = await second.end();
    expect(stdout).toStartWith("Published release 3 of acme: 150 courses, 150 lessons.\n");
    expect(stderr).toStartWith(describeWaiting(next));
    await waitFor(async () => (await readList()).release === 3);
    expect((await readList()).results.every((course) => course.name.startsWith("second "))).toBe(true);
    expect(await countLeft()).toBe(0);
    expect(await count("lesson_versions")).toBe(200 + 150 + 1);
    expect(await count("unfinished_imports")).toBe(0);
  });

  test("publish nothing if the database is restored meanwhile", async () => {
    await saveState(database);
    const source = join(makeFolder(), "lost.ndjson");
    writeFileSync(source, formatCourses("lost", 0, 1500));
    const importing = runCommand(importArgs(source));
    await waitFor(async () => (await countLeft()) >= 100);
    await restoreState(database);
    expect((await importing).stderr).toContain("restored to an earlier state");
    expect(await countLeft()).toBe(0);
    expect(await runCommand(importArgs(source))).toMatchObject({ exitCode: 0 });
  });
});
