import { describe, expect, test } from "bun:test";
import { formatRequest } from "../support/server.ts";
import { publish } from "../support/catalog.ts";
import { useTestStore } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";
import { useProject } from "../support/test-project.ts";

const PATHS = ["", "?limit=2&offset=1", "/intro", "/intro/lessons", "/intro/lessons/l-1"];

describe("caching", () => {
  const acme = shareAcme();
  const get = (path: string, headers: Record<string, string> = {}, key = acme.key) =>
    acme.server.get(`/api/v1/courses${path}`, { key, headers });
  const etagOf = async (path: string) => (await get(path)).headers.get("etag") ?? "";

  describe.each(PATHS)("/courses%s", (path) => {
    test("is revalidated before each use: 304 with the headers of the 200 for a client that has it", async () => {
      const { headers: given, text: whole } = await get(path);
      const { date: _, "content-length": __, ...fresh } = Object.fromEntries(given);
      expect({ ...fresh }).toMatchObject({
        "cache-control": "private, no-cache",
        vary: "x-api-key, Accept-Encoding",
        etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) as string,
        "x-content-type-options": "nosniff",
      });
      const { etag = "" } = fresh;
      for (const held of [etag, `W/"other",W/${etag} , "third"`, `"with, comma",${etag}`, "*"]) {
        // As Node's fetch does: no-cache asks for a fresh answer, which a 304 is.
        const { status, text, headers } = await get(path, { "if-none-match": held, "cache-control": "no-cache" });
        expect([held, status, text]).toEqual([held, 304, ""]);
        expect(Object.fromEntries(headers)).toMatchObject(fresh);
      }
      for (const other of ['"other"', "", etag.replaceAll('"', ""), `"${etag.slice(1, -2)}"`, '"*"']) {
        expect(await get(path, { "if-none-match": other })).toMatchObject({ status: 200, text: whole });
      }
    });

    test("gives HEAD the headers of GET without a body, also as 304", async () => {
      for (const headers of [{}, { "if-none-match": "*" }]) {
        const ask = (method: string) =>
          acme.server.raw(formatRequest(`/api/v1/courses${path}`, { key: acme.key, headers, method }));
        const [viaGet, viaHead] = [await ask("GET"), await ask("HEAD")];
        const date = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/) as string;
        expect(viaHead).toEqual({ status: viaGet.status, body: "", headers: { ...viaGet.headers, date } });
        expect(viaGet.headers["date"]).toEqual(date);
      }
    });
  });

  test("an id and a slug give the same ETag", async () => {
    for (const rest of ["?include=lessons,meta", "/lessons?limit=1&include=digest", "/lessons/l-1?include=meta,nav"]) {
      expect(await etagOf(`/course-1${rest}`)).toBe(await etagOf(`/intro${rest}`));
    }
  });

  test("a wrong key with a matching ETag is 401, and a missing course with * is 404", async () => {
    const held = { "if-none-match": await etagOf("/intro") };
    expect((await get("/intro", held, "wrong-key-0123456789")).status).toBe(401);
    expect((await get("/missing", { "if-none-match": "*" })).status).toBe(404);
    expect((await get("?limit=0", { "if-none-match": "*" })).status).toBe(400);
  });
});

describe("the life of an ETag", () => {
  const database = useTestStore();
  const project = useProject(database);
  const etagsOf = (paths: string[]) =>
    Promise.all(paths.map(async (path) => (await project.read(`/courses${path}`)).etag ?? ""));

  test("a release changes the ETags of changed courses only", async () => {
    const course = (id: string, text: string) => {
      const lessons = [
        { id: "l", name: "L", additionalText: text },
        { id: "m", name: "M" },
      ];
      return { _id: id, slug: `slug-${id}`, name: `Course ${id}`, chapters: [{ name: "C", lessons }] };
    };
    const paths = ["", ...["/a", "/b"].flatMap((id) => [id, `${id}/lessons`, `${id}/lessons/l`, `${id}/lessons/m`])];
    await project.publish([course("a", "one"), course("b", "one")]);
    const before = await etagsOf(paths);
    await publish(database.store, project.name, [course("a", "one"), course("b", "two")], "2026-02-01T00:00:00.000Z");
    const after = await etagsOf(paths);
    // The course and the list show the new updatedAt; the list of b's lessons and its other lesson are as before.
    expect(paths.filter((_, index) => after[index] !== before[index])).toEqual(["", "/b", "/b/lessons/l"]);
    const stillFresh = { "if-none-match": before[1] ?? "" };
    expect(await project.read("/courses/a", undefined, stillFresh)).toMatchObject({ status: 304, release: "2" });
  });

  test("a course added after a page changes the page's total and its ETag", async () => {
    const course = (id: string, at: string) => ({ _id: id, slug: id, name: "Tea", createdAt: at, updatedAt: at });
    const courses = [course("a", "2025-03-01"), course("b", "2025-02-01"), course("c", "2025-01-01")];
    const paths = ["?limit=2", "?limit=2&name=tea", "?limit=2&sort=-createdAt", "?limit=2&include=digest"];
    const etags: string[] = [];
    for (const added of ["2024-01-01", "2023-01-01"]) {
      await project.publish([...courses]);
      for (const path of paths) {
        const { data, etag } = await project.read(`/courses${path}`);
        expect(data).toMatchObject({ total: courses.length, results: [{ _id: "a" }, { _id: "b" }] });
        etags.push(etag ?? "");
      }
      courses.push(course(`later-${added}`, added));
    }
    const [first, second] = [etags.slice(0, paths.length), etags.slice(paths.length)];
    expect(second.filter((etag) => first.includes(etag))).toEqual([]);
  });
});
