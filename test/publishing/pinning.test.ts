// ?release=N: what a key's channel has published can be read as it was, and nothing else.
import { beforeAll, describe, expect, test } from "bun:test";
import { deleteChannel, pruneReleases, publishExisting, rollBack } from "../../src/publishing/publish.ts";
import { dataOf, linkOf, releaseOf } from "../support/answers.ts";
import { importNdjson, toNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const PATHS = ["/courses", "/courses/a", "/courses/slug-a/lessons", "/courses/a/lessons/l1"];
const DAY_LATER = "2026-01-02T00:00:00.000Z";

describe("pinned reads", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let live: string;
  const context = () => publishingAt(database.store, "acme", DAY_LATER);

  // Releases: 1 and 4 on live, 2 on pr-1, 3 on a channel that was deleted, 5 current on live; 1 is pruned.
  beforeAll(async () => {
    live = await createKey(database.store, "acme");
    for (const [channel, edition] of [
      ["live", 1],
      ["pr-1", 2],
      ["pr-2", 3],
      ["live", 4],
      ["live", 5],
    ] as const) {
      const lessons = ["l1", "l2", "l3"].map((id) => ({ id, name: `Edition ${edition}` }));
      const courses = ["a", "b", "c"].map((id) => ({
        _id: id,
        slug: `slug-${id}`,
        name: `Edition ${edition}`,
        chapters: [{ name: "A", lessons }],
      }));
      const ndjson = toNdjson(courses);
      await importNdjson(database.store, "acme", ndjson, undefined, { channel });
      await importNdjson(database.store, "other", ndjson.replaceAll("Edition", "Others'"));
    }
    await deleteChannel(context(), "pr-2");
    // Keeps 5 and 4 of live and 2 of pr-1.
    await pruneReleases(context(), 2);
  });

  const statusesOf = async (key: string, release: string): Promise<number[]> => {
    const statuses: number[] = [];
    for (const path of PATHS) statuses.push((await ask(`${path}?release=${release}`, key)).status);
    return statuses;
  };

  test("answer from the release and name it, in all four operations", async () => {
    for (const release of [4, 5]) {
      for (const path of PATHS) {
        const answer = await ask(`${path}?release=${release}`, live);
        expect(releaseOf(answer)).toBe(release);
        expect(JSON.stringify(dataOf(answer))).toContain(`Edition ${release}`);
        expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      }
    }
    expect((await ask("/courses/a?release=000000004", live)).status).toBe(200);
    expect((await ask("/courses/a?release=%34", live)).status).toBe(200);
  });

  test.each(["0", "6", "999999999", "2", "3"])(
    "of release %s are 404 on live: it is unknown or on another channel",
    async (release) => {
      expect(await statusesOf(live, release)).toEqual([404, 404, 404, 404]);
      const answer = await ask(`/courses?release=${release}`, live);
      expect(answer.text).toBe('{"data":{},"success":false,"message":"Release not found","code":404}');
      expect([answer.headers.get("catalog-release"), answer.headers.get("cache-control")]).toEqual([null, "no-store"]);
    },
  );

  test("of a deleted channel are 404 until it publishes the release again", async () => {
    const key = await createKey(database.store, "acme", { channel: "pr-3" });
    await publishExisting(context(), 4, "pr-3");
    expect(await statusesOf(key, "4")).toEqual([200, 200, 200, 200]);
    await deleteChannel(context(), "pr-3");
    expect(await statusesOf(key, "4")).toEqual([404, 404, 404, 404]);
    expect(dataOf(await ask("/courses", key))).toEqual({ total: 0, results: [] } as never);
    await publishExisting(context(), 5, "pr-3");
    expect(await statusesOf(key, "4")).toEqual([404, 404, 404, 404]);
    await publishExisting(context(), 4, "pr-3");
    expect(await statusesOf(key, "4")).toEqual([200, 200, 200, 200]);
  });

  test("of a pruned release are 410 in all four operations, for any content", async () => {
    expect(await statusesOf(live, "1")).toEqual([410, 410, 410, 410]);
    for (const path of ["/courses/nothing", "/courses/a/lessons/nothing", "/courses/slug-a"]) {
      const answer = await ask(`${path}?release=1`, live);
      expect(answer.text).toBe('{"data":{},"success":false,"message":"This release is no longer kept","code":410}');
      expect([answer.status, answer.headers.get("catalog-release")]).toEqual([410, null]);
    }
  });

  test("with an empty value read the current release", async () => {
    for (const query of ["release=", "release", "release=&release="]) {
      expect(releaseOf(await ask(`/courses?${query}`, live))).toBe(5);
    }
    expect(releaseOf(await ask("/courses?release=&release=4", live))).toBe(4);
  });

  test.each([
    ["a word", "release=latest"],
    ["a plus", "release=%2B1"],
    ["digits of another script", "release=%D9%A1"],
    ["ten digits", "release=1000000000"],
    ["very many digits", `release=${"9".repeat(5000)}`],
    ["two values", "release=4&release=5"],
    ["a second spelling of its name", "release=4&rel%65ase=4"],
  ])("with %s are 400 before any lookup", async (_what, query) => {
    for (const path of [...PATHS, "/courses/nothing", "/courses/a/lessons/nothing"]) {
      const answer = await ask(`${path}?${query}`, live);
      expect([path, answer.status, answer.headers.get("catalog-release")]).toEqual([path, 400, null]);
    }
    expect((await ask(`/courses?${query}`, "lectern_wrong")).status).toBe(401);
  });

  test("of a channel without a release are 404, even the list", async () => {
    const key = await createKey(database.store, "acme", { channel: "empty" });
    expect(await statusesOf(key, "5")).toEqual([404, 404, 404, 404]);
    expect((await ask("/courses", key)).status).toBe(200);
  });

  test("follow Link: all pages of a list have the release of the first", async () => {
    const next = linkOf("/courses", await ask("/courses?limit=1", live), "next");
    expect(next).toContain("release=5");
    await rollBack(context(), "live", undefined);
    const [pinned, plain] = [await ask(next ?? "", live), await ask("/courses?limit=1", live)];
    expect([releaseOf(pinned), releaseOf(plain)]).toEqual([5, 4]);
    expect(dataOf(pinned).results[0]?.name).toBe("Edition 5");
    const back = await ask(linkOf("/courses", pinned, "prev") ?? "", live);
    expect([releaseOf(back), dataOf(back).results[0]?._id]).toEqual([5, "a"]);
    const last = await ask(linkOf("/courses", pinned, "next") ?? "", live);
    expect([releaseOf(last), dataOf(last).results[0]?._id, linkOf("/courses", last, "next")]).toEqual([
      5,
      "c",
      undefined,
    ]);
  });
});
