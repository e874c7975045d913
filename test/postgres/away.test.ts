// A database that goes away, in each of the ways it can: the server answers what it holds, refuses the rest at once, and
// is itself again when the database is.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { openStore } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { startPostgres } from "../support/postgres.ts";
import { createKey, send, startTestServer, waitFor } from "../support/server.ts";

const PASSWORD = "hush-hush-hush";
const createCourses = (edition: string) =>
  Array.from({ length: 30 }, (_, index) => ({ _id: `c${index}`, slug: `s${index}`, name: `${edition} ${index}` }));

const { server: database } = await startPostgres();
afterAll(() => database.stop());

const readReady = async ({ adminUrl }: { adminUrl: string }) => (await fetch(`${adminUrl}/ready`)).status;

/** Fills a database of its own. */
async function fill(name: string) {
  await database.execute(`create database ${name}`);
  const url = `${database.url}/${name}`;
  const store = await openStore(url, { create: true });
  await publish(store, "acme", createCourses("one"));
  return { url, store, key: await createKey(store, "acme") };
}

type FindCourse = CatalogReader["findCourse"];
/** Serves a store of its own; `intercept` finds courses instead of it, if it returns a promise. */
async function serve(name: string, intercept: (...args: Parameters<FindCourse>) => ReturnType<FindCourse> | undefined) {
  const { store, key } = await fill(name);
  const findCourse: FindCourse = async (...args) => intercept(...args) ?? store.catalog.findCourse(...args);
  const catalog = { ...store.catalog, findCourse };
  const server = await startTestServer(store, { catalog, readsAtOnce: 1, readTimeoutMs: 1000 });
  return {
    server,
    statusOf: async (id: string) => (await server.get(`/api/v1/courses/${id}`, { key })).status,
    end: async () => {
      await server.stop();
      await store.close();
    },
  };
}

test("no request queries an unavailable database until it is back", async () => {
  let asked = 0;
  const { server, statusOf, end } = await serve("unasked", () => void asked++);
  expect([await statusOf("c0"), asked]).toEqual([200, 1]);
  database.freeze();
  await waitFor(async () => (await readReady(server)) === 503);
  for (const id of ["c1", "c2", "c3"]) expect(await statusOf(id)).toBe(503);
  expect([await statusOf("c0"), asked]).toEqual([200, 1]);
  database.thaw();
  await waitFor(async () => (await statusOf("c1")) === 200);
  await end();
});

test.each([true, false])(
  "a read that never ends, with an outage: %p, fails and keeps nobody waiting",
  async (isAway) => {
    const begun = Promise.withResolvers<void>();
    const { server, statusOf, end } = await serve(`lost_${isAway}`, (_release, course) => {
      if (course !== "c5") return undefined;
      begun.resolve();
      return new Promise(() => {});
    });
    const lost = statusOf("c5");
    await begun.promise;
    const behind = isAway ? statusOf("c6") : lost;
    if (isAway) {
      database.freeze();
      await waitFor(async () => (await readReady(server)) === 503);
    }
    expect(await Promise.all([lost, behind])).toEqual([503, 503]);
    if (isAway) database.thaw();
    else expect(server.log()).toContain("replacing all connections");
    await waitFor(async () => (await statusOf("c1")) === 200);
    await end();
  },
);

test("requests of an outage, many of them given up, leave one connection usable", async () => {
  const { url, store, key } = await fill("given_up");
  await store.close();
  const server = await startServing(["serve", "--pool-size", "1"], { env: { LECTERN_DATABASE: url } });
  for (let outage = 0; outage < 2; outage++) {
    const clients = new AbortController();
    const asked = Array.from({ length: 9 }, async (_, index) => {
      const signal = index % 2 === 0 ? { signal: clients.signal } : {};
      const course = `${server.url}/api/v1/courses/c${10 * outage + index}`;
      const answer = fetch(course, { headers: { "x-api-key": key }, ...signal });
      return answer.then(({ status }) => status).catch(() => "given up");
    });
    database.freeze();
    clients.abort();
    await waitFor(async () => (await readReady(server)) === 503);
    for (const status of await Promise.all(asked)) expect(["given up", 200, 503]).toContain(status);
    database.thaw();
    const read = () => send(server.url, `/api/v1/courses/c${10 * outage + 9}`, { key });
    await waitFor(async () => (await readReady(server)) === 200 && (await read()).status === 200);
  }
  server.kill();
  await server.exited;
});

