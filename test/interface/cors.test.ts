import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAcme, type Acme } from "../support/acme.ts";
import { startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";

const EXPOSED = "etag, link, retry-after, ratelimit, ratelimit-policy, catalog-release, x-request-id";
const SITE = "https://www.example.org";
const PREFLIGHT = {
  origin: SITE,
  "access-control-request-method": "GET",
  "access-control-request-headers": "x-api-key",
};

interface Case {
  status: number;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  withoutKey?: boolean;
}

/** One request for each kind of answer. */
const CASES: Case[] = [
  { status: 200, path: "/api/v1/courses" },
  { status: 200, path: "/api/v1/courses/intro", method: "HEAD" },
  { status: 304, path: "/api/v1/courses/intro", headers: { "if-none-match": "*" } },
  { status: 400, path: "/api/v1/courses?limit=0" },
  { status: 401, path: "/api/v1/courses", withoutKey: true },
  { status: 404, path: "/api/v1/courses/missing" },
  { status: 404, path: "/nothing" },
  { status: 405, path: "/api/v1/courses", method: "POST" },
  { status: 414, path: `/api/v1/courses?x=${"a".repeat(9000)}` },
  { status: 414, path: `/api/v1/courses?x=${"a".repeat(60_000)}` },
  { status: 431, path: "/api/v1/courses", headers: { "x-long": "a".repeat(20_000) } },
];

describe("CORS", () => {
  let acme: Acme;
  let restricted: TestServer;
  beforeAll(async () => {
    acme = await openAcme(anyEngine);
    restricted = await startTestServer(acme.store, { corsOrigins: [SITE, "http://localhost:5173"] });
  });
  afterAll(async () => {
    await restricted.stop();
    await acme.drop();
  });

  const ask = (server: TestServer, { path, method = "GET", headers = {}, withoutKey }: Case, origin?: string) =>
    server.get(path, {
      method,
      key: withoutKey === true ? undefined : acme.key,
      headers: origin === undefined ? headers : { ...headers, origin },
    });

  test.each(CASES)("open to any origin, a $status is readable by every page", async (one) => {
    for (const origin of [undefined, SITE, "null"]) {
      const { status, headers } = await ask(acme.server, one, origin);
      expect(status).toBe(one.status);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe(EXPOSED);
      expect(headers.has("access-control-allow-credentials")).toBe(false);
      expect(headers.get("vary") ?? "").not.toContain("Origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test.each(CASES)("restricted, a $status is readable only by pages of listed origins", async (one) => {
    for (const origin of [SITE, "http://localhost:5173"]) {
      const { status, headers } = await ask(restricted, one, origin);
      expect(status).toBe(one.status);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-expose-headers")).toBe(EXPOSED);
      expect(headers.get("vary") ?? "").toContain("Origin");
    }
    const others = [
      undefined,
      "null",
      "https://example.org",
      `${SITE}.evil.example`,
      "http://www.example.org",
      `${SITE}:8443`,
    ];
    for (const origin of others) {
      const { status, headers } = await ask(restricted, one, origin);
      expect(status).toBe(one.status);
      expect(headers.has("access-control-allow-origin")).toBe(false);
      expect(headers.get("vary") ?? "").toContain("Origin");
    }
  });

  test("restricted, successes vary by Origin", async () => {
    const { headers } = await restricted.get("/api/v1/courses", { key: acme.key });
    expect(headers.get("vary")).toBe("x-api-key, Accept-Encoding, Origin");
  });

  test.each([
    "/api/v1/courses",
    "/api/v1/courses/missing",
    "/api/v1/courses/%zz/lessons",
    "/api/v1/courses/a/lessons/b/",
  ])("a preflight for %s is 204 without a key", async (path) => {
    const { status, text, headers } = await acme.server.get(path, { method: "OPTIONS", headers: PREFLIGHT });
    expect(status).toBe(204);
    expect(text).toBe("");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-headers")).toBe("x-api-key, if-none-match");
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
    expect(headers.get("access-control-max-age")).toBe("86400");
    expect(headers.get("access-control-expose-headers")).toBe(EXPOSED);
    expect(headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("restricted, a preflight allows the listed origins and nothing to others", async () => {
    const allowed = await restricted.get("/api/v1/courses", { method: "OPTIONS", headers: PREFLIGHT });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(SITE);
    expect(allowed.headers.get("access-control-allow-headers")).toBe("x-api-key, if-none-match");
    expect(allowed.headers.get("access-control-max-age")).toBe("86400");
    expect(allowed.headers.get("vary")).toBe("Origin");
    const headers = { ...PREFLIGHT, origin: "https://evil.example" };
    const refused = await restricted.get("/api/v1/courses", { method: "OPTIONS", headers });
    expect(refused.status).toBe(204);
    expect(refused.headers.has("access-control-allow-origin")).toBe(false);
    expect(refused.headers.has("access-control-allow-headers")).toBe(false);
    expect(refused.headers.get("vary")).toBe("Origin");
  });

  test("OPTIONS without an Origin, with or without a key, is 204 and lists the methods", async () => {
    for (const key of [undefined, acme.key, "a-wrong-key-of-some-length"]) {
      const { status, headers } = await acme.server.get("/api/v1/courses/intro", { method: "OPTIONS", key });
      expect(status).toBe(204);
      expect(headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    }
  });

  test("OPTIONS of a path that does not exist is 404", async () => {
    expect((await acme.server.get("/api/v2/courses", { method: "OPTIONS", headers: PREFLIGHT })).status).toBe(404);
  });
});
