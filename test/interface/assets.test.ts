// What images and files are answered with, by path, method and header.
import { expect, test } from "bun:test";
import { PIECE_BYTES } from "../../src/assets/asset-store.ts";
import { readMetrics } from "../read-path/metrics.ts";
import { createContent, storeFile } from "../support/assets.ts";
import { formatRequest, startTestServer, type TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const LONG = createContent(5 * PIECE_BYTES + 100);
const END = LONG.byteLength;
const NOT_FOUND = '{"data":{},"success":false,"message":"Not found","code":404}';

let server: TestServer;
let png: string;
let long: string;
const database = useTestStore(undefined, async () => {
  server = await startTestServer(database.store);
  png = await storeFile(database.store, "map of Perú.png", "not really a picture");
  long = await storeFile(database.store, "film.mp4", LONG);
  return () => server.stop();
});

const readLong = async (headers: Record<string, string>) => {
  const response = await fetch(server.url + long, { headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, range: response.headers.get("content-range"), bytes };
};
const headersOf = async (path: string) => Object.fromEntries((await server.get(path, { method: "HEAD" })).headers);

test("an asset needs no key, is immutable, and cannot act on this origin", async () => {
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
  expect([sent["content-disposition"], sent["vary"]]).toEqual([undefined, undefined]);
  // A key makes no difference, nor does a wrong one.
  expect((await server.get(png, { key: "lectern_wrong" })).status).toBe(200);
});

test("an asset gives HEAD the header fields of GET", async () => {
  const head = await server.get(long, { method: "HEAD" });
  expect([head.status, head.text]).toEqual([200, ""]);
  const { date, "transfer-encoding": _, ...fields } = Object.fromEntries((await server.get(long)).headers);
  expect(Object.fromEntries(head.headers)).toMatchObject({ ...fields, "content-length": String(END) });
  expect(head.headers.get("date")).toHaveLength(date?.length ?? 0);
  // RFC 9110 §14.2: a range is for GET only.
  expect((await server.get(long, { method: "HEAD", headers: { range: "bytes=0-9" } })).status).toBe(200);
});

test.each<[header: string, from: number, end: number]>([
  ["bytes=0-0", 0, 1],
  ["bytes=0-", 0, END],
  [`bytes=${PIECE_BYTES}-${3 * PIECE_BYTES + 5}`, PIECE_BYTES, 3 * PIECE_BYTES + 6],
  [`bytes=${END - 1}-`, END - 1, END],
  ["bytes=-7", END - 7, END],
  ["bytes=-99999999", 0, END],
  [`bytes=10-${END + 1000}`, 10, END],
  ["BYTES=3-4", 3, 5],
])("an asset is sent in the range %s", async (range, from, end) => {
  const answer = await readLong({ range });
  expect([answer.status, answer.range]).toEqual([206, `bytes ${from}-${end - 1}/${END}`]);
  expect(Buffer.compare(answer.bytes, LONG.subarray(from, end))).toBe(0);
});

test("an asset is sent completely for an invalid range or several, and 416 for one past its end, such as any of an empty one", async () => {
  for (const range of ["", "bytes=0-1,5-6", "bytes=9-3", "bytes=-", "lines=1-2", "bytes=0x1-"]) {
    const answer = await readLong(range === "" ? {} : { range });
    expect([range, answer.status, answer.range]).toEqual([range, 200, null]);
    expect(Buffer.compare(answer.bytes, LONG)).toBe(0);
  }
  for (const range of [`bytes=${END}-`, `bytes=${END}-${END + 5}`, "bytes=-0"]) {
    const { status, headers, text } = await server.get(long, { headers: { range } });
    const told = [range, status, headers.get("content-range"), headers.get("cache-control")];
    expect(told).toEqual([range, 416, `bytes */${END}`, "no-store"]);
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 416 });
  }
  const empty = await storeFile(database.store, "empty.txt", "");
  const { status, headers, text } = await server.get(empty);
  expect([status, text, headers.get("content-length")]).toEqual([200, "", "0"]);
  expect((await server.get(empty, { headers: { range: "bytes=0-" } })).status).toBe(416);
});

test("an asset is 304 for a client that has it, and not sent in ranges to one that has other content", async () => {
  const etag = `"${long.split("/")[2]}"`;
  for (const held of [etag, `"x", W/${etag}`, "*"]) {
    const headers = { "if-none-match": held, range: "bytes=0-1" };
    const answer = await server.get(long, { headers });
    expect([held, answer.status, answer.text]).toEqual([held, 304, ""]);
    expect(answer.headers.get("etag")).toBe(etag);
    expect(answer.headers.get("cache-control")).toContain("immutable");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  }
  expect((await readLong({ "if-none-match": '"other"' })).status).toBe(200);
  const statuses = [etag, '"other"', `W/${etag}`, "Sat, 21 Nov 2026 20:37:12 GMT"].map(
    async (held) => (await readLong({ range: "bytes=0-1", "if-range": held })).status,
  );
  expect(await Promise.all(statuses)).toEqual([206, 200, 200, 200]);
});

