// Commands as processes: what they print, how they end, which settings they take, which files they make. Their help and
// wrong usage: usage.test.ts.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN, runCommand, startServing, type HostedOptions } from "../support/command.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { createTestFolder, engines } from "../support/store.ts";

const course = (id: string, more: object = {}): string =>
  `${JSON.stringify({ _id: id, name: `Course ${id}`, ...more })}\n`;

const UNPRINTED =
  /^lectern: (Key|Webhook) \w+ was (revoked|deleted) because .* could not be printed: .*no space left on device.*\n$/;

let folder: { path: string; remove: () => void };
beforeEach(() => {
  folder = createTestFolder();
});
afterEach(() => folder.remove());

/** Runs a command in a folder of its own. */
const run = (args: string[], options: HostedOptions = {}) => runCommand(args, { cwd: folder.path, ...options });
const importText = (ndjson: string, ...args: string[]) => {
  writeFileSync(join(folder.path, "courses.ndjson"), ndjson);
  return run(["import", "courses.ndjson", "--project", "acme", ...args]);
};

describe("exit codes", () => {
  test.each(["a", "A-Z_0.9", "a".repeat(64)])("%j is a valid project name", async (project) => {
    expect((await run(["keys", "create", "--project", project])).exitCode).toBe(0);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "a secret that cannot be printed is revoked, and the old one stays valid",
    async () => {
      const create = ["keys", "create", "--project", "acme"];
      const { id } = JSON.parse((await run([...create, "--name", "old", "--json"])).stdout) as { id: string };
      const hook = ["webhooks", "create", "--project", "acme", "--url", "http://localhost:1/", "--allow-private"];
      for (const args of [create, ["keys", "rotate", id], ["keys", "rotate", id, "--grace", "0", "--json"], hook]) {
        const child = Bun.spawn([process.execPath, MAIN, ...args], {
          cwd: folder.path,
          stdio: ["ignore", Bun.file("/dev/full"), "pipe"],
        });
        const stderr = await child.stderr.text();
        expect([await child.exited, stderr]).toEqual([1, expect.stringMatching(UNPRINTED)]);
      }
      const { stdout } = await run(["keys", "list", "--project", "acme", "--json"]);
      const keys = JSON.parse(stdout) as { id: string; revokedAt: string | null; expiresAt: string | null }[];
      expect(keys.map((key) => [key.revokedAt === null, key.expiresAt])).toEqual(
        keys.map((key) => [key.id === id, null]),
      );
      expect(keys).toHaveLength(4);
      expect((await run(["webhooks", "list", "--json"])).stdout).toBe("[]\n");
    },
  );

  test("invalid content exits with 3, with every problem and a summary on standard error", async () => {
    const { exitCode, stdout, stderr } = await importText(`${course("a")}{}\n${course("a", { title: "x" })}not json\n`);
    expect([exitCode, stdout]).toEqual([3, ""]);
    const lines = stderr.split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "courses.ndjson:2: error: name is missing",
      'courses.ndjson:3: error: id "a" is also the id of the course at courses.ndjson:1',
      'courses.ndjson:3: error: slug "course-a" (made from the name; give the course its own slug) is also the slug of the course at courses.ndjson:1',
    ]);
    expect(lines[4]).toBe("courses.ndjson:3: warning: unknown field title of a course is ignored; did you mean name?");
    expect(stderr).toContain("courses.ndjson:4: error: is not JSON (one course per line): ");
    expect(stderr).toEndWith("\nlectern: Nothing was imported: 4 errors in file courses.ndjson.\n");
  });

  test("a thousand problems are shown, the others counted", async () => {
    const { exitCode, stderr } = await importText("{}\n".repeat(1234));
    expect(exitCode).toBe(3);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.slice(0, -3)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `courses.ndjson:${index + 1}: error: name is missing`),
    );
    expect(lines.slice(-3)).toEqual([
      "... and 234 more errors",
      "--verbose prints every place, as `lectern check` does.",
      "lectern: Nothing was imported: 1,234 errors in file courses.ndjson.",
    ]);
  });
});

