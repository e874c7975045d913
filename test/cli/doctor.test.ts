// `lectern doctor`: what it finds of each kind of damage, and that it finds nothing else. `lectern restore`, which mends it.
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, runProcess, startServing } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { createTestFolder, engines, openTestStore, sqlite, type TestStore } from "../support/store.ts";

const lessons = [
  { id: "l1", name: "One", additionalText: `<p>${"tea ".repeat(500)}</p>` },
  { id: "l2", name: "Two" },
];
const courses = ["a", "b"].map((id) => ({ _id: id, name: id, chapters: [{ id: "c", name: "C", lessons }] }));

let database: TestStore;
const fill = async (): Promise<void> => {
  await publish(database.store, "acme", courses);
  // No piece is like another.
  const content = createContent(200_000).map((byte, index) => byte + (index >> 16));
  await storeFile(database.store, "cup.png", content);
};
interface Examined {
  exitCode: number;
  findings: string[];
  files?: string[];
}
/** The exit code, each finding as `state check: message`, and the files that one lists. */
const examine = async (...args: string[]): Promise<Examined> => {
  const command = ["doctor", "--json", "--host", "127.0.0.1", "--database", database.url, ...args];
  const { exitCode, stdout, stderr } = await runCommand(command);
  if (stdout === "") throw new Error(stderr);
  const { checks } = JSON.parse(stdout) as {
    checks: { check: string; findings: { state: string; message: string; files?: string[] }[] }[];
  };
  const findings = checks.flatMap(({ check, findings: found }) =>
    found.map(({ state, message }) => `${state} ${check}: ${message}`),
  );
  const files = checks.flatMap(({ findings: found }) => found.flatMap((each) => each.files ?? []));
  // An extension that may not be there.
  const examined = { exitCode, findings: findings.filter((finding) => !finding.includes("amcheck")) };
  return files.length === 0 ? examined : { ...examined, files };
};

