// Forms of requests: paths, encodings, methods, bodies, lengths, versions of HTTP.
import { describe, expect, test } from "bun:test";
import { errorBody } from "../support/acme.ts";
import { formatRequest } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const PATHS = [
  "/api/v1/courses",
  "/api/v1/courses/intro",
  "/api/v1/courses/intro/lessons",
  "/api/v1/courses/intro/lessons/l-1",
];

describe("requests", () => {
  const acme = shareAcme(anyEngine);

  const get = (path: string) => acme.server.get(path, { key: acme.key });
  const raw = (target: string, options: Parameters<typeof formatRequest>[1] = {}) =>
    acme.server.raw(formatRequest(target, { key: acme.key, ...options }));

  describe("paths", () => {
    test.each(PATHS)("one trailing slash after %s makes no difference", async (path) => {
      const [without, withSlash] = [await get(path), await get(`${path}/`)];
      expect(withSlash.status).toBe(200);
      expect(withSlash.text).toBe(without.text);
      expect(withSlash.headers.get("etag")).toBe(without.headers.get("etag"));
    });

    test.each(
      `/ /api /api/v1 /api/v1/ /api/v2/courses /api/v1/course /API/v1/courses /api/v1/Courses
      /api/v1/courses/intro/Lessons /api/v1/courses// /api/v1//courses //api/v1/courses
      /api/v1/courses/intro// /api/v1/courses/intro/lessons// /api/v1/courses//lessons
      /api/v1/courses/intro/chapters /api/v1/courses/intro/lessons/l-1/more /api/v1/courses%2Fintro /live
      /metrics /favicon.ico`.split(/\s+/),
    )("%s is no path of the interface: 404, with or without a key", async (path) => {
      for (const key of [acme.key, undefined]) {
        const { status, body, headers } = await raw(path, { key });
        expect([status, body]).toEqual([404, errorBody(404, "Not found")]);
        expect(headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(headers["cache-control"]).toBe("no-store");
        expect(headers["x-content-type-options"]).toBe("nosniff");
      }
    });

    test("a segment is decoded once: %252F is the text %2F, and %2F is not a separator", async () => {
      expect((await get("/api/v1/courses/weird%20id%2B%252F%26%3F%23%C3%A9")).status).toBe(200);
      expect((await get("/api/v1/courses/weird%20id%2B%2F%26%3F%23%C3%A9")).status).toBe(404);
      expect((await get("/api/v1/courses/intro%2Flessons")).status).toBe(404);
      expect((await get("/api/v1/courses/%69ntro")).status).toBe(200);
      expect((await get("/api/v1/courses/%2569ntro")).status).toBe(404);
    });

    test("a plus in a path is a plus", async () => {
      expect((await get("/api/v1/courses/weird+id%2B%252F%26%3F%23%C3%A9")).status).toBe(404);
      expect((await get("/api/v1/courses/weird%20id+%252F&%3F%23é")).status).toBe(200);
    });

    test("letters without percent-encoding are accepted as they are", async () => {
      const target = "/api/v1/courses/漢字-コース/lessons/漢字-コース";
      const { status, body } = await acme.server.raw(Buffer.from(formatRequest(target, { key: acme.key })));
      expect(status).toBe(200);
      expect(body).toStartWith('{"data":{"id":"漢字-コース",');
    });
  });

  describe("percent-encoding", () => {
    const BAD = ["%zz", "%", "%4", "a%", "%%", "%C3", "%C3%28", "%A9", "%FF", "%C0%AF", "%ED%A0%80", "%F5%80%80%80"];

    test.each(BAD)("%j in a path is 400", async (text) => {
      const message = `Malformed percent-encoding in the path: ${text}`;
      for (const rest of ["", "/lessons", "/lessons/l-1"]) {
        const { status, body, headers } = await raw(`/api/v1/courses/${text}${rest}`);
        expect([status, body]).toEqual([400, errorBody(400, message)]);
        expect(headers["cache-control"]).toBe("no-store");
        expect(headers["x-content-type-options"]).toBe("nosniff");
      }
      expect((await raw(`/api/v1/courses/intro/lessons/${text}`)).status).toBe(400);
    });

    test.each(BAD)("%j in a query is 400, in the name or value of any parameter", async (text) => {
      for (const path of PATHS) {
        for (const query of [`name=${text}`, `x=${text}`, `${text}=x`, `a=1&b=${text}`]) {
          const { status, body } = await raw(`${path}?${query}`);
          expect(status).toBe(400);
          expect(body).toMatch(/^\{"data":\{\},"success":false,"message":"Malformed percent-encoding in the query: /);
        }
      }
    });
  });

  describe("queries", () => {
    test.each(PATHS)("unknown parameters of %s are ignored", async (path) => {
      const plain = await get(path);
      for (const query of "? ?_=1234 ?&& ?page=2&order=x&fields=name ?= ?__proto__=1&constructor ?a=?/".split(" ")) {
        const asked = await get(path + query);
        expect([asked.status, asked.text]).toEqual([200, plain.text]);
        expect(asked.headers.get("etag")).toBe(plain.headers.get("etag"));
      }
    });
  });

  describe("methods", () => {
    test.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND"])(
      "%s is 405 with the allowed methods, with or without a key",
      async (method) => {
        for (const path of PATHS) {
          for (const key of [acme.key, undefined]) {
            const { status, headers, body } = await raw(path, { method, key });
            expect(status).toBe(405);
            expect(body).toBe(errorBody(405, "Method not allowed; use GET, HEAD, OPTIONS"));
            expect(headers["allow"]).toBe("GET, HEAD, OPTIONS");
            expect(headers["cache-control"]).toBe("no-store");
            expect(headers["x-content-type-options"]).toBe("nosniff");
          }
        }
      },
    );

    test.each(["FOO", "get", "Get", "GETX", "PRI", "X-LONG-NAME-OF-NO-METHOD"])(
      "%s is not a method: the connection is closed without an answer",
      async (method) => {
        for (const path of [...PATHS, "/nothing"]) {
          const { status, body } = await raw(path, { method, headers: { connection: "keep-alive" } });
          expect([status, body]).toEqual([NaN, ""]);
        }
        expect((await get("/api/v1/courses")).status).toBe(200);
      },
    );

    test("OPTIONS * is 400 without a body", async () => {
      const { status, body } = await raw("*", { method: "OPTIONS" });
      expect([status, body]).toEqual([400, ""]);
    });

    test("a body with a method that is not allowed changes nothing", async () => {
      const { status } = await acme.server.get("/api/v1/courses", { key: acme.key, method: "POST", body: "{}" });
      expect(status).toBe(405);
    });

    test.each(["/api/v1/courses/missing", "/api/v1/courses?limit=0", "/nothing"])(
      "HEAD of %s has the error's headers and no body",
      async (path) => {
        const [viaGet, viaHead] = [await raw(path), await raw(path, { method: "HEAD" })];
        expect(viaHead.status).toBe(viaGet.status);
        expect(viaHead.body).toBe("");
        const { date: _getDate, "x-request-id": _getId, ...getHeaders } = viaGet.headers;
        const { date: headDate, "x-request-id": _headId, ...headHeaders } = viaHead.headers;
        expect(headHeaders).toEqual(getHeaders);
        expect(headDate).toBeDefined();
      },
    );

    test("HEAD without a key is 401", async () => {
      expect((await raw("/api/v1/courses", { method: "HEAD", key: undefined })).status).toBe(401);
    });

    test("the body of a GET is ignored, and the connection continues", async () => {
      const first = formatRequest("/api/v1/courses/intro", {
        key: acme.key,
        headers: { connection: "keep-alive", "content-length": "20", "content-type": "application/json" },
      });
      const second = formatRequest("/api/v1/courses/missing", { key: acme.key });
      const { status, body } = await acme.server.raw(`${first}{"name":"whatever"} ${second}`);
      expect(status).toBe(200);
      expect(body).toStartWith((await get("/api/v1/courses/intro")).text);
      expect(body).toEndWith(errorBody(404, "Course not found"));
    });
  });

  test.each(["text/html", "application/xml", "application/json;version=2", "image/*", ""])(
    "Accept: %s gets JSON like any other",
    async (accept) => {
      const { status, headers } = await acme.server.get("/api/v1/courses", { key: acme.key, headers: { accept } });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    },
  );

  describe("lengths", () => {
    const TOO_LONG = errorBody(431, "The header fields are longer than 16384 bytes");
    const targetOf = (bytes: number, start: string): string => start + "a".repeat(bytes - start.length);

    test("a URL of 8 KiB is accepted, one byte more is 414, whatever the key", async () => {
      for (const start of ["/api/v1/courses?x=", "/api/v1/courses/intro?"]) {
        expect((await raw(targetOf(8192, start))).status).toBe(200);
        for (const key of [acme.key, undefined]) {
          const { status, body, headers } = await raw(targetOf(8193, start), { key });
          expect([status, body]).toEqual([414, errorBody(414, "The URL is longer than 8192 bytes")]);
          expect(headers["cache-control"]).toBe("no-store");
          expect(headers["x-content-type-options"]).toBe("nosniff");
        }
      }
    });

    test("the same holds for a path without a query", async () => {
      expect((await raw(targetOf(8192, "/api/v1/courses/"))).status).toBe(404);
      expect((await raw(targetOf(8193, "/api/v1/courses/"))).status).toBe(414);
    });

    test("198 header fields are accepted; one more is 431 and closes the connection", async () => {
      // Host, Connection and the key come with the request.
      const withFields = async (count: number, connection: string) => {
        const fields = Array.from({ length: count - 3 }, (_, index) => [`x-${index}`, "1"]);
        return raw("/api/v1/courses/intro", { headers: { connection, ...Object.fromEntries(fields) } });
      };
      expect((await withFields(198, "close")).status).toBe(200);
      const { status, body, headers } = await withFields(199, "keep-alive");
      expect([status, body, headers["connection"]]).toEqual([431, "", "close"]);
    });

    test("header sections up to nearly 16 KiB are accepted; longer ones are 431, whatever the key and path", async () => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-${index}`, "a".repeat(500)]));
      const long = [
        { "x-long": "a".repeat(16_384) },
        { [`x-${"a".repeat(20_000)}`]: "1" },
        { cookie: "a".repeat(60_000) },
      ];
      for (const path of ["/api/v1/courses", "/api/v1/courses/intro", "/nothing", "/assets/x/y"]) {
        const known = path.startsWith("/api/");
        const { status } = await raw(path, { headers: { "x-long": "a".repeat(15_500) } });
        expect(status).toBe(known ? 200 : 404);
        for (const headers of [many, ...long]) {
          for (const key of [acme.key, undefined]) {
            const answer = await raw(path, { key, headers });
            expect([answer.status, answer.body]).toEqual([431, TOO_LONG]);
            expect(answer.headers).toMatchObject({
              "cache-control": "no-store",
              "x-content-type-options": "nosniff",
              "access-control-allow-origin": "*",
            });
          }
        }
      }
      for (const method of ["HEAD", "OPTIONS"]) {
        const answer = await raw("/api/v1/courses", { method, headers: many });
        expect([answer.status, answer.body]).toEqual([431, method === "HEAD" ? "" : TOO_LONG]);
      }
      // Both: the URL comes first.
      expect((await raw(targetOf(9000, "/"), { headers: many })).status).toBe(414);
    });

    test("a request head up to 64 KiB gets an error in the envelope, a longer one from the parser; both close the connection", async () => {
      const keepAlive = { connection: "keep-alive" };
      for (const bytes of [20_000, 60_000]) {
        const url = await raw(targetOf(bytes, "/api/v1/courses?x="), { headers: keepAlive });
        expect([url.status, url.body, url.headers["connection"]]).toEqual([
          414,
          errorBody(414, "The URL is longer than 8192 bytes"),
          "close",
        ]);
        const header = await raw("/api/v1/courses", { headers: { ...keepAlive, "x-long": "a".repeat(bytes) } });
        expect([header.status, header.body, header.headers["connection"]]).toEqual([431, TOO_LONG, "close"]);
      }
      for (const answer of [
        await raw(targetOf(70_000, "/api/v1/courses?x="), { headers: keepAlive }),
        await raw("/api/v1/courses", { headers: { ...keepAlive, "x-long": "a".repeat(70_000) } }),
      ]) {
        expect([answer.status, answer.body, answer.headers["connection"]]).toEqual([431, "", "close"]);
      }
    });
  });

  describe("dots and backslashes in a path", () => {
    const COURSES = "/api/v1/courses";

    // As bytes on a socket: fetch resolves them before it sends.
    test.each([
      [`${COURSES}/../courses/intro`, `${COURSES}/intro`],
      [`${COURSES}/%2e%2E/courses/intro`, `${COURSES}/intro`],
      [`${COURSES}/nothing/.%2e/intro`, `${COURSES}/intro`],
      [`/../..${COURSES}/./intro`, `${COURSES}/intro`],
      [`${COURSES}/intro/lessons/..`, `${COURSES}/intro/`],
      [`${COURSES}/intro/lessons/%2e`, `${COURSES}/intro/lessons/`],
      [`${COURSES}/.`, `${COURSES}/`],
      [`${COURSES}/..`, "/api/v1/"],
      ["/api\\v1\\courses\\nothing\\..\\intro", `${COURSES}/intro`],
    ])("%s is answered as %s", async (path, resolved) => {
      const [answer, expected] = [await raw(path), await raw(resolved)];
      expect([answer.status, answer.body]).toEqual([expected.status, expected.body]);
      expect([200, 404]).toContain(answer.status);
    });

    test.each([[`${COURSES}/...`], [`${COURSES}/..a`], [`${COURSES}/%252e%252e`], [`${COURSES}/intro%5Clessons`]])(
      "%s is one literal segment",
      async (path) => {
        const { status, body } = await raw(path);
        expect([status, body]).toEqual([404, errorBody(404, "Course not found")]);
      },
    );

    test("nothing is resolved in a query, nor in an HTTP/1.0 request without a Host", async () => {
      expect((await raw(`${COURSES}?name=..\\intro/../Introduction`)).body).toContain('"total":0');
      for (const path of [`${COURSES}/nothing/../intro`, `${COURSES}/..`, "/api/v1\\courses"]) {
        const request = `GET ${path} HTTP/1.0\r\nx-api-key: ${acme.key}\r\n\r\n`;
        expect((await acme.server.raw(request)).status).toBe(404);
      }
    });
  });

  describe("HTTP versions", () => {
    test("an HTTP/1.0 request, even without a Host, gets the same bytes", async () => {
      const { text, headers } = await get("/api/v1/courses/intro");
      const request = `GET /api/v1/courses/intro HTTP/1.0\r\nx-api-key: ${acme.key}\r\n\r\n`;
      const old = await acme.server.raw(request);
      expect([old.status, old.body, old.headers["etag"] ?? null]).toEqual([200, text, headers.get("etag")]);
      expect((await acme.server.raw("GET /nothing?a=b HTTP/1.0\r\n\r\n")).body).toBe(errorBody(404, "Not found"));
      expect((await acme.server.raw("GET /api/v1/courses HTTP/1.0\r\n\r\n")).status).toBe(401);
    });

    test.each([
      ["with a prefix as long as a scheme", "/aaaaaa/api/v1/courses/intro HTTP/1.0\r\n"],
      ["on a host called api", "https://api/v1/courses/intro HTTP/1.1\r\nhost: x\r\n"],
      ["on that host without a scheme", "/v1/courses/intro HTTP/1.1\r\nhost: api\r\n"],
    ])("a path that is ready is not taken for another %s", async (_how, target) => {
      expect((await get("/api/v1/courses/intro")).status).toBe(200);
      const { status } = await acme.server.raw(`GET ${target}x-api-key: ${acme.key}\r\nconnection: close\r\n\r\n`);
      expect(status).toBe(404);
    });

    test("a target with scheme and host, as proxies send it, gets the same answer", async () => {
      const { text } = await get("/api/v1/courses/intro");
      const { status, body } = await raw("http://courses.example.org/api/v1/courses/intro");
      expect([status, body]).toEqual([200, text]);
    });

    test.each([
      ["a broken request line", "GARBAGE\r\n\r\n"],
      ["no Host in HTTP/1.1", "GET /api/v1/courses HTTP/1.1\r\n\r\n"],
      [
        "both Content-Length and Transfer-Encoding",
        "GET /api/v1/courses HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      ],
    ])("%s is refused, and the server continues", async (_what, request) => {
      const { status } = await acme.server.raw(request);
      expect(status).toBe(400);
      expect((await get("/api/v1/courses")).status).toBe(200);
    });
  });
});
