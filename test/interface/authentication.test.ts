import { beforeAll, describe, expect, test } from "bun:test";
import { issueKey } from "../../src/keys/issue-key.ts";
import { createSecret, digestSecret } from "../../src/keys/secret.ts";
import { errorBody } from "../support/acme.ts";
import { createKey, formatRequest, startTestServer, waitFor } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const CHALLENGE = 'ApiKey realm="course catalog", header="x-api-key"';
const MISSING = errorBody(401, "Missing x-api-key header");
const INVALID = errorBody(401, "Invalid API key");

const PATHS = [
  "/api/v1/courses",
  "/api/v1/courses/intro",
  "/api/v1/courses/intro/lessons",
  "/api/v1/courses/intro/lessons/l-1",
];

describe("authentication", () => {
  const acme = shareAcme(anyEngine);
  let expired: string;
  beforeAll(async () => {
    expired = createSecret();
    await acme.store.keys.insertKey({
      id: "key_expired",
      project: "acme",
      channel: "live",
      name: "",
      digest: digestSecret(expired),
      lastFour: expired.slice(-4),
      drafts: true,
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: "2026-01-02T00:00:00.000Z",
      revokedAt: undefined,
      lastUsedAt: undefined,
    });
    // A key that is refused anyway cannot be waited for.
    const marker = await createKey(acme.store, "acme");
    await waitFor(async () => (await acme.server.get(PATHS[0] ?? "", { key: marker })).status === 200);
  });

  test.each(PATHS)("%s without a key is 401 with a challenge", async (path) => {
    for (const headers of [{}, { "x-api-key": "" }]) {
      const { status, text, headers: answered } = await acme.server.get(path, { headers });
      expect(status).toBe(401);
      expect(text).toBe(MISSING);
      expect(answered.get("www-authenticate")).toBe(CHALLENGE);
      expect(answered.get("cache-control")).toBe("no-store");
      expect(answered.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answered.get("x-content-type-options")).toBe("nosniff");
      expect(answered.has("catalog-release")).toBe(false);
    }
  });

  test("unknown, mistyped, expired and revoked keys get the same answer", async () => {
    const revoked = await issueKey(acme.store.keys, { channel: "live", project: "acme", name: "", drafts: false });
    await waitFor(async () => (await acme.server.get(PATHS[0] ?? "", { key: revoked.secret })).status === 200);
    await acme.store.keys.revokeKey(revoked.id, "2026-03-02T00:00:00.000Z");
    await waitFor(async () => (await acme.server.get(PATHS[0] ?? "", { key: revoked.secret })).status === 401);
    const typo = acme.key.slice(0, -1) + (acme.key.endsWith("0") ? "1" : "0");
    const keys = [
      createSecret(),
      typo,
      expired,
      revoked.secret,
      acme.key.toLowerCase(),
      "short",
      "a-foreign-key-of-24-signs",
      "lectern_",
      "x".repeat(300),
      `${acme.key}, ${acme.key}`,
    ];
    for (const key of keys) {
      for (const path of PATHS) {
        const { status, text, headers } = await acme.server.get(path, { key });
        expect(status).toBe(401);
        expect(text).toBe(INVALID);
        expect(headers.get("www-authenticate")).toBe(CHALLENGE);
        expect(headers.has("etag")).toBe(false);
      }
    }
  });

  test("a key in the query, in Authorization or in a cookie is ignored", async () => {
    for (const name of ["x-api-key", "api_key", "apikey", "key"]) {
      const { status, text } = await acme.server.get(`/api/v1/courses?${name}=${acme.key}`);
      expect([status, text]).toEqual([401, MISSING]);
    }
    for (const headers of [{ authorization: `Bearer ${acme.key}` }, { cookie: `x-api-key=${acme.key}` }]) {
      expect((await acme.server.get("/api/v1/courses", { headers })).status).toBe(401);
    }
    const wrongInQuery = await acme.server.get("/api/v1/courses?x-api-key=wrong", { key: acme.key });
    expect(wrongInQuery.status).toBe(200);
  });

  test("the header name is case-insensitive", async () => {
    const { status } = await acme.server.raw(formatRequest("/api/v1/courses", { headers: { "X-API-KEY": acme.key } }));
    expect(status).toBe(200);
  });

  test("two key headers are an invalid key", async () => {
    const { status, body } = await acme.server.raw(
      formatRequest("/api/v1/courses", { key: acme.key, headers: { "X-Api-Key": acme.otherKey } }),
    );
    expect([status, body]).toEqual([401, INVALID]);
  });

  test("a registered key from another system works", async () => {
    const secret = "0123456789abcdef";
    await issueKey(acme.store.keys, { channel: "live", project: "acme", name: "old site", drafts: false, secret });
    await waitFor(async () => (await acme.server.get("/api/v1/courses", { key: secret })).status === 200);
  });

  test("a key that expires while the server runs is rejected from then on", async () => {
    const clock = { now: Date.now() };
    const server = await startTestServer(acme.store, { now: () => clock.now });
    const { secret, expiresAt } = await issueKey(acme.store.keys, {
      channel: "live",
      project: "acme",
      name: "",
      drafts: false,
      expiresMs: 3_600_000,
    });
    const ask = () => server.get("/api/v1/courses", { key: secret });
    await waitFor(async () => (await ask()).status === 200);
    clock.now = Date.parse(expiresAt ?? "") - 1;
    expect((await ask()).status).toBe(200);
    clock.now++;
    const { status, text } = await ask();
    expect([status, text]).toEqual([401, INVALID]);
    await server.stop();
  });

  test("the path is checked first, then the method, the key and the parameters", async () => {
    const wrong = { key: "a-wrong-key-of-some-length" };
    const statusOf = async (path: string, options: Parameters<typeof acme.server.get>[1]) =>
      (await acme.server.get(path, options)).status;
    expect(await statusOf("/api/v1/nothing", { ...wrong, method: "POST" })).toBe(404);
    expect(await statusOf("/api/v1/nothing?limit=0", wrong)).toBe(404);
    expect(await statusOf("/api/v1/courses?limit=0", { ...wrong, method: "POST" })).toBe(405);
    for (const path of ["/api/v1/courses?limit=0", "/api/v1/courses/%zz", "/api/v1/courses/x?a=%zz"]) {
      expect(await statusOf(path, wrong)).toBe(401);
      expect(await statusOf(path, {})).toBe(401);
      expect(await statusOf(path, { key: acme.key })).toBe(400);
    }
    expect(await statusOf("/api/v1/courses/missing/lessons?limit=0", { key: acme.key })).toBe(400);
    expect(await statusOf("/api/v1/courses/missing?a=%zz", { key: acme.key })).toBe(400);
    expect(await statusOf("/api/v1/courses/intro?a=%zz", { key: acme.emptyKey })).toBe(400);
    expect(await statusOf("/api/v1/courses/intro/lessons/%zz", { key: acme.emptyKey })).toBe(400);
  });
});
