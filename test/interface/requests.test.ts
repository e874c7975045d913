// Forms of requests: paths, encodings, methods, bodies, lengths, versions of HTTP.
import { describe, expect, test } from "bun:test";
import { errorBody } from "../support/acme.ts";
import { formatRequest, type RequestOptions } from "../support/server.ts";
import { shareAcme } from "../support/shared-store.ts";

const COURSES = "/api/v1/courses";
const INTRO = `${COURSES}/intro`;
const URL_TOO_LONG = "The URL is longer than 8192 bytes";
const FIELDS_TOO_LONG = "The header fields are longer than 16384 bytes";
const ERROR_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
};

describe("requests", () => {
  const acme = shareAcme();

  const get = (path: string) => acme.server.get(path, { key: acme.key });
  const raw = (target: string, options: RequestOptions = {}) =>
    acme.server.raw(formatRequest(target, { key: acme.key, ...options }));
  const statusOf = async (target: string, options?: RequestOptions) => (await raw(target, options)).status;
  const expectError = async (target: string, status: number, message: string, options: RequestOptions = {}) => {
    const { headers, ...answer } = await raw(target, options);
    const body = options.method === "HEAD" ? "" : errorBody(status, message);
    expect({ target, ...answer }).toEqual({ target, status, body });
    expect(headers).toMatchObject(ERROR_HEADERS);
  };
  /** A request that any HTTP/1.0 client may send: without a Host. */
  const rawWithoutHost = (path: string) => acme.server.raw(`GET ${path} HTTP/1.0\r\nx-api-key: ${acme.key}\r\n\r\n`);

  describe("paths", () => {
    test("one trailing slash makes no difference", async () => {
      for (const path of [COURSES, INTRO, `${INTRO}/lessons`, `${INTRO}/lessons/l-1`]) {
        expect((await get(`${path}/`)).text).toBe((await get(path)).text);
      }
    });

    test("what is no path of the interface is 404, with or without a key", async () => {
      const paths = `/ /api/v1/ /api/v2/courses /API/v1/courses /api/v1/courses// //api/v1/courses /metrics
        /api/v1/courses//lessons ${INTRO}/chapters ${INTRO}/lessons/l-1/more /api/v1/courses%2Fintro`.split(/\s+/);
      for (const path of paths) {
        for (const key of [acme.key, undefined]) await expectError(path, 404, "Not found", { key });
      }
    });

    test.each([
      ["weird%20id%2B%252F%26%3F%23%C3%A9", 200],
      ["weird%20id%2B%2F%26%3F%23%C3%A9", 404],
      ["weird+id%2B%252F%26%3F%23%C3%A9", 404],
      ["%69ntro", 200],
      ["%2569ntro", 404],
    ])("a segment is decoded once, and a plus in it is a plus: %s is %d", async (id, status) => {
      expect((await get(`${COURSES}/${id}`)).status).toBe(status);
    });

    test("letters without percent-encoding are accepted as they are", async () => {
      const target = `${COURSES}/漢字-コース/lessons/漢字-コース`;
      const { status, body } = await acme.server.raw(Buffer.from(formatRequest(target, { key: acme.key })));
      expect([status, body]).toEqual([200, expect.stringMatching(/^\{"data":\{"id":"漢字-コース",/)]);
    });

    // As bytes on a socket: fetch resolves them before it sends.
    test.each([
      [`${COURSES}/../courses/intro`, INTRO],
      [`${COURSES}/%2e%2E/courses/intro`, INTRO],
      [`/../..${COURSES}/./intro`, INTRO],
      [`${COURSES}/..`, "/api/v1/"],
      ["/api\\v1\\courses\\nothing\\..\\intro", INTRO],
    ])("%s is answered as %s", async (path, resolved) => {
      const [answer, expected] = [await raw(path), await raw(resolved)];
      expect([answer.status, answer.body]).toEqual([expected.status, expected.body]);
      expect([200, 404]).toContain(answer.status);
    });

    test("no other dots are resolved: three, those encoded twice, in a query, or in a request without a Host", async () => {
      for (const id of ["...", "%252e%252e"]) await expectError(`${COURSES}/${id}`, 404, "Course not found");
      expect((await raw(`${COURSES}?name=..\\intro/../Introduction`)).body).toContain('"total":0');
      for (const path of [`${COURSES}/nothing/../intro`, `${COURSES}/..`, "/api/v1\\courses"]) {
        expect((await rawWithoutHost(path)).status).toBe(404);
      }
    });
  });

  test.each(["%zz", "%4", "%C3", "%C3%28", "%FF", "%C0%AF", "%ED%A0%80"])(
    "%j is 400 in a path, and in the name or value of any parameter",
    async (text) => {
      for (const path of [text, `${text}/lessons`, `intro/lessons/${text}`]) {
        await expectError(`${COURSES}/${path}`, 400, `Malformed percent-encoding in the path: ${text}`);
      }
      for (const query of [`name=${text}`, `${text}=x`, `a=1&b=${text}`]) {
        const { status, body } = await raw(`${INTRO}?${query}`);
        expect([status, body]).toEqual([400, expect.stringContaining("Malformed percent-encoding in the query: ")]);
      }
    },
  );

  test("unknown parameters are ignored", async () => {
    const plain = await get(COURSES);
    for (const query of "? ?&& ?page=2&order=x&fields=name ?= ?__proto__=1&constructor ?a=?/".split(" ")) {
      const asked = await get(COURSES + query);
      expect([asked.status, asked.text]).toEqual([200, plain.text]);
    }
  });

  describe("methods", () => {
    test.each(["POST", "TRACE", "CONNECT", "PROPFIND"])("%s is 405 with the allowed methods", async (method) => {
      for (const key of [acme.key, undefined]) {
        await expectError(INTRO, 405, "Method not allowed; use GET, HEAD, OPTIONS", { method, key });
      }
      expect((await raw(COURSES, { method })).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    });

    test("HEAD of an error has its headers and no body", async () => {
      const path = `${COURSES}/missing`;
      const { status, headers } = await raw(path);
      const { date, "x-request-id": _id, ...kept } = headers;
      const viaHead = await raw(path, { method: "HEAD" });
      expect(viaHead).toMatchObject({ status, body: "", headers: kept });
      expect(viaHead.headers["date"]).toHaveLength(date?.length ?? 0);
    });

    test("Accept makes no difference", async () => {
      expect((await raw(COURSES, { headers: { accept: "text/html" } })).headers["content-type"]).toContain("json");
    });

    test("the body of a GET is ignored, and the connection continues", async () => {
      const headers = { connection: "keep-alive", "content-length": "20", "content-type": "application/json" };
      const first = formatRequest(INTRO, { key: acme.key, headers });
      const second = formatRequest(`${COURSES}/missing`, { key: acme.key });
      const { status, body } = await acme.server.raw(`${first}{"name":"whatever"} ${second}`);
      expect(status).toBe(200);
      expect(body).toStartWith((await get(INTRO)).text);
      expect(body).toEndWith(errorBody(404, "Course not found"));
    });
  });

  describe("lengths", () => {
    const targetOf = (bytes: number, start: string): string => start + "a".repeat(bytes - start.length);

    test("a URL of 8 KiB is accepted, one byte more is 414, whatever the key", async () => {
      expect(await statusOf(targetOf(8192, `${COURSES}?x=`))).toBe(200);
      for (const key of [acme.key, undefined]) {
        await expectError(targetOf(8193, `${COURSES}/`), 414, URL_TOO_LONG, { key });
      }
    });

    test("198 header fields are accepted; one more is 431 and closes the connection", async () => {
      // Host, Connection and the key come with the request.
      const withFields = (count: number, connection: string) => {
        const fields = Array.from({ length: count - 3 }, (_, index) => [`x-${index}`, "1"]);
        return raw(INTRO, { headers: { connection, ...Object.fromEntries(fields) } });
      };
      expect((await withFields(198, "close")).status).toBe(200);
      const { status, body, headers } = await withFields(199, "keep-alive");
      expect([status, body, headers["connection"]]).toEqual([431, "", "close"]);
    });

    test("header sections up to nearly 16 KiB are accepted; longer ones are 431, whatever the key and path", async () => {
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-${index}`, "a".repeat(500)]));
      const long = [{ "x-long": "a".repeat(16_384) }, { [`x-${"a".repeat(20_000)}`]: "1" }];
      expect(await statusOf(INTRO, { headers: { "x-long": "a".repeat(15_500) } })).toBe(200);
      for (const headers of [many, ...long]) await expectError(INTRO, 431, FIELDS_TOO_LONG, { headers });
      for (const path of ["/nothing", "/assets/x/y"]) {
        await expectError(path, 431, FIELDS_TOO_LONG, { key: undefined, headers: many });
      }
      await expectError(COURSES, 431, FIELDS_TOO_LONG, { method: "HEAD", headers: many });
      // Both: the URL comes first.
      expect(await statusOf(targetOf(9000, "/"), { headers: many })).toBe(414);
    });

    test("a request head up to 64 KiB gets an error in the envelope, a longer one from the parser; both close the connection", async () => {
      const ask = async (urlBytes: number, fieldBytes: number) => {
        const headers = { connection: "keep-alive", "x-long": "a".repeat(fieldBytes) };
        const answer = await raw(targetOf(urlBytes, `${COURSES}?x=`), { headers });
        return [answer.status, answer.body, answer.headers["connection"]];
      };
      expect(await ask(60_000, 1)).toEqual([414, errorBody(414, URL_TOO_LONG), "close"]);
      expect(await ask(100, 60_000)).toEqual([431, errorBody(431, FIELDS_TOO_LONG), "close"]);
      expect(await ask(70_000, 1)).toEqual([431, "", "close"]);
      expect(await ask(100, 70_000)).toEqual([431, "", "close"]);
    });
  });

  describe("HTTP versions", () => {
    test("an HTTP/1.0 request, even without a Host, gets the same bytes", async () => {
      const old = await rawWithoutHost(INTRO);
      expect([old.status, old.body]).toEqual([200, (await get(INTRO)).text]);
    });

    test.each([
      ["with a prefix as long as a scheme", "/aaaaaa/api/v1/courses/intro HTTP/1.0\r\n"],
      ["on a host called api", "https://api/v1/courses/intro HTTP/1.1\r\nhost: x\r\n"],
      ["on that host without a scheme", "/v1/courses/intro HTTP/1.1\r\nhost: api\r\n"],
    ])("a path that is ready is not taken for another %s", async (_how, target) => {
      expect((await get(INTRO)).status).toBe(200);
      const { status } = await acme.server.raw(`GET ${target}x-api-key: ${acme.key}\r\nconnection: close\r\n\r\n`);
      expect(status).toBe(404);
    });

    test("a target with scheme and host, as proxies send it, gets the same answer", async () => {
      const { status, body } = await raw(`http://courses.example.org${INTRO}`);
      expect([status, body]).toEqual([200, (await get(INTRO)).text]);
    });

    test.each([
      ["a broken request line", "GARBAGE\r\n\r\n"],
      ["no Host in HTTP/1.1", `GET ${COURSES} HTTP/1.1\r\n\r\n`],
    ])("%s is refused, and the server continues", async (_what, request) => {
      expect((await acme.server.raw(request)).status).toBe(400);
      expect((await get(COURSES)).status).toBe(200);
    });
  });
});
