// The explorer's files as a server sends them. What the page does is in test/explorer.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readBuiltFiles } from "../../src/cli/read-pages.ts";
import { findEmbed } from "../../src/explorer/lesson-frame/embeds.ts";
import { errorBody, openAcme, type Acme } from "../support/acme.ts";
import { send, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";

let acme: Acme;
let server: TestServer;
let missing: TestServer;
beforeAll(async () => {
  acme = await openAcme(anyEngine);
  server = await startTestServer(acme.store, { pages: { explorer: readBuiltFiles("explorer") } });
  missing = await startTestServer(acme.store, { pages: { explorer: "missing" } });
});
afterAll(async () => {
  await server.stop();
  await missing.stop();
  await acme.drop();
});

const findFiles = async (): Promise<string[]> => {
  const { text } = await server.get("/");
  return Array.from(text.matchAll(/(?:src|href)="(explorer\/[^"]+)"/g), ([, path = ""]) => `/${path}`);
};

describe("the explorer's document", () => {
  test("has a policy that forbids inline scripts and other hosts", async () => {
    const { status, headers, text } = await server.get("/");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain("unsafe");
    expect(text).not.toMatch(/https?:|\/\/|<script(?![^>]* src=)|<style| on\w+=/);
  });

  test("lets frames load only the hosts that lessons may embed", async () => {
    const addresses = [
      "https://youtu.be/dQw4w9WgXcQ",
      "https://vimeo.com/76979871",
      "https://codepen.io/someone/pen/abcdef",
    ];
    const embedded = addresses.map((address) => new URL(findEmbed(address)?.src ?? "about:blank").origin);
    const { headers } = await server.get("/");
    const [, shown = ""] = /frame-src 'self' ([^;]+);/.exec(headers.get("content-security-policy") ?? "") ?? [];
    expect(shown.split(" ").sort()).toEqual(embedded.sort());
  });

  test("supports ETag, 304 and HEAD, and is unreadable for pages of other origins", async () => {
    const { headers, text } = await server.get("/", { headers: { origin: "https://evil.example" } });
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.has("access-control-allow-origin")).toBe(false);
    const etag = headers.get("etag") ?? "";
    const again = await server.get("/", { headers: { "if-none-match": `W/${etag}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await server.get("/", { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(Buffer.byteLength(text))]);
    const preflight = await server.get("/", { method: "OPTIONS", headers: { origin: "https://evil.example" } });
    expect([preflight.status, preflight.headers.has("access-control-allow-origin")]).toEqual([204, false]);
    expect((await server.get("/", { method: "POST" })).status).toBe(405);
  });
});

describe("the explorer's files", () => {
  test("have a hash in their names, and are immutable and compressed", async () => {
    const files = await findFiles();
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) {
      const plain = await server.get(path);
      expect([path, plain.status]).toEqual([path, 200]);
      expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      for (const [coding, unpack] of [
        ["br", brotliDecompressSync],
        ["gzip", gunzipSync],
      ] as const) {
        const packed = await fetch(server.url + path, { headers: { "accept-encoding": coding }, decompress: false });
        if (packed.headers.get("content-encoding") === null) continue;
        expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
        expect(unpack(await packed.bytes()).toString()).toBe(plain.text);
      }
    }
  });

  test("are 404 under other names, including those of documents", async () => {
    for (const path of ["/explorer/main.js", "/explorer/index.html", "/explorer", "/explorer/..%2Findex.html"]) {
      const { status, text } = await server.get(path);
      expect([path, status, text]).toEqual([path, 404, errorBody(404, "Not found")]);
    }
  });
});

test("a server with it off answers 404; one that lacks the build explains what to do", async () => {
  expect((await send(acme.server.url, "/")).status).toBe(404);
  const { status, text } = await missing.get("/");
  expect(status).toBe(503);
  expect(text).toContain("npm run prepare");
  expect((await missing.get("/", { method: "HEAD" })).headers.has("date")).toBe(true);
  expect((await missing.get("/explorer/main.js")).status).toBe(404);
  expect((await missing.get("/api/v1/courses", { key: acme.key })).status).toBe(200);
});

test("what the first view loads is under 70 KB compressed", async () => {
  const sizes = (await findFiles()).map(async (path) => {
    const packed = await fetch(server.url + path, { headers: { "accept-encoding": "gzip" }, decompress: false });
    return (await packed.bytes()).byteLength;
  });
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThan(70_000);
});
