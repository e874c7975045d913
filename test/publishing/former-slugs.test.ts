// A former slug still finds its course, as far as the channel has published it.
import { beforeEach, describe, expect, test } from "bun:test";
import { deleteChannel, pruneReleases, publishExisting, rollBack } from "../../src/publishing/publish.ts";
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
  const publish = async (courses: AuthoredCourse[], channel = "live"): Promise<number> => {
    const ndjson = toNdjson(courses);
    const { outcome, problems } = await importNdjson(database.store, project, ndjson, undefined, { channel });
    if (outcome.status !== "published") throw new Error(`${outcome.status}: ${problems.join("; ")}`);
    return outcome.release.number;
  };
  /** Publishes courses by their slugs: `{ a: "tea" }` is a course of id a and slug tea. */
  const publishSlugs = (slugs: Record<string, string>, channel?: string): Promise<number> =>
    publish(
      Object.entries(slugs).map(([id, slug]) => ({ _id: id, slug, name: `Course ${id}` })),
      channel,
    );
  /** The course that a slug finds, and the slug that the answer says is the current one. */
  const find = async (path: string, key = live): Promise<string> => {
    const answer = await ask(`/courses/${path}`, key);
    if (answer.status !== 200) return String(answer.status);
    const location = answer.headers.get("content-location");
    return dataOf(answer)._id + (location === null ? "" : ` now ${resolve(path, location)}`);
  };
  /** What follows `/courses/` in the address that a Content-Location gives, behind a proxy that adds a path. */
  const resolve = (path: string, location: string): string => {
    const base = "https://site.example/catalog/api/v1/courses/";
    const { href } = new URL(location, base + path);
    if (!href.startsWith(base)) throw new Error(`${location} leads from ${path} to ${href}`);
    return href.slice(base.length);
  };

  test("find the course in all three operations, with the body and ETag of the current slug", async () => {
    const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
    await publish([{ _id: "a", slug: "tee", name: "Tea", chapters }]);
    await publish(
      [{ _id: "a", slug: "grün tee/", name: "Tea", chapters }].map((course) => ({ ...course, slug: "grün tee" })),
    );
    for (const rest of [
      "",
      "/",
      "?x=1",
      "/?x=a/b",
      "/lessons",
      "/lessons/l",
      "/lessons/l/",
      "/lessons?limit=1&x=%20",
      "/lessons/",
    ]) {
      const [former, current] = [
        await ask(`/courses/tee${rest}`, live),
        await ask(`/courses/gr%C3%BCn%20tee${rest}`, live),
      ];
      expect([former.status, current.status]).toEqual([200, 200]);
      expect(former.text).toBe(current.text);
      expect(former.headers.get("etag")).toBe(current.headers.get("etag"));
      const location = former.headers.get("content-location") ?? "";
      expect(location).not.toStartWith("/");
      expect(resolve(`tee${rest}`, location)).toBe(`gr%C3%BCn%20tee${rest}`);
      expect(former.headers.get("location")).toBeNull();
      expect(current.headers.get("content-location")).toBeNull();
    }
    const missing = await ask("/courses/tee/lessons/nothing", live);
    expect([missing.status, missing.headers.get("content-location")]).toEqual([404, null]);
    expect(missing.text).toContain("Lesson not found");
  });

  test("all find the course after several renames, and a reused one is current again", async () => {
    await publishSlugs({ a: "one" });
    await publishSlugs({ a: "two" });
    // What looks like a scheme is one in no relative address.
    await publishSlugs({ a: "three:3" });
    expect([await find("one"), await find("two"), await find("three:3")]).toEqual([
      "a now three%3A3",
      "a now three%3A3",
      "a",
    ]);
    await publishSlugs({ a: "one" });
    expect([await find("one"), await find("two"), await find("three:3")]).toEqual(["a", "a now one", "a now one"]);
  });

  test("shared by two courses find the one that had it last", async () => {
    await publishSlugs({ a: "tea", b: "coffee" });
    await publishSlugs({ a: "old-tea", b: "tea" });
    expect(await find("tea")).toBe("b");
    await publishSlugs({ a: "old-tea", b: "new-tea" });
    expect(await find("tea")).toBe("b now new-tea");
    expect(await find("coffee")).toBe("b now new-tea");
  });

  test("find an earlier owner when the last one is removed", async () => {
    await publishSlugs({ a: "tea", b: "coffee" });
    await publishSlugs({ a: "old-tea", b: "tea" });
    await publishSlugs({ a: "old-tea" });
    expect([await find("tea"), await find("coffee")]).toEqual(["a now old-tea", "404"]);
    await publishSlugs({ a: "old-tea", b: "cocoa" });
    expect([await find("tea"), await find("coffee")]).toEqual(["b now cocoa", "b now cocoa"]);
  });

  test("also include those of a release that was rolled back, since it was published", async () => {
    await publishSlugs({ a: "tea", b: "coffee" });
    await publishSlugs({ a: "old-tea", b: "tea", c: "cocoa" });
    await rollBack(context(), "live", undefined);
    expect([await find("tea"), await find("coffee"), await find("old-tea")]).toEqual(["a", "b", "a now tea"]);
    expect(await find("cocoa")).toBe("404");
    // The slug was a's again before this release took it away: a is the last owner.
    await publishSlugs({ a: "x", b: "y" });
    expect([await find("tea"), await find("coffee")]).toEqual(["a now x", "b now y"]);
  });

  test("yield to ids and current slugs", async () => {
    await publishSlugs({ a: "tea" });
    await publishSlugs({ a: "x", tea: "y" });
    expect(await find("tea")).toBe("tea");
    await publishSlugs({ a: "x", b: "tea" });
    expect(await find("tea")).toBe("b");
  });

  test("of drafts work for keys that read drafts; other keys find the last owner that they may read", async () => {
    const tea = { _id: "a", name: "Tea" };
    const secret = { _id: "b", name: "Secret", published: false };
    await publish([{ ...tea, slug: "tea" }]);
    await publish([
      { ...tea, slug: "x" },
      { ...secret, slug: "tea" },
    ]);
    expect([await find("tea"), await find("tea", drafts)]).toEqual(["a now x", "b"]);
    await publish([
      { ...tea, slug: "x" },
      { ...secret, slug: "y" },
    ]);
    expect([await find("tea"), await find("tea", drafts)]).toEqual(["a now x", "b now y"]);
    await publish([{ ...secret, slug: "z" }]);
    expect([await find("y"), await find("y", drafts), await find("tea")]).toEqual(["404", "b now z", "404"]);
  });

  test("belong to a channel and disappear with it", async () => {
    const preview = await createKey(database.store, project, { channel: "pr-1" });
    await publishSlugs({ a: "one" });
    await publishSlugs({ a: "two" }, "pr-1");
    await publishSlugs({ a: "three" }, "pr-1");
    expect([await find("one"), await find("two"), await find("three")]).toEqual(["a", "404", "404"]);
    expect(await find("one", preview)).toBe("404");
    expect(await find("two", preview)).toBe("a now three");
    await publishExisting(context(), 3, "live");
    expect([await find("one"), await find("two"), await find("three")]).toEqual(["a now three", "404", "a"]);
    await deleteChannel(context(), "pr-1");
    await publishExisting(context(), 3, "pr-1");
    expect([await find("two", preview), await find("three", preview)]).toEqual(["404", "a"]);
  });

  test("in one release are those of the requested channel, on a server that has answered for both", async () => {
    const preview = await createKey(database.store, project, { channel: "pr-1" });
    await publishSlugs({ a: "mine", b: "b1" });
    await publishSlugs({ a: "a1", b: "mine" }, "pr-1");
    await publishSlugs({ a: "a2", b: "b2" });
    await publishExisting(context(), 3, "pr-1");
    const server = await startTestServer(database.store);
    const findOn = async (path: string, key: string): Promise<string> => {
      const { status, headers, text } = await server.get(`/api/v1/courses/${path}`, { key });
      const id = status === 200 ? (JSON.parse(text) as { data: { _id: string } }).data._id : "";
      return `${status} ${id} ${headers.get("content-location") === null ? "" : "moved"}`;
    };
    const expected: [slug: string, key: string, found: string][] = [
      ["mine", live, "200 a moved"],
      ["mine", preview, "200 b moved"],
      ["b1", live, "200 b moved"],
      ["b1", preview, "404  "],
      ["a1", live, "404  "],
      ["a1", preview, "200 a moved"],
    ];
    for (const order of [expected, expected.toReversed(), expected]) {
      for (const query of ["", "?release=3"]) {
        const found = order.map(async ([slug, key]) => [slug, key, await findOn(slug + query, key)]);
        expect(await Promise.all(found)).toEqual(order);
      }
    }
    await server.stop();
  });

  test("are percent-encoded in the header even if an HTTP/1.0 request sent them unencoded", async () => {
    const lessons = [{ id: "漢", name: "L" }];
    for (const slug of ["旧", "新"])
      await publish([{ _id: "a", slug, name: slug, chapters: [{ name: "A", lessons }] }]);
    const server = await startTestServer(database.store);
    const { status, headers } = await server.raw(
      Buffer.from(`GET /api/v1/courses/旧/lessons/漢?x=漢 HTTP/1.0\r\nx-api-key: ${live}\r\n\r\n`),
    );
    expect([status, headers["content-location"]]).toEqual([200, encodeURI("../../新/lessons/漢?x=漢")]);
    await server.stop();
  });

  test("taken by another course are reported once, by the import that takes them", async () => {
    const lines: Record<string, string> = { a: "tea", b: "coffee", c: "milk" };
    const tell = async (changes: Record<string, string | undefined>, channel = "live"): Promise<string[]> => {
      for (const [id, slug] of Object.entries(changes)) {
        if (slug === undefined) delete lines[id];
        else lines[id] = slug;
      }
      const courses = Object.entries(lines).map(([id, slug]) => ({ _id: id, slug, name: `Course ${id}` }));
      const ndjson = toNdjson(courses);
      const planned = await importNdjson(database.store, project, ndjson, undefined, { channel, dryRun: true });
      const { problems } = await importNdjson(database.store, project, ndjson, undefined, { channel });
      expect(planned.problems).toEqual(problems);
      return problems;
    };
    const warning = (line: number, what: string, owner: string): string =>
      `courses.ndjson:${line}: warning: ${what} is a former slug of course "${owner}": its old URLs will point to this course`;
    expect(await tell({})).toEqual([]);
    expect(await tell({ a: "green-tea" })).toEqual([]);
    // What a course has had itself is no news, nor what stays as it is.
    expect(await tell({ a: "tea" })).toEqual([]);
    expect(await tell({ a: "coffee", b: "tea" })).toEqual([
      warning(1, 'slug "coffee"', "b"),
      warning(2, 'slug "tea"', "a"),
    ]);
    expect(await tell({ c: "cocoa" })).toEqual([]);
    // As an id, as the slug of a new course, and from a course that is gone.
    expect(await tell({ milk: "oat-milk", green: "green-tea" })).toEqual([
      warning(4, 'id "milk"', "c"),
      warning(5, 'slug "green-tea"', "a"),
    ]);
    expect(await tell({ a: undefined })).toEqual([]);
    expect(await tell({ c: "coffee" })).toEqual([warning(2, 'slug "coffee"', "a")]);
    // A preview is compared with what is live, then with itself.
    expect(await tell({ b: "coffee", c: "tea" }, "pr-1")).toHaveLength(2);
    expect(await tell({ b: "coffee", c: "tea" }, "pr-1")).toEqual([]);
  });

  test("outlive the content of their releases", async () => {
    await publishSlugs({ a: "one" });
    await publishSlugs({ a: "two" });
    await publishSlugs({ a: "three" });
    expect(await pruneReleases(context("2026-01-02T00:00:00.000Z"), 1)).toHaveLength(2);
    expect([await find("one"), await find("two")]).toEqual(["a now three", "a now three"]);
  });

  describe("in a pinned release", () => {
    test("may be newer than it, and point to the course's slug in that release", async () => {
      await publishSlugs({ a: "one" });
      await publishSlugs({ a: "two" });
      await publishSlugs({ a: "three" });
      expect(await find("two?release=1")).toBe("a now one?release=1");
      expect(await find("three?release=1")).toBe("a now one?release=1");
      expect(await find("one?release=1")).toBe("a");
      expect(await find("one?release=3")).toBe("a now three?release=3");
    });

    test("belong to the current owner, not to an earlier one", async () => {
      // Both ways round, so that neither is right by the order of rows.
      const pairs: [from: string, to: string][] = [
        ["a", "b"],
        ["b", "a"],
      ];
      for (const [from, to] of pairs) {
        const channel = `pr-${from}`;
        const key = await createKey(database.store, project, { channel });
        const first = await publishSlugs({ a: "tea", b: "coffee" }, channel);
        await publishSlugs({ [from]: "cocoa", [to]: "x" }, channel);
        await publishSlugs({ [from]: "y", [to]: "cocoa" }, channel);
        expect(await find(`cocoa?release=${first}`, key)).toStartWith(`${to} now `);
      }
    });
  });
});
