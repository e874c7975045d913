// Earlier releases: `?release=N` reads what a key's channel has published as it was, and a former slug still finds its course.
// `model.test.ts` has all that may happen to channels and releases; here is what answers say, and what random sequences seldom
// meet.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { deleteChannel, pruneReleases, rollBack } from "../../src/publishing/publish.ts";
import { dataOf, linkOf, releaseOf } from "../support/answers.ts";
import { errorBody } from "../support/acme.ts";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const database = useTestStore();
const ask = createAsk(database);
let live: string;

const PATHS = ["/courses", "/courses/a", "/courses/slug-a/lessons", "/courses/a/lessons/l1"];

describe("pinned reads", () => {
  const context = () => publishingAt(database.store, "acme", "2026-01-02T00:00:00.000Z");

  // Releases: 1 and 4 on live, 2 on pr-1, 3 on a channel that was deleted, 5 current on live; 1 is pruned.
  beforeAll(async () => {
    live = await createKey(database.store, "acme");
    for (const [index, channel] of ["live", "pr-1", "pr-2", "live", "live"].entries()) {
      const name = `Edition ${index + 1}`;
      const chapters = [{ name: "A", lessons: ["l1", "l2", "l3"].map((id) => ({ id, name })) }];
      const ndjson = toNdjson(["a", "b", "c"].map((id) => ({ _id: id, slug: `slug-${id}`, name, chapters })));
      await importNdjson(database.store, "acme", ndjson, undefined, { channel });
      await importNdjson(database.store, "other", ndjson.replaceAll("Edition", "Others'"));
    }
    await deleteChannel(context(), "pr-2");
    // Keeps 5 and 4 of live and 2 of pr-1.
    await pruneReleases(context(), 2);
  });

  test("answer from the release and name it; an empty value means the current one", async () => {
    for (const path of PATHS) {
      const answer = await ask(`${path}?release=4`, live);
      expect([releaseOf(answer), answer.headers.get("cache-control")]).toEqual([4, "private, no-cache"]);
    }
    for (const query of ["release=000000004", "release=%34", "release=&release=4", "release=", "release"])
      expect([query, releaseOf(await ask(`/courses?${query}`, live))]).toEqual([query, query.includes("4") ? 4 : 5]);
  });

  test("of an unknown release, or one of another or a deleted channel, are 404; of a pruned one 410", async () => {
    const [missing, gone] = ["Release not found", "This release is no longer kept"];
    for (const release of [0, 6, 999999999, 2, 3, 1]) {
      const [status, message] = release === 1 ? ([410, gone] as const) : ([404, missing] as const);
      for (const path of [...PATHS, "/courses/nothing"]) {
        const answer = await ask(`${path}?release=${release}`, live);
        expect([path, answer.status, answer.text]).toEqual([path, status, errorBody(status, message)]);
        expect(answer.headers.get("catalog-release")).toBeNull();
      }
    }
  });

  test("with anything but one number of up to nine digits are 400 before any lookup", async () => {
    const values = ["latest", "%2B1", "%D9%A1", "1000000000", "9".repeat(5000), "4&release=5", "4&rel%65ase=4"];
    for (const value of values) {
      const answer = await ask(`/courses/nothing?release=${value}`, live);
      expect([value, answer.status, answer.headers.get("catalog-release")]).toEqual([value, 400, null]);
    }
  });

  test("follow Link: all pages of a list have the release of the first", async () => {
    const next = linkOf("/courses", await ask("/courses?limit=1", live), "next") ?? "";
    expect(next).toContain("release=5");
    await rollBack(context(), "live", undefined);
    const [pinned, plain] = [await ask(next, live), await ask("/courses?limit=1", live)];
    expect([releaseOf(pinned), releaseOf(plain)]).toEqual([5, 4]);
    expect(dataOf(pinned).results[0]?.name).toBe("Edition 5");
    const last = await ask(linkOf("/courses", pinned, "next") ?? "", live);
    expect([releaseOf(last), dataOf(last).results[0]?._id]).toEqual([5, "c"]);
  });
});

describe("former slugs", () => {
  const project = useProject(database);
  beforeEach(() => void (live = project.key));

  /** Courses by their slugs: `{ a: "tea" }` is a course of id a and slug tea. */
  const toCourses = (slugs: Record<string, string>): AuthoredCourse[] =>
    Object.entries(slugs).map(([id, slug]) => ({ _id: id, slug, name: `Course ${id}` }));
  const publishSlugs = async (slugs: Record<string, string>, channel = "live"): Promise<number> => {
    const { outcome, problems } = await project.import(toCourses(slugs), { channel });
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
    for (const slug of ["tee", "grün:tee"]) await project.import([{ _id: "a", slug, name: "Tea", chapters }]);
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

  test("are percent-encoded in the header even if an HTTP/1.0 request sent them unencoded", async () => {
    const chapters = [{ name: "A", lessons: [{ id: "漢", name: "L" }] }];
    for (const slug of ["旧", "新"]) await project.import([{ _id: "a", slug, name: slug, chapters }]);
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
      const planned = await project.import(toCourses(slugs), { channel, dryRun: true });
      const { problems } = await project.import(toCourses(slugs), { channel });
      expect(planned.problems).toEqual(problems);
      return problems;
    };
    expect([...(await tell({})), ...(await tell({ a: "green-tea" }))]).toEqual([]);
    // What a course has had itself is no news, nor what stays as it is.
    expect(await tell({ a: "tea" })).toEqual([]);
    const exchanged = [warning(1, 'slug "coffee"', "b"), warning(2, 'slug "tea"', "a")];
    expect(await tell({ a: "coffee", b: "tea" })).toEqual(exchanged);
    expect(await tell({ c: "cocoa" })).toEqual([]);
    // As an id, and as the slug of a new course.
    const taken = [warning(4, 'id "milk"', "c"), warning(5, 'slug "green-tea"', "a")];
    expect(await tell({ milk: "oat-milk", green: "green-tea" })).toEqual(taken);
    // A preview is compared with what is live, then with itself.
    expect(await tell({ a: "tea", b: "coffee" }, "pr-1")).toHaveLength(2);
    expect(await tell({}, "pr-1")).toEqual([]);
  });

  test("in a pinned release belong to the current owner, not to an earlier one", async () => {
    // Both ways round, so that neither is right by the order of rows.
    for (const [from, to] of ["ab", "ba"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)) {
      const channel = `pr-${from}`;
      const key = await project.createKey({ channel });
      const first = await publishSlugs({ a: "tea", b: "coffee" }, channel);
      await publishSlugs({ [from]: "cocoa", [to]: "x" }, channel);
      await publishSlugs({ [from]: "y", [to]: "cocoa" }, channel);
      expect(await find(`cocoa?release=${first}`, key)).toStartWith(`${to} now `);
    }
  });
});
