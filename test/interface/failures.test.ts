// What a client sees when something breaks behind the interface: faults made for real, in the database.
import { SQL } from "bun";
import { describe, expect, test } from "bun:test";
import { openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync, closeSync } from "node:fs";
import { openStore } from "../../src/store/open-store.ts";
import { errorBody, openAcme } from "../support/acme.ts";
import { startServing } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { engines, postgres, sqlite } from "../support/store.ts";

describe.each(engines)("faults on $name", (engine) => {
  test("an internal error is 500 with only a request id; the log has the cause under that id", async () => {
    const acme = await openAcme(engine);
    await acme.execute("drop table lesson_versions");
    const { status, text, headers } = await acme.server.get("/api/v1/courses/intro/lessons/l-1?token=hush", {
      key: acme.key,
    });
    expect(status).toBe(500);
    const id = /^\{"data":\{\},"success":false,"message":"Internal error, request ([0-9a-f-]{36})","code":500\}$/.exec(
      text,
    )?.[1];
    expect(id).toBeDefined();
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.has("etag")).toBe(false);

    const lines = acme.server.log().split("\n");
    const line = JSON.parse(lines.find((entry) => entry.includes(id ?? "")) ?? "{}") as Record<string, unknown>;
    expect(line).toMatchObject({ requestId: id, method: "GET", path: "/api/v1/courses/intro/lessons/l-1" });
    expect(JSON.stringify(line)).toContain("lessons");
    expect(acme.server.log()).not.toContain(acme.key);
    expect(acme.server.log()).not.toContain("hush");

    // One broken part does not affect others, and errors are distinguished.
    // Not necessarily the first: the server may just have given up its connections, to try others.
    await waitFor(async () => (await acme.server.get("/api/v1/courses/intro", { key: acme.key })).status === 200);
    const again = await acme.server.get("/api/v1/courses/intro/lessons/l-1", { key: acme.key });
    expect(again.text).not.toBe(text);
    await acme.drop();
  });

  test("a server that cannot poll its store keeps serving, reports the failure, and recovers", async () => {
    const acme = await openAcme(engine);
    const ready = async () => (await fetch(`${acme.server.adminUrl}/ready`)).status;
    expect(await ready()).toBe(200);
    await acme.execute("alter table counters rename to counters_gone");
    await waitFor(async () => (await ready()) === 503);
    expect((await fetch(`${acme.server.adminUrl}/live`)).status).toBe(200);
    // For proxies, on the port of the API: without a key, without the database.
    const health = await acme.server.get("/healthz");
    expect([health.status, health.text, health.headers.get("cache-control")]).toEqual([200, "ok\n", "no-store"]);
    expect((await acme.server.get("/healthz", { method: "HEAD" })).status).toBe(200);
    expect((await acme.server.get("/healthz", { method: "POST" })).status).toBe(405);
    expect((await acme.server.get("/api/v1/courses/intro", { key: acme.key })).status).toBe(200);
    expect((await acme.server.get("/api/v1/courses/intro", { key: "wrong-key-0123456789" })).status).toBe(401);
    expect(await (await fetch(`${acme.server.adminUrl}/metrics`)).text()).toContain("lectern_store_reachable 0");
    const cause = async () => (await fetch(`${acme.server.adminUrl}/ready`)).text();
    expect(await cause()).toMatch(/^not ready\nCannot read the database: .*counters.*\.\n$/);
    await acme.execute("alter table store_identity rename to identity_gone");
    await acme.execute("alter table counters_gone rename to counters");
    await waitFor(async () => (await cause()).includes("store_identity"));
    await acme.execute("alter table identity_gone rename to store_identity");
    await waitFor(async () => (await ready()) === 200);
    const fresh = await createKey(acme.store, "acme");
    await waitFor(async () => (await acme.server.get("/api/v1/courses", { key: fresh })).status === 200);
    // Logged once per cause and once at the end, not at every poll.
    expect(acme.server.log().match(/cannot read the store/g)).toHaveLength(2);
    expect(acme.server.log().match(/the store is back/g)).toHaveLength(1);
    await acme.drop();
  });
});

