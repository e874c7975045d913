// docs/openapi.json, the description of the interface: it is valid, its examples fit it, servers give it and answer what it tells.
// That it is up to date is in test/docs/docs.test.ts.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { readBuiltFiles, readDescription } from "../../src/cli/read-pages.ts";
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
    const pages = { reference: readBuiltFiles("reference"), description: readDescription() };
    server = await startSearchServer(database, { pages });
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
    expect(operations.map(([path]) => path).toSorted()).toEqual(Object.keys(PATHS).toSorted());
    const [seen, undescribed] = [new Set<string>(), new Set<string>()];
    for (const [template, item] of operations) {
      const path = PATHS[template] ?? "";
      const etag = (await server.get(path, { key })).headers.get("etag") ?? "";
      const requests: [options: RequestOptions, query?: string][] = [
        [{ key, headers: { "accept-encoding": "br, gzip" } }],
        [{ key, headers: { "if-none-match": etag } }],
        [{ key, method: "HEAD" }],
        [{ method: "OPTIONS" }],
        [{ method: "HEAD" }],
        [{}],
        [{ key, method: "POST" }],
        [{ key }, "release=x"],
        [{ key }, "release=99"],
      ];
      for (const [options, query = ""] of requests) {
        const { status, headers } = await server.get(path + (path.includes("?") ? "&" : "?") + query, options);
        const method = options.method === "POST" ? "get" : (options.method ?? "GET").toLowerCase();
        const responses = item[method]?.responses ?? {};
        const given = responses[status] ?? responses[`${String(status)[0]}XX`];
        const name = given?.$ref?.replace("#/components/responses/", "");
        const described = name === undefined ? given : description.components.responses[name];
        seen.add(`${method} ${status}`);
        if (described === undefined) undescribed.add(`${method} ${template} ${status}`);
        const known = Object.keys(described?.headers ?? {}).map((header) => header.toLowerCase());
        const others = [...headers.keys()].filter((header) => !/^(content-(type|length)|date)$/.test(header));
        for (const header of others)
          if (!known.includes(header)) undescribed.add(`${method} ${template} ${status}: ${header}`);
      }
    }
    expect([...undescribed]).toEqual([]);
    expect(seen.size).toBe(9);
  });

  test("serves the description at /openapi.json, compressed, with an ETag, to pages of any origin", async () => {
    const { status, text, headers } = await server.get("/openapi.json", { headers: { "accept-encoding": "gzip" } });
    expect([status, text, headers.get("access-control-allow-origin")]).toEqual([200, committed, "*"]);
    const names = ["cache-control", "x-content-type-options", "content-encoding"];
    expect(names.map((name) => headers.get(name))).toEqual(["no-cache", "nosniff", "gzip"]);
    const held = { "accept-encoding": "gzip", "if-none-match": headers.get("etag") ?? "" };
    expect((await server.get("/openapi.json", { headers: held })).status).toBe(304);
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
    const { headers } = await listed.get("/openapi.json", { headers: { origin: "https://b.example" } });
    expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
      null,
      "Accept-Encoding, Origin",
    ]);
    await listed.stop();
  });

  test("shows the description on a page whose policy forbids inline scripts and other hosts", async () => {
    const { status, headers, text } = await server.get("/docs");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-cache"]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
    expect(policy.replaceAll("style-src 'self' 'unsafe-inline'", "")).not.toContain("unsafe");
    expect(policy).not.toMatch(/https?:|\*/);
    expect(text).not.toMatch(/https?:|["'(]\/\/|<script(?![^>]* src=)|<style| on\w+=/);
    expect(headers.has("access-control-allow-origin")).toBe(false);
    for (const path of ["/docs", "/docs/"]) {
      const page = (await server.get(path)).text;
      for (const [, file = ""] of page.matchAll(/src="([^"]+)"/g)) {
        const { headers: fields } = await server.get(new URL(file, server.url + path).pathname, { method: "HEAD" });
        expect(fields.get("content-type")).toBe("text/javascript; charset=utf-8");
        expect(fields.get("cache-control")).toBe("public, max-age=31536000, immutable");
      }
    }
  });
});
