// Databases of released versions are served, and answer the same bytes. Those of unreleased versions are refused and not changed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import packageJson from "../../package.json";
import { createProgram } from "../../src/cli/program.ts";
import { openStore } from "../../src/store/open-store.ts";
import { runCommand, runProcess, startServing, type RunningCommand } from "../support/command.ts";
import { engines, postgres, sqlite, type TestDatabase } from "../support/store.ts";
import { COURSES, DATABASE, importSource, LINES, readAnswer, type StoredAnswer } from "../support/stored-release.ts";
import { writeFolder } from "../support/written-folder.ts";

const STORED = join(import.meta.dir, "../stored");
const REFUSAL =
  " is from an unreleased version of Lectern and was not changed. Name a new database, import the content again, " +
  "and register keys again with `lectern keys create --stdin`, which needs their plain text.\n";

/** Every command that opens a database, with what it needs; a restore opens another one. */
const COMMANDS = `doctor; serve --port 0 --admin-port 0; demo --port 0 --admin-port 0; import courses --project folder;
  keys create --project folder; keys list --project folder; keys revoke key_2890ce494680; keys rotate key_2890ce494680;
  webhooks create --project folder --url https://192.0.2.1/ --allow-private; webhooks rotate hook_1; webhooks list;
  webhooks test hook_1; webhooks resume hook_1; webhooks delete hook_1; get /api/v1/courses --project folder;
  search tea --project acme; status; releases --project folder; channels list --project folder;
  channels delete next --project folder; sources list --project folder; sources remove one --project folder;
  follow courses --project folder; publish --release 1 --project folder; rollback --project folder;
  prune --project folder; export exported --project folder; vacuum; backup copy.db`.split(/;\s+/);

function listCommands(command: Command, path: string[] = []): string[] {
  const own = command.options.some(({ long }) => long === "--database") ? [path.join(" ")] : [];
  return [...own, ...command.commands.flatMap((each) => listCommands(each, [...path, each.name()]))];
}

describe("a database of an unreleased version", () => {
  const content = readFileSync(join(STORED, "refused.db"));
  const folder = writeFolder({ "lectern.db": content, courses: "" });
  const path = join(folder, "lectern.db");

  /** The output, with which the command changed no byte. */
  async function expectRefused(args: string[], name: string, run = runCommand): Promise<void> {
    const { exitCode, stdout, stderr } = await run(args, { cwd: folder });
    expect([args[0], exitCode, stdout, stderr]).toEqual([args[0], 1, "", `lectern: The database ${name}${REFUSAL}`]);
    expect(readdirSync(folder).sort()).toEqual(["courses", "lectern.db"]);
    expect(readFileSync(path).equals(content)).toBe(true);
  }

  test("is tested with every command that opens a database", () => {
    const isTested = (name: string) => COMMANDS.some((line) => `${line} `.startsWith(`${name} `));
    expect(listCommands(createProgram()).filter((name) => !isTested(name))).toEqual(["restore"]);
  });

  test.each(COMMANDS)("is refused by %s, without changing a byte", async (command) => {
    await expectRefused([...command.split(" "), "--database", "sqlite:lectern.db"], "lectern.db");
  });

  test("is refused by a server with workers, and by copies from it and to it", async () => {
    const [empty, used] = [await sqlite.createDatabase(), await sqlite.createStoreDatabase()];
    for (const args of [
      ["serve", "--workers", "2", "--port", "0", "--admin-port", "0", "--database", `sqlite:${path}`],
      ["copy", "--from", `sqlite:${path}`, "--to", empty.url],
      ["copy", "--from", used.url, "--to", `sqlite:${path}`],
      ["restore", path, "--database", `sqlite:${path}.other`],
    ]) {
      await expectRefused(args, path, runProcess);
    }
    for (const database of [empty, used]) await database.drop();
  });

  test("is refused on PostgreSQL because of its table, before any table is created", async () => {
    const database = await postgres.createDatabase();
    await database.execute("create table schema_version (version integer not null)");
    await database.execute("insert into schema_version (version) values (15)");
    const { pathname, host } = new URL(database.url);
    for (const command of ["serve --port 0 --admin-port 0", "import courses --project folder"])
      await expectRefused([...command.split(" "), "--database", database.url], `${pathname.slice(1)} on ${host}`);
    const tables = await database.execute("select tablename as name from pg_tables where schemaname = 'public'");
    expect(tables).toEqual([{ name: "schema_version" }]);
    await database.drop();
  });
});

const folders = readdirSync(STORED, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const versions = folders.map(({ name }) => name);
const stored = versions.flatMap((version) => engines.map((engine) => ({ version, name: engine.name, engine })));

test("this version has stored answers", () => expect(versions).toContain(packageJson.version));

describe.each(stored)("the database of $version on $name", ({ version, engine }) => {
  const release = join(STORED, version);
  const answers = JSON.parse(readFileSync(join(release, "answers.json"), "utf8")) as StoredAnswer[];
  let database: TestDatabase;
  let server: RunningCommand;
  beforeAll(async () => {
    database = await engine.createDatabase();
    const file = engine === sqlite ? database : await sqlite.createDatabase();
    writeFileSync(file.url.slice("sqlite:".length), Bun.gunzipSync(readFileSync(join(release, DATABASE))));
    if (engine !== sqlite) {
      // Only equal schemas are copied.
      await (await openStore(file.url, { create: false, writes: true })).close();
      expect((await runCommand(["copy", "--from", file.url, "--to", database.url])).exitCode).toBe(0);
      await file.drop();
    }
    server = await startServing(["serve", "--database", database.url]);
  });
  afterAll(async () => {
    server.kill();
    await server.exited;
    await database.drop();
  });

  const read = ({ project, path }: StoredAnswer) => readAnswer(server.url, project, path);
  /** Fields that importing the same sources never changes, however a version renders them. */
  const pickFixed = ({ path, status, body }: StoredAnswer): unknown[] => {
    const found: unknown[] = [path, status];
    JSON.parse(body, (name, value: unknown) => {
      if (["_id", "id", "createdAt", "updatedAt"].includes(name)) found.push([name, value]);
      return value;
    });
    return found;
  };

  test("is served unchanged, with the same bytes, and keeps ids and dates when its sources are imported again", async () => {
    for (const answer of answers) expect(await read(answer)).toEqual(answer);
    const isCurrent = version === packageJson.version;
    for (const [project, file] of Object.entries({ folder: COURSES, lines: LINES })) {
      const args = [...importSource(project, join(release, file)), "--database", database.url];
      const { exitCode, stdout, stderr } = await runCommand(args);
      expect([project, exitCode, stderr.includes("error:")]).toEqual([project, 0, false]);
      if (isCurrent) expect(stdout).toStartWith("Nothing changed");
    }
    for (const answer of answers.filter(({ path }) => isCurrent || path.startsWith("/api/v1/courses"))) {
      const again = await read(answer);
      if (isCurrent) expect(again).toEqual(answer);
      else expect(pickFixed(again)).toEqual(pickFixed(answer));
    }
  });
});
