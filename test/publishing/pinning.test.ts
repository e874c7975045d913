// ?release=N: what a key's channel has published can be read as it was, and nothing else. `model.test.ts` has all that may
// happen to channels and releases.
import { beforeAll, describe, expect, test } from "bun:test";
import { deleteChannel, pruneReleases, rollBack } from "../../src/publishing/publish.ts";
import { dataOf, linkOf, releaseOf } from "../support/answers.ts";
import { importNdjson, toNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const PATHS = ["/courses", "/courses/a", "/courses/slug-a/lessons", "/courses/a/lessons/l1"];
const NOWHERE = ["/courses/nothing", "/courses/a/lessons/nothing"];

describe("pinned reads", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let live: string;
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

  test("answer from the release and name it, in all four operations", async () => {
    for (const release of [4, 5]) {
      for (const path of PATHS) {
        const answer = await ask(`${path}?release=${release}`, live);
        expect([releaseOf(answer), answer.headers.get("cache-control")]).toEqual([release, "private, no-cache"]);
        expect(JSON.stringify(dataOf(answer))).toContain(`Edition ${release}`);
      }
    }
    for (const query of ["release=000000004", "release=%34", "release=&release=4"])
      expect([query, releaseOf(await ask(`/courses?${query}`, live))]).toEqual([query, 4]);
    // An empty value means the current one.
    for (const query of ["release=", "release", "release=&release="])
      expect([query, releaseOf(await ask(`/courses?${query}`, live))]).toEqual([query, 5]);
  });

  test("of an unknown release, or one of another or a deleted channel, are 404; of a pruned one 410", async () => {
    const [missing, gone] = ["Release not found", "This release is no longer kept"];
    for (const release of [0, 6, 999999999, 2, 3, 1]) {
      const [status, message] = release === 1 ? [410, gone] : [404, missing];
      for (const path of [...PATHS, ...NOWHERE]) {
        const answer = await ask(`${path}?release=${release}`, live);
        expect([path, answer.status, answer.text]).toEqual([
          path,
          status,
          `{"data":{},"success":false,"message":"${message}","code":${status}}`,
        ]);
        const headers = ["catalog-release", "cache-control"].map((name) => answer.headers.get(name));
        expect(headers).toEqual([null, "no-store"]);
      }
    }
  });

  test("with anything but one number of up to nine digits are 400 before any lookup", async () => {
    const values = ["latest", "%2B1", "%D9%A1", "1000000000", "9".repeat(5000), "4&release=5", "4&rel%65ase=4"];
    for (const value of values) {
      for (const path of [...PATHS, ...NOWHERE]) {
        const answer = await ask(`${path}?release=${value}`, live);
        expect([value, answer.status, answer.headers.get("catalog-release")]).toEqual([value, 400, null]);
      }
      expect((await ask(`/courses?release=${value}`, "lectern_wrong")).status).toBe(401);
    }
  });

  test("follow Link: all pages of a list have the release of the first", async () => {
    const next = linkOf("/courses", await ask("/courses?limit=1", live), "next") ?? "";
    expect(next).toContain("release=5");
    await rollBack(context(), "live", undefined);
    const [pinned, plain] = [await ask(next, live), await ask("/courses?limit=1", live)];
    expect([releaseOf(pinned), releaseOf(plain)]).toEqual([5, 4]);
    expect(dataOf(pinned).results[0]?.name).toBe("Edition 5");
    const back = await ask(linkOf("/courses", pinned, "prev") ?? "", live);
    expect([releaseOf(back), dataOf(back).results[0]?._id]).toEqual([5, "a"]);
    const last = await ask(linkOf("/courses", pinned, "next") ?? "", live);
    expect([releaseOf(last), dataOf(last).results[0]?._id]).toEqual([5, "c"]);
    expect(linkOf("/courses", last, "next")).toBeUndefined();
  });
});
