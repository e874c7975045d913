import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type RequestOptions, type TestServer } from "../support/server.ts";
import { shareAcme } from "../support/shared-store.ts";
import { anyEngine } from "../support/store.ts";

const EXPOSED = "etag, link, retry-after, ratelimit, ratelimit-policy, catalog-release, x-request-id";
const SITE = "https://www.example.org";
const PREFLIGHT = {
  origin: SITE,
  "access-control-request-method": "GET",
  "access-control-request-headers": "x-api-key",
};
const COURSES = "/api/v1/courses";

/** One request for each kind of answer. */
const CASES: [status: number, path: string, options?: RequestOptions][] = [
  [200, COURSES],
  [304, `${COURSES}/intro`, { headers: { "if-none-match": "*" } }],
  [400, `${COURSES}?limit=0`],
  [401, COURSES, { key: undefined }],
  [404, "/nothing"],
  [405, COURSES, { method: "POST" }],
  [431, COURSES, { headers: { "x-long": "a".repeat(20_000) } }],
];

describe("CORS", () => {
  const acme = shareAcme(anyEngine);
  let restricted: TestServer;
  beforeAll(async () => {
    restricted = await startTestServer(acme.store, { corsOrigins: [SITE, "http://localhost:5173"] });
  });
  afterAll(() => restricted.stop());

  const ask = (server: TestServer, path: string, options: RequestOptions, origin?: string) => {
    const headers = { ...options.headers, ...(origin === undefined ? {} : { origin }) };
    return server.get(path, { key: acme.key, ...options, headers });
  };
  const preflight = async (server: TestServer, path: string, headers: Record<string, string> = PREFLIGHT) => {
    const { status, text, headers: given } = await server.get(path, { method: "OPTIONS", headers });
    expect([status, text]).toEqual([204, ""]);
    return Object.fromEntries(given);
  };

  test.each(CASES)("open to any origin, a %d is readable by every page", async (status, path, options = {}) => {
    for (const origin of [undefined, SITE, "null"]) {
      const answer = await ask(acme.server, path, options, origin);
      expect(answer.status).toBe(status);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-expose-headers": EXPOSED,
        "x-content-type-options": "nosniff",
      });
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
      expect(answer.headers.get("vary") ?? "").not.toContain("Origin");
    }
  });

  test.each(CASES)(
    "restricted, a %d is readable only by pages of listed origins",
    async (status, path, options = {}) => {
      for (const origin of [SITE, "http://localhost:5173"]) {
        const { headers } = await ask(restricted, path, options, origin);
        expect(headers.get("access-control-allow-origin")).toBe(origin);
        expect(headers.get("access-control-expose-headers")).toBe(EXPOSED);
        if (status === 200) expect(headers.get("vary")).toBe("x-api-key, Accept-Encoding, Origin");
      }
      const others = ["https://example.org", `${SITE}.evil.example`, "http://www.example.org", `${SITE}:8443`];
      for (const origin of [undefined, "null", ...others]) {
        const answer = await ask(restricted, path, options, origin);
        expect([answer.status, answer.headers.has("access-control-allow-origin")]).toEqual([status, false]);
        expect(answer.headers.get("vary") ?? "").toContain("Origin");
      }
    },
  );

  test("a preflight is 204 without a key, whatever the content", async () => {
    for (const path of [COURSES, `${COURSES}/missing`, `${COURSES}/%zz/lessons`, `${COURSES}/a/lessons/b/`]) {
      const headers = await preflight(acme.server, path);
      expect(headers).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "x-api-key, if-none-match",
        "access-control-allow-methods": "GET, HEAD, OPTIONS",
        "access-control-max-age": "86400",
        allow: "GET, HEAD, OPTIONS",
        "x-content-type-options": "nosniff",
      });
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  test("restricted, a preflight allows the listed origins and nothing to others", async () => {
    expect(await preflight(restricted, COURSES)).toMatchObject({
      "access-control-allow-origin": SITE,
      "access-control-allow-headers": "x-api-key, if-none-match",
      "access-control-max-age": "86400",
      vary: "Origin",
    });
    const refused = await preflight(restricted, COURSES, { ...PREFLIGHT, origin: "https://evil.example" });
    expect(refused).toMatchObject({ vary: "Origin" });
    expect(refused).not.toHaveProperty("access-control-allow-origin");
    expect(refused).not.toHaveProperty("access-control-allow-headers");
  });

  test("OPTIONS without an Origin is 204 whatever the key, and 404 for a path that does not exist", async () => {
    const asked = await preflight(acme.server, `${COURSES}/intro`, { "x-api-key": "a-wrong-key-of-some-length" });
    expect(asked["allow"]).toBe("GET, HEAD, OPTIONS");
    expect((await acme.server.get("/api/v2/courses", { method: "OPTIONS", headers: PREFLIGHT })).status).toBe(404);
  });
});