test("an asset is shown inline only if it cannot run scripts", async () => {
  const shown = { "a.JPEG": "image/jpeg", "a.txt": "text/plain; charset=utf-8", "a.pdf": "application/pdf" };
  const saved = { "a.svg": "image/svg+xml", "a.html": "text/html; charset=utf-8", "a.zip": "application/zip" };
  const names = ["a.js", "a.MJS", "a.css", "a.wasm", "a.xhtml", "a.png.exe", "a.constructor", "Makefile"];
  const unknown = Object.fromEntries(names.map((name) => [name, "application/octet-stream"]));
  const script = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
  for (const [name, type] of Object.entries({ ...shown, ...saved, ...unknown })) {
    const headers = await headersOf(await storeFile(database.store, name, script));
    const sandbox = name === "a.pdf" ? "" : "sandbox; ";
    const policy = `${sandbox}default-src 'none'; style-src 'unsafe-inline'`;
    expect([name, headers["content-type"], headers["content-security-policy"]]).toEqual([name, type, policy]);
    const disposition = name in shown ? undefined : `attachment; filename="${name}"`;
    expect(headers["content-disposition"]).toBe(disposition as string);
  }
});

test.each([
  ["notes (1).zip", '"notes (1).zip"'],
  ['a".zip', `"a_.zip"; filename*=UTF-8''a%22.zip`],
  ["50%41.zip", `"50_41.zip"; filename*=UTF-8''50%2541.zip`],
  ["Übung;x=y.zip", `"_bung_x=y.zip"; filename*=UTF-8''%C3%9Cbung%3Bx%3Dy.zip`],
  ["地図's 🗺.zip", `"__'s _.zip"; filename*=UTF-8''%E5%9C%B0%E5%9B%B3%27s%20%F0%9F%97%BA.zip`],
])("an asset is saved under its name, which cannot inject a header: %s", async (name, filename) => {
  const headers = await headersOf(await storeFile(database.store, name, "zip"));
  expect(headers["content-disposition"]).toBe(`attachment; filename=${filename}`);
});

test("an asset is found only under its stored names", async () => {
  const [, , digest = "", name = ""] = png.split("/");
  expect((await server.get(`${png}/`)).status).toBe(200);
  const names = ["other.png", `%2e%2e%2f${name}`, "x".repeat(4000), "%00", "a%0d%0aset-cookie:%20b", ""];
  const digests = [digest.toUpperCase(), `${digest}0`, "0".repeat(32)];
  const wrong = [digest, ...names.map((each) => `${digest}/${each}`), ...digests.map((each) => `${each}/${name}`)];
  for (const path of wrong) {
    const { status, text, headers } = await server.get(`/assets/${path}`);
    expect([path, status, text]).toEqual([path, 404, NOT_FOUND]);
    expect([headers.get("cache-control"), headers.get("set-cookie")]).toEqual(["no-store", null]);
  }
  expect((await server.get(`/assets/${digest}/%zz`)).status).toBe(400);
  for (const target of [`/assets/../assets/${digest}/../x`, `/assets/${digest}/..`, "/assets/../../etc/passwd"]) {
    expect((await server.raw(formatRequest(target))).status).toBe(404);
  }
});

test("an asset is readable by pages of other origins or of those that the operator lists, also in ranges, but with no other method", async () => {
  const preflight = await server.get(long, { method: "OPTIONS", headers: { origin: "https://a.example" } });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toBe("x-api-key, if-none-match, if-range, range");
  expect((await headersOf(long))["access-control-expose-headers"]).toContain("content-range");
  const posted = await server.get(long, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  const restricted = await startTestServer(database.store, { corsOrigins: ["https://a.example"] });
  for (const origin of ["https://a.example", "https://b.example"]) {
    const { headers } = await restricted.get(png, { headers: { origin } });
    const allowed = origin === "https://a.example" ? origin : null;
    expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([allowed, "Origin"]);
  }
  await restricted.stop();
});

test("an asset is counted under one name, whatever its path", async () => {
  const before = (await readMetrics(server.adminUrl)).sum("lectern_http_requests_total", { route: "asset" });
  await server.get(png);
  await server.get(png.replace(/png$/, "never"));
  const after = await readMetrics(server.adminUrl);
  expect(after.sum("lectern_http_requests_total", { route: "asset" })).toBe(before + 2);
  expect(after.text).not.toContain("png");
});
