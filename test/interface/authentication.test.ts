import { beforeAll, expect, test } from "bun:test";
import { issueKey } from "../../src/keys/issue-key.ts";
import { createSecret } from "../../src/keys/secret.ts";
import { errorBody } from "../support/acme.ts";
import { createKey, formatRequest, waitFor, type RequestOptions } from "../support/server.ts";
import { shareAcme } from "../support/shared-store.ts";

const COURSES = "/api/v1/courses";
const MISSING = errorBody(401, "Missing x-api-key header");
const INVALID = errorBody(401, "Invalid API key");
const ACME = { channel: "live", project: "acme", name: "", drafts: false };

const acme = shareAcme();
// A key that is refused anyway cannot be waited for.
beforeAll(async () => untilStatus(200, await createKey(acme.store, "acme")));

const statusOf = async (path: string, options: RequestOptions) => (await acme.server.get(path, options)).status;
const untilStatus = (status: number, key: string) => waitFor(async () => (await statusOf(COURSES, { key })) === status);
const expectRefused = async (path: string, body: string, options: RequestOptions): Promise<void> => {
  const { status, text, headers } = await acme.server.get(path, options);
  expect([status, text]).toEqual([401, body]);
  expect(Object.fromEntries(headers)).toMatchObject({
    "www-authenticate": 'ApiKey realm="course catalog", header="x-api-key"',
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
  });
  expect([headers.has("catalog-release"), headers.has("etag")]).toEqual([false, false]);
};

test("a request without a key is 401 with a challenge", async () => {
  for (const path of ["", "/intro", "/intro/lessons", "/intro/lessons/l-1"]) {
    for (const headers of [{}, { "x-api-key": "" }]) await expectRefused(COURSES + path, MISSING, { headers });
  }
});

test("unknown, mistyped, expired and revoked keys get the same answer", async () => {
  const { secret: expired } = await issueKey(acme.store.keys, { ...ACME, expiresAt: "2026-01-02T00:00:00.000Z" });
  const revoked = await issueKey(acme.store.keys, ACME);
  await untilStatus(200, revoked.secret);
  await acme.store.keys.revokeKey(revoked.id, "2026-03-02T00:00:00.000Z");
  await untilStatus(401, revoked.secret);
  const typo = acme.key.slice(0, -1) + (acme.key.endsWith("0") ? "1" : "0");
  const others = ["short", "lectern_", "x".repeat(300), `${acme.key}, ${acme.key}`];
  for (const key of [createSecret(), typo, expired, revoked.secret, acme.key.toLowerCase(), ...others]) {
    await expectRefused(`${COURSES}/intro`, INVALID, { key });
  }
});

test("a key in the query, in Authorization or in a cookie is ignored", async () => {
  await expectRefused(`${COURSES}?x-api-key=${acme.key}`, MISSING, {});
  for (const headers of [{ authorization: `Bearer ${acme.key}` }, { cookie: `x-api-key=${acme.key}` }]) {
    await expectRefused(COURSES, MISSING, { headers });
  }
  expect(await statusOf(`${COURSES}?x-api-key=wrong`, { key: acme.key })).toBe(200);
});

test("the header name is case-insensitive; two key headers are an invalid key", async () => {
  const ask = (key?: string) => acme.server.raw(formatRequest(COURSES, { key, headers: { "X-API-KEY": acme.key } }));
  expect((await ask()).status).toBe(200);
  expect(await ask(acme.otherKey)).toMatchObject({ status: 401, body: INVALID });
});

test("the path is checked first, then the method, the key and the parameters", async () => {
  const wrong = { key: "a-wrong-key-of-some-length" };
  expect(await statusOf("/api/v1/nothing?limit=0", { ...wrong, method: "POST" })).toBe(404);
  expect(await statusOf(`${COURSES}?limit=0`, { ...wrong, method: "POST" })).toBe(405);
  for (const path of ["?limit=0", "/%zz", "/x?a=%zz", "/missing/lessons?limit=0", "/intro/lessons/%zz"]) {
    expect(await statusOf(COURSES + path, wrong)).toBe(401);
    expect(await statusOf(COURSES + path, {})).toBe(401);
    expect(await statusOf(COURSES + path, { key: acme.key })).toBe(400);
  }
});
