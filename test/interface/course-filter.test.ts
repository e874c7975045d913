// Which courses the list has, and in which order, beside those of a name.
import { describe, expect, test } from "bun:test";
import { foldName } from "../../src/catalog/fold-name.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { linkOf, type Content } from "../support/answers.ts";
import { createAsk } from "../support/in-process.ts";
import { createRandom, readRandomSettings, type Random } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const course = (id: string, more: AuthoredCourse = {}): AuthoredCourse => ({
  _id: id,
  slug: `slug-${id}`,
  name: `Course ${id}`,
  createdAt: "2026-01-01",
  updatedAt: "2026-01-01",
  ...more,
});

const CATALOG = [
  course("a", { language: "pt", tags: ["Tea", "water"], updatedAt: "2026-02-01T10:00:00Z", createdAt: "2026-01-04" }),
  course("b", { language: "pt-BR", tags: ["water"], updatedAt: "2026-02-01T09:59:59.999Z", createdAt: "2026-01-03" }),
  course("c", { language: "zh-Hans-CN", tags: ['with "quotes"', "a\tb"], updatedAt: "2026-03-01", name: "Éclair" }),
  course("d", { language: "he", tags: ["tea", "Tea"], updatedAt: "2026-02-01T10:00:00Z", name: "apple" }),
  course("e,f", { tags: ["wat", "water, not tea"], name: "Zebra" }),
  course("e", { language: "ptx", name: "apple" }),
  course("f", {}),
  course("draft", { language: "pt", tags: ["Tea"], published: false }),
];
/** By createdAt newest first, then by id. */
const ALL = ["a", "b", "c", "d", "e", "e,f", "f"];

describe("the list of courses", () => {
  let key = "";
  let drafts = "";
  const database = useTestStore(undefined, async () => {
    await publish(database.store, "acme", CATALOG);
    key = await createKey(database.store, "acme");
    drafts = await createKey(database.store, "acme", { drafts: true });
  });
  const ask = createAsk(database);

  const list = async (query: string, by = key) => {
    const answer = await ask(`/courses?${query}`, by);
    const { data, message } = JSON.parse(answer.text) as { data: Partial<Content>; message: string };
    const next = linkOf("/courses", answer, "next")?.split("?")[1] ?? "";
    return { status: answer.status, message, total: data.total, ids: data.results?.map(({ _id }) => _id), next };
  };

  test.each([
    ["language=pt", ["a", "b"]],
    ["language=PT-br", ["b"]],
    ["language=zh", ["c"]],
    ["language=zh-CN", []],
    ["language=iw", ["d"]],
    ["language=*", ALL],
    ["tag=tea", ["d"]],
    ["tag=water&tag=Tea&tag=water", ["a"]],
    ["tag=water,+not+tea", ["e,f"]],
    ["tag=with+%22quotes%22", ["c"]],
    ["tag=a%09b", ["c"]],
    ["updatedSince=2026-02-01T11:00:00%2B01:00", ["a", "c", "d"]],
    ["updatedSince=2026-03-01", ["c"]],
    ["ids=c&ids=a,c", ["a", "c"]],
    ["ids=slug-b,d", ["b", "d"]],
    ["ids=e,f", ["e,f"]],
    ["ids=e,f,a", ["a", "e", "f"]],
    ["ids=e,f&ids=e", ["e", "e,f"]],
    ["ids=nothing,%01,..,%20", []],
    ["ids=draft,slug-draft,a", ["a"]],
    ["ids=&ids=c", ["c"]],
    ["ids=,", []],
    ["sort&updatedSince&ids&tag&language&name&limit&offset&release&include", ALL],
    ["sort=&sort=createdAt", ["c", "d", "e", "e,f", "f", "b", "a"]],
    ["sort=-updatedAt", ["c", "a", "d", "b", "e", "e,f", "f"]],
    ["sort=name", ["d", "e", "a", "b", "f", "c", "e,f"]],
    ["language=pt&tag=water&sort=updatedAt", ["b", "a"]],
    ["ids=a,b,d&tag=Tea&updatedSince=2026-02-01T10:00:00Z&name=apple", ["d"]],
  ] as [string, string[]][])("with %s is %j", async (query, ids) => {
    expect(await list(query)).toMatchObject({ status: 200, total: ids.length, ids });
    // Once more, from the cache, and for a key that reads drafts: the list never has them.
    expect((await list(query)).ids).toEqual(ids);
    expect((await list(query, drafts)).ids).toEqual(ids);
  });

  test.each([
    ["language=pt_BR", "language must be a language range (RFC 4647) such as pt or zh-Hans, or *"],
    ["language=pt&language=en", "language must not be repeated"],
    ["updatedSince=yesterday", "updatedSince must be a date"],
    ["updatedSince=2026-02-01T11:00:00+01:00", "write + as %2B"],
    ["sort=size", "sort must be one of createdAt, -createdAt, updatedAt, -updatedAt, name, -name"],
    ["sort=name&sort=name", "sort must not be repeated"],
  ])("refuses %s", async (query, message) => {
    expect(await list(query)).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });

  test("has at most 100 courses by their ids", async () => {
    const more = ",x".repeat(99);
    const message = "ids names 101 courses; the limit is 100 per request";
    expect(await list(`ids=a${more}&ids=b`)).toMatchObject({ status: 400, message });
    expect((await list(`ids=a${more}`)).ids).toEqual(["a"]);
  });

  test("is filtered and sorted in pages whose links keep the parameters", async () => {
    const query = "language=pt&tag=water&ids=a,b,c&updatedSince=2026-01-01&sort=updatedAt&name=course&include=meta";
    const { next, ...first } = await list(`${query}&limit=1`);
    expect(first).toMatchObject({ total: 2, ids: ["b"] });
    expect(await list(next)).toMatchObject({ total: 2, ids: ["a"] });
    await publish(database.store, "acme", [...CATALOG, course("g", { language: "pt", tags: ["water"] })]);
    expect((await list(next)).ids).toEqual(["a"]);
    expect((await list("language=pt&tag=water&release=1")).ids).toEqual(["a", "b"]);
    expect((await list("language=pt&tag=water")).ids).toEqual(["a", "b", "g"]);
  });

  test("is empty before the first release", async () => {
    const other = await createKey(database.store, "nothing-yet");
    expect(await list("language=pt&sort=name&ids=a", other)).toMatchObject({ status: 200, total: 0, ids: [] });
  });

  test("matches a model for random filters of random catalogs, even if the first requests are concurrent", async () => {
    const { seed, rounds } = readRandomSettings(40);
    const random = createRandom(seed);
    // More than one part that is read, or sorted in a turn.
    const releases = [1, 2].map(() => Array.from({ length: COURSES }, (_, n) => createCourse(n, random)));
    for (const courses of releases) await publish(database.store, "random", courses);
    const by = await createKey(database.store, "random");
    const queries = Array.from({ length: rounds }, () => ({ release: random.below(2), asked: createQuery(random) }));
    const compare = async ({ release, asked }: (typeof queries)[number]): Promise<void> => {
      const query = `${asked.toString()}&release=${release + 1}`;
      let answer = await list(query, by);
      // A slow machine sheds some of so many at once: a client asks for them again.
      while (answer.status === 503) answer = await Bun.sleep(1).then(() => list(query, by));
      expect(answer.ids, `seed ${seed}: ${query}`).toEqual(selectInModel(releases[release] ?? [], asked));
    };
    await Promise.all(queries.map(compare));
  }, 60_000);
});

