// A database of a version that was never released is refused, and left as it is. What it was made from is imported anew, and
// its answers hold.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../src/cli/program.ts";
import { openFolderSource } from "../src/content/readers/folder.ts";
import { openNdjsonFile } from "../src/content/readers/ndjson.ts";
import { issueKey } from "../src/keys/issue-key.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import answers from "./stored/answers.json" with { type: "json" };
import { runCommand, runProcess } from "./support/command.ts";
import { publishingAt } from "./support/in-process.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { createTestFolder, engines, openTestStore, type TestStore } from "./support/store.ts";

const STORED = join(import.meta.dir, "stored");
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
  const content = readFileSync(join(STORED, "lectern.db"));
  beforeAll(() => {
    writeFileSync(path, content);
    copyFileSync(join(STORED, "courses.ndjson"), join(folder.path, "courses"));
  });
  afterAll(() => folder.remove());

  const expectUntouched = (): void => {
    expect(readdirSync(folder.path).sort()).toEqual(["courses", "lectern.db"]);
    expect(readFileSync(path).equals(content)).toBe(true);
  };

  test("is tried with every command that opens one", () => {
    // A restore opens another one, below.
    const commands = listCommands(createProgram()).filter((command) => command !== "restore");
    expect(Object.keys(COMMANDS).sort()).toEqual(commands.sort());
  });

  test.each(Object.entries(COMMANDS))("is refused by %s, and not a byte of it changes", async (command, options) => {
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

  test("is refused on PostgreSQL, by what it has a table for, before a table of ours is made", async () => {
    const database = await engines[1]!.createDatabase();
    await database.execute("create table schema_version (version integer not null)");
    await database.execute("insert into schema_version (version) values (15)");
    const { pathname, host } = new URL(database.url);
    for (const [command, options] of Object.entries(COMMANDS)) {
      // PostgreSQL has a tool of its own for that.
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

/** When the database was made that is refused now. */
const FOLDER_IMPORTED_AT = "2026-11-21T12:42:08.793Z";
const LINES_IMPORTED_AT = ["2026-11-21T12:42:10.503Z", "2026-11-21T12:42:12.139Z"] as const;
const IMPORTED_AGAIN_AT = "2030-01-01T00:00:00.000Z";

describe.each(engines)("what it was made from, imported into a new database on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  const scratch = createTestFolder();

  const sources = {
    folder: () => openFolderSource(join(STORED, "courses"), { assetBase: undefined }),
    lines: (path = join(STORED, "courses.ndjson")) => openNdjsonFile(path, { assetBase: undefined }),
  };
  async function importAt(project: keyof typeof sources, at: string, source = sources[project]()): Promise<string> {
    const problems: string[] = [];
    const { status } = await importCatalog({
      ...publishingAt(database.store, project, at),
      channel: "live",
      source,
      report: ({ severity, message }) => problems.push(`${severity}: ${message}`),
    });
    expect(problems.filter((problem) => problem.startsWith("error"))).toEqual([]);
    return status;
  }

  beforeAll(async () => {
    database = await openTestStore(engine);
    // The first course had another slug in the first release.
    const earlier = join(scratch.path, "courses.ndjson");
    const lines = readFileSync(join(STORED, "courses.ndjson"), "utf8");
    writeFileSync(earlier, lines.replace('"slug":"given-anew"', '"slug":"given"'));
    expect(await importAt("folder", FOLDER_IMPORTED_AT)).toBe("published");
    expect(await importAt("lines", LINES_IMPORTED_AT[0], sources.lines(earlier))).toBe("published");
    expect(await importAt("lines", LINES_IMPORTED_AT[1])).toBe("published");
    for (const project of ["folder", "lines"]) {
      const secret = `stored-${project}-key-0123`;
      await issueKey(database.store.keys, { project, channel: "live", name: "stored", drafts: true, secret });
    }
    server = await startTestServer(database.store);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    scratch.remove();
  });

  const read = async (project: string, path: string) =>
    server.get(`/api/v1${path}`, { key: `stored-${project}-key-0123` });

  /** What Markdown and MDX become has changed since; all else of an answer has not. */
  const withoutTexts = (body: string): unknown =>
    JSON.parse(body, (key, value: unknown) => (key === "additionalText" ? key : value));

  async function expectAnswers(more = 0): Promise<void> {
    for (const { project, path, release, body } of answers) {
      const { status, headers, text } = await read(project, path);
      const expected = String(Number(release) + more);
      expect([path, status, headers.get("catalog-release")]).toEqual([path, 200, expected]);
      if (project === "lines") expect([path, text]).toEqual([path, body]);
      else expect([path, withoutTexts(text)]).toEqual([path, withoutTexts(body)]);
    }
  }

  test("answers as it did", () => expectAnswers());

  test("makes no release when it is imported again, and answers as before", async () => {
    expect(await importAt("folder", IMPORTED_AGAIN_AT)).toBe("unchanged");
    expect(await importAt("lines", IMPORTED_AGAIN_AT)).toBe("unchanged");
    await server.looksTwice();
    await expectAnswers();
  });

  test("keeps all ids and dates where an earlier version of Lectern has rendered it", async () => {
    await database.execute("update course_versions set source_digest = '2.' || substr(source_digest, 3)");
    // What was delivered of files was another text; of lessons without one all is the author's.
    await database.execute("update lesson_versions set source_digest = 'earlier' where source_path is not null");
    expect(await importAt("folder", IMPORTED_AGAIN_AT)).toBe("published");
    expect(await importAt("lines", IMPORTED_AGAIN_AT)).toBe("published");
    await server.looksTwice();
    await expectAnswers(1);
  });
});
