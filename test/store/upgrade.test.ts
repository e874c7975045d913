// An upgrade, rehearsed: this version's program runs beside a later one, which knows one more migration.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { releaseOf } from "../support/answers.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { addEverywhere, afterMigration, NEXT, NEXT_VERSION } from "../support/next-version.ts";
import { send, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { engines, sqlite, type TestDatabase } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";

const NEXT_PROGRAM = join(import.meta.dir, "../support/next-version.ts");
const KEY = "upgraded-acme-key-0123";
const POOL = { poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
const PATHS = `/courses /courses?include=meta,digest /courses/tea /courses/tea?include=lessons /courses/tea/lessons
  /courses/tea/lessons/leaf /releases`.split(/\s+/);

const writeCourse = (file: string, text: string): void => {
  const chapters = [{ name: "One", lessons: [{ id: "leaf", name: "Leaf", additionalText: text }] }];
  writeFileSync(file, `${JSON.stringify({ _id: "tea", name: "Tea", chapters })}\n`);
};

async function readAll(url: string): Promise<unknown[]> {
  const read = async (path: string) => {
    const { status, headers, text } = await send(url, `/api/v1${path}`, { key: KEY });
    return [path, status, headers.get("etag"), text];
  };
  return Promise.all(PATHS.map(read));
}

const readSchema = (database: TestDatabase) =>
  database.execute("select version, oldest_reader, oldest_writer from lectern_schema");
const schema = (version: number, oldest_reader = 1, oldest_writer = 1) => [{ version, oldest_reader, oldest_writer }];

describe.each(engines)("on $name", (engine) => {
  const file = join(writeFolder({}), "courses.ndjson");
  let database: TestDatabase;
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** Runs a line of arguments. */
  const run = (line: string, stdin = "") => runCommand([...line.split(" "), "--database", database.url], { stdin });
  async function createDatabase(): Promise<void> {
    const created = await engine.createDatabase();
    closing.push(async () => created.drop());
    database = created;
    writeCourse(file, "first");
    expect((await run(`import ${file} --project acme`)).exitCode).toBe(0);
    expect((await run("keys create --stdin --project acme", KEY)).exitCode).toBe(0);
  }
  async function serve() {
    const server = await startServing(["serve", "--database", database.url]);
    closing.push(async () => {
      server.kill();
      await server.exited;
    });
    return server;
  }
  async function open(options: Partial<Parameters<typeof openStore>[1]> = {}) {
    const store = await openStore(database.url, { create: false, postgres: POOL, ...options });
    closing.push(async () => store.close());
    return store;
  }
  const migrate = () =>
    Bun.spawn([process.execPath, NEXT_PROGRAM, database.url], { stdout: "pipe", stderr: "inherit" });
  /** Imports from a process that has opened the store before, and returns a failure's message. */
  async function importLater(store: Store, text: string): Promise<string> {
    writeCourse(file, text);
    const importing = importNdjson(store, "acme", readFileSync(file), new Date().toISOString());
    return importing.then(() => "").catch((error: Error) => error.message);
  }
  const listBackups = (): string[] =>
    engine === sqlite
      ? readdirSync(dirname(database.url.slice("sqlite:".length))).filter((name) => name.includes(".before-"))
      : [];

  describe("a rollout of the next version", () => {
    let old: RunningCommand;
    let next: TestServer;
    let nextStore: Store;
    let before: unknown[];
    beforeAll(async () => {
      await createDatabase();
      old = await serve();
      before = await readAll(old.url);
    });

    async function expectSame(): Promise<unknown[]> {
      const answers = await readAll(next.url);
      expect(await readAll(old.url)).toEqual(answers);
      return answers;
    }
    async function expectRelease(release: number, text: string): Promise<void> {
      for (const { url } of [old, next])
        await waitFor(async () => releaseOf(await send(url, "/api/v1/courses", { key: KEY })) === release);
      expect(JSON.stringify(await expectSame())).toContain(text);
    }

    test("starts with servers, which never migrate and serve the same bytes", async () => {
      next = await startTestServer(await open({ migrations: afterMigration() }));
      expect(await expectSame()).toEqual(before);
      expect(await readSchema(database)).toEqual(schema(SCHEMA_VERSION));
      await next.stop();
    });

    test("continues with a writing command, which migrates while the old server serves the same bytes", async () => {
      const migration = migrate();
      do expect(await readAll(old.url)).toEqual(before);
      while (migration.exitCode === null);
      const told = await migration.stdout.text();
      expect(await readAll(old.url)).toEqual(before);
      expect(await readSchema(database)).toEqual(schema(NEXT_VERSION));
      expect(told).toEndWith(`now has schema ${NEXT_VERSION}.\n`);
      for (const name of listBackups()) expect(told).toContain(`${name}.\n`);
    });

    test("runs both versions side by side, even if the old one restarts, and shows each one's imports", async () => {
      nextStore = await open({ writes: true, migrations: afterMigration() });
      next = await startTestServer(nextStore);
      closing.push(async () => next.stop());
      expect(await expectSame()).toEqual(before);
      old.kill();
      expect(await old.exited).toBe(0);
      old = await serve();
      expect(await expectSame()).toEqual(before);

      expect(await importLater(nextStore, "of the next version")).toBe("");
      await expectRelease(2, "of the next version");
      writeCourse(file, "of the old version");
      expect(await run(`import ${file} --project acme`)).toMatchObject({ exitCode: 0, stderr: "" });
      await expectRelease(3, "of the old version");
    });

    test("can be undone by returning to the old version, whose commands all work", async () => {
      const lines = `rollback --project acme; prune --project acme --keep 1; status; vacuum; doctor;
        webhooks create --project acme --url https://192.0.2.1/ --allow-private`;
      for (const line of lines.split(/;\s+/)) {
        const { exitCode, stderr } = await run(line);
        expect([line, exitCode, stderr.includes("schema")]).toEqual([line, 0, false]);
      }
      expect(await readSchema(database)).toEqual(schema(NEXT_VERSION));
    });

    test("on SQLite can also be undone with the backup, which lacks the new column", async () => {
      const [name] = listBackups();
      if (name === undefined) return expect(engine).not.toBe(sqlite);
      expect(name).toBe(`lectern.db.before-schema-${NEXT_VERSION}`);
      const path = join(dirname(database.url.slice("sqlite:".length)), name);
      const restored = `sqlite:${path}.restored`;
      expect((await runCommand(["restore", path, "--database", restored])).exitCode).toBe(0);
      const server = await startServing(["serve", "--database", restored]);
      expect(await readAll(server.url)).toEqual(before);
      server.kill();
      await server.exited;
    });
  });

  test("a migration that fails changes nothing; the next attempt runs every step once, whoever starts it", async () => {
    await createDatabase();
    const broken = afterMigration({
      statements: (dialect) => [...addEverywhere(dialect), "insert into keys (id) values (null)"],
    });
    const message = await open({ writes: true, migrations: broken }).catch((error: Error) => error.message);
    expect(message).toMatch(/null/i);
    expect(await readSchema(database)).toEqual(schema(SCHEMA_VERSION));
    expect(await database.execute("select count(*) as count from keys")).toEqual([{ count: 1 }]);

    const migrations = [migrate(), migrate()];
    expect(await Promise.all(migrations.map(({ exited }) => exited))).toEqual([0, 0]);
    expect(await readSchema(database)).toEqual(schema(NEXT_VERSION));
    const more = { ...NEXT, statements: () => ["create table more (id integer)"] };
    await open({ writes: true, migrations: [...afterMigration(), more] });
    expect(await readSchema(database)).toEqual(schema(NEXT_VERSION + 1));
    // The backup of the failed attempt stays.
    expect(listBackups().length).toBeGreaterThanOrEqual(engine === sqlite ? 2 : 0);
  });

  describe("a schema that this version may read but not write", () => {
    let early: Store;
    const refusal = (what: string, version = NEXT_VERSION): string =>
      ` has schema ${version}, which Lectern 1.0.0 cannot ${what}. Use Lectern 1.0.0 or newer.`;
    beforeAll(async () => {
      await createDatabase();
      early = await open({ writes: true });
      await open({ writes: true, migrations: afterMigration({ oldestWriter: NEXT_VERSION }) });
    });

    test("is served, works with reading commands, and is refused by whatever writes", async () => {
      const server = await serve();
      expect((await readAll(server.url))[0]).toEqual([PATHS[0], 200, expect.any(String), expect.any(String)]);
      for (const line of ["releases --project acme", "keys list --project acme", "status"])
        expect((await run(line)).exitCode).toBe(0);
      for (const command of [`import ${file}`, "rollback", "keys create", "prune"]) {
        const { exitCode, stderr } = await run(`${command} --project acme`);
        expect([command, exitCode]).toEqual([command, 1]);
        expect(stderr).toEndWith(`${refusal("write")} Servers of this version can still read it.\n`);
      }
      // Nor does a process that opened it before the migration.
      expect(await importLater(early, "too late")).toContain(refusal("write"));
      expect(await database.execute("select count(*) as count from releases")).toEqual([{ count: 1 }]);
    });

    test("is not copied; one that it may not read is refused by all commands", async () => {
      const other = await engine.createDatabase();
      closing.push(async () => other.drop());
      const copied = await runCommand(["copy", "--from", database.url, "--to", other.url]);
      expect(copied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("schema") });
      const later = SCHEMA_VERSION + 2;
      const unreadable = { ...NEXT, statements: () => [], oldestReader: later, oldestWriter: later };
      await open({ writes: true, migrations: [...afterMigration(), unreadable] });
      for (const line of ["serve --port 0 --admin-port 0", "status", `import ${file} --project p`]) {
        const stderr = expect.stringContaining(refusal(line.startsWith("import") ? "write" : "read", later));
        expect(await run(line)).toEqual({ exitCode: 1, stdout: "", stderr });
      }
    });
  });
});
