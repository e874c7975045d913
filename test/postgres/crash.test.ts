// A database that crashes in the middle of an import.
import { afterAll, expect, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { publish, toNdjson } from "../support/catalog.ts";
import { runCommand, startFedCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { startPostgres } from "../support/postgres.ts";
import { listRemains } from "../support/remains.ts";
import { createKey, waitFor } from "../support/server.ts";
import { executePostgres } from "../support/store.ts";

function formatCourses(name: string, from: number, end: number): string {
  // A pipe is read in large parts.
  const chapters = [{ name: "A", lessons: [{ id: "l", name, additionalText: "x".repeat(500) }] }];
  return toNdjson(
    Array.from({ length: end - from }, (_, n) => ({ _id: `c${from + n}`, slug: `s${from + n}`, name, chapters })),
  );
}

const { server: database } = await startPostgres();
const url = `${database.url.replace("lectern@", "lectern:hush-hush@")}/postgres`;
afterAll(() => database.stop());

test("an import whose database crashes exits with 1 and publishes nothing, and the next one cleans up", async () => {
  const setUp = await openStore(url, { create: true });
  await publish(setUp, "acme", [{ _id: "old", name: "old" }]);
  const key = await createKey(setUp, "acme");
  await setUp.close();
  const count = async (where: string): Promise<number> =>
    (await executePostgres(url, `select id from course_versions where ${where}`)).length;
  const args = ["import", "-", "--project", "acme", "--allow-removals", "--database", url];
  const importing = startFedCommand(args);
  await importing.feed(formatCourses("lost", 0, 350));
  await waitFor(async () => (await count("course_id <> 'old'")) >= 200);

  await database.stop();
  // It notices at its next write; no other command waits longer.
  await importing.feed(formatCourses("lost", 350, 700)).catch(() => undefined);
  const { exitCode, stdout, stderr } = await importing.end();
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toStartWith("lectern: PostgreSQL became unavailable (");
  expect(stderr).toEndWith("unpublished changes were rolled back. Run the command again.\n");
  expect(stderr).not.toContain("hush-hush");

  await database.start();
  expect(await count("course_id <> 'old'")).toBeGreaterThanOrEqual(200);
  const store = await openStore(url, { create: false });
  const ask = createAsk({ store });
  expect((await ask("/courses", key)).text).toContain('"total":1,"results":[{"_id":"old"');
  const next = await runCommand(args, { stdin: formatCourses("next", 0, 50) });
  expect([next.exitCode, next.stderr]).toEqual([0, ""]);
  expect(next.stdout).toStartWith("Published release 2 of acme: 50 courses, 50 lessons.\n");
  const { text } = await ask("/courses", key);
  expect([text.includes('"total":50'), text.includes("lost")]).toEqual([true, false]);
  expect(await executePostgres(url, "select * from unfinished_imports")).toEqual([]);
  expect(await listRemains({ execute: async (statement) => executePostgres(url, statement) })).toEqual([]);
  await store.close();
});

test("ten commands that open an empty database at once create its schema once, and all succeed", async () => {
  await database.execute("create database fresh");
  const fresh = `${database.url}/fresh`;
  const created = Array.from({ length: 10 }, async (_, index) => {
    const store = await openStore(fresh, { create: true });
    await createKey(store, `p${index}`);
    await store.close();
  });
  await Promise.all(created);
  expect(await executePostgres(fresh, "select version from lectern_schema")).toEqual([{ version: SCHEMA_VERSION }]);
  expect(await executePostgres(fresh, "select id from keys")).toHaveLength(10);
});
