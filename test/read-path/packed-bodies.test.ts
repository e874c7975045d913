// Bodies in a ring of memory: what is found is whole and right, whatever was added and pushed out before.
import { describe, expect, test } from "bun:test";
import { Answer, type AnswerFrame } from "../../src/http/answers/answer.ts";
import { EncodedBody } from "../../src/http/answers/encoded-body.ts";
import { LargeAnswers } from "../../src/http/answers/large-answers.ts";
import { PackedBodies } from "../../src/http/answers/packed-bodies.ts";
import { ResponseCache } from "../../src/http/answers/response-cache.ts";
import { LargeWork } from "../../src/http/operations/large-work.ts";
import { createRandom, readRandomSettings } from "../support/random.ts";

const { seed, rounds } = readRandomSettings(3000);

/** Bytes that tell which body and coding they are of. */
const fill = (n: number, length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(n % 251);

const KEPT = { isWanted: () => true, onDrop: () => {} };
const REQUESTS = { count: 1, age: 0 };

describe("bodies in a ring", () => {
  test("are pushed out by newer ones, the oldest first, but for those that were used and are wanted", () => {
    const dropped: string[] = [];
    const packed = new PackedBodies(1000, {
      isWanted: ({ digest }) => digest !== "b1",
      onDrop: ({ digest }) => void dropped.push(digest),
    });
    for (let n = 0; n < 10; n++) expect(packed.add(`b${n}`, { identity: fill(n, 100) }, REQUESTS)).toBeDefined();
    expect([packed.bytes, packed.hasRoom(1)]).toEqual([1000, false]);
    const [used, unwanted] = [packed.find("b0"), packed.find("b1")];
    if (used !== undefined) used.wasUsed = true;
    if (unwanted !== undefined) unwanted.wasUsed = true;
    packed.add("b10", { identity: fill(10, 100) }, REQUESTS);
    // Its place was needed; it took that of the next.
    expect(dropped).toEqual(["b1"]);
    expect(used && packed.read(used)).toEqual({ identity: fill(0, 100) });
    expect(packed.bytes).toBe(1000);
  });

  test("can be moved out of the way, and what was dropped is not the oldest", () => {
    const packed = new PackedBodies(1000, KEPT);
    for (let n = 0; n < 9; n++) packed.add(`b${n}`, { identity: fill(n, 100) }, REQUESTS);
    for (const digest of ["b0", "b1"]) {
      const oldest = packed.findOldest();
      expect(oldest?.digest).toBe(digest);
      if (oldest !== undefined) packed.move(oldest);
    }
    expect(packed.findOldest()?.digest).toBe("b2");
    const moved = packed.find("b1");
    expect(moved && packed.read(moved)).toEqual({ identity: fill(1, 100) });
    expect(packed.bytes).toBe(900);
  });

  test("that are larger than it are refused, and one that pushes out itself is not there", () => {
    const packed = new PackedBodies(1000, KEPT);
    expect(packed.add("large", { identity: fill(1, 1001) }, REQUESTS)).toBeUndefined();
    packed.add("first", { identity: fill(2, 300) }, REQUESTS);
    expect(packed.add("itself", { identity: fill(3, 500), gzip: fill(4, 500) }, REQUESTS)).toBeUndefined();
    expect(packed.find("itself")).toBeUndefined();
    expect(packed.bytes).toBe(0);
  });
});

test(`a cache of any size answers with what was put in, or not at all; seed ${seed}`, async () => {
  const random = createRandom(seed);
  for (const cacheBytes of [40_000, 150_000, 1_000_000]) {
    const large = new LargeAnswers(1_000_000, undefined);
    const cache = new ResponseCache(cacheBytes, large);
    const releases = [1, 2].map((id) => ({ id, project: "acme", number: id, courses: 0, drafts: 0, lessons: 0 }));
    const frame = {
      route: { name: "lesson", path: "/" },
      shared: new Headers(),
      own: {},
    } as AnswerFrame;
    const work = new LargeWork(large.budget, "acme", new AbortController());
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const n = random.oneIn(2) ? random.below(10) : random.below(300);
      const length = 200 + ((n * 7919) % 30_000);
      const build = async (): Promise<Answer> => {
        const digest = n.toString(16).padStart(32, "0");
        return new Answer(frame, cache.findBody(digest) ?? new EncodedBody(digest, { identity: fill(n, length) }));
      };
      const release = random.pick(releases);
      if (random.oneIn(100)) cache.noteCurrent(new Set([random.pick(releases).id]));
      const before = cache.find(release, false, `/${n}`);
      if (before !== undefined) found++;
      const answer = before ?? (await cache.obtain(release, false, `/${n}`, build, work));
      const body = answer?.body.find("identity");
      expect(body instanceof Uint8Array && Buffer.compare(body, fill(n, length))).toBe(0);
      if (answer !== undefined && random.oneIn(3)) {
        await answer.body.prepare("gzip", work);
        cache.recount(answer.body);
      }
      expect(cache.bytes).toBeLessThanOrEqual(cacheBytes);
    }
    expect(found).toBeGreaterThan(0);
  }
});
