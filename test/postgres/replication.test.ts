// A primary, a replica that follows it, and two servers that read from the replica and follow both.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { PostgresServer, standbySettings, startPostgres } from "../support/postgres.ts";
import { createKey, send, waitFor, type Answer } from "../support/server.ts";

const COURSES = 40;
/** The last that is published while servers are read. */
const LAST_EDITION = 2;
const createCourses = (edition: number) =>
  Array.from({ length: COURSES }, (_, index) => ({
    _id: `c${index}`,
    slug: `s${index}`,
    name: `edition ${edition}`,
    chapters: [{ name: "A", lessons: [{ id: "l", name: `edition ${edition}` }] }],
  }));

describe("servers on a primary and its replica", () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let store: Store;
  let key: string;
  let servers: RunningCommand[];

  const ask = (server: RunningCommand, path: string) => send(server.url, `/api/v1${path}`, { key });
  const readRelease = async (server: RunningCommand) => releaseOf(await ask(server, "/courses"));
  const readAdmin = (server: RunningCommand, path: string) => send(server.adminUrl, path);
  const waitForEvery = (check: (server: RunningCommand) => Promise<boolean>) =>
    waitFor(async () => (await Promise.all(servers.map(check))).every(Boolean));
  const waitForReady = (isWanted: (ready: Answer) => boolean) =>
    waitForEvery(async (server) => isWanted(await readAdmin(server, "/ready")));
  const waitForRelease = (release: number) => waitForEvery(async (server) => (await readRelease(server)) === release);

  beforeAll(async () => {
    const { folder, server } = await startPostgres(["wal_keep_size=256MB"]);
    primary = server;
    store = await openStore(`${primary.url}/postgres`, { create: true });
    await publish(store, "acme", createCourses(1));
    key = await createKey(store, "acme");
    await folder.createStandby(primary, "replica");
    replica = new PostgresServer(folder, "replica", standbySettings(primary));
    await replica.start();
    const args = ["--database", `${primary.url}/postgres`, "--read-database", `${replica.url}/postgres`];
    servers = await Promise.all(["1", "2"].map((count) => startServing(["serve", "--workers", count, ...args])));
  });
  afterAll(async () => {
    for (const server of servers) server.kill();
    for (const server of servers) expect(await server.exited).toBe(0);
    await store.close();
    await replica.stop();
    await primary.stop();
  });

  test("switch releases under load, and no answer mixes two releases", async () => {
    const over = new AbortController();
    let answers = 0;
    const read = async (server: RunningCommand): Promise<void> => {
      for (let index = 0; !over.signal.aborted; index = (index + 1) % COURSES) {
        for (const path of ["/courses", `/courses/c${index}`, `/courses/s${index}/lessons/l`]) {
          const answer = await ask(server, path);
          expect(answer.status).toBe(200);
          const editions = new Set(answer.text.match(/edition \d+/g));
          expect([...editions]).toEqual([`edition ${releaseOf(answer)}`]);
          answers++;
          await Bun.sleep(1);
        }
      }
    };
    const reading = servers.map(read);
    for (const reader of reading) reader.catch(() => over.abort());
    await publish(store, "acme", createCourses(LAST_EDITION));
    await waitForRelease(LAST_EDITION);
    const before = answers;
    await waitFor(() => over.signal.aborted || answers >= before + 100);
    over.abort();
    await Promise.all(reading);
  });

  test("serve the old release until the replica has the new one, and report it", async () => {
    await waitForReady(({ text }) => text === "ready\n");
    await replica.execute("select pg_wal_replay_pause()");
    await publish(store, "acme", createCourses(LAST_EDITION + 1));
    const remark = "ready\nThe replica lacks 1 of the primary's publications.\n";
    await waitForReady(({ text }) => text === remark);
    for (const server of servers) {
      expect(await readRelease(server)).toBe(LAST_EDITION);
      expect((await readAdmin(server, "/ready")).status).toBe(200);
      expect((await readAdmin(server, "/metrics")).text).toContain("\nlectern_replica_publications_behind 1\n");
      // A key is the primary's matter: it does not wait.
      const fresh = await createKey(store, "acme");
      await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: fresh })).status === 200);
    }
    await replica.execute("select pg_wal_replay_resume()");
    await waitForRelease(LAST_EDITION + 1);
    await waitForReady(({ text }) => text === "ready\n");
  });

  test("can be inspected on the read-only replica", async () => {
    const { exitCode, stdout } = await runCommand(["status", "--json", "--database", `${replica.url}/postgres`]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ database: { isWritable: false }, findings: [] });
    const examine = async (...args: string[]) =>
      (await runCommand(["doctor", "--host", "127.0.0.1", "--database", ...args])).stdout;
    const [first, second] = [`${primary.url}/postgres`, `${replica.url}/postgres`];
    expect(await examine(second)).toContain("it is a replica or configured as");
    expect(await examine(first, "--read-database", first)).toContain("is not a replica");
    expect(await examine(first, "--read-database", second)).not.toContain("a replica or");
  });

  const expectCachedOnly = async (): Promise<void> => {
    for (const server of servers) {
      expect(dataOf(await ask(server, "/courses")).total).toBe(COURSES);
      expect((await ask(server, "/courses/c0")).status).toBe(200);
      for (let index = 20; index < 30; index++) expect((await ask(server, `/courses/c${index}`)).status).toBe(503);
      expect((await readAdmin(server, "/live")).status).toBe(200);
    }
  };

  test("serve their cache without the replica or the primary, and recover by themselves", async () => {
    // Each worker keeps its own answers: asked often enough, every one has these.
    for (const server of servers) {
      for (let time = 0; time < 40; time++) for (const path of ["/courses", "/courses/c0"]) await ask(server, path);
    }
    await replica.stop();
    await waitForReady(({ text }) => /^not ready\nCannot read the replica: .+\.\n$/.test(text));
    await expectCachedOnly();

    await store.close();
    await primary.stop();
    const both = /^not ready\nCannot read the primary database: .+\.\nCannot read the replica: .+\.\n$/;
    await waitForReady(({ text }) => both.test(text));
    await expectCachedOnly();

    await replica.start();
    await waitForEvery(async (server) => (await ask(server, "/courses/c20")).status === 200);
    for (const server of servers) expect((await readAdmin(server, "/ready")).status).toBe(503);
    await primary.start();
    await waitForReady(({ status }) => status === 200);
    store = await openStore(`${primary.url}/postgres`, { create: false });
    await publish(store, "acme", createCourses(LAST_EDITION + 2));
    // The replica asks for its primary again and again; that it has found it is not the servers' matter.
    await waitForRelease(LAST_EDITION + 2);
  });
});
