import { beforeAll, describe, expect, test } from "bun:test";

import { publish } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { createKey, formatRequest, startTestServer, waitFor } from "../support/server.ts";
import { anyEngine, openTestStore } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const PATHS =
  "/api/v1/courses /api/v1/courses?limit=2&offset=1 /api/v1/courses/intro /api/v1/courses/intro/lessons /api/v1/courses/intro/lessons?limit=1 /api/v1/courses/intro/lessons/l-1".split(
    " ",
  );

describe("caching", () => {
  const acme = shareAcme(anyEngine);
  let again: string;
  beforeAll(async () => {
    again = await createKey(acme.store, "acme");
    await waitFor(async () => (await get("/api/v1/courses", {}, again)).status === 200);
  });

  const get = (path: string, headers: Record<string, string> = {}, key = acme.key) =>
    acme.server.get(path, { key, headers });

  describe.each(PATHS)("%s", (path) => {
    test("is cached only by the client, and revalidated before each use", async () => {
      const { headers } = await get(path);
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("vary")).toBe("x-api-key, Accept-Encoding");
      expect(headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    });

    test("is 304 without a body for a client that has it, with the headers of the 200", async () => {
      const fresh = await get(path);
      const etag = fresh.headers.get("etag") ?? "";
      const ways = [
        etag,
        `W/${etag}`,
        `"other", ${etag}`,
        `W/"other",W/${etag} , "third"`,
        `"with, comma",${etag}`,
        "*",
        " * ",
      ];
      for (const way of ways) {
        const cached = await get(path, { "if-none-match": way });
        expect(cached.status).toBe(304);
        expect(cached.text).toBe("");
        for (const [name, value] of fresh.headers) {
          if (name !== "content-length" && name !== "date") expect(cached.headers.get(name)).toBe(value);
        }
      }
    });

    test("is 304 also when the request says no-cache, as Node's fetch does", async () => {
      const etag = (await get(path)).headers.get("etag") ?? "";
      const headers = { "if-none-match": etag, "cache-control": "no-cache", pragma: "no-cache" };
      expect((await get(path, headers)).status).toBe(304);
    });

    test("is sent completely to a client with other content", async () => {
      const { headers, text } = await get(path);
      const etag = headers.get("etag") ?? "";
      for (const other of ['"other"', "", etag.replaceAll('"', ""), `"${etag.slice(1, -2)}"`, '"*"']) {
        const answer = await get(path, { "if-none-match": other });
        expect(answer.status).toBe(200);
        expect(answer.text).toBe(text);
      }
    });

    test("gives HEAD the headers of GET without a body, also as 304", async () => {
      for (const headers of [{}, { "if-none-match": "*" }]) {
        const [viaGet, viaHead] = [
          await acme.server.raw(formatRequest(path, { key: acme.key, headers })),
          await acme.server.raw(formatRequest(path, { key: acme.key, headers, method: "HEAD" })),
        ];
        expect(viaHead.status).toBe(viaGet.status);
        expect(viaHead.body).toBe("");
        const { date: getDate, ...getHeaders } = viaGet.headers;
        const { date: headDate, ...headHeaders } = viaHead.headers;
        expect(headHeaders).toEqual(getHeaders);
        expect(headDate).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
        expect(getDate).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
      }
    });
  });

  test("an id and a slug give the same ETag", async () => {
    const stored = ["", "/lessons", "/lessons/l-1"];
    const assembled = [
      "?include=meta",
      "?include=lessons,meta",
      "/lessons?limit=1&include=digest",
      "/lessons?offset=1",
      "/lessons/l-1?include=meta,nav",
    ];
    for (const rest of [...stored, ...assembled]) {
      const [byId, bySlug] = [await get(`/api/v1/courses/course-1${rest}`), await get(`/api/v1/courses/intro${rest}`)];
      expect(byId.headers.get("etag")).toBe(bySlug.headers.get("etag"));
    }
  });

  test("different content has different ETags", async () => {
    const etags = await Promise.all(PATHS.map(async (path) => (await get(path)).headers.get("etag")));
    expect(new Set(etags).size).toBe(PATHS.length);
  });

  test("a wrong key with a matching ETag is 401, and a missing course with * is 404", async () => {
    const etag = (await get("/api/v1/courses/intro")).headers.get("etag") ?? "";
    expect((await get("/api/v1/courses/intro", { "if-none-match": etag }, "wrong-key-0123456789")).status).toBe(401);
    expect((await get("/api/v1/courses/missing", { "if-none-match": "*" })).status).toBe(404);
    expect((await get("/api/v1/courses?limit=0", { "if-none-match": "*" })).status).toBe(400);
  });
});