const COURSES = 1100;
const day = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();

function createCourse(n: number, random: Random): AuthoredCourse {
  // Of the letters, the first stands after the second in UTF-16, and before it in UTF-8.
  return course(`${random.pick(["a", "\uFF5E", "\u{1F600}"])}${n}`, {
    slug: `slug-${n}`,
    name: random.pick(["Tea", "team ", "Über ", "漢字"]) + random.below(50),
    createdAt: day(random.below(20)),
    updatedAt: day(20 + random.below(20)),
    language: random.pick([undefined, "de", "de-AT", "en"]),
    tags: ["x", "y", "z"].filter(() => random.oneIn(2)),
  });
}

function createQuery(random: Random): URLSearchParams {
  const query = new URLSearchParams();
  if (random.oneIn(2)) query.set("name", random.pick(["TEA", "m 1", "uber", "er 2", "字", "1", "tea0\nteam"]));
  if (random.oneIn(3)) query.set("language", random.pick(["de", "de-at", "fr"]));
  for (const tag of ["x", "y"]) if (random.oneIn(3)) query.append("tag", tag);
  if (random.oneIn(3)) query.set("updatedSince", day(20 + random.below(20)));
  const sorts = ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "name", "-name"];
  if (!random.oneIn(3)) query.set("sort", random.pick(sorts));
  return query;
}

/** The same in another way: from what was authored. */
function selectInModel(courses: AuthoredCourse[], query: URLSearchParams): string[] {
  const text = (each: AuthoredCourse, field: string): string => (each[field] ?? "") as string;
  const range = query.get("language") ?? "";
  const found = courses.filter((each) => {
    const language = text(each, "language").toLowerCase();
    const tags = (each["tags"] ?? []) as string[];
    return (
      foldName(text(each, "name")).includes(foldName(query.get("name") ?? "")) &&
      (range === "" || language === range || language.startsWith(`${range}-`)) &&
      query.getAll("tag").every((tag) => tags.includes(tag)) &&
      text(each, "updatedAt") >= (query.get("updatedSince") ?? "")
    );
  });
  const sort = query.get("sort") ?? "-createdAt";
  const [field, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const key = (each: AuthoredCourse): string => (field === "name" ? foldName(text(each, field)) : text(each, field));
  const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return found
    .sort((a, b) => sign * compare(key(a), key(b)) || compare(text(a, "_id"), text(b, "_id")))
    .map((each) => text(each, "_id"));
}
