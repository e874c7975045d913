// A database that goes away, in each of the ways it can: the server answers what it holds, refuses the rest at once, and
// is itself again when the database is.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { PostgresFolder, PostgresServer } from "../support/postgres.ts";
import { createKey, send, waitFor, type Answer } from "../support/server.ts";

setDefaultTimeout(60_000);

const PASSWORD = "hush-hush-hush";
const COURSES = 30;
const createCourses = (edition: string) =>
  Array.from({ length: COURSES }, (_, index) => ({ _id: `c${index}`, slug: `s${index}`, name: `${edition} ${index}` }));

interface Timed extends Answer {
  tookMs: number;
}

describe.each([1, 2])("a server with %i workers", (workers) => {
  let database: PostgresServer;
  let url: string;
  let server: RunningCommand;
  let key: string;
  let revokedMeanwhile: string;

  const ask = async (path: string, secret = key): Promise<Timed> => {
    const startedAt = performance.now();
    const answer = await send(server.url, `/api/v1${path}`, { key: secret });
    return { ...answer, tookMs: performance.now() - startedAt };
  };
  const ready = async (): Promise<number> => (await fetch(`${server.adminUrl}/ready`)).status;

  beforeAll(async () => {
    const folder = new PostgresFolder();
    folder.createCluster("away");
    database = new PostgresServer(folder, "away");
    await database.start();
    url = `${database.url.replace("lectern@", `lectern:${PASSWORD}@`)}/postgres`;
    const store = await openStore(url, { create: true });
    await publish(store, "acme", createCourses("one"));
    key = await createKey(store, "acme");
    revokedMeanwhile = await createKey(store, "acme");
    await store.close();
    server = await startServing(["serve", "--workers", String(workers)], { env: { LECTERN_DATABASE: url } });
  });
  afterAll(async () => {
    server.kill();
    expect(await server.exited).toBe(0);
    await database.stop();
  });

  // Each worker keeps its own answers: asked often enough, every one has it.
  beforeEach(async () => {
    for (let time = 0; time < 20 * workers; time++) expect((await ask("/courses/c0")).status).toBe(200);
  });

  const expectAway = async (first: number): Promise<void> => {
    for (let index = first; index < first + 5; index++) {
      const miss = await ask(`/courses/c${index}`);
      expect([miss.status, miss.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(miss.tookMs).toBeLessThan(500);
      const hit = await ask("/courses/c0");
      expect(hit.status).toBe(200);
      expect(hit.tookMs).toBeLessThan(500);
    }
    expect((await ask("/courses/c0", "lectern_unknown-key-000000000")).status).toBe(401);
    expect(await ready()).toBe(503);
    expect((await fetch(`${server.adminUrl}/live`)).status).toBe(200);
  };

  test("is that of a database that crashes and starts again", async () => {
    await database.stop();
    const first = await ask("/courses/c1");
    expect(first.status).toBe(503);
    expect(first.tookMs).toBeLessThan(500);
    await waitFor(async () => (await ready()) === 503, 1000);
    await expectAway(1);
    await Bun.sleep(1500);
    await database.start();
    await waitFor(async () => (await ask("/courses/c1")).status === 200, 1000);
    await waitFor(async () => (await ready()) === 200, 1000);
  });

  test("is that of one that stands still, as when a network swallows everything", async () => {
    database.freeze();
    const startedAt = performance.now();
    const miss = await ask("/courses/c11");
    expect(miss.status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(3000);
    await expectAway(11);
    database.thaw();
    await waitFor(async () => (await ask("/courses/c11")).status === 200, 1500);
    await waitFor(async () => (await ready()) === 200, 1000);
  });

  test("refuses within a second of its return the key that was revoked meanwhile", async () => {
    expect((await ask("/courses/c0", revokedMeanwhile)).status).toBe(200);
    const list = await runCommand(["keys", "list", "--project", "acme", "--json", "--database", url]);
    const found = (JSON.parse(list.stdout) as { id: string; lastFour: string }[]).find(
      ({ lastFour }) => lastFour === revokedMeanwhile.slice(-4),
    );
    // The server cannot be kept away from a database that is back, so its row is written while it stands still.
    database.freeze();
    await waitFor(async () => (await ready()) === 503, 3000);
    const revoking = runCommand(["keys", "revoke", found?.id ?? "", "--database", url]);
    await Bun.sleep(500);
    database.thaw();
    expect((await revoking).exitCode).toBe(0);
    await waitFor(async () => (await ask("/courses/c0", revokedMeanwhile)).status === 401, 1000);
  });

  test("goes on with connections that are ended one by one", async () => {
    const { stderr } = await runCommand(["releases", "--project", "acme", "--database", url]);
    expect(stderr).toBe("");
    await database.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await waitFor(async () => (await ask("/courses/c21")).status === 200, 1000);
  });

  test("learns of a release within a second also after all that, and has told no password", async () => {
    const store = await openStore(url, { create: false });
    await publish(store, "acme", createCourses("two"));
    await store.close();
    await waitFor(async () => (await ask("/courses/c0")).text.includes("two 0"), 1000);
    expect(server.stderr()).toContain("serving what is known");
    expect(server.stderr()).not.toContain(PASSWORD);
    expect(server.stdout()).not.toContain(PASSWORD);
  });
});
