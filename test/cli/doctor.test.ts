// `lectern doctor`: what it finds of each kind of damage, and that it finds nothing else. `lectern restore`, which mends it.
import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, runProcess, startServing } from "../support/command.ts";
import { renewFolder, renewStore } from "../support/shared-store.ts";
import { anyEngine, engines, sqlite, type TestStore } from "../support/store.ts";

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
type Check = { check: string; findings: { state: string; message: string; files?: string[] }[] };
/** The exit code, each finding as `state check: message`, and the files that they list. */
const examine = async (...args: string[]) => {
  const command = ["doctor", "--json", "--host", "127.0.0.1", "--database", database.url, ...args];
  const { exitCode, stdout, stderr } = await runCommand(command);
  if (stdout === "") throw new Error(stderr);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const all = checks.flatMap(({ check, findings }) => findings.map((finding) => ({ check, ...finding })));
  const findings = all.map(({ state, check, message }) => `${state} ${check}: ${message}`);
  // An extension that may not be there.
  const told = findings.filter((finding) => !finding.includes("amcheck"));
  return { exitCode, findings: told, files: all.flatMap(({ files = [] }) => files) };
};

const RESTORE = "Restore a backup (`lectern restore`), or import the content into a new database.";
const SOUND = { exitCode: 0, findings: [], files: [] };

describe.each(engines)("doctor on $name", (engine) => {
  const renewed = renewStore(engine);
  const folder = renewFolder();
  beforeEach(async () => {
    database = renewed;
    await fill();
  });
  /** Damages the database, and returns the exit code and the findings, without digests and remedies. */
  const damage = async (...statements: string[]): Promise<unknown[]> => {
    for (const statement of statements) await database.execute(statement);
    const { exitCode, findings } = await examine("--deep");
    const shorten = (finding: string): string => finding.replace(/[0-9a-f]{32}/, "DIGEST").replace(` ${RESTORE}`, "");
    return [exitCode, ...findings.map(shorten).toSorted()];
  };

  test("finds nothing in a sound database, lists its checks, and warns about addresses others can reach", async () => {
    expect(await examine("--deep")).toEqual(SOUND);
    const args = ["--database", database.url, "--admin-host", "0.0.0.0"];
    const { stdout, exitCode } = await runCommand(["doctor", ...args]);
    expect(exitCode).toBe(4);
    const own = engine.name === "sqlite" ? "permissions modes disk" : "permissions locks";
    const names = stdout.split("\n").map((line) => line.slice(9).split(":")[0]);
    expect(names.join(" ")).toStartWith(`schema integrity rows assets clock ${own} bind`);
    expect(stdout).toContain("note     bind: --host 0.0.0.0: other machines can reach the server ");
    expect(stdout).toContain("warning  bind: --admin-host 0.0.0.0: metrics at this address need no key. ");
  });

  test("finds lost parts of the schema", async () => {
    const column = "alter table course_versions rename column folded_name to folded_nbme";
    expect(await damage("drop index keys_by_project", column)).toEqual([
      3,
      "fault schema: Parts of the schema are missing: keys_by_project, course_versions.folded_name.",
    ]);
  });

  // Lectern creates none, and they can change what it stores or reads.
  test("names triggers, views and rules", async () => {
    const isSqlite = engine.name === "sqlite";
    const statements = isSqlite
      ? [
          "create trigger spy after insert on releases begin update course_versions set slug = 'x'; end",
          "create view shown as select * from releases",
        ]
      : [
          "create function change() returns trigger language plpgsql as 'begin return null; end'",
          "create trigger spy before insert on releases for each row execute function change()",
          "create rule lost as on delete to releases do instead nothing",
          "create table theirs (id integer)",
          "create trigger their_own before insert on theirs for each row execute function change()",
        ];
    const names = isSqlite ? "trigger spy, view shown" : "rule lost on releases, trigger spy on releases";
    const told = `warning schema: Lectern did not create these parts, which can change content: ${names}. `;
    expect(await damage(...statements)).toEqual([4, expect.stringContaining(told)]);
  });

  // What is read does not depend on the database.
  if (engine !== anyEngine) return;

  test("finds lost rows and a publication in the future", async () => {
    await storeFile(database.store, "pot.png", createContent(100, 2));
    const found = await damage(
      "delete from lesson_versions where id = 1",
      "delete from release_courses where position = 1",
      "delete from version_lessons where version_id = 1 and lesson_id = 'l2'",
      "delete from asset_chunks where position = 1",
      "delete from asset_chunks where content_id = (select max(content_id) from assets)",
      "update publications set published_at = '2999-01-01T00:00:00.000Z'",
    );
    expect(found).toEqual([
      3,
      "fault assets: The content of asset DIGEST has 134464 instead of 200000 bytes.",
      "fault assets: The content of asset DIGEST is not in the database.",
      "fault rows: Course versions with missing or extra lessons: 1 (first: 1).",
      "fault rows: Releases with missing or extra courses: 1 (first: 1).",
      "fault rows: Rows of version_lessons that refer to missing rows of lesson_versions: 1 (first: 1).",
      expect.stringContaining("warning clock: The newest publication has a future date, 2999-01-01T00:00:00.000Z: "),
    ]);
  });

  test("finds changed content, but reads it only with --deep", async () => {
    const found = await damage(
      "update lesson_versions set body = (select body from lesson_versions where id = 2) where id = 1",
      "update course_versions set lesson_list_digest = course_digest where id = 2",
      "update course_versions set summary = '00000000{}' where id = 1",
      "update asset_chunks set content = (select content from asset_chunks where position = 0) where position = 1",
    );
    expect(found).toEqual([
      3,
      "fault assets: The content of asset DIGEST is damaged: its digest differs.",
      "fault bodies: The document of lesson l1 of course a of acme (lesson_versions 1) is damaged.",
      "fault bodies: The list entry of course a (course_versions 1) is damaged.",
      "fault bodies: The list of lessons of course b of acme (course_versions 2) is damaged.",
    ]);
    expect(await examine()).toEqual(SOUND);
  });

  test("finds no fault in what a killed prune leaves: versions of no unpruned release, without lessons", async () => {
    await publish(database.store, "acme", [{ _id: "a", name: "Other" }]);
    const found = await damage(
      "delete from release_courses where release_id = 1 and version_id = 1",
      "update releases set pruned_at = '2026-01-01T00:00:00.000Z' where id = 1",
      "delete from version_lessons where version_id in (1, 2)",
    );
    expect(found).toEqual([0]);
  });

  test("finds missing, truncated, changed, unreadable and unused files of a folder", async () => {
    const store = await openStore(database.url, { create: false, assetFolder: folder.path });
    mkdirSync(join(folder.path, "zz"));
    const { size } = statSync(join(folder.path, "zz"));
    for (const seed of [2, 3, 4, 5, 6]) await storeFile(store, "x.png", createContent(size, seed));
    await store.close();
    const skipped = "skipped assets: Unchecked assets in a folder: 5. Pass the folder with --assets dir:PATH.";
    expect(await examine()).toEqual({ ...SOUND, findings: [skipped] });
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const [missing = "", cut = "", changed = "", unreadable = ""] = files.map((file) =>
      join(file.parentPath, file.name),
    );
    for (const file of [missing, unreadable]) await Bun.file(file).delete();
    // A folder in its place can be opened, but not read.
    mkdirSync(unreadable);
    writeFileSync(cut, "x");
    writeFileSync(changed, createContent(size, 99));
    const unused = ["zz/more", "zz/other"].map((name) => join(folder.path, name));
    for (const file of unused) writeFileSync(file, "");
    const { exitCode, findings, files: listed } = await examine("--assets", `dir:${folder.path}`, "--deep");
    const told = findings.map((finding) =>
      finding.replace(/ of asset [0-9a-f]{32}/, "").replace(/\. (?:Import|Remove such files).*/s, ""),
    );
    expect([exitCode, ...told.toSorted()]).toEqual([
      3,
      `fault assets: The content cannot be read. Remove ${unreadable}`,
      `fault assets: The content has 1 instead of ${size} bytes`,
      `fault assets: The content is damaged: its digest differs. Remove ${changed}`,
      `fault assets: The content is not at ${missing}`,
      `warning assets: Files in ${folder.path} that belong to no asset: 2 (first: ${unused[0]}); --json lists all`,
    ]);
    expect(listed).toEqual(unused);
  });
});