describe("import", () => {
  const first =
    course("a", { chapters: [{ name: "A", lessons: [{ name: "L" }, { name: "M" }] }] }) +
    course("b") +
    course("c", { published: false, chapters: [{ name: "A", lessons: [{ name: "L" }] }] });

  test("prints what it published and what changed", async () => {
    expect(await importText(first)).toEqual({
      exitCode: 0,
      stdout:
        "Published release 1 of acme: 2 courses and 1 draft, 3 lessons.\n" +
        "  courses: 3 added, 0 changed, 0 removed\n" +
        "  lessons: 3 added, 0 changed, 0 removed\n",
      stderr: "",
    });
    expect((await importText(first)).stdout).toBe("Nothing changed. Release 1 of acme stays on live.\n");
    const second =
      course("a", { chapters: [{ name: "A", lessons: [{ name: "L", url: "https://e.org" }] }] }) + course("d");
    expect(await importText(second + course("b"), "--allow-removals")).toEqual({
      exitCode: 0,
      stdout:
        "Published release 2 of acme: 3 courses, 1 lesson.\n" +
        "  courses: 1 added, 1 changed, 1 removed\n" +
        "  lessons: 0 added, 1 changed, 2 removed\n",
      stderr: "",
    });
  });

  test("control sequences in authors' text never reach the terminal", async () => {
    await importText(first);
    const { stdout } = await importText(
      first + course("e", { slug: "e", name: "\u001b[31mred\u001b]0;title\u0007\n+ more" }),
      "--dry-run",
    );
    expect(stdout).toContain('+ course " [31mred ]0;title + more" (e), lessons: 0\n');
  });
});

