// A release as files, served by nginx, or by the same mapping where there is none, against the server's answers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

interface Site {
  url: string;
  stop: () => Promise<unknown>;
}

/** nginx with the configuration that the export has written. */
async function serveByNginx(folder: string): Promise<Site> {
  const port = findFreePort();
  const site = readFileSync(join(folder, "nginx.conf"), "utf8").replace("/var/www/catalog/public", `${folder}/public`);
  const types = "types { image/svg+xml svg; image/png png; }";
  const nginx = await startNginx(`${types} server { listen 127.0.0.1:${port}; ${site} }`, port);
  return { ...nginx, url: `http://127.0.0.1:${port}` };
}

/** The mapping that nginx.conf states. */
async function serveByMapping(folder: string): Promise<Site> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url, headers }) {
      const path = join(folder, "public", decodeURIComponent(new URL(url).pathname), "index.json");
      const type = { "content-type": "application/json; charset=utf-8" };
      if (!existsSync(path))
        return new Response(Bun.file(join(folder, "public/404.json")), { status: 404, headers: type });
      const isPacked = headers.get("accept-encoding")?.includes("gzip") === true && existsSync(`${path}.gz`);
      const coding = isPacked ? { "content-encoding": "gzip" } : {};
      return new Response(Bun.file(isPacked ? `${path}.gz` : path), { headers: { ...type, ...coding } });
    },
  });
  return { url: server.url.origin, stop: async () => server.stop(true) };
}

const serve = NGINX === null ? serveByMapping : serveByNginx;

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

  test.each(["site", "demo"])("of %s has every answer without a query and no drafts", async (project) => {
    const { target, exitCode, stderr } = await run(project, project, "--static", "--public");
    expect([exitCode, stderr]).toEqual([0, ""]);
    const key = await createKey(acme.store, project);
    await acme.server.pollsTwice();
    const ask = async (path: string): Promise<Record<string, string>[]> => {
      const { text } = await acme.server.get(path, { key });
      return (JSON.parse(text) as { data: { results: Record<string, string>[] } }).data.results;
    };
    const paths = DRAFTS.map((id) => `/api/v1/courses/${id}`);
    paths.push("/nothing", ...["", "/", "/index.json"].map((end) => `/api/v1/courses${end}`));
    paths.push("/api/v1/releases", "/api/v1/none");
    for (const { _id = "", slug = "" } of await ask("/api/v1/courses?include=meta")) {
      for (const course of [_id, slug].map((name) => `/api/v1/courses/${encodeURIComponent(name)}`)) {
        paths.push(course, `${course}/lessons`, `${course}/lessons/`);
        for (const { id = "" } of await ask(`${course}/lessons`))
          paths.push(`${course}/lessons/${encodeURIComponent(id)}`);
      }
    }
    expect(paths.length).toBeGreaterThan(20);
    expect(list(target).filter((name) => DRAFTS.some((draft) => name.includes(draft)))).toEqual([]);
    const site = await serve(target);
    for (const path of paths) {
      const server = await acme.server.get(path, { key });
      for (const coding of ["identity", "gzip"]) {
        const { status, headers, text } = await send(site.url, path, { headers: { "accept-encoding": coding } });
        const type = server.headers.get("content-type");
        expect([path, status, headers.get("content-type")]).toEqual([path, server.status, type]);
        // Errors of the server tell more.
        if (status === 200) expect([path, text]).toEqual([path, server.text]);
      }
    }
    await site.stop();
  });

  test.skipIf(NGINX === null)("has lesson files, and everything that browsers and clients need", async () => {
    const { target } = await run("headers", "demo", "--static", "--public");
    const asset = `/assets/${list(join(target, "public/assets")).find((name) => name.includes("/"))}`;
    const site = await serveByNginx(target);
    const [image, server] = [await send(site.url, asset), await acme.server.get(asset)];
    expect([image.status, image.text]).toEqual([200, server.text]);
    for (const name of ["content-type", "cache-control", "x-content-type-options"])
      expect([name, image.headers.get(name)]).toEqual([name, server.headers.get(name)]);
    expect(image.headers.get("content-security-policy")).toContain("default-src 'none'");
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
    expect(lines.sort()).toEqual(
      [
        "course LONG: 1020 bytes; the limit is 255",
        "course cased: names the same file as CASED on some systems",
        "course CASED, lesson leaf: names the same file as Leaf on some systems",
        "course CASED, lesson index.json: reserved for another file",
        "course \u00e9: names the same file as e\u0301 on some systems",
        "course LONG, lesson LONG: 1020 bytes; the limit is 255",
      ].sort(),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith("refused"))).toEqual([]);
  });

  test.each([
    ["--static", 2, "Add --public"],
    ["--static --public --release 1", 2, "Publish the release"],
    ["--static --public --channel none", 1, "has no release"],
  ])("with %s is refused, and never overwrites files", async (args, code, message) => {
    const never = await run("never", "site", ...args.split(" "));
    expect([never.exitCode, never.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(existsSync(never.target)).toBe(false);
    const { exitCode, stderr } = await run(".", "site", "--static", "--public");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("already exists")]);
  });
});