describe("doctor and restore on SQLite", () => {
  const renewed = renewStore(sqlite);
  const folder = renewFolder();
  let path: string;
  let backup: string;
  beforeEach(async () => {
    database = renewed;
    path = database.url.slice("sqlite:".length);
    await fill();
    backup = join(folder.path, "backup.db");
    expect((await run("backup", backup)).exitCode).toBe(0);
    await publish(database.store, "acme", courses.slice(1));
  });
  const run = async (...args: string[]) => runCommand([...args, "--database", database.url]);
  const restore = async (): Promise<void> =>
    expect(await run("restore", backup)).toMatchObject({ exitCode: 0, stderr: "" });
  const countCourses = async (url: string): Promise<number> => {
    const { stdout } = await runCommand(["get", "/api/v1/courses", "--project", "acme", "--database", url]);
    return Number(/"total": ?(\d+)/.exec(stdout)?.[1]);
  };
  /** Names of files that a restore leaves beside the database. */
  const listOthers = (): string[] => readdirSync(join(path, "..")).filter((name) => /before-|restoring/.test(name));
  /** Writes over the middle of the file. */
  const damage = (file: string): void => {
    const { size } = statSync(file);
    writeFileSync(file, readFileSync(file).fill(7, size / 2, size / 2 + 20_000));
  };
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  const identityOf = (file: string): unknown => new Database(file).query("select identity from store_identity").get();

  test("damaged pages and open file modes are found", async () => {
    await database.store.close();
    chmodSync(path, 0o644);
    const told = `${path} (mode 644): run \`chmod 600 ${path}\``;
    expect((await examine()).findings.filter((finding) => finding.includes(told))).toHaveLength(1);
    chmodSync(path, 0o600);
    damage(path);
    const { exitCode, findings } = await examine();
    expect([exitCode, findings]).toEqual([3, expect.arrayContaining([expect.stringContaining("fault integrity: ")])]);
  });

  test("a restore replaces the database with a backup of its own identity, and keeps the old file", async () => {
    await database.store.close();
    const { exitCode, stdout } = await run("restore", backup);
    expect(exitCode).toBe(0);
    const kept = /^The previous database is kept as (.+)\. Remove it/m.exec(stdout)?.[1] ?? "";
    expect([kept.startsWith(`${path}.before-`), modeOf(path), modeOf(kept)]).toEqual([true, 0o600, 0o600]);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect([await countCourses(database.url), await countCourses(`sqlite:${kept}`)]).toEqual([2, 1]);
    expect(identityOf(path)).not.toEqual(identityOf(backup));
  });

  test("a restore fails and changes nothing while a server has the database open, even a damaged one", async () => {
    await database.store.close();
    const server = await startServing(["serve", "--database", database.url]);
    const before = readFileSync(path);
    for (const content of ["", "no database"]) {
      writeFileSync(path, content, { flag: "r+" });
      const stderr = expect.stringContaining("Stop it and try again. Nothing was changed.");
      expect(await run("restore", backup)).toMatchObject({ exitCode: 1, stderr });
    }
    expect(readFileSync(path).subarray(100).equals(before.subarray(100))).toBe(true);
    expect(listOthers()).toEqual([]);
    server.kill();
    await server.exited;
    await restore();
    expect(await countCourses(database.url)).toBe(2);
  });

  test("commands and restores report a damaged file with a remedy, and a restore mends it", async () => {
    await database.store.close();
    const torn = readFileSync(path).fill(0xa5, 100, 8192);
    writeFileSync(path, torn);
    const next = "restore a backup (`lectern restore FILE`), or import into a new database.";
    // It must not stay open.
    expect(openStore(database.url, { create: false })).rejects.toThrow(next);
    for (const args of [["status"], ["doctor"], ["serve"], ["backup", `${backup}.2`]]) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect([args[0], exitCode, stdout, stderr]).toEqual([args[0], 1, "", `lectern: ${path} is damaged: ${next}\n`]);
    }
    writeFileSync(`${backup}.torn`, torn);
    const told = `lectern: The backup ${backup}.torn is damaged: name another, or import into a new database.\n`;
    expect(await run("restore", `${backup}.torn`)).toMatchObject({ exitCode: 1, stderr: told });
    await restore();
    // Too damaged to open, or missing.
    writeFileSync(path, "x".repeat(5000));
    await restore();
    await Bun.file(path).delete();
    expect((await run("restore", backup)).stdout).toStartWith(`${path} is now a copy of ${backup}.\nKeys revoked`);
    expect(await examine("--deep")).toEqual(SOUND);
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

  test("the log of a removed database is not applied to the restored one, which only its owner can read", async () => {
    const other = new Database(path);
    other.run("update course_versions set slug = slug || '-changed'");
    const log = readFileSync(`${path}-wal`);
    await database.store.close();
    other.close();
    chmodSync(backup, 0o644);
    await Bun.file(path).delete();
    writeFileSync(`${path}-wal`, log);
    await restore();
    expect(modeOf(path)).toBe(0o600);
    const read = await run("get", "/api/v1/courses", "--project", "acme");
    expect([read.exitCode, read.stdout]).toEqual([0, expect.not.stringContaining("-changed")]);
  });

  test("a backup with a trigger or a view is not restored, and the trigger does not run", async () => {
    const file = new Database(backup);
    file.run("create view shown as select * from releases");
    file.run("create trigger spy after update on store_identity begin update course_versions set slug = 'new'; end");
    file.close();
    const before = readFileSync(backup);
    const told = "has parts that Lectern did not create, and that can change content: trigger spy, view shown. Nothing";
    await expectNoBackup(backup, told);
    expect(readFileSync(backup).equals(before)).toBe(true);
  });

  async function expectNoBackup(file: string, message: string): Promise<void> {
    await database.store.close();
    const before = readFileSync(path);
    const { exitCode, stderr } = await run("restore", file);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(listOthers()).toEqual([]);
  }

  test("damaged and missing files, other files, and the database itself are no backups", async () => {
    await expectNoBackup(`${backup}.gone`, "There is no file");
    await expectNoBackup(path, "is the database itself");
    writeFileSync(`${backup}.page`, "x".repeat(5000));
    await expectNoBackup(`${backup}.page`, "is not a database file");
    damage(backup);
    await expectNoBackup(backup, "is damaged");
  });
});