describe("a PostgreSQL that refuses polls", () => {
  test("completes waiting reads even if polls fail", async () => {
    const acme = await openAcme(postgres);
    const blocker = new SQL(acme.url, { max: 1 });
    const transaction = await blocker.reserve();
    await transaction`begin`;
    await transaction`lock table course_versions in access exclusive mode`;
    const answer = acme.server.get("/api/v1/courses/intro", { key: acme.key });
    await waitFor(async () => {
      const [row] = await transaction<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_locks where not granted and database = (
          select oid from pg_database where datname = current_database())`;
      return row?.waiting === 1;
    });
    await acme.execute("alter table counters rename to counters_gone");
    await waitFor(async () => (await fetch(`${acme.server.adminUrl}/ready`)).status === 503);
    await acme.server.pollsTwice();
    await transaction`commit`;
    expect((await answer).status).toBe(200);
    await transaction.release();
    await blocker.close();
    await acme.drop();
  });
});

test("a dropped table of a PostgreSQL database is named by /ready until it is back", async () => {
  const acme = await openAcme(postgres);
  const ready = async () => (await fetch(`${acme.server.adminUrl}/ready`)).text();
  await acme.execute("alter table lesson_versions rename to dropped");
  expect((await acme.server.get("/api/v1/courses/intro/lessons/l-1", { key: acme.key })).status).toBe(500);
  expect(await ready()).toMatch(
    /^not ready\nReads of the database fail \(relation "lesson_versions" does not exist\)\./,
  );
  await acme.execute("alter table dropped rename to lesson_versions");
  await waitFor(async () => (await ready()) === "ready\n");
  await acme.drop();
});

describe("a SQLite file that was replaced", () => {
  test("is detected: the server reports it, and keeps serving its cache", async () => {
    const acme = await openAcme(sqlite);
    const ready = async () => (await fetch(`${acme.server.adminUrl}/ready`)).status;
    const path = acme.url.slice("sqlite:".length);
    const endings = ["", "-wal", "-shm"];
    for (const ending of endings) renameSync(path + ending, `${path}.old${ending}`);
    await waitFor(async () => (await ready()) === 503);
    const cause = async () => (await fetch(`${acme.server.adminUrl}/ready`)).text();
    expect(await cause()).toContain(
      `${path} was removed. This server still has the whole file open: save that copy before`,
    );
    await (await openStore(acme.url, { create: true })).close();
    await acme.server.pollsTwice();
    expect(await ready()).toBe(503);
    expect(await cause()).toMatch(
      /was replaced, or its log was removed\. .* save that copy before you restart or stop/,
    );
    expect((await acme.server.get("/api/v1/courses/intro", { key: acme.key })).status).toBe(200);
    for (const ending of endings) rmSync(path + ending, { force: true });
    for (const ending of endings) renameSync(`${path}.old${ending}`, path + ending);
    await waitFor(async () => (await ready()) === 200);
    await acme.drop();
  });
});

describe("a damaged SQLite file", () => {
  test("is 503 with Retry-After, without details for the client", async () => {
    const acme = await openAcme(sqlite);
    await acme.execute("pragma wal_checkpoint(truncate)");
    const path = acme.url.slice("sqlite:".length);
    const whole = readFileSync(path);
    const overwrite = (bytes: Buffer): void => {
      const file = openSync(path, "r+");
      writeSync(file, bytes, 0, bytes.length, 8192);
      closeSync(file);
    };
    overwrite(Buffer.alloc(whole.length - 8192, 0xa5));
    const { status, text, headers } = await acme.server.get("/api/v1/courses/intro/lessons/l-1", { key: acme.key });
    expect([status, text]).toEqual([503, errorBody(503, "The catalog is temporarily unavailable; try again")]);
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const readReady = async () => (await fetch(`${acme.server.adminUrl}/ready`)).text();
    // A poll may have found it, too.
    expect(await readReady()).toMatch(
      /^not ready\n(?:.*\n)?Reads of the database fail \(database disk image is malformed\)\. Run `lectern doctor`, or restore a backup with `lectern restore`\.\n$/,
    );
    overwrite(whole.subarray(8192));
    // A restore of SQLite's own tool writes, too: readers then drop the pages that they hold.
    await createKey(acme.store, "acme");
    await waitFor(async () => (await readReady()) === "ready\n");
    await acme.drop();
  });

  test("also makes a server with workers unready until reads succeed", async () => {
    const acme = await openAcme(sqlite);
    await acme.execute("pragma wal_checkpoint(truncate)");
    const path = acme.url.slice("sqlite:".length);
    const running = await startServing(["serve", "--workers", "2", "--database", acme.url]);
    const readReady = async () => (await fetch(`${running.adminUrl}/ready`)).text();
    expect(await readReady()).toBe("ready\n");
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0xa5)]), {
      flag: "r+",
    });
    expect((await send(running.url, "/api/v1/courses", { key: acme.key })).status).toBe(503);
    await waitFor(async () => /^not ready\nReads of the database fail .*\n$/.test(await readReady()));
    writeFileSync(path, whole, { flag: "r+" });
    await createKey(acme.store, "acme");
    await waitFor(async () => (await readReady()) === "ready\n");
    running.kill();
    await running.exited;
    await acme.drop();
  });
});
