// A database that goes away, in each of the ways it can: the server answers what it holds, refuses the rest at once, and
// is itself again when the database is.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { openStore } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { PostgresFolder, PostgresServer } from "../support/postgres.ts";
import { createKey, send, startTestServer, waitFor, type Answer } from "../support/server.ts";

const PASSWORD = "hush-hush-hush";
const COURSES = 30;
const createCourses = (edition: string) =>
  Array.from({ length: COURSES }, (_, index) => ({ _id: `c${index}`, slug: `s${index}`, name: `${edition} ${index}` }));

let database: PostgresServer;
beforeAll(async () => {
  const folder = new PostgresFolder();
  folder.createCluster("away");
  database = new PostgresServer(folder, "away");
  await database.start();
});
afterAll(() => database.stop());

test("no request queries an unavailable database until it is back", async () => {
  await database.execute("create database unasked");
  const store = await openStore(`${database.url}/unasked`, { create: true });
  await publish(store, "acme", createCourses("one"));
  const key = await createKey(store, "acme");
  let asked = 0;
  const catalog: CatalogReader = {
    ...store.catalog,
    async findCourse(...course) {
      asked++;
      return store.catalog.findCourse(...course);
    },
  };
  const server = await startTestServer(store, { catalog });
  const isReady = async () => (await fetch(`${server.adminUrl}/ready`)).status === 200;
  const statusOf = async (id: string) => (await server.get(`/api/v1/courses/${id}`, { key })).status;
  expect([await statusOf("c0"), asked]).toEqual([200, 1]);
  database.freeze();
  await waitFor(async () => !(await isReady()));
  for (const id of ["c1", "c2", "c3"]) expect(await statusOf(id)).toBe(503);
  expect([await statusOf("c0"), asked]).toEqual([200, 1]);
  database.thaw();
  await waitFor(async () => (await statusOf("c1")) === 200);
  await server.stop();
  await store.close();
});

test("a read that never ends keeps nobody waiting once the database is back", async () => {
  await database.execute("create database lost");
  const store = await openStore(`${database.url}/lost`, { create: true });
  await publish(store, "acme", createCourses("one"));
  const key = await createKey(store, "acme");
  const begun = Promise.withResolvers<void>();
  const catalog: CatalogReader = {
    ...store.catalog,
    async findCourse(...course) {
      if (!course.includes("c5")) return store.catalog.findCourse(...course);
      begun.resolve();
      return new Promise(() => {});
    },
  };
  const server = await startTestServer(store, { catalog, readsAtOnce: 1 });
  const isReady = async () => (await fetch(`${server.adminUrl}/ready`)).status === 200;
  const statusOf = async (id: string) => (await server.get(`/api/v1/courses/${id}`, { key })).status;
  const lost = statusOf("c5");
  await begun.promise;
  const behind = statusOf("c6");
  database.freeze();
  await waitFor(async () => !(await isReady()));
  expect(await Promise.all([lost, behind])).toEqual([503, 503]);
  database.thaw();
  await waitFor(async () => (await statusOf("c1")) === 200);
  await server.stop();
  await store.close();
});

test("a read that never ends, while polls are answered, fails after its time and keeps nobody waiting", async () => {
  await database.execute("create database silent");
  const store = await openStore(`${database.url}/silent`, { create: true });
  await publish(store, "acme", createCourses("one"));
  const key = await createKey(store, "acme");
  let unanswered = 0;
  const catalog: CatalogReader = {
    ...store.catalog,
    async findCourse(...course) {
      if (unanswered > 0) return store.catalog.findCourse(...course);
      unanswered++;
      return new Promise(() => {});
    },
  };
  const server = await startTestServer(store, { catalog, readsAtOnce: 1, readTimeoutMs: 1000 });
  const statusOf = async (id: string) => (await server.get(`/api/v1/courses/${id}`, { key })).status;
  expect(await statusOf("c5")).toBe(503);
  await waitFor(async () => (await statusOf("c6")) === 200);
  expect(server.log()).toContain("replacing all connections");
  await server.stop();
  await store.close();
});

test("requests of an outage, many of them given up, leave one connection usable", async () => {
  await database.execute("create database given_up");
  const url = `${database.url}/given_up`;
  const store = await openStore(url, { create: true });
  await publish(store, "acme", createCourses("one"));
  await publish(store, "other", createCourses("one"));
  const [key, otherKey] = [await createKey(store, "acme"), await createKey(store, "other")];
  await store.close();
  const server = await startServing(["serve", "--pool-size", "1"], { env: { LECTERN_DATABASE: url } });
  const isReady = async () => (await fetch(new URL("/ready", server.adminUrl))).status === 200;
  for (let outage = 0; outage < 3; outage++) {
    const clients = new AbortController();
    const urlOf = (index: number): string => `${server.url}/api/v1/courses/c${10 * outage + index}`;
    const asked = Array.from({ length: 9 }, (_, index) => {
      const signal = index % 2 === 0 ? { signal: clients.signal } : {};
      const answer = fetch(urlOf(index), { headers: { "x-api-key": key }, ...signal });
      return answer.then(({ status }) => status).catch(() => "given up");
    });
    database.freeze();
    clients.abort();
    await waitFor(async () => !(await isReady()));
    for (const status of await Promise.all(asked)) expect(["given up", 200, 503]).toContain(status);
    database.thaw();
    await waitFor(isReady);
    for (const each of [key, otherKey]) {
      await waitFor(
        async () => (await send(server.url, `/api/v1/courses/c${10 * outage + 9}`, { key: each })).status === 200,
      );
    }
  }
  server.kill();
  await server.exited;
});

