import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestServer, type RequestOptions, type TestServer } from "../support/server.ts";
import { shareAcme } from "../support/shared-store.ts";

const EXPOSED = "etag, link, retry-after, ratelimit, ratelimit-policy, catalog-release, x-request-id";
const SITE = "https://www.example.org";
const PREFLIGHT = {
  origin: SITE,
  "access-control-request-method": "GET",
  "access-control-request-headers": "x-api-key",
};
const COURSES = "/api/v1/courses";

describe("CORS", () => {
  const acme = shareAcme();
  let restricted: TestServer;
  beforeAll(async () => {
    restricted = await startTestServer(acme.store, { corsOrigins: [SITE, "http://localhost:5173"] });
  });
  afterAll(() => restricted.stop());

  // One request for each kind of answer.
  test.each<[status: number, path: string, options?: RequestOptions]>([
    [200, COURSES],
    [304, `${COURSES}/intro`, { headers: { "if-none-match": "*" } }],
    [400, `${COURSES}?limit=0`],
    [401, COURSES, { key: undefined }],
    [404, "/nothing"],
    [405, COURSES, { method: "POST" }],
    [431, COURSES, { headers: { "x-long": "a".repeat(20_000) } }],
  ])("a %d is readable by every page, or only by those of listed origins", async (status, path, options = {}) => {
    const ask = async (server: TestServer, origin?: string) => {
      const headers = { ...options.headers, ...(origin === undefined ? {} : { origin }) };
      const answer = await server.get(path, { key: acme.key, ...options, headers });
      expect([answer.status, answer.headers.has("access-control-allow-credentials")]).toEqual([status, false]);
      const [allowed, exposed] = ["allow-origin", "expose-headers"].map((name) =>
        answer.headers.get(`access-control-${name}`),
      );
      return { allowed, exposed, vary: answer.headers.get("vary") ?? "" };
    };
    for (const origin of [undefined, SITE, "null"]) {
      const { vary, ...open } = await ask(acme.server, origin);
      expect(open).toEqual({ allowed: "*", exposed: EXPOSED });
      expect(vary).not.toContain("Origin");
    }
    for (const origin of [SITE, "http://localhost:5173"]) {
      expect(await ask(restricted, origin)).toMatchObject({ allowed: origin, exposed: EXPOSED });
    }
    const others = ["https://example.org", `${SITE}.evil.example`, "http://www.example.org", `${SITE}:8443`];
    for (const origin of [undefined, "null", ...others]) {
      const vary = expect.stringMatching(status === 200 ? /^x-api-key, Accept-Encoding, Origin$/ : /Origin$/);
      expect(await ask(restricted, origin)).toMatchObject({ allowed: null, vary });
    }
  });

  const preflight = async (server: TestServer, path: string, headers: Record<string, string> = PREFLIGHT) => {
    const { status, text, headers: given } = await server.get(path, { method: "OPTIONS", headers });
    expect([status, text]).toEqual([204, ""]);
    return Object.fromEntries(given);
  };

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
    // Without an Origin, it is no preflight.
    const asked = await preflight(acme.server, COURSES, { "x-api-key": "a-wrong-key-of-some-length" });
    expect(asked["allow"]).toBe("GET, HEAD, OPTIONS");
    expect((await acme.server.get("/api/v2/courses", { method: "OPTIONS", headers: PREFLIGHT })).status).toBe(404);
  });

  test("restricted, a preflight allows the listed origins and nothing to others", async () => {
    const allowed = { "access-control-allow-origin": SITE, "access-control-allow-headers": "x-api-key, if-none-match" };
    expect(await preflight(restricted, COURSES)).toMatchObject({ ...allowed, vary: "Origin" });
    const refused = await preflight(restricted, COURSES, { ...PREFLIGHT, origin: "https://evil.example" });
    expect(refused).toMatchObject({ vary: "Origin" });
    for (const name of Object.keys(allowed)) expect(refused).not.toHaveProperty(name);
  });
});
