// The description of the interface: it breaks nothing, servers answer what it tells, and generated clients work. That it is up to date
// is in test/docs.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTypescript from "openapi-typescript";
import { readDescription } from "../src/cli/read-description.ts";
import type { Json } from "../src/openapi/create-openapi.ts";
import { publish } from "./support/catalog.ts";
import { findBreaks } from "./support/openapi-breaks.ts";
import { createKey, startTestServer, type TestServer } from "./support/server.ts";
import { engines, openTestStore, type TestStore } from "./support/store.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
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

describe("docs/openapi.json", () => {
  test("is valid", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(await readText("docs/openapi.json")) as never);
    expect([valid, errors]).toEqual([true, undefined]);
  });

  test("breaks no program that goes by the last release", async () => {
    const [released, current] = [await readText("test/released/openapi.json"), await readText("docs/openapi.json")];
    expect(findBreaks(JSON.parse(released), JSON.parse(current))).toEqual([]);
  });

  // Of each: what is changed, and the beginnings of what is told.
  const LIST = "/paths/~1api~1v1~1courses/get";
  test.each<[edit: string, value: Json | undefined, breaks: string[]]>([
    ["/paths/~1api~1v1~1releases", undefined, ["/api/v1/releases is gone"]],
    [LIST, undefined, ["GET /api/v1/courses is gone"]],
    [`${LIST}/operationId`, "getCourses", ["GET /api/v1/courses: its operationId is another one"]],
    [`${LIST}/responses/304`, undefined, ["GET /api/v1/courses 304 is gone"]],
    [`${LIST}/responses/200/headers/ETag`, undefined, ["GET /api/v1/courses 200: the header field ETag is gone"]],
    [`${LIST}/responses/200/content`, {}, ["GET /api/v1/courses 200: application/json is gone"]],
    [
      `${LIST}/parameters/0`,
      { name: "text", in: "query", schema: {} },
      ["GET /api/v1/courses: parameter name is gone"],
    ],
    [
      `${LIST}/parameters/0`,
      { name: "name", in: "query", required: true, schema: { type: "string" } },
      ["GET /api/v1/courses: parameter name is required now"],
    ],
    [
      `${LIST}/parameters/99`,
      { name: "new", in: "query", required: true, schema: {} },
      ["GET /api/v1/courses: the new parameter new is required"],
    ],
    [`${LIST}/parameters/99`, { name: "new", in: "query", schema: {} }, []],
    [
      "/components/parameters/since/schema/minimum",
      1,
      ["GET /api/v1/changes: parameter since is narrower: minimum", "HEAD"],
    ],
    ["/components/parameters/since/schema/minimum", -1, []],
    ["/components/schemas/LessonBody/properties/data/properties/url", undefined, []],
    [
      "/components/schemas/Lesson/properties/url",
      undefined,
      ["GET /api/v1/courses/{courseId}/lessons/{lessonId} 200.data.url is gone"],
    ],
    [
      "/components/schemas/Lesson/properties/url/type",
      "integer",
      ["GET /api/v1/courses/{courseId}/lessons/{lessonId} 200.data.url: type is"],
    ],
    [
      "/components/schemas/Lesson/required/2",
      undefined,
      ["GET /api/v1/courses/{courseId}/lessons/{lessonId} 200.data.url may be missing"],
    ],
    [
      "/components/schemas/Lesson/required/99",
      "length",
      ["GET /api/v1/courses/{courseId}/lessons/{lessonId} 200.data.length is new and"],
    ],
    ["/components/schemas/Lesson/properties/length", { type: "integer" }, []],
    [
      "/components/schemas/CourseChange/properties/change/enum/99",
      "split",
      ["GET /api/v1/changes 200.data.results[].change: enum is"],
    ],
  ])("a change of %s to %j is judged", async (pointer, value, breaks) => {
    const before = JSON.parse(await readText("docs/openapi.json")) as Json;
    const found = findBreaks(before, change(structuredClone(before), pointer, value));
    expect(found.map((text, index) => text.slice(0, breaks[index]?.length ?? 0))).toEqual(breaks);
  });
});

/** A document with another value at a place, which is made where its parent is there; undefined takes it away. */
function change(document: Json, pointer: string, value: Json | undefined): Json {
  const names = pointer.split("/").slice(1);
  const steps = names.map((name) => name.replaceAll("~1", "/"));
  const last = steps.pop() ?? "";
  const parent = steps.reduce<Json | undefined>(
    (at, name) => (at as Record<string, Json> | undefined)?.[name],
    document,
  );
  if (Array.isArray(parent)) parent.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (parent && value === undefined) delete (parent as Record<string, Json>)[last];
  else if (parent && value !== undefined) (parent as Record<string, Json>)[last] = value;
  return document;
}

const generated = generateClient();
afterAll(async () => rm(await generated, { recursive: true }));

describe.each(engines)("a server on $name", (engine) => {
  let database: TestStore;
  let server: TestServer;
  let key: string;
  let description: Description;

  beforeAll(async () => {
    database = await openTestStore(engine);
    const chapters = [{ name: "One", lessons: [{ id: "l", name: "Long", additionalText: "<p>".padEnd(3000, "a") }] }];
    for (const [name, slug] of Object.entries({ A: "former", B: "current" })) {
      await publish(database.store, "acme", [
        { _id: "a", slug, name, chapters },
        { _id: "c", name: "C" },
      ]);
    }
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store, { pages: { description: readDescription() } });
    await server.looksTwice();
    description = JSON.parse(await readText("docs/openapi.json")) as Description;
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test("answers nothing that the description does not have", async () => {
    const PATHS: Record<string, string> = {
      "/api/v1/courses": "/api/v1/courses?limit=1",
      "/api/v1/courses/{id}": "/api/v1/courses/former",
      "/api/v1/courses/{courseId}/lessons": "/api/v1/courses/a/lessons?limit=1",
      "/api/v1/courses/{courseId}/lessons/{lessonId}": "/api/v1/courses/a/lessons/l",
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
    expect([...seen].toSorted()).toEqual(
      [
        "get 200",
        "get 304",
        "get 400",
        "get 401",
        "get 404",
        "get 405",
        "head 200",
        "head 401",
        "options 204",
      ].toSorted(),
    );
  });

  test("gives the description at /openapi.json, compressed, with a tag, to pages of any origin", async () => {
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
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [coding, decode] of Object.entries(decoders)) {
      const headers = { "accept-encoding": coding };
      const response = await fetch(`${server.url}/openapi.json`, { headers, decompress: false });
      expect([coding, response.headers.get("content-encoding")]).toEqual([coding, coding]);
      expect(decode(await response.arrayBuffer()).toString()).toBe(committed);
    }
    const preflight = await server.get("/openapi.json", {
      method: "OPTIONS",
      headers: { origin: "https://a.example" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("is read by a client that openapi-typescript has made", async () => {
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
