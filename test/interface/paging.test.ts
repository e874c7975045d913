import { describe, expect, test } from "bun:test";
import { dataOf, linkOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { createKey, send, startTestServer, type TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const COUNT = 1203;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => index);
const idOf = (index: number): string => `i${String(index).padStart(4, "0")}`;

describe("paging", () => {
  let server: TestServer;
  let key: string;
  const database = useTestStore(undefined, async () => {
    const courses = NUMBERS.map((index) => ({
      _id: idOf(index),
      slug: `s${index}`,
      name: index % 2 === 0 ? `Even & üben ${index}` : `Odd ${index}`,
      createdAt: "2025-01-01",
    }));
    const lessons = NUMBERS.map((index) => ({ id: idOf(index), name: `Lesson ${index}` }));
    const chapters = [
      { name: "A", lessons: lessons.slice(0, 700) },
      { name: "B", lessons: lessons.slice(700) },
    ];
    await publish(database.store, "acme", [
      ...courses,
      { _id: "long", slug: "lang ähm", name: "Long", createdAt: "2020-01-01", chapters },
      { _id: "hidden", slug: "h", name: "Draft", published: false, createdAt: "2024-06-01" },
    ]);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const read = async (path: string, url = server.url) => {
    const answer = await send(url, path, { key });
    const { total, results } = dataOf(answer);
    const ids = results.map(({ _id, id }) => _id ?? id);
    const [next, prev] = [linkOf(path, answer, "next"), linkOf(path, answer, "prev")];
    return { page: { total, ids, link: answer.headers.get("link") }, next, prev };
  };

  describe.each([
    { list: "courses", path: "/api/v1/courses", total: COUNT + 1, all: NUMBERS.map(idOf).concat("long") },
    { list: "lessons", path: "/api/v1/courses/long/lessons", total: COUNT, all: NUMBERS.map(idOf) },
  ])("of $list", ({ path, total, all }) => {
    const next = (query: string): string => `<?${query}&release=1>; rel="next"`;
    const prev = (query: string): string => `<?${query}&release=1>; rel="prev"`;
    test.each<[query: string, from: number, end: number, link: string | null]>([
      ["", 0, total, null],
      ["?limit=5", 0, 5, next("limit=5&offset=5")],
      ["?limit=10&offset=20", 20, 30, `${next("limit=10&offset=30")}, ${prev("limit=10&offset=10")}`],
      // An offset alone reads to the end, and the way back is all that stands before it.
      ["?offset=3", 3, total, prev("limit=3&offset=0")],
      ["?offset=0", 0, total, null],
      [`?limit=100&offset=${total - 100}`, total - 100, total, prev(`limit=100&offset=${total - 200}`)],
      // A limit has no upper bound.
      ["?limit=1100", 0, 1100, next("limit=1100&offset=1100")],
      ["?limit=999999999", 0, total, null],
      // Leading zeros and empty values are ignored.
      ["?limit=000000002&offset=000000000", 0, 2, next("limit=2&offset=2")],
      ["?limit&offset=&include=&release=", 0, total, null],
      ["?limit=&limit=2&offset", 0, 2, next("limit=2&offset=2")],
    ])(
      "%j is what stands from %d to %d, of which total counts all, with links to its neighbors",
      async (query, from, end, link) => {
        const { page } = await read(path + query);
        expect(page).toEqual({ total, ids: all.slice(from, end), link });
      },
    );

    test("an offset at or past the end gives an empty page with a prev link", async () => {
      for (const offset of [total, total + 1, 999999999]) {
        const past = await read(`${path}?limit=10&offset=${offset}`);
        expect([past.page.total, past.page.ids, past.next]).toEqual([total, [], undefined]);
        expect((await read(past.prev ?? "")).page.ids).toEqual(all.slice(-10));
      }
      expect((await read(`${path}?offset=999999999`)).page.ids).toEqual([]);
    });

    test.each([
      ["next", 0],
      ["prev", total],
    ] as const)("following %s from %d shows everything once, in order", async (way, start) => {
      const seen: string[][] = [];
      let at: string | undefined = `${path}?limit=400&offset=${start}`;
      while (at !== undefined) {
        const answer = await read(at);
        seen.push(answer.page.ids);
        at = answer[way];
      }
      expect((way === "next" ? seen : seen.toReversed()).flat()).toEqual(all);
    });

    test.each(
      `limit=0 limit=00 limit=-1 limit=1.0 limit=1234567890 limit=%201 limit=0x10 limit=١ offset=x offset=0000000000
      limit=1&limit=1 offset=0&offset=0 l%69mit=0`.split(/\s+/),
    )("%s is 400", async (query) => {
      const { status, text, headers } = await server.get(`${path}?${query}`, { key });
      expect([status, headers.get("cache-control")]).toEqual([400, "no-store"]);
      expect(text).toMatch(/^\{"data":\{\},"success":false,"message":"(limit|offset) [^"]+","code":400\}$/);
    });
  });

  test("links of a filtered list keep the filter", async () => {
    const { page, next = "" } = await read("/api/v1/courses?name=EVEN%20%26+Uben&limit=2&utm=1");
    const link = '<?name=EVEN+%26+Uben&limit=2&offset=2&release=1>; rel="next"';
    expect(page).toEqual({ total: 602, ids: [idOf(0), idOf(2)], link });
    expect((await read(next)).page.ids).toEqual([idOf(4), idOf(6)]);
  });

  test("links keep the requested URL: proxy prefix, slug, encoding, slash", async () => {
    const proxy = startPrefixProxy(server.url);
    const { origin } = new URL(proxy.url);
    const paths = ["courses", "courses/long/lessons", "courses/lang%20%C3%A4hm/lessons"];
    for (const path of paths.flatMap((each) => [`/catalog/api/v1/${each}`, `/catalog/api/v1/${each}/`])) {
      const { next = "" } = await read(`${path}?limit=1`, origin);
      expect(new URL(next, origin).pathname).toBe(path);
      expect((await read(next, origin)).page.ids).toEqual([idOf(1)]);
    }
    await proxy.stop();
  });

  test("other operations ignore paging parameters and filters", async () => {
    for (const path of ["/api/v1/courses/long", "/api/v1/courses/long/lessons/i0001"]) {
      const asked = await server.get(`${path}?limit=0&offset=x&name=a&name=b&sort=size&language=_`, { key });
      expect([asked.status, asked.headers.has("link")]).toEqual([200, false]);
    }
    const lessons = await server.get("/api/v1/courses/long/lessons?name=a&name=b&ids=x", { key });
    expect(lessons.text).toContain(`"total":${COUNT},`);
  });
});
