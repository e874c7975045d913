// A release as files, and as nginx serves them, against the server's answers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { acmeCourses, openAcme, WEIRD_IDS, type Acme } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { NGINX, startNginx } from "../support/nginx.ts";
import { createKey, send } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";
import { makeFolder } from "../support/written-folder.ts";

const CATALOG = join(import.meta.dir, "../../examples/catalog");
/** Differs from another of the catalog in nothing but its composition. */
const DECOMPOSED = "e\u0301";
const LONG = "\u{20bb7}".repeat(255);
const DRAFTS = ["draft-1", "not-yet", "reading-maps"];

/** nginx with the configuration that the export has written. */
async function serveByNginx(folder: string) {
  const port = findFreePort();
  const site = readFileSync(join(folder, "nginx.conf"), "utf8").replace("/var/www/catalog/public", `${folder}/public`);
  const types = "types { image/svg+xml svg; image/png png; application/javascript js; }";
  const nginx = await startNginx(`${types} server { listen 127.0.0.1:${port}; ${site} }`, port);
  return { ...nginx, url: `http://127.0.0.1:${port}` };
}

describe("a static export", () => {
  let acme: Acme;
  const folder = makeFolder();
  const run = async (name: string, project: string, ...args: string[]) => {
    const target = join(folder, name);
    const all = ["export", target, "--project", project, ...args, "--database", acme.url];
    return { target, ...(await runCommand(all)) };
  };
  const list = (path: string): string[] => readdirSync(path, { recursive: true }).map(String);

  beforeAll(async () => {
    acme = await openAcme(anyEngine);
    const named = acmeCourses.filter(({ _id }) => _id !== DECOMPOSED && _id !== LONG);
    await publish(acme.store, "site", named);
    // A former slug, and a lesson that is long enough to be compressed.
    const lessons = [{ id: "long", name: "Long", additionalText: "<p>tea</p>".repeat(500) }];
    const tea = { _id: "tea", slug: "Tea time", name: "Tea", chapters: [{ id: "c", name: "C", lessons }] };
    await publish(acme.store, "site", [...named, tea]);
    const to = ["--project", "demo", "--public-url", "https://x.example", "--database", acme.url];
    await runCommand(["import", CATALOG, ...to]);
  });
  afterAll(() => acme.drop());

  /** Paths with and without an answer: all of a project that need no query. */
  async function listPaths(key: string): Promise<string[]> {
    const ask = async (path: string): Promise<Record<string, string>[]> => {
      const { text } = await acme.server.get(path, { key });
      return (JSON.parse(text) as { data: { results: Record<string, string>[] } }).data.results;
    };
    const paths = ["/nothing", "/api/v1/courses", "/api/v1/courses/", "/api/v1/courses/index.json", "/api/v1/releases"];
    paths.push(...DRAFTS.map((id) => `/api/v1/courses/${id}`));
    for (const { _id = "", slug = "" } of await ask("/api/v1/courses?include=meta")) {
      for (const course of [_id, slug].map((name) => `/api/v1/courses/${encodeURIComponent(name)}`)) {
        paths.push(course, `${course}/lessons`, `${course}/lessons/`);
        for (const { id = "" } of await ask(`${course}/lessons`))
          paths.push(`${course}/lessons/${encodeURIComponent(id)}`);
      }
    }
    return paths;
  }

  test("has every answer without a query and no drafts", async () => {
    const { target, exitCode, stderr } = await run("site", "site", "--static", "--public");
    expect([exitCode, stderr]).toEqual([0, ""]);
    const key = await createKey(acme.store, "site");
    await acme.server.pollsTwice();
    let answers = 0;
    for (const path of await listPaths(key)) {
      const { status, text } = await acme.server.get(path, { key });
      const file = join(target, "public", decodeURIComponent(path), "index.json");
      expect([path, existsSync(file)]).toEqual([path, status === 200]);
      if (status !== 200) continue;
      answers++;
      expect([path, readFileSync(file, "utf8")]).toEqual([path, text]);
      if (existsSync(`${file}.gz`)) expect(gunzipSync(readFileSync(`${file}.gz`)).toString()).toBe(text);
    }
    expect(answers).toBeGreaterThan(20);
    expect(list(target).filter((name) => DRAFTS.some((draft) => name.includes(draft)))).toEqual([]);
  });

  test.skipIf(NGINX === null)("answers by nginx as the server does, with its headers and files", async () => {
    const { target } = await run("demo", "demo", "--static", "--public");
    const key = await createKey(acme.store, "demo");
    await acme.server.pollsTwice();
    const site = await serveByNginx(target);
    for (const path of await listPaths(key)) {
      const server = await acme.server.get(path, { key });
      const { status, headers, text } = await send(site.url, path, { headers: { "accept-encoding": "gzip" } });
      const type = server.headers.get("content-type");
      expect([path, status, headers.get("content-type")]).toEqual([path, server.status, type]);
      // Errors of the server tell more.
      if (status === 200) expect([path, text]).toEqual([path, server.text]);
    }
    const asset = `/assets/${list(join(target, "public/assets")).find((name) => name.includes("/"))}`;
    const [image, server] = [await send(site.url, asset), await acme.server.get(asset)];
    expect([image.status, image.text]).toEqual([200, server.text]);
    for (const name of ["content-type", "cache-control", "x-content-type-options"])
      expect([name, image.headers.get(name)]).toEqual([name, server.headers.get(name)]);
    writeFileSync(join(target, "public/assets/a.JS"), "x");
    const script = await send(site.url, "/assets/a.JS");
    expect(script.headers.get("content-type")).toBe("application/octet-stream");
    for (const { headers } of [image, script])
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    const { headers } = await send(site.url, "/api/v1/courses");
    expect([headers.get("access-control-allow-origin"), headers.get("catalog-release")]).toEqual(["*", "1"]);
    expect(headers.get("etag")).not.toBeNull();
    const preflight = await send(site.url, "/api/v1/courses", { method: "OPTIONS" });
    const allowed = preflight.headers.get("access-control-allow-headers");
    expect([preflight.status, allowed]).toEqual([204, "x-api-key, if-none-match"]);
    const packed = list(join(target, "public")).find((name) => name.endsWith("/index.json.gz")) ?? "";
    const path = encodeURI(packed.replace("/index.json.gz", ""));
    const answer = await fetch(`${site.url}/${path}`, { headers: { "accept-encoding": "gzip" }, decompress: false });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    await site.stop();
  });

  test("refuses ids that cannot be file names, lists them, and writes nothing", async () => {
    expect(WEIRD_IDS).toContain(DECOMPOSED);
    const lessons = ["Leaf", "leaf", "index.json"].map((id) => ({ id, name: id }));
    const cased = { _id: "CASED", slug: "cased-too", name: "A", chapters: [{ id: "c", name: "C", lessons }] };
    await publish(acme.store, "refused", [...acmeCourses, cased, { _id: "b", slug: "cased", name: "B" }]);
    const { exitCode, stderr } = await run("refused", "refused", "--static", "--public");
    expect(exitCode).toBe(1);
    const lines = stderr.replaceAll(LONG, "LONG").trim().split("\n");
    expect(lines.pop()).toContain("Nothing was written");
    expect(lines.sort()).toEqual([
      "course CASED, lesson index.json: reserved for another file",
      "course CASED, lesson leaf: names the same file as Leaf on some systems",
      "course LONG, lesson LONG: 1020 bytes; the limit is 255",
      "course LONG: 1020 bytes; the limit is 255",
      "course cased: names the same file as CASED on some systems",
      "course \u00e9: names the same file as e\u0301 on some systems",
    ]);
    expect(readdirSync(folder).filter((name) => name.startsWith("refused"))).toEqual([]);
    expect((await run(".", "site", "--static", "--public")).stderr).toContain("already exists");
  });
});
