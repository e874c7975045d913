// What a client sees when something breaks behind the interface: faults made for real, in the database.
import { SQL } from "bun";
import { expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { openStore } from "../../src/store/open-store.ts";
import { errorBody, openAcme, type Acme } from "../support/acme.ts";
import { startServing } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { postgres, sqlite } from "../support/store.ts";

const COURSE = "/api/v1/courses/intro";
const LESSON = `${COURSE}/lessons/l-1`;
const DAMAGED =
  /^not ready\n(?:.*\n)?Reads of the database fail \(database disk image is malformed\)\. Run `lectern doctor`, or restore a backup with `lectern restore`\.\n$/;

async function open(engine = sqlite) {
  const acme = await openAcme(engine);
  const readReady = async () => (await send(acme.server.adminUrl, "/ready")).text;
  return {
    ...acme,
    ask: (path: string, key = acme.key) => acme.server.get(path, { key }),
    readReady,
    untilReady: () => waitFor(async () => (await readReady()) === "ready\n"),
  };
}

/** Overwrites all pages of a SQLite file but the first two. Returns a function that undoes it. */
async function damage({ url, ...acme }: Acme): Promise<() => void> {
  await acme.execute("pragma wal_checkpoint(truncate)");
  const path = url.slice("sqlite:".length);
  const whole = readFileSync(path);
  const damaged = Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0xa5)]);
  writeFileSync(path, damaged, { flag: "r+" });
  return () => writeFileSync(path, whole, { flag: "r+" });
}

test("an internal error is 500 with only a request id; the log has the cause under that id", async () => {
  const acme = await open();
  await acme.execute("drop table lesson_versions");
  const { status, text, headers } = await acme.ask(`${LESSON}?token=hush`);
  const [id = "none"] = /[0-9a-f-]{36}/.exec(text) ?? [];
  expect([status, text]).toEqual([500, errorBody(500, `Internal error, request ${id}`)]);
  expect(Object.fromEntries(headers)).toMatchObject({
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
  });
  expect(headers.has("etag")).toBe(false);

  const log = acme.server.log();
  const line = log.split("\n").find((entry) => entry.includes(id)) ?? "{}";
  expect(JSON.parse(line)).toMatchObject({ requestId: id, method: "GET", path: LESSON });
  expect(line).toContain("lessons");
  for (const secret of [acme.key, "hush"]) expect(log).not.toContain(secret);

  // One broken part does not affect others, and errors are distinguished.
  // Not necessarily the first: the server may just have given up its connections, to try others.
  await waitFor(async () => (await acme.ask(COURSE)).status === 200);
  expect((await acme.ask(LESSON)).text).not.toBe(text);
  await acme.drop();
});

test("a server that cannot poll its store keeps serving, reports the failure, and recovers", async () => {
  const acme = await open();
  const { adminUrl } = acme.server;
  expect(await acme.readReady()).toBe("ready\n");
  await acme.execute("alter table counters rename to counters_gone");
  const unread = /^not ready\nCannot read the database: .*counters.*\.\n$/;
  await waitFor(async () => unread.test(await acme.readReady()));
  const [ready, live, metrics] = await Promise.all(
    ["ready", "live", "metrics"].map((path) => send(adminUrl, `/${path}`)),
  );
  expect([ready?.status, live?.status]).toEqual([503, 200]);
  expect(metrics?.text).toContain("lectern_store_reachable 0");
  // For proxies, on the port of the API: without a key, without the database.
  const health = await acme.server.get("/healthz");
  expect([health.status, health.text, health.headers.get("cache-control")]).toEqual([200, "ok\n", "no-store"]);
  expect((await acme.ask(COURSE)).status).toBe(200);
  expect((await acme.ask(COURSE, "wrong-key-0123456789")).status).toBe(401);
  await acme.execute("alter table store_identity rename to identity_gone");
  await acme.execute("alter table counters_gone rename to counters");
  await waitFor(async () => (await acme.readReady()).includes("store_identity"));
  await acme.execute("alter table identity_gone rename to store_identity");
  await acme.untilReady();
  const fresh = await createKey(acme.store, "acme");
  await waitFor(async () => (await acme.ask(COURSE, fresh)).status === 200);
  // Logged once per cause and once at the end, not at every poll.
  expect(acme.server.log().match(/cannot read the store|the store is back/g)).toHaveLength(3);
  await acme.drop();
});