describe.each(engines)("doctor on $name", (engine) => {
  beforeEach(async () => {
    database = await openTestStore(engine);
    await fill();
  });
  afterEach(async () => database.drop());

  test("finds nothing in a sound database, and lists its checks", async () => {
    expect(await examine("--deep")).toEqual({ exitCode: 0, findings: [] });
    const { stdout, exitCode } = await runCommand(["doctor", "--database", database.url]);
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const own = engine.name === "sqlite" ? ["permissions", "modes", "disk"] : ["permissions", "locks"];
    expect(lines.slice(0, -1).map((line) => line.slice(9).split(":")[0])).toEqual([
      "schema",
      "integrity",
      "rows",
      "assets",
      "clock",
      ...own,
    ]);
    expect(lines.at(-1)).toStartWith("note     bind: --host 0.0.0.0: other machines can reach the server ");
  });

  const RESTORE = "Restore a backup (`lectern restore`), or import the content into a new database.";
  const damages: [how: string, statement: string, finding: string, deep?: true][] = [
    [
      "a lost lesson",
      "delete from lesson_versions where id = 1",
      `fault rows: Rows of version_lessons that refer to missing rows of lesson_versions: 1 (first: 1). ${RESTORE}`,
    ],
    [
      "a lost course",
      "delete from release_courses where position = 1",
      `fault rows: Releases with missing or extra courses: 1 (first: 1). ${RESTORE}`,
    ],
    [
      "a lost row of a lesson",
      "delete from version_lessons where version_id = 2 and lesson_id = 'l1'",
      `fault rows: Course versions with missing or extra lessons: 1 (first: 2). ${RESTORE}`,
    ],
    [
      "a lost index",
      "drop index keys_by_project",
      `fault schema: Parts of the schema are missing: keys_by_project. ${RESTORE}`,
    ],
    [
      "a lost column",
      "alter table course_versions rename column folded_name to folded_nbme",
      `fault schema: Parts of the schema are missing: course_versions.folded_name. ${RESTORE}`,
    ],
    [
      "a lost piece of a file",
      "delete from asset_chunks where position = 1",
      `fault assets: The content of asset DIGEST has 134464 instead of 200000 bytes. ${RESTORE}`,
    ],
    [
      "a lost file",
      "delete from asset_chunks",
      `fault assets: The content of asset DIGEST is not in the database. ${RESTORE}`,
    ],
    [
      "a publication in the future",
      "update publications set published_at = '2999-01-01T00:00:00.000Z'",
      "warning clock: The newest publication has a future date, 2999-01-01T00:00:00.000Z: ",
    ],
    [
      "a changed body",
      "update lesson_versions set body = (select body from lesson_versions where id = 2) where id = 1",
      `fault bodies: The document of lesson l1 of course a of acme (lesson_versions 1) is damaged. ${RESTORE}`,
      true,
    ],
    [
      "a changed digest",
      "update course_versions set lesson_list_digest = course_digest where id = 2",
      `fault bodies: The list of lessons of course b of acme (course_versions 2) is damaged. ${RESTORE}`,
      true,
    ],
    [
      "a changed entry of a list",
      "update course_versions set summary = '00000000{}' where id = 1",
      `fault bodies: The list entry of course a (course_versions 1) is damaged. ${RESTORE}`,
      true,
    ],
    [
      "a changed file",
      "update asset_chunks set content = (select content from asset_chunks where position = 0) where position = 1",
      `fault assets: The content of asset DIGEST is damaged: its digest differs. ${RESTORE}`,
      true,
    ],
  ];
  test.each(damages)("finds %s", async (...given) => {
    const [, statement, finding, deep] = given;
    await database.execute(statement);
    // Only `--deep` reads the bytes.
    if (deep === true) expect(await examine()).toEqual({ exitCode: 0, findings: [] });
    const { exitCode, findings } = await examine("--deep");
    expect(exitCode).toBe(finding.startsWith("fault") ? 3 : 4);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.replace(/[0-9a-f]{32}/, "DIGEST")).toStartWith(finding);
  });

  test("finds no fault in what a killed prune leaves: versions of no release, without their lessons", async () => {
    await publish(database.store, "acme", [{ _id: "a", name: "Other" }]);
    await database.execute("delete from release_courses where release_id = 1");
    await database.execute("update releases set pruned_at = '2026-01-01T00:00:00.000Z' where id = 1");
    await database.execute("delete from version_lessons where version_id = 2");
    expect(await examine("--deep")).toEqual({ exitCode: 0, findings: [] });
  });

  test("warns about an admin port that other machines can reach", async () => {
    const { exitCode, findings } = await examine("--admin-host", "0.0.0.0");
    expect([exitCode, findings.length]).toEqual([4, 1]);
    expect(findings[0]).toStartWith("warning bind: --admin-host 0.0.0.0: metrics at this address need no key. ");
  });

  test("finds missing, truncated, changed and unused files of a folder", async () => {
    const folder = createTestFolder();
    const store = await openStore(database.url, { create: false, assetFolder: folder.path });
    for (const seed of [2, 3, 4, 5]) await storeFile(store, "x.png", createContent(1000, seed));
    await store.close();
    const assets = ["--assets", `dir:${folder.path}`, "--deep"];
    expect(await examine(...assets)).toEqual({ exitCode: 0, findings: [] });
    expect(await examine()).toEqual({
      exitCode: 0,
      findings: ["skipped assets: Unchecked assets in a folder: 4. Pass the folder with --assets dir:PATH."],
    });
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const [missing = "", cut = "", changed = ""] = files.map((file) => join(file.parentPath, file.name));
    await Bun.file(missing).delete();
    writeFileSync(cut, "x");
    writeFileSync(changed, createContent(1000, 99));
    mkdirSync(join(folder.path, "zz"));
    const unused = ["zz/more", "zz/other"].map((name) => join(folder.path, name));
    for (const file of unused) writeFileSync(file, "");
    const { exitCode, findings, files: listed } = await examine(...assets);
    folder.remove();
    expect(exitCode).toBe(3);
    const told = findings
      .map((finding) => finding.replace(/ of asset [0-9a-f]{32}/, "").replace(/\. (?:Import|Remove such files).*/s, ""))
      .toSorted();
    expect(told).toEqual([
      "fault assets: The content has 1 instead of 1000 bytes",
      `fault assets: The content is damaged: its digest differs. Remove ${changed}`,
      `fault assets: The content is not at ${missing}`,
      `warning assets: Files in ${folder.path} that belong to no asset: 2 (first: ${unused[0]}); --json lists all`,
    ]);
    expect(listed).toEqual(unused);
  });
});

