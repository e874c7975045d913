// PostgreSQL that is slow: another session's lock, and statistics that mislead it.
import { SQL } from "bun";
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { runProcess, startServing } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { openTestStore, postgres } from "../support/store.ts";

const CAUSE = "PostgreSQL answers, but a lock or load delays its statements (";

test("a lock is named by /ready, and by a command that only reads, without changes to undo", async () => {
  const database = await openTestStore(postgres);
  await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
  const server = await startServing(["serve", "--database", database.url]);
  const ready = async (): Promise<string> => (await fetch(`${server.adminUrl}/ready`)).text();
  const holder = new SQL(database.url, { max: 1 });
  await holder.begin(async (transaction) => {
    await transaction.unsafe("lock table counters, keys in access exclusive mode");
    await waitFor(async () => (await ready()).startsWith("not ready\n"));
    expect(await ready()).toContain(CAUSE);
    const serve = ["serve", "--port", "0", "--admin-port", "0", "--statement-timeout", "200"];
    const started = await runProcess([...serve, "--database", database.url]);
    expect([started.exitCode, started.stderr]).toEqual([1, expect.stringContaining(`lectern: ${CAUSE}`)]);
    expect(started.stderr).not.toContain("undone");
  });
  await waitFor(async () => (await ready()) === "ready\n");
  server.kill();
  await server.exited;
  await holder.close();
  await database.drop();
});

test("a publication of many courses reads each a few times even if a vacuum has seen empty tables", async () => {
  const createCourses = (edition: string, length = 800) =>
    Array.from({ length }, (_, n) => ({ _id: `c${n}`, slug: `${edition}-${n}`, name: `C${n} ${edition}` }));
  // Not one that is used again: it keeps its statistics.
  const database = await openTestStore(postgres, await postgres.createDatabase());
  await publish(database.store, "acme", createCourses("first", 10));
  const tables = ["former_slugs", "publications", "release_courses", "releases", "course_versions"];
  for (const table of tables) await database.execute(`delete from ${table}`);
  await database.execute(`vacuum (analyze, truncate off) ${tables.join()}`);
  await publish(database.store, "acme", createCourses("second"));
  expect(await publish(database.store, "acme", createCourses("third"))).toBe(2);
  expect(await database.execute("select slug from former_slugs")).toHaveLength(800);
  const read = "select 1 from pg_stat_user_indexes where relname = 'release_courses' having sum(idx_tup_read) >";
  await waitFor(async () => (await database.execute(`${read} 0`)).length > 0);
  expect(await database.execute(`${read} 10000`)).toEqual([]);
  await database.drop();
});
