// Reclaims the space of pruned releases while servers continue.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { publish, toNdjson, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand, runProcess, startServing } from "../support/command.ts";
import { publishingAt } from "../support/in-process.ts";
import { createKey, send } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { engines } from "../support/store.ts";
import { renewStore } from "../support/shared-store.ts";

/** 40 courses of 10 KB that compress badly. */
const createCourses = (edition: string): AuthoredCourse[] =>
  Array.from({ length: 40 }, (_, index) => {
    const words = Array.from({ length: 800 }, (_word, n) => Bun.hash(`${edition} ${index} ${n}`).toString(36));
    const chapters = [{ name: "A", lessons: [{ id: "l", name: "L", additionalText: words.join(" ") }] }];
    return { _id: `c${index}`, name: `C${index}`, chapters };
  });
const MESSAGE = /^The database now takes ([\d.]+ [kM]B); before, it took ([\d.]+ [kM]B)\.\n$/;
const toBytes = (size: string): number => parseFloat(size) * (size.endsWith("MB") ? 1e6 : 1e3);

describe.each(engines)("vacuum on $name", (engine) => {
  const database = renewStore(engine);

  test("reclaims pruned space while a server runs", async () => {
    const key = await createKey(database.store, "acme");
    for (const edition of ["first", "second", "third", "fourth"])
      await publish(database.store, "acme", createCourses(edition));
    await pruneReleases(publishingAt(database.store, "acme", "2027-01-01T00:00:00.000Z"), 1);
    const server = await startServing(["serve", "--database", database.url, "--cache-size", "0"]);
    const paths = ["", "/c0", "/c39/lessons", "/c7/lessons/l"];
    const read = async () =>
      Promise.all(paths.map(async (path) => (await send(server.url, `/api/v1/courses${path}`, { key })).text));
    const before = await read();
    const { exitCode, stdout, stderr } = await runCommand(["vacuum", "--database", database.url]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const [, after = "", earlier = ""] = MESSAGE.exec(stdout) ?? [];
    if (engine.name === "sqlite") {
      expect(toBytes(after)).toBeLessThan(toBytes(earlier) / 2);
      expect(await database.execute("select freelist_count as free from pragma_freelist_count")).toEqual([{ free: 0 }]);
    } else expect(toBytes(after)).toBeGreaterThan(0);
    expect(await read()).toEqual(before);
    await publish(database.store, "acme", createCourses("fifth"));
    server.kill();
    await server.exited;
  });
});

const disk = await openSmallDisk(12 * 1024 * 1024);
test.skipIf(disk === undefined)("a disk without space for a second file is an error, and nothing changes", async () => {
  const url = `sqlite:${join(disk?.path ?? "", "lectern.db")}`;
  const options = { prefix: disk?.prefix ?? [] };
  const stdin = toNdjson(createCourses("first"));
  const imported = await runProcess(["import", "-", "--project", "acme", "--database", url], { ...options, stdin });
  expect(imported.exitCode).toBe(0);
  // Less than a copy of 0.4 MB needs, more than SQLite needs to read.
  const bytes = (disk?.freeBytes() ?? 0) - 300_000;
  const filling = join(disk?.path ?? "", "filling");
  Bun.spawnSync([...options.prefix, "sh", "-c", 'head -c "$1" /dev/zero > "$2"', "sh", String(bytes), filling]);
  const { exitCode, stderr } = await runProcess(["vacuum", "--database", url], options);
  const told = /^lectern: Rewriting .+ needs \d+ MB of temporary space, but only 1 MB is free\. Free some space, /;
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(told)]);
  Bun.spawnSync([...options.prefix, "rm", filling]);
  expect((await runProcess(["vacuum", "--database", url], options)).exitCode).toBe(0);
  await disk?.drop();
});