describe("servers with one worker and with two", () => {
  const url = `${database.url.replace("lectern@", `lectern:${PASSWORD}@`)}/postgres`;
  let servers: RunningCommand[];
  let key: string;
  let revokedMeanwhile: string;

  const ask = (server: RunningCommand, path: string, secret = key) =>
    send(server.url, `/api/v1${path}`, { key: secret });
  const waitForEvery = async (check: (server: RunningCommand) => Promise<boolean>): Promise<void> => {
    for (const server of servers) await waitFor(() => check(server));
  };
  const waitForReady = (status: number) => waitForEvery(async (server) => (await readReady(server)) === status);
  const waitForCourse = (id: string) =>
    waitForEvery(async (server) => (await ask(server, `/courses/${id}`)).status === 200);

  beforeAll(async () => {
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

  /** Each server answers only what it holds, from the first request on. */
  const expectAway = async (first: number): Promise<void> => {
    for (const server of servers) expect((await ask(server, `/courses/c${first}`)).status).toBe(503);
    await waitForReady(503);
    for (const server of servers) {
      for (let index = first; index < first + 5; index++) {
        const miss = await ask(server, `/courses/c${index}`);
        expect([miss.status, miss.headers.get("retry-after")]).toEqual([503, "1"]);
        expect((await ask(server, "/courses/c0")).status).toBe(200);
      }
      expect((await ask(server, "/courses/c0", "lectern_unknown-key-000000000")).status).toBe(401);
      expect((await fetch(`${server.adminUrl}/live`)).status).toBe(200);
    }
  };

  test.each(["crashes and restarts", "stalls, as when a network drops all packets"])(
    "survive a database that %s",
    async (how) => {
      const [crashes, first] = how.startsWith("crashes") ? [true, 1] : [false, 11];
      // Each worker keeps its own answers: asked often enough, every one has it.
      for (let time = 0; time < 40; time++) for (const server of servers) await ask(server, "/courses/c0");
      if (crashes) await database.stop();
      else database.freeze();
      await expectAway(first);
      if (crashes) await database.start();
      else database.thaw();
      await waitForCourse(`c${first}`);
      await waitForReady(200);
    },
  );

  test("reject a key revoked during the outage once the database is back", async () => {
    for (const server of servers) expect((await ask(server, "/courses/c0", revokedMeanwhile)).status).toBe(200);
    const store = await openStore(url, { create: false });
    const found = (await store.keys.listKeys("acme")).find(({ lastFour }) => lastFour === revokedMeanwhile.slice(-4));
    // Servers cannot be kept away from a database that is back, so its row is written while it stands still.
    database.freeze();
    await waitForReady(503);
    const revoking = store.keys.revokeKey(found?.id ?? "", new Date().toISOString());
    database.thaw();
    await revoking;
    await store.close();
    await waitForEvery(async (server) => (await ask(server, "/courses/c0", revokedMeanwhile)).status === 401);
  });

  test("survive terminated connections, see a new release after all this, and have logged no password", async () => {
    const { stderr } = await runCommand(["releases", "--project", "acme", "--database", url]);
    expect(stderr).toBe("");
    await database.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await waitForCourse("c21");
    const store = await openStore(url, { create: false });
    await publish(store, "acme", createCourses("two"));
    await store.close();
    await waitForEvery(async (server) => (await ask(server, "/courses/c0")).text.includes("two 0"));
    for (const server of servers) {
      expect(server.stderr()).toContain("serving the last known state");
      expect(server.stderr() + server.stdout()).not.toContain(PASSWORD);
    }
  });
});

test("a server that pauses for longer than its limits, as when a machine sleeps, does not take that for an outage", async () => {
  const { url, store, key } = await fill("paused");
  await store.close();
  const server = await startServing(["serve"], { env: { LECTERN_DATABASE: url } });
  database.freeze();
  // Longer than the server's pause between two polls: one is waiting now.
  await Bun.sleep(400);
  server.kill("SIGSTOP");
  database.thaw();
  await Bun.sleep(2500);
  const answers = ["c0", "c1", "c2"].map((id) => send(server.url, `/api/v1/courses/${id}`, { key }));
  server.kill("SIGCONT");
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  server.kill();
  await server.exited;
});