describe("the life of an ETag", () => {
  test("a release changes the ETags of changed courses only", async () => {
    const database = await openTestStore(anyEngine);
    const { store } = database;
    const course = (id: string, text: string) => ({
      _id: id,
      slug: `slug-${id}`,
      name: `Course ${id}`,
      chapters: [
        {
          id: "c",
          name: "C",
          lessons: [
            { id: "l", name: "L", additionalText: text },
            { id: "m", name: "M" },
          ],
        },
      ],
    });
    await publish(store, "acme", [course("a", "one"), course("b", "one")], "2026-01-01T00:00:00.000Z");
    const key = await createKey(store, "acme");
    const server = await startTestServer(store);
    const paths = ["a", "a/lessons", "a/lessons/l", "a/lessons/m", "b", "b/lessons", "b/lessons/l", "b/lessons/m", ""];
    const readEtags = async () => {
      const answers = await Promise.all(
        paths.map(async (path) => [path, (await server.get(`/api/v1/courses/${path}`, { key })).headers.get("etag")]),
      );
      return Object.fromEntries(answers) as Record<string, string>;
    };
    const before = await readEtags();

    await publish(store, "acme", [course("a", "one"), course("b", "two")], "2026-02-01T00:00:00.000Z");
    const isSecond = async () => (await server.get("/api/v1/courses", { key })).headers.get("catalog-release") === "2";
    await waitFor(isSecond);
    const after = await readEtags();
    const changed = paths.filter((path) => after[path] !== before[path]);
    // The course and the list show the new updatedAt; the list of b's lessons and its other lesson are as before.
    expect(changed).toEqual(["b", "b/lessons/l", ""]);

    const stillFresh = { "if-none-match": before["a"] ?? "" };
    const { status, headers } = await server.get("/api/v1/courses/a", { key, headers: stillFresh });
    expect([status, headers.get("catalog-release")]).toEqual([304, "2"]);
    await server.stop();
    await database.drop();
  });

  test("a course added after a page changes the page's total and its ETag", async () => {
    const database = await openTestStore(anyEngine);
    const course = (id: string, createdAt: string) => ({
      _id: id,
      slug: id,
      name: "Tea",
      createdAt,
      updatedAt: createdAt,
    });
    const courses = [course("a", "2025-03-01"), course("b", "2025-02-01"), course("c", "2025-01-01")];
    const key = await createKey(database.store, "acme");
    const server = await createUnboundServer(database.store);
    const paths = ["?limit=2", "?limit=2&name=tea", "?limit=2&sort=-createdAt", "?limit=2&include=digest"];
    const read = async (): Promise<Record<string, unknown>> => {
      await server.look();
      const answers = paths.map(async (path) => {
        const { headers, text } = await server.get(`/api/v1/courses${path}`, { key });
        const { total, results } = (JSON.parse(text) as { data: { total: number; results: { _id: string }[] } }).data;
        return [path, [total, ...results.map(({ _id: id }) => id), headers.get("etag")]] as const;
      });
      return Object.fromEntries(await Promise.all(answers));
    };
    const seen: Record<string, unknown>[] = [];
    for (const added of ["2024-01-01", "2023-01-01"]) {
      await publish(database.store, "acme", courses);
      seen.push(await read());
      courses.push(course(`later-${added}`, added));
    }
    for (const path of paths) {
      const [[, , , first = ""] = [], [, , , second = ""] = []] = seen.map((each) => each[path] as string[]);
      expect(seen.map((each) => each[path])).toEqual([
        [3, "a", "b", first],
        [4, "a", "b", second],
      ]);
      expect(second).not.toBe(first);
    }
    await database.drop();
  });
});
