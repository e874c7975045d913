// docs/openapi.json, the description of the interface: it is valid, its examples fit it, servers give it and answer what it tells,
// and generated clients work. That it is up to date is in test/docs/docs.test.ts.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTypescript from "openapi-typescript";
import { z } from "zod";
import { readDescription } from "../../src/cli/read-pages.ts";
import { publish } from "../support/catalog.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey, startTestServer, type RequestOptions } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const committed = await Bun.file(join(PROJECT, "docs/openapi.json")).text();

interface Described {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: { $ref: string }; examples?: Record<string, { value: object }> }>;
}
interface Description {
  paths: Record<string, Record<string, { responses?: Record<string, Described> }>>;
  components: { schemas: Record<string, object>; responses: Record<string, Described> };
}
const description = JSON.parse(committed) as Description;

const generated = generateClient();
afterAll(async () => rm(await generated, { recursive: true }));

test("the description is valid", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(committed) as never);
  expect([valid, errors]).toEqual([true, undefined]);
});

test("the description has only examples that match its schemas", () => {
  const local = JSON.parse(committed.replaceAll("#/components/schemas/", "#/$defs/")) as Description;
  const { schemas } = local.components;
  const responses = [
    ...Object.values(description.paths).flatMap((item) => Object.values(item["get"]?.responses ?? {})),
    ...Object.values(description.components.responses),
  ];
  let examples = 0;
  for (const { content } of responses) {
    const { schema, examples: shown = {} } = content?.["application/json"] ?? {};
    const name = /\w+$/.exec(schema?.$ref ?? "")?.[0] ?? "ErrorBody";
    const taken = z.fromJSONSchema({ ...schemas[name], $defs: schemas } as never);
    for (const [title, { value }] of Object.entries(shown)) {
      examples++;
      expect([title, taken.safeParse(value).error?.message]).toEqual([title, undefined]);
      expect(taken.safeParse({ ...value, more: 1 }).success).toBe(false);
    }
  }
  expect(examples).toBeGreaterThan(15);
});

describe("a server", () => {
  let server: SearchServer;
  let key: string;

  const database = useTestStore(anyEngine, async () => {
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
      const requests: [path: string, options: RequestOptions][] = [
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
      for (const [target, options] of requests) {
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
    const { status, text, headers } = await server.get("/openapi.json");
    expect([status, text]).toEqual([200, committed]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-cache",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    });
    const held = { "if-none-match": headers.get("etag") ?? "" };
    expect((await server.get("/openapi.json", { headers: held })).status).toBe(304);
    const zipped = await fetch(`${server.url}/openapi.json`, {
      headers: { "accept-encoding": "gzip" },
      decompress: false,
    });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(committed);
    const origin = { origin: "https://a.example" };
    const preflight = await server.get("/openapi.json", { method: "OPTIONS", headers: origin });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("gives its own URL behind a proxy with a path prefix, with and without a trailing slash", async () => {
    const proxy = startPrefixProxy(server.url);
    for (const base of [server.url, proxy.url]) {
      for (const at of [`${base}/openapi.json`, `${base}/openapi.json/`]) {
        const { servers, ...rest } = (await (await fetch(at)).json()) as { servers: { url: string }[] };
        expect(rest).toEqual({ ...description, servers: undefined } as object);
        const [root] = servers.map(({ url }) => new URL(url, at).href);
        const list = `${(root ?? "").replace(/\/$/, "")}/api/v1/courses`;
        const { status } = await fetch(list, { headers: { "x-api-key": key } });
        expect([list, status]).toEqual([`${base}/api/v1/courses`, 200]);
      }
    }
    await proxy.stop();
  });

  test("serves the description only to pages of listed origins if the operator lists them", async () => {
    const pages = { description: readDescription() };
    const listed = await startTestServer(database.store, { pages, corsOrigins: ["https://a.example"] });
    for (const origin of ["https://a.example", "https://b.example"]) {
      const { headers } = await listed.get("/openapi.json", { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origin.includes("a.") ? origin : null);
      expect(headers.get("vary")).toBe("Accept-Encoding, Origin");
    }
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
  await Bun.write(join(folder, "interface.ts"), await openapiTypescript(JSON.parse(committed) as never));
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
