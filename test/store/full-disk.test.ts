// A disk that an import fills: what the command prints, what continues, and what still works.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  inheritEnvironment,
  runCommand,
  startServing,
  type CommandOptions,
  type CommandResult,
  type RunningCommand,
} from "../support/command.ts";
import { startCommandHost, type CommandHost } from "../support/command-hosts.ts";
import { executeAll } from "../support/saved-state.ts";
import { send } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { createTestFolder, postgres } from "../support/store.ts";

const DISK_BYTES = 4 * 1024 * 1024;
const NO_ROOM =
  /^lectern: (?:No space left on|The disk is full:) .+\. (?:Make room|Free some space).+ run .+ again\.\n$/;
/** 100 take a megabyte, and nothing compresses them. */
const formatCourses = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const text = Array.from({ length: 5 }, () => crypto.getRandomValues(Buffer.alloc(1000)).toString("hex")).join("");
    const lessons = [{ id: "l", name: "L", additionalText: `<p>${text}</p>` }];
    return `${JSON.stringify({ _id: `${name}${index}`, name: `${name} ${index}`, chapters: [{ name: "A", lessons }] })}\n`;
  }).join("");

const disk = await openSmallDisk(DISK_BYTES);

describe.skipIf(disk === undefined)("a full disk on sqlite", () => {
  const database = `sqlite:${join(disk?.path ?? "", "lectern.db")}`;
  const options: CommandOptions = { prefix: disk?.prefix ?? [], env: { LECTERN_DATABASE: database } };
  let host: CommandHost;
  const run = (args: string[], stdin?: string): Promise<CommandResult> =>
    host.run({ args, cwd: process.cwd(), env: { ...inheritEnvironment(), ...options.env }, stdin });
  const importInto = (project: string, courses: string) =>
    run(["import", "-", "--project", project, "--allow-removals"], courses);
  const readDatabase = (sql: string): unknown => {
    const script = `import { Database } from "bun:sqlite";
      console.log(JSON.stringify(new Database(${JSON.stringify(join(disk?.path ?? "", "lectern.db"))}).query(${JSON.stringify(sql)}).all()));`;
    const { stdout } = Bun.spawnSync([...(disk?.prefix ?? []), process.execPath, "-e", script]);
    return JSON.parse(stdout.toString()) as unknown;
  };
  const readBytes = (name: string): number => {
    const { stdout } = Bun.spawnSync([...(disk?.prefix ?? []), "stat", "-c", "%s", join(disk?.path ?? "", name)]);
    return Number(stdout.toString());
  };
  const large = formatCourses("large", 500);
  let key: string;
  let server: RunningCommand | undefined;

  beforeAll(async () => {
    host = startCommandHost(disk?.prefix);
    expect((await importInto("acme", formatCourses("first", 30))).exitCode).toBe(0);
    const created = await run(["keys", "create", "--project", "acme", "--json"]);
    key = (JSON.parse(created.stdout) as { key: string }).key;
  });
  afterEach(async () => {
    server?.kill();
    await server?.exited;
    server = undefined;
  });
  afterAll(async () => {
    await host.end();
    await disk?.drop();
  });

  test.each(["by itself", "under a server"])(
    "ends an import %s, and leaves the next ones the same space",
    async (how) => {
      if (how !== "by itself") server = await startServing(["serve"], options);
      for (let time = 0; time < 2; time++) {
        const { exitCode, stdout, stderr } = await importInto("large", large);
        expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(NO_ROOM)]);
        const unlisted = "select id from course_versions where id not in (select version_id from release_courses)";
        expect(readDatabase(unlisted)).toEqual([]);
        expect(readDatabase("select * from unfinished_imports")).toEqual([]);
      }
      expect(await importInto("acme", formatCourses(`${how} 1`, 30))).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await importInto("other", formatCourses("other", 10))).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await run(["prune", "--project", "acme", "--keep", "1"])).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await importInto("large", formatCourses(how, 10))).toMatchObject({ exitCode: 0, stderr: "" });
      expect(readDatabase("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
      if (server === undefined) return;
      expect((await send(server.url, "/api/v1/courses", { key })).text).toContain('"total":30');
      expect((await fetch(`${server.adminUrl}/ready`)).status).toBe(200);
      expect(server.stderr()).not.toContain('"level":"error"');
    },
  );

  test("keeps space for a prune and other projects, and no log, however many imports fail under a server", async () => {
    server = await startServing(["serve"], options);
    const held: number[] = [];
    for (let time = 0; time < 4; time++) {
      expect((await importInto("large", large)).exitCode).toBe(1);
      expect(readBytes("lectern.db-wal")).toBe(0);
      held.push(disk?.freeBytes() ?? 0);
    }
    // A quarter of a small disk, minus the log's index and another project's lock.
    expect(Math.min(...held)).toBeGreaterThan(DISK_BYTES / 4 - 64 * 1024);
    expect(await run(["prune", "--project", "acme", "--keep", "1"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await importInto("many", formatCourses("many", 20))).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await send(server.url, "/api/v1/courses", { key })).text).toContain('"total":30');
  });

  test("ends an import that stores a large file, which does not exist afterwards", async () => {
    const courses = createTestFolder();
    mkdirSync(join(courses.path, "course"));
    writeFileSync(join(courses.path, "course/1-film.md"), "[The film](film.mp4)");
    writeFileSync(
      join(courses.path, "course/film.mp4"),
      crypto.getRandomValues(Buffer.alloc(65_536)).toString("hex").repeat(64),
    );
    const args = ["import", courses.path, "--project", "film", "--public-url", "https://catalog.example"];
    const { exitCode, stdout, stderr } = await run(args);
    expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(NO_ROOM)]);
    expect(readDatabase("select content_id from asset_uploads union all select content_id from asset_chunks")).toEqual(
      [],
    );
    courses.remove();
  });

  test("that a folder of assets would fill ends an import, which deletes its new files and leaves space", async () => {
    const courses = createTestFolder();
    const folder = join(disk?.path ?? "", "assets");
    const args = ["import", courses.path, "--project", "film", "--public-url", "https://catalog.example"];
    const before = disk?.freeBytes() ?? 0;
    // The first fits, the second would leave less than a quarter of the disk.
    for (const [name, bytes] of [
      ["a", DISK_BYTES / 32],
      ["b", before - DISK_BYTES / 4],
    ] as const) {
      mkdirSync(join(courses.path, name));
      writeFileSync(join(courses.path, name, "1-film.md"), "[The film](film.mp4)");
      writeFileSync(join(courses.path, name, "film.mp4"), Buffer.alloc(bytes, name));
    }
    for (let time = 0; time < 2; time++) {
      const { exitCode, stdout, stderr } = await run([...args, "--assets", `dir:${folder}`]);
      expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(NO_ROOM)]);
      expect(stderr).toContain(`No space left on the disk of ${folder}.`);
      expect(readDatabase("select digest from assets union all select digest from asset_uploads")).toEqual([]);
    }
    const { stdout } = Bun.spawnSync([...(disk?.prefix ?? []), "find", folder, "-type", "f"]);
    expect(stdout.toString()).toBe("");
    expect(disk?.freeBytes()).toBeGreaterThan(before - DISK_BYTES / 32);
    courses.remove();
  });

  test("without any free space is reported by every command that writes, and stops no reading", async () => {
    server = await startServing(["serve"], options);
    const giveBack = disk?.fill();
    for (const args of [
      ["import", "-", "--project", "new"],
      ["keys", "create", "--project", "new"],
      ["backup", join(disk?.path ?? "", "backup.db")],
      ["export", join(disk?.path ?? "", "courses"), "--project", "acme"],
      ["export", join(disk?.path ?? "", "courses.ndjson"), "--project", "acme"],
    ]) {
      const { exitCode, stdout, stderr } = await run(args, formatCourses("new", 100));
      expect([args[0], exitCode, stdout, stderr]).toEqual([args[0], 1, "", expect.stringMatching(NO_ROOM)]);
    }
    // A project's lock takes no space: only the database lacks some.
    const { exitCode, stderr } = await run(["sources", "remove", "x", "--project", "unknown"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Channel live of unknown has no named sources")]);
    expect((await run(["releases", "--project", "acme"])).exitCode).toBe(0);
    expect((await send(server.url, "/api/v1/courses", { key })).text).toContain('"total":30');
    giveBack?.();
    expect(disk?.freeBytes()).toBeGreaterThan(0);
    // Less than the backup needs.
    const { stderr: said } = await run(["backup", join(disk?.path ?? "", "backup.db")]);
    expect(said).toMatch(NO_ROOM);
    expect(await importInto("new", formatCourses("new", 10))).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("without any free space costs a stopping server only the last uses of keys", async () => {
    const args = ["keys", "create", "--project", "acme", "--name", "late", "--json"];
    const { key: late } = JSON.parse((await run(args)).stdout) as { key: string };
    const lastUses: unknown[] = [];
    for (const isFull of [true, false]) {
      server = await startServing(["serve"], options);
      const giveBack = disk?.fill();
      expect((await send(server.url, "/api/v1/courses", { key: late })).status).toBe(200);
      if (!isFull) giveBack?.();
      server.kill();
      expect(await server.exited).toBe(0);
      expect(server.stderr()).not.toContain('"level":"error"');
      if (isFull) giveBack?.();
      lastUses.push(readDatabase("select last_used_at as at from keys where name = 'late'"));
    }
    expect(lastUses).toEqual([[{ at: null }], [{ at: expect.any(String) }]]);
  });
});

test("a full PostgreSQL disk ends an import with the same message, and leaves nothing of it once there is space", async () => {
  const database = await postgres.createDatabase();
  const run = (args: string[], stdin: string) =>
    runCommand([...args, "--project", "acme", "--database", database.url], { stdin });
  expect((await run(["import", "-"], formatCourses("first", 3))).exitCode).toBe(0);
  // PostgreSQL's own error, in the middle of an import of several batches.
  await executeAll(database, [
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
    `create trigger full_disk before insert on course_versions for each row when (new.course_id = 'large150')
      execute function refuse()`,
  ]);
  const { exitCode, stdout, stderr } = await run(["import", "-", "--allow-removals"], formatCourses("large", 200));
  expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(NO_ROOM)]);
  expect(await database.execute("select count(*) as n from course_versions")).toEqual([{ n: 3 }]);
  expect(await database.execute("select * from unfinished_imports")).toEqual([]);
  expect((await run(["prune"], "")).exitCode).toBe(0);
  await database.drop();
});
