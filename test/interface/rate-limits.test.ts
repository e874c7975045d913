// Limits of requests by key and by address, and the ids of requests.
import { describe, expect, test } from "bun:test";
import { errorBody } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing } from "../support/command.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey, send, type Answer, type RequestOptions } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const PATH = "/api/v1/courses";
const ASSET = `/assets/${"0".repeat(32)}/a.png`;
const fieldsOf = ({ status, headers }: Answer) => [status, headers.get("ratelimit"), headers.get("retry-after")];

let key: string;
let other: string;
const database = useTestStore(undefined, async () => {
  await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A" }]);
  key = await createKey(database.store, "acme");
  other = await createKey(database.store, "acme");
});

describe("with a simulated clock", () => {
  let nowMs = 1_000_000;
  let client = "192.0.2.1";
  const serve = (rates: object) =>
    createUnboundServer(database.store, { now: () => nowMs, findClient: () => client, rates });

  test("a key can send a burst of requests, then one each time its share of the period has passed", async () => {
    const server = await serve({ key: { requests: 3, seconds: 60 } });
    const ask = async (asked = key, headers = {}) => server.get(PATH, { key: asked, headers });
    const first = await ask();
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=3;w=60');
    expect(fieldsOf(first)).toEqual([200, '"key";r=2;t=20', null]);
    expect(fieldsOf(await server.get(`${PATH}/missing`, { key }))).toEqual([404, '"key";r=1;t=40', null]);
    expect(fieldsOf(await ask())).toEqual([200, '"key";r=0;t=60', null]);
    const refused = await ask();
    expect(fieldsOf(refused)).toEqual([429, '"key";r=0;t=60', "20"]);
    expect(refused.text).toBe(errorBody(429, "Too many requests with this key; try again in 20 seconds"));
    expect(refused.headers.get("cache-control")).toBe("no-store");
    // Another key of the project has a limit of its own, a page none, and a 304 is free.
    expect((await ask(other)).status).toBe(200);
    expect((await server.get(PATH, { key, method: "OPTIONS" })).status).toBe(204);
    nowMs += 19_999;
    expect((await ask()).status).toBe(429);
    nowMs += 1;
    const etag = first.headers.get("etag") ?? "";
    for (let time = 0; time < 3; time++) {
      expect(fieldsOf(await ask(key, { "if-none-match": etag }))).toEqual([304, '"key";r=1;t=40', null]);
    }
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    nowMs += 3_600_000;
    expect(fieldsOf(await ask())).toEqual([200, '"key";r=2;t=20', null]);
    // `*` would make every answer free, even one that the client has never read.
    expect(fieldsOf(await ask(key, { "if-none-match": "*" }))).toEqual([304, '"key";r=1;t=40', null]);
  });

  test("wrong keys are limited by address, IPv6 by /64, without affecting valid keys", async () => {
    const server = await serve({ "wrong-key": { requests: 2, seconds: 60 } });
    const ask = async (from: string, asked: string | undefined) => {
      client = from;
      return (await server.get(PATH, { key: asked })).status;
    };
    for (const [address, asked, status] of [
      ["192.0.2.1", "wrong", 401],
      ["192.0.2.1", `${key}x`, 401],
      ["::ffff:192.0.2.1", "wrong", 429],
      ["192.0.2.1", undefined, 401],
      ["192.0.2.1", key, 200],
      ["192.0.2.2", "wrong", 401],
      ["2001:db8::1", "wrong", 401],
      ["2001:db8:0:0:1:2:3:4", "wrong", 401],
      ["2001:DB8::ffff:9", "wrong", 429],
      ["2001:db8:0:1::1", "wrong", 401],
      ["::1", "wrong", 401],
      ["::2", "wrong", 401],
      ["::3%eth0", "wrong", 429],
    ] as const) {
      expect([address, asked, await ask(address, asked)]).toEqual([address, asked, status]);
    }
    const { text, headers } = await server.get(PATH, { key: "wrong" });
    expect(text).toContain('"Too many requests with wrong keys from this address; try again in 30 seconds"');
    expect([headers.get("ratelimit-policy"), headers.has("www-authenticate")]).toEqual(['"wrong-key";q=2;w=60', false]);
    nowMs += 30_000;
    expect(await ask("::1", "wrong")).toBe(401);
  });

  test("when full, the limiter evicts the client that has been idle longest", async () => {
    const server = await serve({ "wrong-key": { requests: 1, seconds: 60 } });
    const ask = async (number: number) => {
      client = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
      return (await server.get(PATH, { key: "wrong" })).status;
    };
    const seen = new Set<number>();
    for (let number = 0; number <= 20_000; number++) seen.add(await ask(number));
    expect([...seen]).toEqual([401]);
    expect(await ask(1)).toBe(429);
    expect(await ask(0)).toBe(401);
  });
});

