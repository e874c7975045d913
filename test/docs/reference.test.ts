// The page that shows the description of the interface, as a server sends it. What it does in a browser is in stress/in-browser.ts.
import { expect, test } from "bun:test";
import { readBuiltFiles, readDescription } from "../../src/cli/read-pages.ts";
import { startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

let server: TestServer;
let missing: TestServer;
const database = useTestStore(anyEngine, async () => {
  const description = readDescription();
  server = await startTestServer(database.store, { pages: { reference: readBuiltFiles("reference"), description } });
  missing = await startTestServer(database.store, { pages: { reference: "missing", description } });
  return async () => {
    await server.stop();
    await missing.stop();
  };
});

test("its document has a policy that forbids inline scripts and other hosts", async () => {
  const { status, headers, text } = await server.get("/docs");
  expect([status, headers.get("cache-control")]).toEqual([200, "no-cache"]);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
  expect(policy.replaceAll("style-src 'self' 'unsafe-inline'", "")).not.toContain("unsafe");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(text).not.toMatch(/https?:|["'(]\/\/|<script(?![^>]* src=)|<style| on\w+=/);
  expect(headers.has("access-control-allow-origin")).toBe(false);
});

test("its files are found with and without a trailing slash, immutable and compressed", async () => {
  for (const path of ["/docs", "/docs/"]) {
    const { text } = await server.get(path);
    const files = Array.from(text.matchAll(/src="([^"]+)"/g), ([, file = ""]) => new URL(file, server.url + path));
    expect(files).toHaveLength(2);
    for (const { pathname } of files) {
      const { status, headers } = await server.get(pathname, { method: "HEAD", headers: { "accept-encoding": "br" } });
      expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
  }
  expect((await server.get("/docs/index.html")).status).toBe(404);
});

test("if it was not built, it explains how, and the description still works", async () => {
  const page = await missing.get("/docs");
  expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
  expect(page.text).toContain("npm ci");
  expect((await missing.get("/docs/page.js")).status).toBe(404);
  expect((await missing.get("/openapi.json")).status).toBe(200);
});
