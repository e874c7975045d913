// What images and files are answered with, by path, method and header.
import { describe, expect, test } from "bun:test";
import { PIECE_BYTES } from "../../src/assets/asset-store.ts";
import { readMetrics } from "../read-path/metrics.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { formatRequest, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, openTestStore, useTestStore } from "../support/store.ts";

const LONG = createContent(5 * PIECE_BYTES + 100);
const NOT_FOUND = '{"data":{},"success":false,"message":"Not found","code":404}';

describe("an asset", () => {
  let server: TestServer;
  let png: string;
  let long: string;
  const database = useTestStore(anyEngine, async () => {
    server = await startTestServer(database.store);
    png = await storeFile(database.store, "map of Perú.png", "not really a picture");
    long = await storeFile(database.store, "film.mp4", LONG);
    return () => server.stop();
  });

  const fetchBytes = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const response = await fetch(server.url + path, { headers, method });
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const headersOf = async (path: string): Promise<Headers> => (await server.get(path, { method: "HEAD" })).headers;

  test("needs no key, is immutable, and cannot act on this origin", async () => {
    const { status, headers, text } = await server.get(png);
    expect([status, text]).toEqual([200, "not really a picture"]);
    const sent = Object.fromEntries(headers);
    expect(sent).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "image/png",
      "content-length": "20",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      etag: `"${png.split("/")[2]}"`,
    });
    expect(headers.get("content-disposition")).toBeNull();
    expect(headers.get("vary")).toBeNull();
    // A key makes no difference, nor does a wrong one.
    expect((await server.get(png, { key: "lectern_wrong" })).status).toBe(200);
  });

  test("gives HEAD the header fields of GET", async () => {
    for (const path of [png, long]) {
      const head = await server.get(path, { method: "HEAD" });
      const got = await fetchBytes(path);
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const [name, value] of got.response.headers) {
        if (name !== "transfer-encoding" && name !== "date")
          expect([name, head.headers.get(name)]).toEqual([name, value]);
      }
      expect(head.headers.get("date")).not.toBeNull();
      expect(head.headers.get("content-length")).toBe(String(got.bytes.byteLength));
    }
    // RFC 9110 §14.2: a range is for GET only.
    expect((await server.get(long, { method: "HEAD", headers: { range: "bytes=0-9" } })).status).toBe(200);
  });

  test("is sent completely, however long", async () => {
    const { response, bytes } = await fetchBytes(long);
    expect(response.status).toBe(200);
    expect(Buffer.compare(bytes, LONG)).toBe(0);
  });

  test("is sent in ranges", async () => {
    const end = LONG.byteLength;
    const ranges: [header: string, from: number, end: number][] = [
      ["bytes=0-0", 0, 1],
      ["bytes=0-", 0, end],
      ["bytes=100-65635", 100, 65636],
      [`bytes=${PIECE_BYTES}-${3 * PIECE_BYTES + 5}`, PIECE_BYTES, 3 * PIECE_BYTES + 6],
      [`bytes=${end - 1}-`, end - 1, end],
      ["bytes=-7", end - 7, end],
      ["bytes=-99999999", 0, end],
      [`bytes=10-${end + 1000}`, 10, end],
      ["BYTES=3-4", 3, 5],
    ];
    for (const [range, from, to] of ranges) {
      const { response, bytes } = await fetchBytes(long, { range });
      expect([range, response.status]).toEqual([range, 206]);
      expect(response.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/${end}`);
      expect(response.headers.get("content-type")).toBe("video/mp4");
      expect(Buffer.compare(bytes, LONG.subarray(from, to))).toBe(0);
    }
  });

  test("is sent completely for an invalid range or several ranges", async () => {
    for (const range of [
      "bytes=0-1,5-6",
      "bytes=9-3",
      "bytes=-",
      "bytes=a-b",
      "lines=1-2",
      "bytes 0-1",
      "bytes=0x1-",
    ]) {
      const { response, bytes } = await fetchBytes(long, { range });
      expect([range, response.status, bytes.byteLength]).toEqual([range, 200, LONG.byteLength]);
      expect(response.headers.get("content-range")).toBeNull();
    }
  });

  test("has no range past its end", async () => {
    for (const range of [`bytes=${LONG.byteLength}-`, `bytes=${LONG.byteLength}-${LONG.byteLength + 5}`, "bytes=-0"]) {
      const { status, headers, text } = await server.get(long, { headers: { range } });
      expect([range, status]).toEqual([range, 416]);
      expect(headers.get("content-range")).toBe(`bytes */${LONG.byteLength}`);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(JSON.parse(text)).toMatchObject({ success: false, code: 416 });
    }
  });

  test("can be empty", async () => {
    const path = await storeFile(database.store, "empty.txt", "");
    const { status, headers, text } = await server.get(path);
    expect([status, text, headers.get("content-length")]).toEqual([200, "", "0"]);
    expect((await server.get(path, { method: "HEAD" })).headers.get("content-length")).toBe("0");
    expect((await server.get(path, { headers: { range: "bytes=0-" } })).status).toBe(416);
  });

  test("is 304 for a client that has it, and not sent in ranges to one that has other content", async () => {
    const etag = `"${long.split("/")[2]}"`;
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const { status, headers, text } = await server.get(long, {
        headers: { "if-none-match": held, range: "bytes=0-1" },
      });
      expect([held, status, text]).toEqual([held, 304, ""]);
      expect(headers.get("etag")).toBe(etag);
      expect(headers.get("cache-control")).toContain("immutable");
      expect(headers.get("content-security-policy")).toContain("sandbox");
    }
    expect((await fetchBytes(long, { "if-none-match": '"other"' })).response.status).toBe(200);
    const inPart = async (ifRange: string) =>
      (await fetchBytes(long, { range: "bytes=0-1", "if-range": ifRange })).response.status;
    expect(await inPart(etag)).toBe(206);
    for (const other of ['"other"', `W/${etag}`, "Sat, 21 Nov 2026 20:37:12 GMT"])
      expect(await inPart(other)).toBe(200);
  });

  test("is shown inline only if it cannot run scripts", async () => {
    const shown = {
      "a.png": "image/png",
      "a.jpg": "image/jpeg",
      "a.JPEG": "image/jpeg",
      "a.gif": "image/gif",
      "a.webp": "image/webp",
      "a.avif": "image/avif",
      "a.mp3": "audio/mpeg",
      "a.mp4": "video/mp4",
      "a.webm": "video/webm",
      "a.txt": "text/plain; charset=utf-8",
      "a.pdf": "application/pdf",
    };
    const saved = {
      "a.svg": "image/svg+xml",
      "a.html": "text/html; charset=utf-8",
      "a.htm": "text/html; charset=utf-8",
      "a.xml": "application/xml",
      "a.js": "application/octet-stream",
      "a.MJS": "application/octet-stream",
      "a.css": "application/octet-stream",
      "a.wasm": "application/octet-stream",
      "a.zip": "application/zip",
      "a.xhtml": "application/octet-stream",
      "a.png.exe": "application/octet-stream",
      "a.constructor": "application/octet-stream",
      Makefile: "application/octet-stream",
    };
    const script = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    for (const [name, type] of Object.entries({ ...shown, ...saved })) {
      const headers = await headersOf(await storeFile(database.store, name, script));
      expect([name, headers.get("content-type")]).toEqual([name, type]);
      const disposition = name in shown ? null : `attachment; filename="${name}"`;
      expect([name, headers.get("content-disposition")]).toEqual([name, disposition]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const sandbox = name === "a.pdf" ? "" : "sandbox; ";
      expect(headers.get("content-security-policy")).toBe(`${sandbox}default-src 'none'; style-src 'unsafe-inline'`);
    }
  });

  test("is saved under its name, which cannot inject a header", async () => {
    const names: [name: string, disposition: string][] = [
      ["notes (1).zip", 'attachment; filename="notes (1).zip"'],
      ['a".zip', `attachment; filename="a_.zip"; filename*=UTF-8''a%22.zip`],
      ["50%41.zip", `attachment; filename="50_41.zip"; filename*=UTF-8''50%2541.zip`],
      ["Übung;x=y.zip", `attachment; filename="_bung_x=y.zip"; filename*=UTF-8''%C3%9Cbung%3Bx%3Dy.zip`],
      ["地図's 🗺.zip", `attachment; filename="__'s _.zip"; filename*=UTF-8''%E5%9C%B0%E5%9B%B3%27s%20%F0%9F%97%BA.zip`],
    ];
    for (const [name, disposition] of names) {
      const headers = await headersOf(await storeFile(database.store, name, "zip"));
      expect(headers.get("content-disposition")).toBe(disposition);
    }
  });

  test("is found only under its stored names", async () => {
    const [, , digest = "", name = ""] = png.split("/");
    expect((await server.get(`${png}/`)).status).toBe(200);
    const wrong = [
      `/assets/${digest}/other.png`,
      `/assets/${digest}/page.html`,
      `/assets/${digest.toUpperCase()}/${name}`,
      `/assets/${digest}0/${name}`,
      `/assets/${digest.slice(1)}/${name}`,
      `/assets/${"0".repeat(32)}/${name}`,
      `/assets/${digest}/${name.toUpperCase()}`,
      `/assets/${digest}/%2e%2e%2f${name}`,
      `/assets/${digest}/${"x".repeat(4000)}`,
      `/assets/${digest}/%00`,
      `/assets/${digest}/a%0d%0aset-cookie:%20b`,
      `/assets/${digest}`,
      `/assets/${digest}/`,
      "/assets/",
      "/assets",
    ];
    for (const path of wrong) {
      const { status, text, headers } = await server.get(path);
      expect([path, status, text]).toEqual([path, 404, NOT_FOUND]);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("set-cookie")).toBeNull();
    }
    expect((await server.get(`/assets/${digest}/%zz`)).status).toBe(400);
    for (const target of [`/assets/../assets/${digest}/../x`, `/assets/${digest}/..`, "/assets/../../etc/passwd"]) {
      expect((await server.raw(formatRequest(target))).status).toBe(404);
    }
  });

  test("is readable by pages of other origins, also in ranges, but with no other method", async () => {
    const preflight = await server.get(long, { method: "OPTIONS", headers: { origin: "https://a.example" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-api-key, if-none-match, if-range, range");
    const { headers } = await server.get(long, { method: "HEAD" });
    expect(headers.get("access-control-expose-headers")).toContain("content-range");
    const posted = await server.get(long, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("is counted under one name, whatever its path", async () => {
    const before = (await readMetrics(server.adminUrl)).sum("lectern_http_requests_total", { route: "asset" });
    await server.get(png);
    await server.get(png.replace(/png$/, "never"));
    const after = await readMetrics(server.adminUrl);
    expect(after.sum("lectern_http_requests_total", { route: "asset" })).toBe(before + 2);
    expect(after.text).not.toContain("png");
    expect(after.sum("lectern_asset_bytes")).toBe(0);
  });
});

test("only scripts of listed origins can read an asset", async () => {
  const database = await openTestStore(anyEngine);
  const server = await startTestServer(database.store, { corsOrigins: ["https://a.example"] });
  const path = await storeFile(database.store, "a.png", "a");
  const ask = async (origin: string) => (await server.get(path, { headers: { origin } })).headers;
  const allowed = await ask("https://a.example");
  expect(allowed.get("access-control-allow-origin")).toBe("https://a.example");
  expect(allowed.get("vary")).toBe("Origin");
  const other = await ask("https://b.example");
  expect(other.get("access-control-allow-origin")).toBeNull();
  expect(other.get("access-control-expose-headers")).toBeNull();
  expect(other.get("vary")).toBe("Origin");
  await server.stop();
  await database.drop();
});
