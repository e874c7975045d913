// The explorer's files as a server sends them. What the page does is in walk.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readBuiltFiles } from "../../src/cli/read-pages.ts";
import { findEmbed } from "../../src/explorer/lesson-frame/embeds.ts";
import { errorBody } from "../support/acme.ts";
import { shareAcme } from "../support/shared-store.ts";
import { send, startTestServer, type TestServer } from "../support/server.ts";

const acme = shareAcme();
let server: TestServer;
let missing: TestServer;
beforeAll(async () => {
  server = await startTestServer(acme.store, { pages: { explorer: readBuiltFiles("explorer") } });
  missing = await startTestServer(acme.store, { pages: { explorer: "missing" } });
});
afterAll(async () => {
  await server.stop();
  await missing.stop();
});

const findFiles = async (): Promise<string[]> => {
  const { text } = await server.get("/");
  return Array.from(text.matchAll(/(?:src|href)="(explorer\/[^"]+)"/g), ([, path = ""]) => `/${path}`);
};

describe("the explorer's document", () => {
  test("has a policy that forbids inline scripts and other hosts", async () => {
    const { status, headers, text } = await server.get("/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain("unsafe");
    expect(text).not.toMatch(/https?:|\/\/|<script(?![^>]* src=)|<style| on\w+=/);
    // Frames load only the hosts that lessons may embed.
    const videos = ["youtu.be/dQw4w9WgXcQ", "vimeo.com/76979871", "codepen.io/someone/pen/abcdef"];
    const embedded = videos.map((video) => new URL(findEmbed(`https://${video}`)?.src ?? "about:blank").origin);
    const [, shown = ""] = /frame-src 'self' ([^;]+);/.exec(policy) ?? [];
    expect(shown.split(" ").sort()).toEqual(embedded.sort());
  });

  test("supports ETag, 304 and HEAD, and is unreadable for pages of other origins", async () => {
    const origin = { origin: "https://evil.example" };
    const { headers, text } = await server.get("/", { headers: origin });
    expect([headers.get("cache-control"), headers.has("access-control-allow-origin")]).toEqual(["no-cache", false]);
    const again = await server.get("/", { headers: { "if-none-match": `W/${headers.get("etag")}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const packed = (await server.get("/", { headers: { "accept-encoding": "gzip" } })).headers.get("etag") ?? "";
    expect((await server.get("/", { headers: { "if-none-match": packed } })).status).toBe(200);
    const head = await server.get("/", { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(Buffer.byteLength(text))]);
    const preflight = await server.get("/", { method: "OPTIONS", headers: origin });
    expect([preflight.status, preflight.headers.has("access-control-allow-origin")]).toEqual([204, false]);
    expect((await server.get("/", { method: "POST" })).status).toBe(405);
  });
});

describe("the explorer's files", () => {
  test("have a hash in their names, are immutable and compressed: the first view loads less than 70 KB", async () => {
    const files = await findFiles();
    expect(files.length).toBeGreaterThanOrEqual(2);
    let total = 0;
    for (const path of files) {
      const plain = await server.get(path);
      const { status, headers } = plain;
      expect([path, status, headers.get("cache-control")]).toEqual([path, 200, "public, max-age=31536000, immutable"]);
      for (const [coding, unpack] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
        const packed = await fetch(server.url + path, { headers: { "accept-encoding": coding }, decompress: false });
        const bytes = await packed.bytes();
        if (coding === "gzip") total += bytes.byteLength;
        if (packed.headers.get("content-encoding") === null) continue;
        expect(packed.headers.get("etag")).not.toBe(headers.get("etag"));
        expect(unpack(bytes).toString()).toBe(plain.text);
      }
    }
    expect(total).toBeLessThan(70_000);
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
  expect([status, text]).toEqual([503, expect.stringContaining("npm run prepare")]);
  expect((await missing.get("/", { method: "HEAD" })).headers.has("date")).toBe(true);
  expect((await missing.get("/explorer/main.js")).status).toBe(404);
  expect((await missing.get("/api/v1/courses", { key: acme.key })).status).toBe(200);
});
