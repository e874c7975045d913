// A release as files, served by nginx, or by the same mapping where there is none, against the server's answers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { acmeCourses, openAcme, WEIRD_IDS, type Acme } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { findFreePort } from "../support/free-port.ts";
import { NGINX, startNginx } from "../support/nginx.ts";
import { createKey, send } from "../support/server.ts";
import { createTestFolder, anyEngine } from "../support/store.ts";

const CATALOG = fileURLToPath(new URL("../../examples/catalog", import.meta.url));
/** Differs from another of the catalog in nothing but its composition. */
const DECOMPOSED = "e\u0301";
const LONG = "\u{20bb7}".repeat(255);

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

const servers: [string, (folder: string) => Promise<Site>][] = [
  ...(NGINX === null ? [] : [["nginx", serveByNginx] as [string, typeof serveByNginx]]),
  ["the mapping", serveByMapping],
];

describe("a static export", () => {
  let acme: Acme;
  let folder: { path: string; remove: () => void };
  const run = (...args: string[]) => runCommand(["export", ...args, "--database", acme.url]);

  beforeAll(async () => {
    acme = await openAcme(anyEngine);
    folder = createTestFolder();
    const named = acmeCourses.filter(({ _id }) => _id !== DECOMPOSED && _id !== LONG);
    await publish(acme.store, "site", named);
    // A former slug, and a lesson that is long enough to be compressed.
    const lessons = [{ id: "long", name: "Long", additionalText: "<p>tea</p>".repeat(500) }];
    await publish(acme.store, "site", [
      ...named,
      { _id: "tea", slug: "Tea time", name: "Tea", chapters: [{ id: "c", name: "C", lessons }] },
    ]);
    await runCommand([
      "import",
      CATALOG,
      "--project",
      "demo",
      "--public-url",
      "https://x.example",
      "--database",
      acme.url,
    ]);
  });
  afterAll(async () => {
    folder.remove();
    await acme.drop();
  });

  test.each(["site", "demo"])("of %s has every answer without a query and no drafts", async (project) => {
    const target = join(folder.path, project);
    const { exitCode, stderr } = await run(target, "--static", "--public", "--project", project);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const key = await createKey(acme.store, project);
    await acme.server.pollsTwice();
    const ask = async (path: string): Promise<{ data: { results: Record<string, string>[] } }> =>
      JSON.parse((await acme.server.get(path, { key })).text) as never;
    const paths =
      "/api/v1/courses /api/v1/courses/ /api/v1/releases /api/v1/none /nothing /api/v1/courses/index.json".split(" ");
    for (const { _id = "", slug = "" } of (await ask("/api/v1/courses?include=meta")).data.results) {
      for (const name of [_id, slug].map(encodeURIComponent)) {
        const lessons = (await ask(`/api/v1/courses/${name}/lessons`)).data.results;
        paths.push(`/api/v1/courses/${name}`, `/api/v1/courses/${name}/lessons`, `/api/v1/courses/${name}/lessons/`);
        paths.push(...lessons.map(({ id = "" }) => `/api/v1/courses/${name}/lessons/${encodeURIComponent(id)}`));
      }
    }
    paths.push(...["draft-1", "not-yet", "reading-maps"].map((id) => `/api/v1/courses/${id}`));
    expect(paths.length).toBeGreaterThan(20);
    expect(
      readdirSync(target, { recursive: true }).filter((name) => /draft-1|not-yet|reading-maps/.test(String(name))),
    ).toEqual([]);
    for (const [, serve] of servers) {
      const site = await serve(target);
      for (const path of paths) {
        const server = await acme.server.get(path, { key });
        for (const coding of ["identity", "gzip"]) {
          const file = await fetch(site.url + path, { headers: { "accept-encoding": coding } });
          const text = await file.text();
          const tell = ({ status, headers }: { status: number; headers: Headers }) => [
            path,
            status,
            headers.get("content-type"),
          ];
          expect(tell(file)).toEqual(tell(server));
          // Errors of the server tell more.
          if (file.status === 200) expect([path, text]).toEqual([path, server.text]);
        }
      }
      await site.stop();
    }
  });

  test.skipIf(NGINX === null)("has lesson files, and everything that browsers and clients need", async () => {
    const target = join(folder.path, "headers");
    await run(target, "--static", "--public", "--project", "demo");
    const names = readdirSync(join(target, "public/assets"), { recursive: true }).map(String);
    const asset = names.find((name) => name.includes("/")) ?? "";
    const site = await serveByNginx(target);
    const [list, image, preflight] = [
      await send(site.url, "/api/v1/courses"),
      await send(site.url, `/assets/${asset}`),
      await send(site.url, "/api/v1/courses", { method: "OPTIONS" }),
    ];
    const server = await acme.server.get(`/assets/${asset}`);
    expect([image.status, image.text]).toEqual([200, server.text]);
    for (const name of ["content-type", "cache-control", "x-content-type-options"])
      expect([name, image.headers.get(name)]).toEqual([name, server.headers.get(name)]);
    expect(image.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(list.headers.get("access-control-allow-origin")).toBe("*");
    expect(list.headers.get("catalog-release")).toBe("1");
    expect(list.headers.get("etag")).not.toBeNull();
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "x-api-key, if-none-match",
    ]);
    const answers = readdirSync(join(target, "public"), { recursive: true }).map(String);
    const path = answers.find((name) => name.endsWith("/index.json.gz"))?.replace("/index.json.gz", "") ?? "";
    const accept = { "accept-encoding": "gzip" };
    const packed = await fetch(`${site.url}/${encodeURI(path)}`, { headers: accept, decompress: false });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    await site.stop();
  });

  test("refuses ids that cannot be file names, lists them, and writes nothing", async () => {
    expect(WEIRD_IDS).toContain(DECOMPOSED);
    const lessons = ["Leaf", "leaf", "index.json"].map((id) => ({ id, name: id }));
    const cased = { _id: "CASED", slug: "cased-too", name: "A", chapters: [{ id: "c", name: "C", lessons }] };
    await publish(acme.store, "refused", [...acmeCourses, cased, { _id: "b", slug: "cased", name: "B" }]);
    const target = join(folder.path, "refused");
    const { exitCode, stderr } = await run(target, "--static", "--public", "--project", "refused");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Nothing was written") as unknown as string]);
    const listed = stderr.replaceAll(LONG, "LONG").trim().split("\n").slice(0, -1);
    expect(listed.sort()).toEqual(
      [
        "course LONG: 1020 bytes; the limit is 255",
        "course cased: names the same file as CASED on some systems",
        "course CASED, lesson leaf: names the same file as Leaf on some systems",
        "course CASED, lesson index.json: reserved for another file",
        "course \u00e9: names the same file as e\u0301 on some systems",
        "course LONG, lesson LONG: 1020 bytes; the limit is 255",
      ].sort(),
    );
    expect(readdirSync(folder.path).filter((name) => name.startsWith("refused"))).toEqual([]);
  });

  test.each([
    [["--static"], 2, "Add --public"],
    [["--static", "--public", "--release", "1"], 2, "Publish the release"],
    [["--static", "--public", "--channel", "none"], 1, "has no release"],
  ])("with %j is refused", async (args, code, message) => {
    const { exitCode, stderr } = await run(join(folder.path, "never"), "--project", "site", ...args);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message) as unknown as string]);
    expect(existsSync(join(folder.path, "never"))).toBe(false);
  });

  test("never overwrites files", async () => {
    const { exitCode, stderr } = await run(folder.path, "--static", "--public", "--project", "site");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("already exists") as unknown as string]);
  });
});
