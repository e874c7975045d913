// The description of the interface: servers give it, answer what it tells, and generated clients work. What it says itself is in
// test/docs/openapi-document.test.ts.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import openapiTypescript from "openapi-typescript";
import { readDescription } from "../../src/cli/read-pages.ts";
import { publish } from "../support/catalog.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const readText = async (path: string): Promise<string> => Bun.file(join(PROJECT, path)).text();

interface Described {
  headers?: Record<string, unknown>;
}
interface Description {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Described & { $ref?: string }> }>
  >;
  components: { responses: Record<string, Described> };
}

const generated = generateClient();
afterAll(async () => rm(await generated, { recursive: true }));

describe.each(engines)("a server on $name", (engine) => {
  let server: SearchServer;
  let key: string;
  let description: Description;

  const database = useTestStore(engine, async () => {
    const chapters = [{ name: "One", lessons: [{ id: "l", name: "Long", additionalText: "<p>".padEnd(3000, "a") }] }];
    for (const [name, slug] of Object.entries({ A: "former", B: "current" })) {
      await publish(database.store, "acme", [
        { _id: "a", slug, name, chapters },
        { _id: "c", name: "C" },
      ]);
    }
    key = await createKey(database.store, "acme");
    server = await startSearchServer(database, { pages: { description: readDescription() } });
    await server.ask("q=long", { key });
    await server.pollsTwice();
    description = JSON.parse(await readText("docs/openapi.json")) as Description;
    return () => server.stop();
  });

  test("sends no answer that the description lacks", async () => {
    const PATHS: Record<string, string> = {
      "/api/v1/courses": "/api/v1/courses?limit=1",
      "/api/v1/courses/{id}": "/api/v1/courses/former",
      "/api/v1/courses/{courseId}/lessons": "/api/v1/courses/a/lessons?limit=1",
      "/api/v1/courses/{courseId}/lessons/{lessonId}": "/api/v1/courses/a/lessons/l",
      "/api/v1/search": "/api/v1/search?q=long",
      "/api/v1/changes": "/api/v1/changes?since=1",
      "/api/v1/releases": "/api/v1/releases",
    };
    const operations = Object.entries(description.paths).filter(([path]) => path.startsWith("/api/"));
    expect(operations.map(([path]) => path).filter((path) => !(path in PATHS))).toEqual([]);
    const seen = new Set<string>();
    const undescribed = new Set<string>();
    for (const [template, item] of operations) {
      const path = PATHS[template] ?? "";
      const separator = path.includes("?") ? "&" : "?";
      const etag = (await server.get(path, { key })).headers.get("etag") ?? "";
      const requests: [path: string, options: Parameters<TestServer["get"]>[1]][] = [
        [path, { key, headers: { "accept-encoding": "br, gzip" } }],
        [path, { key, headers: { "if-none-match": etag } }],
        [path, { key, method: "HEAD" }],
        [path, { method: "OPTIONS" }],
        [path, { method: "HEAD" }],
        [path, {}],
        [path, { key, method: "POST" }],
        [`${path}${separator}release=x`, { key }],
        [`${path}${separator}release=99`, { key }],
      ];
      for (const [target, options = {}] of requests) {
        const { status, headers } = await server.get(target, options);
        const method = options.method === "POST" ? "get" : (options.method ?? "GET").toLowerCase();
        const responses = item[method]?.responses ?? {};
        const given = responses[status] ?? responses[`${String(status)[0]}XX`];
        const name = given?.$ref?.replace("#/components/responses/", "");
        const described = name === undefined ? given : description.components.responses[name];
        seen.add(`${method} ${status}`);
        if (described === undefined) undescribed.add(`${method} ${template} ${status}`);
        const known = Object.keys(described?.headers ?? {}).map((header) => header.toLowerCase());
        for (const header of headers.keys()) {
          const isKnown = [...known, "content-type", "content-length", "date"].includes(header);
          if (!isKnown && described !== undefined) undescribed.add(`${method} ${template} ${status}: ${header}`);
        }
      }
    }
    expect([...undescribed]).toEqual([]);
    expect([...seen].toSorted().join(", ")).toBe(
      "get 200, get 304, get 400, get 401, get 404, get 405, head 200, head 401, options 204",
    );
  });

  test("serves the description at /openapi.json, compressed, with an ETag, to pages of any origin", async () => {
    const committed = await readText("docs/openapi.json");
    const plain = await server.get("/openapi.json");
    expect([plain.status, plain.text]).toEqual([200, committed]);
    const names = ["content-type", "cache-control", "access-control-allow-origin", "x-content-type-options"];
    expect(names.map((name) => plain.headers.get(name))).toEqual([
      "application/json; charset=utf-8",
      "no-cache",
      "*",
      "nosniff",
    ]);
    const { status } = await server.get("/openapi.json", {
      headers: { "if-none-match": plain.headers.get("etag") ?? "" },
    });
    expect(status).toBe(304);
    const headers = { "accept-encoding": "gzip" };
    const response = await fetch(`${server.url}/openapi.json`, { headers, decompress: false });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(committed);
    const preflight = await server.get("/openapi.json", {
      method: "OPTIONS",
      headers: { origin: "https://a.example" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("gives its own URL behind a proxy with a path prefix, with and without a trailing slash", async () => {
    const proxy = startPrefixProxy(server.url);
    for (const base of [server.url, proxy.url]) {
      for (const name of ["openapi.json", "openapi.json/"]) {
        const at = `${base}/${name}`;
        const { servers, ...rest } = (await (await fetch(at)).json()) as { servers: { url: string }[] };
        expect(rest).toEqual({ ...description, servers: undefined } as object);
        const [root] = servers.map(({ url }) => new URL(url, at).href);
        const list = `${(root ?? "").replace(/\/$/, "")}/api/v1/courses`;
        expect([list, (await fetch(list, { headers: { "x-api-key": key } })).status]).toEqual([
          `${base}/api/v1/courses`,
          200,
        ]);
      }
    }
    await proxy.stop();
  });

  test("serves the description only to pages of listed origins if the operator lists them", async () => {
    const pages = { description: readDescription() };
    const listed = await startTestServer(database.store, { pages, corsOrigins: ["https://a.example"] });
    const ask = async (origin: string): Promise<(string | null)[]> => {
      const { headers } = await listed.get("/openapi.json", { headers: { origin } });
      return [headers.get("access-control-allow-origin"), headers.get("vary")];
    };
    expect(await ask("https://a.example")).toEqual(["https://a.example", "Accept-Encoding, Origin"]);
    expect(await ask("https://b.example")).toEqual([null, "Accept-Encoding, Origin"]);
    await listed.stop();
  });

  test("works with a client generated by openapi-typescript", async () => {
    const program = join(await generated, "use.ts");
    expect(JSON.parse(await run([process.execPath, program, server.url, key]))).toEqual(["B", "Long", "changed", 2]);
  });
});

/** A program that reads a catalog by generated types. */
const GENERATED_USE = `
  import type { paths, components } from "./interface.ts";
  type Body<P extends keyof paths> =
    paths[P] extends { get: { responses: { 200: { content: { "application/json": infer B } } } } } ? B : never;
  type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never;
  declare const process: { argv: string[] };
  const [, , origin = "", key = ""] = process.argv;
  async function get<P extends keyof paths>(path: P, segments: string[], query?: Query<P>): Promise<Body<P>> {
    const target = path.replace(/\\{\\w+\\}/g, () => encodeURIComponent(segments.shift() ?? ""));
    const search = new URLSearchParams(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]));
    const response = await fetch(\`\${origin}\${target}?\${search}\`, { headers: { "x-api-key": key } });
    if (!response.ok) throw new Error(((await response.json()) as components["schemas"]["ErrorBody"]).message);
    return (await response.json()) as Body<P>;
  }
  const courses = await get("/api/v1/courses", [], { name: "b", limit: 1 });
  const first: components["schemas"]["CourseSummary"] = courses.data.results[0]!;
  const course = await get("/api/v1/courses/{id}", [first._id]);
  const { id } = course.data.chapters[0]!.lessons[0]!;
  const lesson = await get("/api/v1/courses/{courseId}/lessons/{lessonId}", [first._id, id]);
  const changes = await get("/api/v1/changes", [], { since: 1 });
  const releases = await get("/api/v1/releases", []);
  // @ts-expect-error: courses have no such member.
  void first.title;
  // @ts-expect-error: the list has no such parameter.
  void (() => get("/api/v1/courses", [], { page: 2 }));
  const change: "added" | "changed" | "removed" = changes.data.results[0]!.change;
  console.log(JSON.stringify([course.data.name, lesson.data.name, change, releases.data.total]));`;

/** Generates and compiles it. Throws what the compiler says. */
async function generateClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-generated-"));
  const description = JSON.parse(await readText("docs/openapi.json")) as never;
  await Bun.write(join(folder, "interface.ts"), await openapiTypescript(description));
  await Bun.write(join(folder, "use.ts"), GENERATED_USE);
  const modules = { target: "esnext", module: "preserve", moduleDetection: "force", allowImportingTsExtensions: true };
  const compilerOptions = { ...modules, strict: true, noEmit: true, types: [], lib: ["esnext", "dom"] };
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  await run(["node", join(PROJECT, "node_modules/typescript/bin/tsc"), "--project", folder]);
  return folder;
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${errors}${output}`);
  return output;
}
