// Commands as processes: what they print, how they end, which settings they take, which files they make. Their help and
// wrong usage: usage.test.ts.
import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN, runCommand, startServing, type HostedOptions } from "../support/command.ts";
import { renewFolder } from "../support/shared-store.ts";
import { postgres } from "../support/store.ts";

const course = (id: string, more: object = {}): string =>
  `${JSON.stringify({ _id: id, name: `Course ${id}`, ...more })}\n`;

const UNPRINTED =
  /^lectern: (?:(Key|Webhook) \w+ was (revoked|deleted) because .* could not be printed: )?Cannot write .*no space left on device.*\n$/;

const folder = renewFolder();
const at = (name: string): string => join(folder.path, name);

/** Runs a command in a folder of its own. */
const run = (args: string[], options: HostedOptions = {}) => runCommand(args, { cwd: folder.path, ...options });
const importText = (ndjson: string, ...args: string[]) => {
  writeFileSync(at("courses.ndjson"), ndjson);
  return run(["import", "courses.ndjson", "--project", "acme", ...args]);
};

test.skipIf(!existsSync("/dev/full"))(
  "a secret that cannot be printed is revoked, and the old one stays valid",
  async () => {
    const create = ["keys", "create", "--project", "acme"];
    const { id } = JSON.parse((await run([...create, "--name", "old", "--json"])).stdout) as { id: string };
    const hook = ["webhooks", "create", "--project", "acme", "--url", "http://localhost:1/", "--allow-private"];
    const made = JSON.parse((await run([...hook, "--json"])).stdout) as { id: string; secret: string };
    const rotateHook = ["webhooks", "rotate", made.id];
    const rotateKey = ["keys", "rotate", id, "--grace", "0", "--json"];
    for (const args of [create, ["keys", "rotate", id], rotateKey, hook, rotateHook]) {
      const child = Bun.spawn([process.execPath, MAIN, ...args], {
        cwd: folder.path,
        stdio: ["ignore", Bun.file("/dev/full"), "pipe"],
      });
      const stderr = await child.stderr.text();
      expect([await child.exited, stderr]).toEqual([1, expect.stringMatching(UNPRINTED)]);
    }
    const { stdout } = await run(["keys", "list", "--project", "acme", "--json"]);
    const keys = JSON.parse(stdout) as { id: string; revokedAt: string | null; expiresAt: string | null }[];
    expect(keys).toHaveLength(4);
    for (const key of keys) expect([key.revokedAt === null, key.expiresAt]).toEqual([key.id === id, null]);
    const database = new Database(at("data/lectern.db"));
    const hooks = database.query("select id, secret, old_secret from hooks").all();
    expect(hooks).toEqual([{ id: made.id, secret: made.secret, old_secret: null }]);
    database.close();
  },
);

describe("import", () => {
  test("a thousand problems are shown, the others counted", async () => {
    const lines = (await importText("{}\n".repeat(1234))).stderr.trimEnd().split("\n");
    const [last, more] = lines.slice(-4);
    expect([lines.length, last, more]).toEqual([
      1003,
      "courses.ndjson:1000: error: name is missing",
      "... and 234 more errors",
    ]);
  });

  test("control sequences in authors' text never reach the terminal", async () => {
    const name = "\u001b[31mred\u001b]0;title\u0007\n+ more";
    const { stdout } = await importText(course("e", { slug: "e", name }), "--dry-run");
    expect(stdout).toContain('+ course " [31mred ]0;title + more" (e), lessons: 0\n');
  });
});

test("a flag overrides the environment, which overrides the default", async () => {
  const env = { LECTERN_DATABASE: "sqlite:env/of.db", LECTERN_PROJECT: "from-env" };
  const flags = ["--project", "from-flag", "--database", "sqlite:flag.db"];
  writeFileSync(at("courses.ndjson"), course("a"));
  for (const [args, env_, project] of [
    [["--project", "acme"], {}, "acme"],
    [[], env, "from-env"],
    [flags, env, "from-flag"],
  ] as const)
    expect((await run(["import", "courses.ndjson", ...args], { env: env_ })).stdout).toContain(` of ${project}:`);
  for (const path of ["data/lectern.db", "env/of.db", "flag.db"]) {
    const database = new Database(at(path), { readonly: true });
    expect([path, database.query("select count(*) as n from releases").get()]).toEqual([path, { n: 1 }]);
    database.close();
  }
});

test("the files of a database are readable only by their owner, as is a new folder; an existing one stays", async () => {
  const modeOf = (path: string): string => `${path} ${(statSync(at(path)).mode & 0o777).toString(8)}`;
  await importText(course("a"));
  const server = await startServing(["serve"], { cwd: folder.path });
  const files = readdirSync(at("data"));
  expect(files).toEqual(expect.arrayContaining(["lectern.db", "lectern.db-wal"]));
  expect(modeOf("data")).toBe("data 700");
  for (const file of files) expect(modeOf(`data/${file}`)).toBe(`data/${file} 600`);
  server.kill();
  await server.exited;

  mkdirSync(at("shared"), { mode: 0o755 });
  const args = ["keys", "create", "--project", "A-Z_0.9".padEnd(64, "a"), "--database"];
  // An absolute path can name a database in any folder.
  for (const place of ["shared", "deep/er"]) {
    expect((await run([...args, `sqlite:${at(place)}/lectern.db`], { cwd: "/" })).exitCode).toBe(0);
    expect(modeOf(`${place}/lectern.db`)).toEndWith(" 600");
  }
  expect(modeOf("shared")).toBe("shared 755");
});

describe("a database that does not exist", () => {
  test("is not created by serve on PostgreSQL", async () => {
    const database = await postgres.createDatabase();
    const { stderr } = await run(["serve", "--database", database.url]);
    expect(stderr).toContain("Create one with `npm start`");
    expect(await database.execute("select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
    await database.drop();
  });

  test("is not created from another file named by mistake, which stays unchanged", async () => {
    const other = new Database(at("other.db"));
    other.run("create table accounts (id integer)");
    other.close();
    writeFileSync(at("empty.db"), "");
    writeFileSync(at("page.db"), "<html>".repeat(1000));
    mkdirSync(at("folder.db"));
    const readAll = (): unknown[] => [
      readdirSync(folder.path),
      ...["empty.db", "other.db", "page.db"].map((name) => readFileSync(at(name))),
    ];
    const before = readAll();
    const isElse = "other.db is the database of another program. Use a separate file for the catalog.";
    for (const [command, name, message] of [
      ["serve", "empty.db", "The database at empty.db has no catalog. "],
      ["serve --workers 2", "other.db", isElse],
      ["keys create --project p", "other.db", isElse],
      ["keys create --project p", "page.db", "page.db is not a database file."],
      ["keys create --project p", "folder.db", "folder.db is not a file."],
      ["keys create --project p", "page.db/x.db", "The database page.db/x.db cannot be opened: "],
    ] as const) {
      const { exitCode, stdout, stderr } = await run([...command.split(" "), "--database", `sqlite:${name}`]);
      expect([command, exitCode, stdout, stderr.split("\n").length]).toEqual([command, 1, "", 2]);
      expect(stderr).toStartWith(`lectern: ${message}`);
    }
    expect(readAll()).toEqual(before);
  });
});