describe("lectern serve", () => {
  /** Serves while `use` runs, and returns the log. */
  const withServer = async (args: string, use: (url: string) => Promise<void>): Promise<string> => {
    const server = await startServing(["serve", ...args.split(" ")], { env: { LECTERN_DATABASE: database.url } });
    await use(server.url);
    server.kill();
    expect(await server.exited).toBe(0);
    return server.stderr();
  };

  test("limits wrong keys by connection address, whatever a header says, and downloads if configured, and warns that it needs client addresses", async () => {
    const log = await withServer("--asset-limit 2/3600", async (url) => {
      const statuses: number[] = [];
      for (let number = 0; number < 110; number++) {
        const headers = { "x-forwarded-for": `192.0.2.${number}`, forwarded: `for=192.0.2.${number}` };
        statuses.push((await send(url, PATH, { key: "wrong", headers })).status);
      }
      expect(new Set(statuses.slice(0, 100))).toEqual(new Set([401]));
      // A slow machine lets one more through every 0.6 seconds.
      expect(statuses.slice(100)).toContain(429);
      const { status, headers } = await send(url, PATH, { key });
      expect([status, headers.has("ratelimit"), headers.has("ratelimit-policy")]).toEqual([200, false, false]);
      const downloads = [await send(url, ASSET), await send(url, ASSET, { key }), await send(url, ASSET)];
      expect(downloads.map((answer) => answer.status)).toEqual([404, 404, 429]);
      expect(downloads[2]?.headers.get("ratelimit-policy")).toBe('"asset";q=2;w=3600');
    });
    expect(log).toContain("behind a proxy, set --trust-proxy");
    const options = "--trust-proxy 127.0.0.1 --asset-limit 1/3600 --wrong-key-limit off";
    const behindProxy = await withServer(options, async (url) => {
      const ask = async (client: string) => (await send(url, ASSET, { headers: { "x-forwarded-for": client } })).status;
      const statuses = [await ask("192.0.2.1"), await ask("192.0.2.2"), await ask("198.51.100.9, 192.0.2.2")];
      expect(statuses).toEqual([404, 404, 429]);
      for (let time = 0; time < 101; time++) expect((await send(url, PATH, { key: "wrong" })).status).toBe(401);
    });
    expect(behindProxy).not.toContain("--trust-proxy");
  });

  test("gives each of two workers half of a limit", async () => {
    await withServer("--key-limit 5/3600 --workers 2", async (url) => {
      let allowed = 0;
      // A connection each, so that both workers get some.
      for (let time = 0; time < 60; time++) {
        const { status, headers } = await send(url, PATH, { key, headers: { connection: "close" } });
        expect(headers.get("ratelimit-policy")).toBe('"key";q=3;w=3600');
        if (status === 200) allowed++;
      }
      expect(allowed).toBe(6);
    });
  });

  test.each(["0/60", "60", "60/0", "1.5/60", "99999999/1"])("rejects the limit %j with exit code 2", async (limit) => {
    const { exitCode, stderr } = await runCommand(["serve", "--key-limit", limit]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("requests/seconds")]);
  });
});

test.each<[status: number, path: string, options?: RequestOptions]>([
  [200, PATH],
  [200, PATH, { method: "HEAD" }],
  [304, PATH, { headers: { "if-none-match": "*" } }],
  [401, PATH, { key: "wrong" }],
  [404, `${PATH}/missing`],
  [405, PATH, { method: "DELETE" }],
  [414, `${PATH}?name=${"x".repeat(9000)}`],
])("a %d echoes an X-Request-Id of up to 64 letters and marks, and no other", async (status, path, options = {}) => {
  const server = await createUnboundServer(database.store);
  const valid = `${"x".repeat(57)}-1.A_b2`;
  for (const sent of [valid, "x".repeat(65), "a b", ""]) {
    const headers = { "x-request-id": sent, ...options.headers };
    const answer = await server.get(path, { key, ...options, headers });
    const made = status < 400 ? null : "made";
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([status, sent === valid ? valid : made]);
  }
});
