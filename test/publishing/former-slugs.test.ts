// A former slug still finds its course, as far as the channel has published it. `model.test.ts` compares which course that is
// after any sequence of publications; here is what an answer says, and the rules that random ones seldom meet.
import { beforeEach, describe, expect, test } from "bun:test";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { dataOf } from "../support/answers.ts";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

describe("former slugs", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let live: string;
  let drafts: string;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    live = await createKey(database.store, project);
    drafts = await createKey(database.store, project, { drafts: true });
  });

  const context = (at = "2026-01-01T00:00:00.000Z") => publishingAt(database.store, project, at);
  const importAll = (courses: AuthoredCourse[], options: { channel?: string; dryRun?: boolean } = {}) =>
    importNdjson(database.store, project, toNdjson(courses), undefined, options);
  /** Courses by their slugs: `{ a: "tea" }` is a course of id a and slug tea. */
  const toCourses = (slugs: Record<string, string>): AuthoredCourse[] =>
    Object.entries(slugs).map(([id, slug]) => ({ _id: id, slug, name: `Course ${id}` }));
  const publishSlugs = async (slugs: Record<string, string>, channel = "live"): Promise<number> => {
    const { outcome, problems } = await importAll(toCourses(slugs), { channel });
    if (outcome.status !== "published") throw new Error(`${outcome.status}: ${problems.join("; ")}`);
    return outcome.release.number;
  };
  /** The course that a slug finds, and the slug that the answer says is the current one. */
  const find = async (path: string, key = live): Promise<string> => {
    const answer = await ask(`/courses/${path}`, key);
    if (answer.status !== 200) return String(answer.status);
    const location = answer.headers.get("content-location");
    return dataOf(answer)._id + (location === null ? "" : ` now ${resolve(path, location)}`);
  };
  const findAll = (paths: string, key = live): Promise<string[]> =>
    Promise.all(paths.split(" ").map((path) => find(path, key)));
  /** What follows `/courses/` in the address that a Content-Location gives, behind a proxy that adds a path. */
  const resolve = (path: string, location: string): string => {
    const base = "https://site.example/catalog/api/v1/courses/";
    const { href } = new URL(location, base + path);
    if (!href.startsWith(base)) throw new Error(`${location} leads from ${path} to ${href}`);
    return href.slice(base.length);
  };

  test("find the course in all three operations, with the body and ETag of the current slug", async () => {
    const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
    // What looks like a scheme is one in no relative address.
    for (const slug of ["tee", "grün:tee"]) await importAll([{ _id: "a", slug, name: "Tea", chapters }]);
    for (const rest of ["", "/", "/?x=a/b", "/lessons", "/lessons/l", "/lessons/l/", "/lessons?limit=1&x=%20"]) {
      const former = await ask(`/courses/tee${rest}`, live);
      const current = await ask(`/courses/gr%C3%BCn%3Atee${rest}`, live);
      const tell = ({ status, text, headers }: typeof former) => [status, text, headers.get("etag")];
      expect(tell(former)).toEqual(tell(current));
      expect(current.status).toBe(200);
      const location = former.headers.get("content-location") ?? "";
      expect(location).not.toStartWith("/");
      expect(resolve(`tee${rest}`, location)).toBe(`gr%C3%BCn%3Atee${rest}`);
      expect([former.headers.get("location"), current.headers.get("content-location")]).toEqual([null, null]);
    }
    const missing = await ask("/courses/tee/lessons/nothing", live);
    expect([missing.status, missing.headers.get("content-location")]).toEqual([404, null]);
    expect(missing.text).toContain("Lesson not found");
  });

  test("of drafts work for keys that read drafts; other keys find the last owner that they may read", async () => {
    const publish = (...slugs: string[]) => {
      const [secret, tea] = toCourses({ b: slugs[0] ?? "", a: slugs[1] ?? "" });
      return importAll([{ ...secret, published: false }, ...(slugs.length === 1 ? [] : [tea ?? {}])]);
    };
    await publishSlugs({ a: "tea" });
    await publish("tea", "x");
    expect([await find("tea"), await find("tea", drafts)]).toEqual(["a now x", "b"]);
    await publish("y", "x");
    expect([await find("tea"), await find("tea", drafts)]).toEqual(["a now x", "b now y"]);
    await publish("z");
    expect([await find("y"), await find("y", drafts), await find("tea")]).toEqual(["404", "b now z", "404"]);
  });

  test("are percent-encoded in the header even if an HTTP/1.0 request sent them unencoded", async () => {
    const chapters = [{ name: "A", lessons: [{ id: "漢", name: "L" }] }];
    for (const slug of ["旧", "新"]) await importAll([{ _id: "a", slug, name: slug, chapters }]);
    const server = await startTestServer(database.store);
    const { status, headers } = await server.raw(
      Buffer.from(`GET /api/v1/courses/旧/lessons/漢?x=漢 HTTP/1.0\r\nx-api-key: ${live}\r\n\r\n`),
    );
    expect([status, headers["content-location"]]).toEqual([200, encodeURI("../../新/lessons/漢?x=漢")]);
    await server.stop();
  });

  test("taken by another course are reported once, by the import that takes them", async () => {
    const warning = (line: number, what: string, owner: string): string =>
      `courses.ndjson:${line}: warning: ${what} is a former slug of course "${owner}": its old URLs will point to this course`;
    let slugs: Record<string, string> = { a: "tea", b: "coffee", c: "milk" };
    const tell = async (changes: Record<string, string>, channel = "live"): Promise<string[]> => {
      slugs = { ...slugs, ...changes };
      const planned = await importAll(toCourses(slugs), { channel, dryRun: true });
      const { problems } = await importAll(toCourses(slugs), { channel });
      expect(planned.problems).toEqual(problems);
      return problems;
    };
    expect([...(await tell({})), ...(await tell({ a: "green-tea" }))]).toEqual([]);
    // What a course has had itself is no news, nor what stays as it is.
    expect(await tell({ a: "tea" })).toEqual([]);
    const exchanged = [warning(1, 'slug "coffee"', "b"), warning(2, 'slug "tea"', "a")];
    expect(await tell({ a: "coffee", b: "tea" })).toEqual(exchanged);
    expect(await tell({ c: "cocoa" })).toEqual([]);
    // As an id, as the slug of a new course, and from a course that is gone.
    const taken = [warning(4, 'id "milk"', "c"), warning(5, 'slug "green-tea"', "a")];
    expect(await tell({ milk: "oat-milk", green: "green-tea" })).toEqual(taken);
    delete slugs["a"];
    expect(await tell({ c: "coffee" })).toEqual([warning(2, 'slug "coffee"', "a")]);
    // A preview is compared with what is live, then with itself.
    expect(await tell({ b: "coffee", c: "tea" }, "pr-1")).toHaveLength(2);
    expect(await tell({ b: "coffee", c: "tea" }, "pr-1")).toEqual([]);
  });

  test("point to the slug in a pinned release, even newer ones, and outlive the content of their releases", async () => {
    for (const slug of ["one", "two", "three"]) await publishSlugs({ a: slug });
    const before = "a now one?release=1";
    expect(await findAll("one?release=1 two?release=1 three?release=1")).toEqual(["a", before, before]);
    expect(await find("one?release=3")).toBe("a now three?release=3");
    expect(await pruneReleases(context("2026-01-02T00:00:00.000Z"), 1)).toHaveLength(2);
    expect(await findAll("one two")).toEqual(["a now three", "a now three"]);
  });

  test("in a pinned release belong to the current owner, not to an earlier one", async () => {
    // Both ways round, so that neither is right by the order of rows.
    for (const [from, to] of ["ab", "ba"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)) {
      const channel = `pr-${from}`;
      const key = await createKey(database.store, project, { channel });
      const first = await publishSlugs({ a: "tea", b: "coffee" }, channel);
      await publishSlugs({ [from]: "cocoa", [to]: "x" }, channel);
      await publishSlugs({ [from]: "y", [to]: "cocoa" }, channel);
      expect(await find(`cocoa?release=${first}`, key)).toStartWith(`${to} now `);
    }
  });
});