describe("doctor and restore on SQLite", () => {
  let folder: { path: string; remove: () => void };
  let path: string;
  let backup: string;
  let key: string;
  const run = async (...args: string[]) => runCommand([...args, "--database", database.url]);
  beforeAll(() => (folder = createTestFolder()));
  afterAll(() => folder.remove());
  beforeEach(async () => {
    database = await openTestStore(sqlite);
    path = database.url.slice("sqlite:".length);
    await fill();
    key = await createKey(database.store, "acme");
    backup = join(folder.path, `${crypto.randomUUID()}.db`);
    expect((await run("backup", backup)).exitCode).toBe(0);
    await publish(database.store, "acme", courses.slice(1));
  });
  afterEach(async () => database.drop());
  /** Writes over the middle of the file. */
  const damage = (file: string): void => {
    writeFileSync(file, readFileSync(file).fill(7, statSync(file).size / 2, statSync(file).size / 2 + 20_000));
  };
  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  test("damaged pages and open file modes are found", async () => {
    await database.store.close();
    chmodSync(path, 0o644);
    const { findings: modes } = await examine();
    expect(modes.filter((finding) => finding.includes(`${path} (mode 644): run \`chmod 600 ${path}\``))).toHaveLength(
      1,
    );
    chmodSync(path, 0o600);
    damage(path);
    const { exitCode, findings } = await examine();
    expect([exitCode, findings.find((finding) => finding.includes("integrity"))]).toEqual([
      3,
      expect.stringContaining("fault integrity: ") as unknown as string,
    ]);
  });

  test("a restore replaces the database with a backup and keeps the old file; a server serves the backup", async () => {
    await database.store.close();
    const { exitCode, stdout } = await run("restore", backup);
    expect(exitCode).toBe(0);
    const kept = /^The previous database is kept as (.+)\. Remove it/m.exec(stdout)?.[1] ?? "";
    expect([kept.startsWith(`${path}.before-`), modeOf(path), modeOf(kept)]).toEqual([true, 0o600, 0o600]);
    expect(existsSync(`${path}-wal`)).toBe(false);
    const countCourses = async (url: string): Promise<unknown> => {
      const server = await startServing(["serve", "--database", url]);
      const { text } = await send(server.url, "/api/v1/courses", { key });
      server.kill();
      await server.exited;
      return (JSON.parse(text) as { data: { total: number } }).data.total;
    };
    expect(await countCourses(database.url)).toBe(2);
    expect(await countCourses(`sqlite:${kept}`)).toBe(1);
    const identityOf = async (url: string): Promise<string> => {
      const store = await openStore(url, { create: false });
      const { identity } = await store.changes.readRevisions();
      await store.close();
      return identity;
    };
    expect(await identityOf(database.url)).not.toBe(await identityOf(`sqlite:${backup}`));
    database.store = await openStore(database.url, { create: false });
  });

  test("a restore fails and changes nothing while a server has the database open, even a damaged one", async () => {
    await database.store.close();
    const server = await startServing(["serve", "--database", database.url]);
    const before = readFileSync(path);
    for (const isDamaged of [false, true]) {
      if (isDamaged) writeFileSync(path, "no database", { flag: "r+" });
      const { exitCode, stderr } = await run("restore", backup);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining("Stop it and try again. Nothing was changed.") as unknown as string,
      ]);
    }
    expect(readFileSync(path).subarray(100).equals(before.subarray(100))).toBe(true);
    expect(readdirSync(join(path, "..")).filter((name) => /before-|restoring/.test(name))).toEqual([]);
    server.kill();
    await server.exited;
    expect((await run("restore", backup)).exitCode).toBe(0);
    database.store = await openStore(database.url, { create: false });
    await waitFor(async () => (await database.store.changes.publicationsSince(0)).length === 1);
  });

  test("commands and restores report a damaged file with a remedy", async () => {
    await database.store.close();
    const torn = readFileSync(path).fill(0xa5, 100, 8192);
    writeFileSync(path, torn);
    const next = "restore a backup (`lectern restore FILE`), or import into a new database.";
    for (const args of [
      ["status"],
      ["doctor"],
      ["serve"],
      ["backup", `${backup}.2`],
      ["releases", "--project", "acme"],
    ]) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect([args[0], exitCode, stdout, stderr]).toEqual([args[0], 1, "", `lectern: ${path} is damaged: ${next}\n`]);
    }
    writeFileSync(`${backup}.torn`, torn);
    const restored = await run("restore", `${backup}.torn`);
    const told = `lectern: The backup ${backup}.torn is damaged: name another, or import into a new database.\n`;
    expect([restored.exitCode, restored.stderr]).toEqual([1, told]);
    expect((await run("restore", backup)).exitCode).toBe(0);
    database.store = await openStore(database.url, { create: false });
  });

  // Only root gives files away.
  test.skipIf(process.getuid?.() !== 0)(
    "the folder's owner owns a restored database, the database's owner its locks; for other users the message names chown",
    async () => {
      const place = join(folder.path, "of-nobody");
      mkdirSync(place);
      chmodSync(folder.path, 0o755);
      chownSync(place, 65_534, 65_534);
      const lost = join(place, "catalog.db");
      const url = ["--database", `sqlite:${lost}`];
      expect((await runCommand(["restore", backup, ...url])).exitCode).toBe(0);
      expect([statSync(lost).uid, statSync(lost).gid, modeOf(lost)]).toEqual([65_534, 65_534, 0o600]);
      // A lock that root leaves must not stop the server's user.
      expect((await runCommand(["prune", "--project", "acme", ...url])).exitCode).toBe(0);
      for (const end of ["lock", "lock.json"]) expect(statSync(`${lost}.acme.${end}`).uid).toBe(65_534);
      chownSync(lost, 0, 0);
      const prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
      const { exitCode, stderr } = await runProcess(["status", ...url], { prefix });
      const told =
        `lectern: The database ${lost} cannot be opened: user nobody cannot write ${lost}, which belongs to user root; ` +
        `SQLite must write even to read. Run \`chown nobody ${lost}\`.\n`;
      expect([exitCode, stderr]).toEqual([1, told]);
    },
  );

  test("a database that is missing or too damaged to open can be restored", async () => {
    await database.store.close();
    writeFileSync(path, "x".repeat(5000));
    expect((await run("restore", backup)).exitCode).toBe(0);
    await Bun.file(path).delete();
    expect((await run("restore", backup)).stdout).toStartWith(`${path} is now a copy of ${backup}.\nKeys revoked`);
    expect((await examine("--deep")).findings).toEqual([]);
    database.store = await openStore(database.url, { create: false });
  });

  test("the log of a removed database is not applied to the restored one, which only its owner can read", async () => {
    const other = new Database(path);
    other.run("update course_versions set slug = slug || '-changed'");
    const log = readFileSync(`${path}-wal`);
    await database.store.close();
    other.close();
    chmodSync(backup, 0o644);
    await Bun.file(path).delete();
    writeFileSync(`${path}-wal`, log);
    expect((await run("restore", backup)).exitCode).toBe(0);
    expect(modeOf(path)).toBe(0o600);
    const read = await run("get", "/api/v1/courses", "--project", "acme");
    expect([read.exitCode, read.stdout]).toEqual([0, expect.not.stringContaining("-changed") as unknown as string]);
    expect((await examine("--deep")).findings).toEqual([]);
    database.store = await openStore(database.url, { create: false });
  });

  test.each([
    ["a damaged file", () => (damage(backup), backup), "is damaged"],
    ["a missing one", () => `${backup}.gone`, "There is no file"],
    ["the database itself", () => path, "is the database itself"],
    ["a named pipe", () => makePipe(`${backup}.pipe`), ".pipe is not a file."],
    ["a file of another kind", () => (writeFileSync(backup, "x".repeat(5000)), backup), "is not a database file"],
  ])("%s is no backup", async (_what, prepare, message) => {
    await database.store.close();
    const before = readFileSync(path);
    const { exitCode, stderr } = await run("restore", prepare());
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message) as unknown as string]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(path, "..")).filter((name) => /before-|restoring/.test(name))).toEqual([]);
    database.store = await openStore(database.url, { create: false });
  });

  test("a named pipe is rejected as a database without waiting for it", async () => {
    const pipe = makePipe(`${backup}.pipe`);
    for (const args of [["doctor"], ["restore", backup], ["backup", `${backup}.second`], ["serve"], ["vacuum"]]) {
      const { exitCode, stderr } = await runCommand([...args, "--database", `sqlite:${pipe}`]);
      expect([args, exitCode, stderr]).toEqual([args, 1, expect.stringContaining(`${pipe} is not a file.`)]);
    }
  });

  test("a PostgreSQL database is restored with pg_restore", async () => {
    const { exitCode, stderr } = await runCommand(["restore", backup, "--database", "postgres://localhost/x"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("pg_restore") as unknown as string]);
  });
});

function makePipe(path: string): string {
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  return path;
}
