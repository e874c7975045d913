// A primary, a replica that follows it, and two servers that read from the replica and follow both.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { PostgresFolder, PostgresServer, standbySettings } from "../support/postgres.ts";
import { createKey, send, waitFor, type Answer } from "../support/server.ts";

const COURSES = 40;
/** The last that is published while servers are read. */
const LAST_EDITION = 3;
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

  const ask = async (server: RunningCommand, path: string): Promise<Answer> =>
    send(server.url, `/api/v1${path}`, { key });
  const readRelease = async (server: RunningCommand): Promise<number> => releaseOf(await ask(server, "/courses"));
  const readAdmin = async (server: RunningCommand, path: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(server.adminUrl + path);
    return { status: response.status, text: await response.text() };
  };
  const everyServer = async (check: (server: RunningCommand) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(servers.map(check))).every(Boolean);

  beforeAll(async () => {
    const folder = new PostgresFolder();
    folder.createCluster("primary");
    primary = new PostgresServer(folder, "primary", ["wal_keep_size=256MB"]);
    await primary.start();
    store = await openStore(`${primary.url}/postgres`, { create: true });
    await publish(store, "acme", createCourses(1));
    key = await createKey(store, "acme");
    await folder.createStandby(primary, "replica");
    replica = new PostgresServer(folder, "replica", standbySettings(primary));
    await replica.start();
    const args = ["--database", `${primary.url}/postgres`, "--read-database", `${replica.url}/postgres`];
    const workers = ["1", "2"];
    servers = await Promise.all(workers.map((count) => startServing(["serve", "--workers", count, ...args])));
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
    for (let edition = 2; edition <= LAST_EDITION; edition++) {
      await publish(store, "acme", createCourses(edition));
      await waitFor(() => everyServer(async (server) => (await readRelease(server)) === edition));
      const before = answers;
      await waitFor(() => over.signal.aborted || answers >= before + 100);
    }
    over.abort();
    await Promise.all(reading);
  });

  test("serve the old release until the replica has the new one, and report it", async () => {
    expect(await everyServer(async (server) => (await readAdmin(server, "/ready")).text === "ready\n")).toBe(true);
    await replica.execute("select pg_wal_replay_pause()");
    await publish(store, "acme", createCourses(LAST_EDITION + 1));
    const remark = "ready\nThe replica lacks 1 of the primary's publications.\n";
    await waitFor(() => everyServer(async (server) => (await readAdmin(server, "/ready")).text === remark));
    for (const server of servers) {
      expect(await readRelease(server)).toBe(LAST_EDITION);
      expect((await readAdmin(server, "/ready")).status).toBe(200);
      expect((await readAdmin(server, "/metrics")).text).toContain("\nlectern_replica_publications_behind 1\n");
      // A key is the primary's matter: it does not wait.
      const fresh = await createKey(store, "acme");
      const isTaken = async () => (await send(server.url, "/api/v1/courses", { key: fresh })).status === 200;
      await waitFor(isTaken);
    }
    await replica.execute("select pg_wal_replay_resume()");
    await waitFor(() => everyServer(async (server) => (await readRelease(server)) === LAST_EDITION + 1));
    await waitFor(() => everyServer(async (server) => (await readAdmin(server, "/ready")).text === "ready\n"));
  });

  test("can be inspected on the read-only replica", async () => {
    const { exitCode, stdout } = await runCommand(["status", "--json", "--database", `${replica.url}/postgres`]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      database: { isWritable: false },
      channels: [{ project: "acme", channel: "live", release: LAST_EDITION + 1 }],
      findings: [],
    });
    const examine = async (...args: string[]) => {
      const { exitCode: code, stdout: text } = await runCommand(["doctor", "--host", "127.0.0.1", ...args]);
      const found = text.split("\n").filter((line) => line !== "" && !/^(ok|skipped) /.test(line));
      return [code, ...found];
    };
    const isReadOnly = expect.stringContaining("it is a replica or configured as read-only.") as unknown as string;
    expect(await examine("--database", `${replica.url}/postgres`)).toEqual([4, isReadOnly]);
    const both = ["--database", `${primary.url}/postgres`, "--read-database", `${replica.url}/postgres`];
    expect(await examine(...both)).toEqual([0]);
    const isNone = expect.stringContaining("is not a replica") as unknown as string;
    expect(await examine(...both.slice(0, 3), `${primary.url}/postgres`)).toEqual([4, isNone]);
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
    await waitFor(() => everyServer(async (server) => (await readAdmin(server, "/ready")).status === 503));
    for (const server of servers) {
      expect((await readAdmin(server, "/ready")).text).toMatch(/^not ready\nCannot read the replica: .+\.\n$/);
    }
    await expectCachedOnly();

    await store.close();
    await primary.stop();
    const both = /^not ready\nCannot read the primary database: .+\.\nCannot read the replica: .+\.\n$/;
    await waitFor(() => everyServer(async (server) => both.test((await readAdmin(server, "/ready")).text)));
    await expectCachedOnly();

    await replica.start();
    await waitFor(() => everyServer(async (server) => (await ask(server, "/courses/c20")).status === 200));
    expect(await everyServer(async (server) => (await readAdmin(server, "/ready")).status === 503)).toBe(true);
    await primary.start();
    await waitFor(() => everyServer(async (server) => (await readAdmin(server, "/ready")).status === 200));
    store = await openStore(`${primary.url}/postgres`, { create: false });
    await publish(store, "acme", createCourses(LAST_EDITION + 2));
    // The replica asks for its primary again and again; that it has found it is not the servers' matter.
    await waitFor(() => everyServer(async (server) => (await readRelease(server)) === LAST_EDITION + 2));
  });
});
