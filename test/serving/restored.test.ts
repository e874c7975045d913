// A store that is put back to an earlier state, or replaced by another, under a running server: what was withdrawn and
// deleted by that is gone from the server too, though numbers and ids begin again where they were.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { restoreState, saveState } from "../support/saved-state.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, engines, openTestStore, sqlite } from "../support/store.ts";
import { listChildren, openToEach } from "../read-path/processes.ts";
import { renewStore } from "../support/shared-store.ts";

const RESET = "was restored or replaced; dropping all cached state and reading everything again";
/** The commands of docs/postgres.md and docs/operating.md after a restore. */
const NEW_IDENTITY = "update store_identity set identity = 'another'";

const edition = (name: string, ...ids: string[]): AuthoredCourse[] =>
  ids.map((id) => ({ _id: id, name: `${name} ${id}`, chapters: [{ name: "A", lessons: [{ name }] }] }));
/** Which edition of course a an answer has. */
const told = ({ status, text }: { status: number; text: string }): string =>
  `${status} ${/"name":"(\w+) a"/.exec(text)?.[1]}`;
const countResets = (log: string): number => log.split(RESET).length - 1;

describe.each(engines)("a store on $name that is restored in place", (engine) => {
  test.each([
    ["its counters went back", []],
    // However high its counters are.
    ["it has another identity", ["update counters set value = value + 5 where name <> 'releases'", NEW_IDENTITY]],
  ])("is detected when %s, and what was withdrawn is gone", async (_, statements) => {
    const database = await openTestStore(engine);
    const { store } = database;
    await publish(store, "acme", edition("first", "a", "b"));
    const key = await createKey(store, "acme");
    await saveState(database);
    await publish(store, "acme", edition("withdrawn", "a", "b", "c"));
    const deleted = await createKey(store, "acme");
    const server = await startTestServer(store);
    const read = (path: string, secret = key) => server.get(`/api/v1${path}`, { key: secret });
    const expectText = async (text: string, paths: string[], secret = key): Promise<void> => {
      for (const path of paths) expect((await read(path, secret)).text).toContain(text);
    };
    const withdrawn = ["/courses?name=withdrawn", "/courses/c", "/courses/a?release=2"];
    for (let time = 0; time < 2; time++) await expectText("withdrawn", withdrawn, deleted);

    await restoreState(database, statements);
    await waitFor(() => countResets(server.log()) > 0);
    await expectText("first", ["/courses", "/courses/a", "/courses?name=first", "/courses/a?release=1"]);
    await expectText('"total":0', ["/courses?name=withdrawn"]);
    for (const path of ["/courses/c", "/courses/a?release=2"]) expect((await read(path)).status).toBe(404);
    expect((await read("/courses", deleted)).status).toBe(401);
    // The next release has the number, and the id, of the one that was withdrawn.
    await publish(store, "acme", edition("second", "a", "c"));
    await waitFor(async () => (await read("/courses")).headers.get("catalog-release") === "2");
    await expectText("second", ["/courses/c", "/courses?name=second", "/courses/a?release=2"]);
    await expectText('"total":0', ["/courses?name=withdrawn"]);
    expect(countResets(server.log())).toBe(1);
    await server.stop();
    await database.drop();
  });
});

describe("an answer in progress while the store is restored", () => {
  const database = renewStore(anyEngine);
  let key: string;
  beforeEach(async () => {
    await publish(database.store, "acme", edition("first", "a"));
    key = await createKey(database.store, "acme");
    await saveState(database);
    await publish(database.store, "acme", edition("withdrawn", "a"));
  });

  /** Asks a server under which the store is restored after each of its next reads: once for each name of an edition. */
  const createServer = async (...names: string[]) => {
    const { catalog } = database.store;
    const findCourse: typeof catalog.findCourse = async (...course) => {
      const result = await catalog.findCourse(...course);
      const name = names.shift();
      if (name === undefined) return result;
      await restoreState(database);
      await publish(database.store, "acme", edition(name, "a"));
      await server.lookAnew();
      return result;
    };
    const server = await createUnboundServer({ ...database.store, catalog: { ...catalog, findCourse } });
    return async () => told(await server.get("/api/v1/courses/a", { key }));
  };

  test("is retried, and nothing from the old store stays cached", async () => {
    const ask = await createServer("second");
    expect([...(await Promise.all([ask(), ask()])), await ask()]).toEqual(Array(3).fill("200 second"));
  });

  test("is retried only once: after a second restore it is 503, and nothing from either store stays cached", async () => {
    const ask = await createServer("second", "third");
    expect([await ask(), await ask(), await ask()]).toEqual(["503 undefined", "200 third", "200 third"]);
  });
});

