// Databases of released versions are served, and answer the same bytes. Those of unreleased versions are refused and not changed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import packageJson from "../../package.json";
import { createProgram } from "../../src/cli/program.ts";
import { openStore } from "../../src/store/open-store.ts";
import { runCommand, runProcess, startServing, type RunningCommand } from "../support/command.ts";
import { send } from "../support/server.ts";
import { createTestFolder, engines, type TestDatabase } from "../support/store.ts";
import {
  COURSES,
  DATABASE,
  importSource,
  KEPT_HEADERS,
  LINES,
  toKey,
  type StoredAnswer,
} from "../support/stored-release.ts";

const STORED = join(import.meta.dir, "../stored");
const REFUSAL =
  " is from an unreleased version of Lectern and was not changed. Name a new database, import the content again, " +
  "and register keys again with `lectern keys create --stdin`, which needs their plain text.\n";

/** Every command that opens a database, with what it needs. */
const COMMANDS: Record<string, string[]> = {
  doctor: [],
  serve: ["--port", "0", "--admin-port", "0"],
  import: ["courses", "--project", "folder"],
  "keys create": ["--project", "folder"],
  "keys list": ["--project", "folder"],
  "keys revoke": ["key_2890ce494680"],
  "keys rotate": ["key_2890ce494680"],
  "webhooks create": ["--project", "folder", "--url", "https://192.0.2.1/", "--allow-private"],
  "webhooks rotate": ["hook_1"],
  "webhooks list": [],
  "webhooks test": ["hook_1"],
  "webhooks resume": ["hook_1"],
  "webhooks delete": ["hook_1"],
  get: ["/api/v1/courses", "--project", "folder"],
  search: ["tea", "--project", "acme"],
  status: [],
  releases: ["--project", "folder"],
  "channels list": ["--project", "folder"],
  "channels delete": ["next", "--project", "folder"],
  "sources list": ["--project", "folder"],
  follow: ["courses", "--project", "folder"],
  "sources remove": ["one", "--project", "folder"],
  publish: ["--release", "1", "--project", "folder"],
  rollback: ["--project", "folder"],
  prune: ["--project", "folder"],
  export: ["exported", "--project", "folder"],
  vacuum: [],
  backup: ["copy.db"],
  demo: ["--port", "0", "--admin-port", "0"],
};

function listCommands(command: Command, path: string[] = []): string[] {
  const own = command.options.some(({ long }) => long === "--database") ? [path.join(" ")] : [];
  return [...own, ...command.commands.flatMap((each) => listCommands(each, [...path, each.name()]))];
}

describe("a database of an unreleased version", () => {
  const folder = createTestFolder();
  const path = join(folder.path, "lectern.db");
  const content = readFileSync(join(STORED, "refused.db"));
  beforeAll(() => {
    writeFileSync(path, content);
    writeFileSync(join(folder.path, "courses"), "");
  });
  afterAll(() => folder.remove());

  const expectUntouched = (): void => {
    expect(readdirSync(folder.path).sort()).toEqual(["courses", "lectern.db"]);
    expect(readFileSync(path).equals(content)).toBe(true);
  };

  test("is tested with every command that opens a database", () => {
    // A restore opens another one, below.
    const commands = listCommands(createProgram()).filter((command) => command !== "restore");
    expect(Object.keys(COMMANDS).sort()).toEqual(commands.sort());
  });

  test.each(Object.entries(COMMANDS))("is refused by %s, without changing a byte", async (command, options) => {
    const args = [...command.split(" "), ...options, "--database", "sqlite:lectern.db"];
    const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    expect([exitCode, stdout, stderr]).toEqual([1, "", `lectern: The database lectern.db${REFUSAL}`]);
    expectUntouched();
  });

  test("is refused by a server with workers, and by copies from it and to it", async () => {
    const empty = await engines[0]!.createDatabase();
    for (const args of [
      ["serve", "--workers", "2", "--port", "0", "--admin-port", "0", "--database", `sqlite:${path}`],
      ["copy", "--from", `sqlite:${path}`, "--to", empty.url],
      ["copy", "--from", empty.url, "--to", `sqlite:${path}`],
      ["restore", path, "--database", `sqlite:${path}.other`],
    ]) {
      if (args.at(-1) === `sqlite:${path}`)
        await runCommand(["keys", "create", "--project", "p", "--database", empty.url]);
      const { exitCode, stdout, stderr } = await runProcess(args);
      expect([args[0], exitCode, stdout, stderr]).toEqual([args[0], 1, "", `lectern: The database ${path}${REFUSAL}`]);
      expectUntouched();
    }
    await empty.drop();
  });

  test("is refused on PostgreSQL because of its table, before any table is created", async () => {
    const database = await engines[1]!.createDatabase();
    await database.execute("create table schema_version (version integer not null)");
    await database.execute("insert into schema_version (version) values (15)");
    const { pathname, host } = new URL(database.url);
    for (const [command, options] of Object.entries(COMMANDS)) {
      // PostgreSQL has its own tools.
      if (command === "backup") continue;
      const args = [...command.split(" "), ...options, "--database", database.url];
      const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder.path });
      const message = `lectern: The database ${pathname.slice(1)} on ${host}${REFUSAL}`;
      expect([command, exitCode, stdout, stderr]).toEqual([command, 1, "", message]);
    }
    const tables = await database.execute("select tablename as name from pg_tables where schemaname = 'public'");
    expect(tables).toEqual([{ name: "schema_version" }]);
    expect(existsSync(join(folder.path, "exported"))).toBe(false);
    await database.drop();
  });
});