test("a PostgreSQL that refuses polls completes waiting reads", async () => {
  const acme = await open(postgres);
  const blocker = new SQL(acme.url, { max: 1 });
  const transaction = await blocker.reserve();
  await transaction`begin`;
  await transaction`lock table course_versions in access exclusive mode`;
  const answer = acme.ask(COURSE);
  await waitFor(async () => {
    const [row] = await transaction<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_locks where not granted and database = (
        select oid from pg_database where datname = current_database())`;
    return row?.waiting === 1;
  });
  await acme.execute("alter table counters rename to counters_gone");
  await waitFor(async () => (await acme.readReady()) !== "ready\n");
  await acme.server.pollsTwice();
  await transaction`commit`;
  expect((await answer).status).toBe(200);
  await transaction.release();
  await blocker.close();
  await acme.drop();
});

test("a dropped table of a PostgreSQL database is named by /ready until it is back", async () => {
  const acme = await open(postgres);
  await acme.execute("alter table lesson_versions rename to dropped");
  expect((await acme.ask(LESSON)).status).toBe(500);
  const cause = 'not ready\nReads of the database fail (relation "lesson_versions" does not exist).';
  expect(await acme.readReady()).toStartWith(cause);
  await acme.execute("alter table dropped rename to lesson_versions");
  await acme.untilReady();
  await acme.drop();
});

test("a SQLite file that was replaced is detected: the server reports it, and keeps serving its cache", async () => {
  const acme = await open();
  const path = acme.url.slice("sqlite:".length);
  const endings = ["", "-wal", "-shm"];
  for (const ending of endings) renameSync(path + ending, `${path}.old${ending}`);
  const removed = `${path} was removed. This server still has the whole file open: save that copy before`;
  await waitFor(async () => (await acme.readReady()).includes(removed));
  await (await openStore(acme.url, { create: true })).close();
  await acme.server.pollsTwice();
  const replaced = /^not ready\n.*was replaced, or its log was removed\. .* save that copy before you restart or stop/;
  expect(await acme.readReady()).toMatch(replaced);
  expect((await acme.ask(COURSE)).status).toBe(200);
  for (const ending of endings) rmSync(path + ending, { force: true });
  for (const ending of endings) renameSync(`${path}.old${ending}`, path + ending);
  await acme.untilReady();
  await acme.drop();
});

test("a damaged SQLite file is 503 with Retry-After, without details, and makes a server with workers unready until reads succeed", async () => {
  const acme = await open();
  const running = await startServing(["serve", "--workers", "2", "--database", acme.url]);
  const readReady = async () => (await send(running.adminUrl, "/ready")).text;
  expect(await readReady()).toBe("ready\n");
  const mend = await damage(acme);
  const { status, text, headers } = await send(running.url, LESSON, { key: acme.key });
  expect([status, text]).toEqual([503, errorBody(503, "The catalog is temporarily unavailable; try again")]);
  expect([headers.get("retry-after"), headers.get("cache-control")]).toEqual(["1", "no-store"]);
  // A poll may have found it, too.
  await waitFor(async () => DAMAGED.test(await readReady()));
  mend();
  // A restore of SQLite's own tool writes, too: readers then drop the pages that they hold.
  await createKey(acme.store, "acme");
  await waitFor(async () => (await readReady()) === "ready\n");
  running.kill();
  await running.exited;
  await acme.drop();
});