test("two workers clear their caches after a restore, and one started later gets none of the old state", async () => {
  const database = await openTestStore(anyEngine);
  await publish(database.store, "acme", edition("first", "a"));
  const key = await createKey(database.store, "acme");
  await saveState(database);
  await publish(database.store, "acme", edition("withdrawn", "a"));
  const deleted = await createKey(database.store, "acme");
  const env = { LECTERN_DATABASE: database.url, LECTERN_WRONG_KEY_LIMIT: "off" };
  const server = await startServing(["serve", "--workers", "2"], { env });
  const workers = listChildren(server.pid);
  const connections = await openToEach(server.url, workers, key);
  /** What all workers answer. */
  const readMany = async (secret: string, asked = connections): Promise<string> => {
    const answers = await Promise.all(asked.map((each) => each.ask("/api/v1/courses/a", { key: secret })));
    return [...new Set(answers.map(({ status, body }) => told({ status, text: body.toString() })))].join();
  };
  expect(await readMany(deleted)).toBe("200 withdrawn");
  await restoreState(database);
  await waitFor(() => server.stderr().includes(RESET));
  await waitFor(async () => (await readMany(key)) === "200 first");
  expect(await readMany(deleted)).toBe("401 undefined");
  process.kill(workers[0] ?? 0, "SIGKILL");
  await waitFor(() => server.stderr().includes("a new worker is serving"));
  const opened = await openToEach(server.url, listChildren(server.pid), key);
  expect([await readMany(key, opened), await readMany(deleted, opened)]).toEqual(["200 first", "401 undefined"]);
  expect(countResets(server.stderr())).toBe(1);
  server.kill();
  expect(await server.exited).toBe(0);
  for (const connection of [...connections, ...opened]) connection.close();
  await database.drop();
});

describe("a SQLite file", () => {
  const database = renewStore(sqlite);
  let server: TestServer;
  let path: string;
  let key: string;
  beforeEach(async () => {
    path = database.url.slice("sqlite:".length);
    await publish(database.store, "acme", edition("first", "a"));
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
  });
  afterEach(() => server.stop());
  const read = async (): Promise<string> => told(await server.get("/api/v1/courses/a", { key }));
  const publishAndRead = async (name: string): Promise<void> => {
    await publish(database.store, "acme", edition(name, "a"));
    await waitFor(async () => (await read()) === `200 ${name}`);
  };

  test.skipIf(Bun.which("sqlite3") === null)("filled from a copy by sqlite3's `.restore` is detected", async () => {
    await database.execute(`vacuum into '${path}.copy'`);
    await publishAndRead("withdrawn");
    expect(Bun.spawnSync(["sqlite3", path, `.restore ${path}.copy`]).stderr.toString()).toBe("");
    await waitFor(() => countResets(server.log()) > 0);
    expect(await read()).toBe("200 first");
    await publishAndRead("second");
  });

  test("overwritten with another is reported, and no longer read", async () => {
    const other = await openTestStore(sqlite);
    await publish(other.store, "acme", edition("other", "a", "b"));
    const otherPath = other.url.slice("sqlite:".length);
    await other.execute("pragma wal_checkpoint(truncate)");
    expect(await read()).toBe("200 first");
    await server.pollsTwice();
    // As `cp` does it: the same file, with other content; its log stays beside it.
    copyFileSync(otherPath, path);
    await waitFor(() => server.log().includes(`${path} was overwritten while in use`));
    expect((await fetch(`${server.adminUrl}/ready`)).status).toBe(503);
    expect(await read()).toBe("200 first");
    expect((await server.get("/api/v1/courses/b", { key })).status).toBe(503);
    await other.drop();
  });

  test("overwritten after its log was removed is not read as if unchanged", async () => {
    await database.execute(`vacuum into '${path}.copy'`);
    await publishAndRead("withdrawn");
    for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`);
    copyFileSync(`${path}.copy`, path);
    await waitFor(() => server.log().includes(`${path} is no longer the file`));
    const ready = await fetch(`${server.adminUrl}/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("database")]);
  });
});