describe("servers with one worker and with two", () => {
  let url: string;
  let servers: RunningCommand[];
  let key: string;
  let revokedMeanwhile: string;

  const ask = async (server: RunningCommand, path: string, secret = key): Promise<Answer> =>
    send(server.url, `/api/v1${path}`, { key: secret });
  const ready = async (server: RunningCommand): Promise<number> => (await fetch(`${server.adminUrl}/ready`)).status;
  const waitForEvery = async (check: (server: RunningCommand) => Promise<boolean>): Promise<void> => {
    for (const server of servers) await waitFor(async () => check(server));
  };

  beforeAll(async () => {
    url = `${database.url.replace("lectern@", `lectern:${PASSWORD}@`)}/postgres`;
    const store = await openStore(url, { create: true });
    await publish(store, "acme", createCourses("one"));
    key = await createKey(store, "acme");
    revokedMeanwhile = await createKey(store, "acme");
    await store.close();
    const env = { LECTERN_DATABASE: url };
    servers = await Promise.all(["1", "2"].map((count) => startServing(["serve", "--workers", count], { env })));
  });
  afterAll(async () => {
    for (const server of servers) server.kill();
    for (const server of servers) expect(await server.exited).toBe(0);
  });

  // Each worker keeps its own answers: asked often enough, every one has it.
  beforeEach(async () => {
    for (const [index, server] of servers.entries()) {
      for (let time = 0; time < 20 * (index + 1); time++) expect((await ask(server, "/courses/c0")).status).toBe(200);
    }
  });

  const expectAway = async (server: RunningCommand, first: number): Promise<void> => {
    for (let index = first; index < first + 5; index++) {
      const miss = await ask(server, `/courses/c${index}`);
      expect([miss.status, miss.headers.get("retry-after")]).toEqual([503, "1"]);
      const hit = await ask(server, "/courses/c0");
      expect(hit.status).toBe(200);
    }
    expect((await ask(server, "/courses/c0", "lectern_unknown-key-000000000")).status).toBe(401);
    expect(await ready(server)).toBe(503);
    expect((await fetch(`${server.adminUrl}/live`)).status).toBe(200);
  };

  test("survive a database that crashes and restarts", async () => {
    await database.stop();
    for (const server of servers) expect((await ask(server, "/courses/c1")).status).toBe(503);
    await waitForEvery(async (server) => (await ready(server)) === 503);
    for (const server of servers) await expectAway(server, 1);
    await database.start();
    await waitForEvery(async (server) => (await ask(server, "/courses/c1")).status === 200);
    await waitForEvery(async (server) => (await ready(server)) === 200);
  });

  test("survive a database that stalls, as when a network drops all packets", async () => {
    database.freeze();
    // The database answers nothing until the thaw: what comes before does not wait for it.
    for (const server of servers) expect((await ask(server, "/courses/c11")).status).toBe(503);
    for (const server of servers) await expectAway(server, 11);
    database.thaw();
    await waitForEvery(async (server) => (await ask(server, "/courses/c11")).status === 200);
    await waitForEvery(async (server) => (await ready(server)) === 200);
  });

  test("reject a key revoked during the outage once the database is back", async () => {
    for (const server of servers) expect((await ask(server, "/courses/c0", revokedMeanwhile)).status).toBe(200);
    const store = await openStore(url, { create: false });
    const found = (await store.keys.listKeys("acme")).find(({ lastFour }) => lastFour === revokedMeanwhile.slice(-4));
    // Servers cannot be kept away from a database that is back, so its row is written while it stands still.
    database.freeze();
    await waitForEvery(async (server) => (await ready(server)) === 503);
    const revoking = store.keys.revokeKey(found?.id ?? "", new Date().toISOString());
    database.thaw();
    await revoking;
    await store.close();
    await waitForEvery(async (server) => (await ask(server, "/courses/c0", revokedMeanwhile)).status === 401);
  });

  test("keep working when connections are terminated one by one", async () => {
    const { stderr } = await runCommand(["releases", "--project", "acme", "--database", url]);
    expect(stderr).toBe("");
    await database.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await waitForEvery(async (server) => (await ask(server, "/courses/c21")).status === 200);
  });

  test("still see a new release after all this, and have logged no password", async () => {
    const store = await openStore(url, { create: false });
    await publish(store, "acme", createCourses("two"));
    await store.close();
    await waitForEvery(async (server) => (await ask(server, "/courses/c0")).text.includes("two 0"));
    for (const server of servers) {
      expect(server.stderr()).toContain("serving the last known state");
      expect(server.stderr()).not.toContain(PASSWORD);
      expect(server.stdout()).not.toContain(PASSWORD);
    }
  });
});
