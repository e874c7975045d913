// A disk that an import fills: what the command prints, what continues, and what still works.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { toNdjson } from "../support/catalog.ts";
import { inheritEnvironment, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { startCommandHost, type CommandHost } from "../support/command-hosts.ts";
import { send } from "../support/server.ts";
import { openSmallDisk } from "../support/small-disk.ts";
import { postgres } from "../support/store.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const DISK_BYTES = 4 * 1024 * 1024;
const NO_ROOM =
  /^lectern: (?:No space left on|The disk is full:) .+\. (?:Make room|Free some space).+ run .+ again\.\n$/;
const FULL = { exitCode: 1, stdout: "", stderr: expect.stringMatching(NO_ROOM) };
const DONE = { exitCode: 0, stderr: "" };
const text = (): string => crypto.getRandomValues(Buffer.alloc(5000)).toString("hex");
/** 100 take a megabyte, and nothing compresses them. */
const formatCourses = (name: string, count: number): string =>
  toNdjson(
    Array.from({ length: count }, (_, index) => {
      const chapters = [{ name: "A", lessons: [{ id: "l", name: "L", additionalText: `<p>${text()}</p>` }] }];
      return { _id: `${name}${index}`, name: `${name} ${index}`, chapters };
    }),
  );

const disk = await openSmallDisk(DISK_BYTES);
const onDisk = (name: string): string => join(disk?.path ?? "", name);

describe.skipIf(disk === undefined)("a full disk on sqlite", () => {
  const options = { prefix: disk?.prefix ?? [], env: { LECTERN_DATABASE: `sqlite:${onDisk("lectern.db")}` } };
  let host: CommandHost;
  const run = (args: string[], stdin?: string) =>
    host.run({ args, cwd: process.cwd(), env: { ...inheritEnvironment(), ...options.env }, stdin });
  const importInto = (project: string, courses: string) =>
    run(["import", "-", "--project", project, "--allow-removals"], courses);
  const prune = () => run(["prune", "--project", "acme", "--keep", "1"]);
  const runOnDisk = (...command: string[]): string =>
    Bun.spawnSync([...(disk?.prefix ?? []), ...command]).stdout.toString();
  const readDatabase = (sql: string): unknown => {
    const script = `const { Database } = require("bun:sqlite"); const [path, sql] = process.argv.slice(1);
      console.log(JSON.stringify(new Database(path).query(sql).all()));`;
    return JSON.parse(runOnDisk(process.execPath, "-e", script, onDisk("lectern.db"), sql));
  };
  const readList = async () => send(server?.url ?? "", "/api/v1/courses", { key });
  /** Writes courses with a file of some bytes each, and returns the import's arguments. */
  const writeFilms = (bytes: number[]): string[] => {
    const random = crypto.getRandomValues(Buffer.alloc(50_000));
    const files = bytes.flatMap((length, index) => [
      [`c${index}/1-film.md`, "[The film](film.mp4)"],
      [`c${index}/film.mp4`, Buffer.alloc(length, random).fill(index, 0, 1)],
    ]);
    const folder = writeFolder(Object.fromEntries(files) as Files);
    return ["import", folder, "--project", "film", "--public-url", "https://catalog.example"];
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
        expect(await importInto("large", large)).toEqual(FULL);
        // A quarter of a small disk stays free, minus the log's index and another project's lock.
        expect(disk?.freeBytes()).toBeGreaterThan(DISK_BYTES / 4 - 64 * 1024);
        const unlisted = "select id from course_versions where id not in (select version_id from release_courses)";
        expect(readDatabase(`${unlisted} union all select 1 from unfinished_imports`)).toEqual([]);
        if (server !== undefined) expect(runOnDisk("stat", "-c", "%s", onDisk("lectern.db-wal"))).toBe("0\n");
      }
      expect(await importInto("acme", formatCourses(`${how} 1`, 30))).toMatchObject(DONE);
      expect(await importInto("other", formatCourses("other", 10))).toMatchObject(DONE);
      expect(await prune()).toMatchObject(DONE);
      expect(await importInto("large", formatCourses(how, 10))).toMatchObject(DONE);
      expect(readDatabase("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
      if (server === undefined) return;
      expect((await readList()).text).toContain('"total":30');
      expect((await fetch(`${server.adminUrl}/ready`)).status).toBe(200);
      expect(server.stderr()).not.toContain('"level":"error"');
    },
  );

  test("ends an import that stores a large file, which does not exist afterwards", async () => {
    expect(await run(writeFilms([2 * DISK_BYTES]))).toEqual(FULL);
    expect(readDatabase("select 1 from asset_uploads union all select 1 from asset_chunks")).toEqual([]);
  });

  test("that a folder of assets would fill ends an import, which deletes its new files and leaves space", async () => {
    const before = disk?.freeBytes() ?? 0;
    // The first fits, the second would leave less than a quarter of the disk.
    const args = writeFilms([DISK_BYTES / 32, before - DISK_BYTES / 4]);
    for (let time = 0; time < 2; time++) {
      const failed = await run([...args, "--assets", `dir:${onDisk("assets")}`]);
      expect(failed).toEqual(FULL);
      expect(failed.stderr).toContain(`No space left on the disk of ${onDisk("assets")}.`);
      expect(readDatabase("select digest from assets union all select digest from asset_uploads")).toEqual([]);
    }
    expect(runOnDisk("find", onDisk("assets"), "-type", "f")).toBe("");
    expect(disk?.freeBytes()).toBeGreaterThan(before - DISK_BYTES / 32);
  });

  test("ends a copy to the same disk, which leaves space for a prune", async () => {
    const source = options.env?.LECTERN_DATABASE ?? "";
    const copied = ["copy", "--from", source, "--to", `sqlite:${onDisk("copy.db")}`];
    expect(await importInto("copied", formatCourses("copied", 80))).toMatchObject(DONE);
    expect(await run(copied)).toEqual(FULL);
    // A quarter, minus the tables of the copy.
    expect(disk?.freeBytes()).toBeGreaterThan(DISK_BYTES / 8);
    expect(await prune()).toMatchObject(DONE);
    runOnDisk("sh", "-c", `rm ${onDisk("copy.db")}*`);
  });

  test("without any free space is reported by every command that writes, and stops no reading", async () => {
    server = await startServing(["serve"], options);
    const giveBack = disk?.fill();
    for (const args of [
      ["import", "-", "--project", "new"],
      ["keys", "create", "--project", "new"],
      ["export", onDisk("courses"), "--project", "acme"],
      ["export", onDisk("courses.ndjson"), "--project", "acme"],
    ]) {
      expect([args[0], await run(args, formatCourses("new", 100))]).toEqual([args[0], FULL]);
    }
    // A project's lock takes no space: only the database lacks some.
    const { stderr } = await run(["sources", "remove", "x", "--project", "unknown"]);
    expect(stderr).toContain("Channel live of unknown has no named sources");
    expect((await run(["releases", "--project", "acme"])).exitCode).toBe(0);
    expect((await readList()).text).toContain('"total":30');
    giveBack?.();
    // Less than the backup needs.
    expect((await run(["backup", onDisk("backup.db")])).stderr).toMatch(NO_ROOM);
    expect(await importInto("new", formatCourses("new", 10))).toMatchObject(DONE);
  });
});

test("a full PostgreSQL disk ends an import with the same message, and leaves nothing of it once there is space", async () => {
  const database = await postgres.createDatabase();
  const run = (args: string[], stdin: string) =>
    runCommand([...args, "--project", "acme", "--database", database.url], { stdin });
  expect((await run(["import", "-"], formatCourses("first", 3))).exitCode).toBe(0);
  // PostgreSQL's own error, in the middle of an import of several batches.
  await database.execute(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger full_disk before insert on course_versions for each row when (new.course_id = 'large150')
      execute function refuse()`);
  expect(await run(["import", "-", "--allow-removals"], formatCourses("large", 200))).toEqual(FULL);
  expect(await database.execute("select count(*) as n from course_versions")).toEqual([{ n: 3 }]);
  expect(await database.execute("select * from unfinished_imports")).toEqual([]);
  expect((await run(["prune"], "")).exitCode).toBe(0);
  await database.drop();
});
