// Searches over many names, against the plainest filter there is. The seed is printed when something differs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { foldName } from "../../src/catalog/fold-name.ts";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, openTestStore, type TestStore } from "../support/store.ts";

/** More than the store reads in one go (500), so that names stand on both sides of several borders. */
const COURSES = 1100;
const SEARCHES = 120;

const WORDS = [
  "tea",
  "team",
  "steam",
  "a",
  "aa",
  "aaa",
  "ab",
  "ba",
  "Über",
  "uber",
  "straße",
  "Cà phê",
  "हिन्दी",
  "हिन्",
  "कोर्स",
  "การเขียน",
  "เขียน",
  "漢字",
  "字漢",
  "漢",
  "コース",
  "한국어",
  "가",
  "العربية",
  "עברית",
  "😀",
  "😀😁",
  "👩‍👩‍👧",
  "\u{20bb7}",
  "\u{10ffff}",
  "%",
  "_",
  "\\",
  '"',
  "'",
  "\u0000",
  "\t",
  "\u2028",
  "\u0085",
  "é",
  "e\u0301",
];

const createName = (random: Random): string => {
  const words = Array.from({ length: 1 + random.below(4) }, () => random.pick(WORDS));
  // A name needs something that is no blank.
  return `${words.join(random.pick([" ", "", "  ", "-"]))}${random.pick(["", " x", "1"])}`.replaceAll("\u0000", "0");
};

describe("searches by name", () => {
  const { seed } = readRandomSettings(0);
  let database: TestStore;
  let server: TestServer;
  let key: string;
  const nameLists: string[][] = [];
  /** What the plainest filter looks at: the names of each list in turn, folded. */
  const foldedLists = new Map<string[], string[]>();

  /** Of a release that follows another, every fourth name is new. */
  const publishNames = async (random: Random, at: string): Promise<void> => {
    const former = nameLists.at(-1);
    const names = Array.from({ length: COURSES }, (_, index) => {
      const name = `${createName(random)}${index % 7 === 0 ? ` ${index}` : ""}`;
      return random.oneIn(4) ? name : (former?.[index] ?? name);
    });
    nameLists.push(names);
    foldedLists.set(
      names,
      names.map((name) => foldName(name.trim() === "" ? "blank" : name)),
    );
    const courses = names.map((name, index) => ({
      _id: `c${String(index).padStart(5, "0")}`,
      slug: `s${index}`,
      name: name.trim() === "" ? "blank" : name,
      createdAt: "2025-01-01",
    }));
    await publish(database.store, "acme", courses, at);
  };

  beforeAll(async () => {
    database = await openTestStore(anyEngine);
    const random = createRandom(seed);
    await publishNames(random, "2026-01-01T00:00:00.000Z");
    await publishNames(random, "2026-02-01T00:00:00.000Z");
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const search = async (name: string, release?: number) => {
    const query = `name=${encodeURIComponent(name)}${release === undefined ? "" : `&release=${release}`}`;
    return server.get(`/api/v1/courses?${query}`, { key });
  };
  const filter = (names: string[], asked: string): string[] => {
    const folded = foldName(asked);
    const found = foldedLists.get(names)?.flatMap((name, index) => (name.includes(folded) ? [index] : [])) ?? [];
    return found.map((index) => `c${String(index).padStart(5, "0")}`);
  };

  /** A text to search for: a part of a name, across its words, or of two names that stand side by side. */
  const createSearch = (random: Random, names: string[]): string => {
    const index = random.below(COURSES - 1);
    const source = random.pick([
      names[index] ?? "",
      `${names[index]}${names[index + 1]}`,
      `${names[index]}\n${names[index + 1]}`,
      random.pick(WORDS),
      names[random.pick([0, 499, 500, 501, 999, 1000, COURSES - 1])] ?? "",
    ]);
    const letters = [...source];
    const from = random.below(letters.length);
    return letters.slice(from, from + 1 + random.below(letters.length)).join("");
  };

  test("find what a filter over all names finds, in its order, in the current release and in a pinned one", async () => {
    const random = createRandom(seed + 1);
    let found = 0;
    for (let round = 0; round < SEARCHES; round++) {
      const release = random.pick([undefined, 1, 2]);
      const names = nameLists[(release ?? 2) - 1] ?? [];
      const asked = createSearch(random, names);
      const answer = await search(asked, release);
      const { total, results } = dataOf(answer);
      const expected = filter(names, asked);
      expect({ seed, asked, ids: results.map((course) => course._id) }).toEqual({ seed, asked, ids: expected });
      expect(total).toBe(expected.length);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(SEARCHES);
  });

  test("are right when the first of them come all at once", async () => {
    const random = createRandom(seed + 2);
    const fresh = await startTestServer(database.store);
    const names = nameLists[1] ?? [];
    const asked = Array.from({ length: 60 }, () => createSearch(random, names));
    const found = await Promise.all(
      asked.map(async (name) => {
        const answer = await fresh.get(`/api/v1/courses?name=${encodeURIComponent(name)}&limit=1000`, { key });
        return dataOf(answer).total;
      }),
    );
    expect({ seed, found }).toEqual({ seed, found: asked.map((name) => filter(names, name).length) });
    await fresh.stop();
  });
});