describe("settings", () => {
  const releasesAt = (path: string): number => {
    const database = new Database(join(folder.path, path), { readonly: true });
    const row = database.query<{ n: number }, []>("select count(*) as n from releases").get();
    database.close();
    return row?.n ?? 0;
  };

  test("a flag overrides the environment, which overrides the default", async () => {
    const env = { LECTERN_DATABASE: "sqlite:env/of.db", LECTERN_PROJECT: "from-env" };
    writeFileSync(join(folder.path, "courses.ndjson"), course("a"));
    const plain = await run(["import", "courses.ndjson", "--project", "acme"]);
    expect(plain.stdout).toContain(" of acme:");
    expect(releasesAt("data/lectern.db")).toBe(1);

    const fromEnv = await run(["import", "courses.ndjson"], { env });
    expect(fromEnv.stdout).toContain(" of from-env:");
    expect(releasesAt("env/of.db")).toBe(1);

    const args = ["--project", "from-flag", "--database", "sqlite:flag.db"];
    const fromFlag = await run(["import", "courses.ndjson", ...args], { env });
    expect(fromFlag.stdout).toContain(" of from-flag:");
    expect([releasesAt("data/lectern.db"), releasesAt("env/of.db"), releasesAt("flag.db")]).toEqual([1, 1, 1]);
  });

  test("an invalid value in the environment is a usage error that names the variable", async () => {
    const { exitCode, stderr } = await run(["serve"], { env: { LECTERN_PORT: "many" } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("LECTERN_PORT");
  });

  test("an absolute path can name a database in any folder", async () => {
    const path = join(folder.path, "deep/er/lectern.db");
    await run(["keys", "create", "--project", "acme", "--database", `sqlite:${path}`], { cwd: "/" });
    expect(existsSync(path)).toBe(true);
  });
});

describe("the files of a database", () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  test("are readable only by their owner, as is a folder created for them", async () => {
    await importText(course("a"));
    const server = await startServing(["serve"], { cwd: folder.path });
    const data = join(folder.path, "data");
    expect(modeOf(data)).toBe("700");
    const files = readdirSync(data);
    expect(files).toContain("lectern.db");
    expect(files).toContain("lectern.db-wal");
    for (const file of files) expect([file, modeOf(join(data, file))]).toEqual([file, "600"]);
    server.kill();
    await server.exited;
  });

  test("do not change the mode of an existing folder", async () => {
    const data = join(folder.path, "shared");
    mkdirSync(data, { mode: 0o755 });
    await run(["keys", "create", "--project", "acme", "--database", "sqlite:shared/lectern.db"]);
    expect(modeOf(data)).toBe("755");
    expect(modeOf(join(data, "lectern.db"))).toBe("600");
  });
});

describe("a database that does not exist", () => {
  test.each([
    "releases --project acme",
    "keys list --project acme",
    "channels --project acme",
    "status",
    "rollback --project acme",
    "serve",
  ])("is not made by %s, which only reads or changes what is there", async (command) => {
    writeFileSync(join(folder.path, "courses.ndjson"), course("a"));
    const { exitCode, stderr } = await run(command.split(" "));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^lectern: There is no database at .*lectern\.db\. .*\n$/);
    expect(stderr).toContain(
      ". Create one with `npm start`, `lectern import` or `lectern keys create`, restore a backup with `lectern restore BACKUP`, or set --database or LECTERN_DATABASE.",
    );
    expect(existsSync(join(folder.path, "data"))).toBe(false);
  });

  test("is not created from another file named by mistake, which stays unchanged", async () => {
    const other = new Database(join(folder.path, "other.db"));
    other.run("create table accounts (id integer)");
    other.close();
    writeFileSync(join(folder.path, "empty.db"), "");
    writeFileSync(join(folder.path, "page.db"), "<html>".repeat(1000));
    mkdirSync(join(folder.path, "folder.db"));
    const files = ["empty.db", "other.db", "page.db"];
    const readAll = (): Buffer[] => files.map((name) => readFileSync(join(folder.path, name)));
    const [before, names] = [readAll(), readdirSync(folder.path)];
    const isElse = "other.db is the database of another program. Use a separate file for the catalog.";
    const isPage = "page.db is not a database file.";
    for (const [command, name, message] of [
      ["serve", "empty.db", /^The database at empty\.db has no catalog\. .*$/],
      ["serve --workers 2", "empty.db", /^The database at empty\.db has no catalog\. .*$/],
      ["releases --project p", "empty.db", /^The database at empty\.db has no catalog\. .*$/],
      ["serve", "other.db", isElse],
      ["serve --workers 2", "other.db", isElse],
      ["releases --project p", "other.db", isElse],
      ["keys create --project p", "other.db", isElse],
      ["keys create --project p", "page.db", isPage],
      ["status", "page.db", isPage],
      ["keys create --project p", "folder.db", "folder.db is not a file."],
      ["keys create --project p", "page.db/x.db", /^The database page\.db\/x\.db cannot be opened: .*\.$/],
    ] as const) {
      const { exitCode, stdout, stderr } = await run([...command.split(" "), "--database", `sqlite:${name}`]);
      const told = typeof message === "string" ? message : expect.stringMatching(message);
      expect([command, exitCode, stdout, stderr.replace(/^lectern: /, "").trimEnd()]).toEqual([command, 1, "", told]);
    }
    expect([readAll(), readdirSync(folder.path)]).toEqual([before, names]);
  });

  // Whoever may write everything is refused nothing.
  test.skipIf(process.getuid?.() === 0)(
    "without write permission gives the same message for commands that only read",
    async () => {
      expect((await run(["keys", "create", "--project", "p", "--database", "sqlite:kept/k.db"])).exitCode).toBe(0);
      chmodSync(join(folder.path, "kept"), 0o555);
      for (const args of [["status"], ["releases", "--project", "p"]]) {
        const { exitCode, stderr } = await run([...args, "--database", "sqlite:kept/k.db"]);
        const user = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
        const reason =
          `user ${user} cannot write kept, which belongs to user ${user}; SQLite must write even to read. ` +
          `Run \`chmod u+rwX kept\``;
        expect([exitCode, stderr]).toEqual([1, `lectern: The database kept/k.db cannot be opened: ${reason}.\n`]);
      }
      chmodSync(join(folder.path, "kept"), 0o755);
    },
  );

  test("is not created by serve on PostgreSQL either", async () => {
    const database = await engines[1]!.createDatabase();
    const missing = await run(["serve", "--database", database.url]);
    expect([missing.exitCode, missing.stdout]).toEqual([1, ""]);
    expect(missing.stderr).toMatch(
      /^lectern: .*\. Create one with `npm start`, `lectern import` or `lectern keys create`, restore a backup with `pg_restore`, .*\n$/,
    );
    expect(await database.execute("select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
    await database.drop();
  });
});

describe("a database with the schema of an unreleased version", () => {
  test.each([
    "releases --project acme",
    "import courses.ndjson --project acme",
    "keys list --project acme",
    "serve --port 0 --admin-port 0",
  ])("is refused by %s with a message that says so, and stays as it is", async (command) => {
    const path = join(folder.path, "data/lectern.db");
    await importText(course("a"));
    for (const version of [SCHEMA_VERSION, SCHEMA_VERSION + 1]) {
      const database = new Database(path);
      // As those had it.
      database.run("drop table lectern_schema");
      database.run("create table lectern_schema (version integer, oldest_reader integer, oldest_writer integer)");
      database.run(`insert into lectern_schema values (${version}, ${version}, ${version})`);
      const { exitCode, stdout, stderr } = await run(command.split(" "));
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^lectern: The database .*lectern\.db is from an unreleased version of Lectern .*\n$/);
      expect(database.query("select version from lectern_schema").all()).toEqual([{ version }]);
      expect(database.query("select count(*) as n from releases").all()).toEqual([{ n: 1 }]);
      database.close();
    }
  });
});