const versions = readdirSync(STORED, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);
const stored = versions.flatMap((version) => engines.map((engine) => ({ version, name: engine.name, engine })));

test("this version has stored answers", () => expect(versions).toContain(packageJson.version));

describe.each(stored)("the database of $version on $name", ({ version, engine }) => {
  const folder = createTestFolder();
  const release = join(STORED, version);
  const answers = JSON.parse(readFileSync(join(release, "answers.json"), "utf8")) as StoredAnswer[];
  let database: TestDatabase;
  let server: RunningCommand;
  const serve = async (): Promise<void> => {
    server = await startServing(["serve", "--database", database.url]);
  };
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
  };
  beforeAll(async () => {
    const path = join(folder.path, "lectern.db");
    writeFileSync(path, Bun.gunzipSync(readFileSync(join(release, DATABASE))));
    database = await engine.createDatabase();
    if (engine.name === "sqlite") copyFileSync(path, database.url.slice("sqlite:".length));
    else {
      // Only equal schemas are copied.
      await (await openStore(`sqlite:${path}`, { create: false, writes: true })).close();
      const { exitCode } = await runCommand(["copy", "--from", `sqlite:${path}`, "--to", database.url]);
      expect(exitCode).toBe(0);
    }
    await serve();
  });
  afterAll(async () => {
    await stop();
    await database.drop();
    folder.remove();
  });

  async function read({ project, path }: StoredAnswer): Promise<StoredAnswer> {
    const key = path.startsWith("/api") ? { key: toKey(project) } : {};
    const { status, headers, text } = await send(server.url, path, key);
    const kept = KEPT_HEADERS.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null);
    return { project, path, status, headers: Object.fromEntries(kept) as Record<string, string>, body: text };
  }
  async function expectSameBytes(): Promise<void> {
    for (const answer of answers) expect(await read(answer)).toEqual(answer);
  }
  async function importAgain(): Promise<string[]> {
    const results: string[] = [];
    for (const [project, file] of [
      ["folder", COURSES],
      ["lines", LINES],
    ] as const) {
      const args = [...importSource(project, join(release, file)), "--database", database.url];
      const { exitCode, stdout, stderr } = await runCommand(args);
      expect([project, exitCode, stderr.includes("error:")]).toEqual([project, 0, false]);
      results.push(stdout);
    }
    return results;
  }
  const FIXED = ["_id", "id", "createdAt", "updatedAt"];
  const pickFixed = (body: string): unknown[] => {
    const found: unknown[] = [];
    JSON.parse(body, (name, value: unknown) => {
      if (FIXED.includes(name)) found.push([name, value]);
      return value;
    });
    return found;
  };
  /** Fields that importing the same sources never changes, however a version renders them. */
  async function expectSameIdsAndDates(): Promise<void> {
    for (const answer of answers.filter(({ path }) => path.startsWith("/api/v1/courses"))) {
      const { path, status, body } = await read(answer);
      expect([path, status, pickFixed(body)]).toEqual([path, answer.status, pickFixed(answer.body)]);
    }
  }

  test("is served unchanged, with the same bytes", expectSameBytes);

  test("keeps every id and date when its sources are imported again", async () => {
    const results = await importAgain();
    if (version === packageJson.version) {
      for (const result of results) expect(result).toMatch(/^Nothing changed/);
      await expectSameBytes();
    }
    await expectSameIdsAndDates();
  });

  test("serves the old renderer's output until an import, which changes no id and no date", async () => {
    // The number of the renderer comes first.
    await database.execute("update course_versions set source_digest = '0.' || source_digest");
    await database.execute("update lesson_versions set source_digest = 'earlier' where source_path is not null");
    const before = await Promise.all(answers.map(read));
    await stop();
    await serve();
    expect(await Promise.all(answers.map(read))).toEqual(before);
    for (const result of await importAgain()) expect(result).toMatch(/^Published release/);
    await stop();
    await serve();
    await expectSameIdsAndDates();
  });
});
