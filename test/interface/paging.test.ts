import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const COUNT = 1203;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => index);
const idOf = (index: number): string => `i${String(index).padStart(4, "0")}`;

interface List {
  total: number;
  ids: string[];
  link: string | null;
}

describe("paging", () => {
  let server: TestServer;
  let key: string;
  const database = useTestStore(anyEngine, async () => {
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

  const read = async (path: string): Promise<List> => {
    const { status, text, headers } = await server.get(path, { key });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    const { data } = JSON.parse(text) as { data: { total: number; results: { _id?: string; id?: string }[] } };
    return { total: data.total, ids: data.results.map((item) => item._id ?? item.id ?? ""), link: headers.get("link") };
  };
  const findLink = ({ link }: List, relation: string): string | undefined =>
    new RegExp(`<([^>]*)>; rel="${relation}"`).exec(link ?? "")?.[1];
  /** The path of a link of the page at `path`. */
  const follow = (path: string, page: List, relation: string): string | undefined => {
    const link = findLink(page, relation);
    if (link === undefined) return undefined;
    const { pathname, search } = new URL(link, server.url + path);
    return pathname + search;
  };

  const LISTS = [
    { list: "courses", path: "/api/v1/courses", total: COUNT + 1, all: [...NUMBERS.map(idOf), "long"] },
    { list: "lessons", path: "/api/v1/courses/long/lessons", total: COUNT, all: NUMBERS.map(idOf) },
  ];

  describe.each(LISTS)("of $list", ({ path, total, all }) => {
    test.each<[query: string, from: number, end: number, link: string | null]>([
      ["", 0, total, null],
      ["?limit=5", 0, 5, '<?limit=5&offset=5&release=1>; rel="next"'],
      [
        "?limit=10&offset=20",
        20,
        30,
        '<?limit=10&offset=30&release=1>; rel="next", <?limit=10&offset=10&release=1>; rel="prev"',
      ],
      ["?limit=1100", 0, 1100, '<?limit=1100&offset=1100&release=1>; rel="next"'],
      // An offset alone reads to the end, and the way back is all that stands before it.
      ["?offset=3", 3, total, '<?limit=3&offset=0&release=1>; rel="prev"'],
      ["?offset=1150", 1150, total, '<?limit=1150&offset=0&release=1>; rel="prev"'],
      ["?offset=0", 0, total, null],
      // The first page and the last.
      ["?limit=100&offset=0", 0, 100, '<?limit=100&offset=100&release=1>; rel="next"'],
      [
        `?limit=100&offset=${total - 100}`,
        total - 100,
        total,
        `<?limit=100&offset=${total - 200}&release=1>; rel="prev"`,
      ],
      // A limit has no upper bound.
      ...[total, total + 1, 100_000, 999_999_999].map((limit): [string, number, number, null] => [
        `?limit=${limit}`,
        0,
        total,
        null,
      ]),
    ])(
      "%j is what stands from %d to %d, of which total counts all, with links to its neighbors",
      async (query, from, end, link) => {
        expect(await read(path + query)).toEqual({ total, ids: all.slice(from, end), link });
      },
    );

    test("an empty value is ignored", async () => {
      const everything = { total, ids: all, link: null };
      for (const query of ["limit=", "limit", "offset=", "limit=&offset=", "release=", "include=&limit=&release="]) {
        expect(await read(`${path}?${query}`)).toEqual(everything);
      }
      const first = { total, ids: all.slice(0, 2), link: '<?limit=2&offset=2&release=1>; rel="next"' };
      for (const query of ["limit=2&offset=", "limit=&limit=2", "offset&limit=2&limit"]) {
        expect(await read(`${path}?${query}`)).toEqual(first);
      }
    });

    test("an offset at or past the end gives an empty page with a prev link", async () => {
      for (const offset of [total, total + 1, 999999999]) {
        const page = await read(`${path}?limit=10&offset=${offset}`);
        expect(page.ids).toEqual([]);
        expect(page.total).toBe(total);
        expect(findLink(page, "next")).toBeUndefined();
        const back = await read(follow(path, page, "prev") ?? "");
        expect(back.ids).toEqual(all.slice(-10));
      }
      expect((await read(`${path}?offset=999999999`)).ids).toEqual([]);
    });

    test.each([1, 70, 400, 1000])("following next from limit=%d shows everything once, in order", async (limit) => {
      const seen: string[] = [];
      // One at a time would take a thousand requests: there it starts near the end.
      const start = limit === 1 ? total - 5 : 0;
      let next: string | undefined = `${path}?limit=${limit}&offset=${start}`;
      while (next !== undefined) {
        const page = await read(next);
        seen.push(...page.ids);
        next = follow(next, page, "next");
      }
      expect(seen).toEqual(all.slice(start));
    });

    test.each([70, 400])("following prev from the end with limit=%d shows everything once", async (limit) => {
      const seen: string[] = [];
      let previous: string | undefined = `${path}?limit=${limit}&offset=${total}`;
      while (previous !== undefined) {
        const page = await read(previous);
        seen.unshift(...page.ids);
        previous = follow(previous, page, "prev");
      }
      expect(seen).toEqual(all);
    });

    test.each(
      "limit=0 limit=00 limit=-1 limit=1.0 limit=1e2 limit=abc limit=1234567890 limit=%201 limit=+1 limit=0x10 limit=١ offset=-1 offset=x offset=0000000000 limit=1&limit=1 offset=0&offset=0 limit=5&offset=1&limit=6 l%69mit=0".split(
        " ",
      ),
    )("%s is 400", async (query) => {
      const { status, text, headers } = await server.get(`${path}?${query}`, { key });
      expect(status).toBe(400);
      expect(text).toMatch(/^\{"data":\{\},"success":false,"message":"(limit|offset) [^"]+","code":400\}$/);
      expect(headers.get("cache-control")).toBe("no-store");
    });

    test("leading zeros are ignored", async () => {
      expect((await read(`${path}?limit=000000002&offset=000000001`)).ids).toEqual(all.slice(1, 3));
    });
  });

  test("links of a filtered list keep the filter", async () => {
    const page = await read("/api/v1/courses?name=EVEN%20%26+Uben&limit=2&utm=1");
    expect(page).toEqual({
      total: 602,
      ids: [idOf(0), idOf(2)],
      link: '<?name=EVEN+%26+Uben&limit=2&offset=2&release=1>; rel="next"',
    });
    const next = follow("/api/v1/courses", page, "next") ?? "";
    expect((await read(next)).ids).toEqual([idOf(4), idOf(6)]);
  });

  test("links keep the requested URL: proxy prefix, slug, encoding, slash", async () => {
    const proxy = startPrefixProxy(server.url);
    const paths = ["courses", "courses/long/lessons", "courses/lang%20%C3%A4hm/lessons"];
    for (const path of paths.flatMap((each) => [each, `${each}/`])) {
      const first = new URL(`${proxy.url}/api/v1/${path}?limit=1`);
      const answer = await fetch(first, { headers: { "x-api-key": key } });
      const link = /<([^>]*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";
      const next = new URL(link, first);
      expect(next.pathname).toBe(first.pathname);
      const { data } = (await (await fetch(next, { headers: { "x-api-key": key } })).json()) as {
        data: { results: { _id?: string; id?: string }[] };
      };
      expect(data.results.map((item) => item._id ?? item.id)).toEqual([idOf(1)]);
    }
    await proxy.stop();
  });

  test("the other two operations ignore paging parameters", async () => {
    for (const path of ["/api/v1/courses/long", "/api/v1/courses/long/lessons/i0001"]) {
      const plain = await server.get(path, { key });
      const asked = await server.get(`${path}?limit=0&offset=x&name=a&name=b`, { key });
      expect([asked.status, asked.text]).toEqual([200, plain.text]);
      expect(asked.headers.has("link")).toBe(false);
    }
  });
});
