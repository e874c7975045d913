// What an answer has beyond the fields of the specification, where `include` asks for it.
import { beforeEach, describe, expect, test } from "bun:test";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const META = {
  description: 'All "about" tea',
  language: "pt-BR",
  translationOf: "coffee",
  tags: ["leaves", "water"],
  durationMinutes: 90,
};
const NO_META = { description: "", language: "", translationOf: "", tags: [], durationMinutes: null };

const lesson = (id: string, more: AuthoredCourse = {}): AuthoredCourse => ({ id, name: `Lesson ${id}`, ...more });
const tea = (more: AuthoredCourse = {}, lessonA: AuthoredCourse = {}): AuthoredCourse => ({
  _id: "tea",
  slug: "all-about-tea",
  name: "Tea",
  createdAt: "2026-01-02",
  ...more,
  chapters: [
    { id: "one", name: "One", lessons: [lesson("a", lessonA), lesson("b")] },
    { id: "none", name: "None", lessons: [] },
    { id: "two", name: "Two", lessons: [lesson("c", { durationMinutes: 7 })] },
  ],
});
const coffee: AuthoredCourse = { _id: "coffee", name: "Coffee", createdAt: "2026-01-01" };

interface Read {
  status: number;
  message: string;
  etag: string | null;
  link: string | null;
  location: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

describe("include", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let project = "";
  let key = "";
  let count = 0;
  beforeEach(async () => {
    project = `include-${++count}`;
    key = await createKey(database.store, project);
  });

  const read = async (path: string, by = key): Promise<Read> => {
    const { status, headers, text } = await ask(path, by);
    const { data, message } = JSON.parse(text) as Pick<Read, "data" | "message">;
    const [etag, link, location] = [headers.get("etag"), headers.get("link"), headers.get("content-location")];
    return { status, message, etag, link, location, data };
  };
  const publishAll = async (...catalogs: AuthoredCourse[][]): Promise<void> => {
    for (const courses of catalogs) await publish(database.store, project, courses);
  };
  const without = (object: object, names: string[]): object =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

  test("meta comes after the fields of a course, list entry or lesson, and is always complete", async () => {
    await publishAll([tea(META, { durationMinutes: 5 }), coffee]);
    const plain = (await read("/courses/tea")).data;
    const members = {
      slug: "all-about-tea",
      ...META,
      published: true,
      translations: [{ language: "", courseId: "coffee", slug: "coffee" }],
    };
    const course = (await read("/courses/all-about-tea?include=meta")).data;
    expect(Object.entries(course)).toEqual([...Object.entries(plain), ...Object.entries(members)]);
    const list = (await read("/courses?include=meta")).data;
    expect(list.results.map((each: object) => Object.entries(each))).toEqual([
      [...Object.entries(without(plain, ["chapters"])), ...Object.entries(members)],
      [
        ...Object.entries(without((await read("/courses/coffee")).data, ["chapters"])),
        ...Object.entries({
          slug: "coffee",
          ...NO_META,
          published: true,
          translations: [{ language: "pt-BR", courseId: "tea", slug: "all-about-tea" }],
        }),
      ],
    ]);
    const lessonA = (await read("/courses/tea/lessons/a")).data;
    expect(Object.entries((await read("/courses/tea/lessons/a?include=meta")).data)).toEqual([
      ...Object.entries(lessonA),
      ["durationMinutes", 5],
      ["slug", "lesson-a"],
      ["section", []],
      ["source", ""],
      ["editUrl", ""],
      ["description", ""],
      ["readingMinutes", 0],
      ["translations", []],
    ]);
    expect((await read("/courses/tea/lessons/b?include=meta")).data.durationMinutes).toBeNull();
  });

  test("pages and searches include it, and their links keep the parameter", async () => {
    await publishAll([tea(META), coffee]);
    const page = await read("/courses?include=meta&limit=1");
    expect(page.data).toMatchObject({ total: 2, results: [{ _id: "tea", slug: "all-about-tea" }] });
    expect(page.link).toContain("include=meta");
    const next = /<([^>]*)>; rel="next"/.exec(page.link ?? "")?.[1] ?? "";
    expect((await read(`/courses${next}`)).data).toMatchObject({
      results: [{ _id: "coffee", slug: "coffee", ...NO_META }],
    });
    expect((await read("/courses?name=COFF&include=meta")).data.results).toMatchObject([{ slug: "coffee" }]);
  });

  test("the ETag changes only with the included content", async () => {
    const paths = ["/courses/tea", "/courses"];
    const tags = async (): Promise<(string | null)[]> =>
      Promise.all(paths.flatMap((path) => [path, `${path}?include=meta`]).map(async (path) => (await read(path)).etag));
    await publishAll([tea(META), coffee]);
    const before = await tags();
    expect(new Set(before).size).toBe(4);
    const dates = { updatedAt: "2027-01-01" };
    await publishAll([tea(META), { ...coffee, name: "Coffee again" }], [tea(META), coffee]);
    expect((await tags()).slice(0, 2)).toEqual(before.slice(0, 2));
    await publishAll([tea({ ...META, ...dates, slug: "tea-now" }), { ...coffee, ...dates }]);
    const [course, courseWith, list, listWith] = await tags();
    await publishAll([tea({ ...META, ...dates, slug: "tea-then" }), { ...coffee, ...dates }]);
    const [courseAfter, courseWithAfter, listAfter, listWithAfter] = await tags();
    expect([courseAfter, listAfter]).toEqual([course, list] as never[]);
    expect(courseWithAfter).not.toBe(courseWith as never);
    expect(listWithAfter).not.toBe(listWith as never);
  });

  test("a draft is reported only to keys that read drafts", async () => {
    await publishAll([tea({ ...META, published: false }), coffee]);
    const drafts = await createKey(database.store, project, { drafts: true });
    expect((await read("/courses/tea?include=meta", drafts)).data).toMatchObject({ published: false, ...META });
    expect((await read("/courses/tea?include=meta")).status).toBe(404);
    for (const path of ["/courses/tea?include=lessons", "/courses/tea/lessons/a?include=meta,nav"]) {
      expect([(await read(path)).status, (await read(path, drafts)).status]).toEqual([404, 200]);
    }
    expect((await read("/courses?include=meta", drafts)).data.total).toBe(1);
  });

  test("full lessons replace their summaries", async () => {
    await publishAll([tea(META, { additionalText: "Text\u2028 of 'a'", quizHtml: "<form>" }), coffee]);
    const plain = (await read("/courses/tea")).data;
    for (const [include, lessonQuery] of [
      ["lessons", ""],
      ["lessons,meta", "?include=meta"],
    ]) {
      const course = (await read(`/courses/tea?include=${include}`)).data;
      const bare = (await read(`/courses/tea${lessonQuery}`)).data;
      expect(Object.keys(course)).toEqual(Object.keys(bare));
      expect({ ...course, chapters: plain.chapters }).toEqual(bare);
      for (const [index, chapter] of plain.chapters.entries()) {
        const lessons = await Promise.all(
          chapter.lessons.map(
            async ({ id }: { id: string }) => (await read(`/courses/tea/lessons/${id}${lessonQuery}`)).data,
          ),
        );
        expect(Object.entries(course.chapters[index])).toEqual(Object.entries({ ...chapter, lessons }));
      }
    }
    expect((await read("/courses/tea?include=meta,lessons")).etag).toBe(
      (await read("/courses/tea?include=lessons,meta")).etag,
    );
    expect((await read("/courses/coffee?include=lessons")).data).toEqual((await read("/courses/coffee")).data);
  });

  interface Digests {
    [id: string]: string;
  }
  const digests = async (path: string): Promise<Digests> =>
    Object.fromEntries(
      (await read(path)).data.results.map((each: { id?: string; _id?: string; digest: string }) => [
        each._id ?? each.id,
        each.digest,
      ]),
    );
  const differing = (before: Digests, after: Digests): string[] =>
    Object.keys(after).filter((id) => before[id] !== after[id]);

  test("digest shows the contents of each listed lesson, and whether it changed", async () => {
    const url = "https://example.org/video.mp4";
    await publishAll([tea(META, { url, updatedAt: "2026-01-03" }), coffee]);
    const plain = (await read("/courses/tea/lessons")).data.results;
    const { total, results } = (await read("/courses/all-about-tea/lessons?include=digest")).data;
    expect(total).toBe(3);
    for (const [index, { id, name }] of plain.entries()) {
      const { updatedAt } = (await read(`/courses/tea/lessons/${id}`)).data;
      const digest = expect.stringMatching(/^[0-9a-f]{32}$/) as unknown;
      const members = { id, name, updatedAt, digest, hasVideo: id === "a", hasQuiz: false };
      expect(Object.entries(results[index])).toEqual(Object.entries(members));
    }
    const both = (await read("/courses/tea/lessons?include=digest,meta")).data.results;
    expect(both.map((each: object) => Object.keys(each).join())).toEqual(
      Array.from(
        { length: 3 },
        () =>
          "id,name,durationMinutes,slug,section,source,editUrl,description,readingMinutes,translations,updatedAt,digest,hasVideo,hasQuiz",
      ),
    );
    const minutes = async (query: string): Promise<unknown[]> =>
      (await read(`/courses/tea/lessons?${query}`)).data.results.map((each: object) => Object.values(each).slice(2, 3));
    expect(await minutes("include=meta")).toEqual([[null], [null], [7]]);
    expect(await minutes("include=meta&limit=1&offset=2")).toEqual([[7]]);
    expect((await read("/courses/tea/lessons?include=digest&limit=1")).link).toContain("include=digest");
    expect((await read("/courses/coffee/lessons?include=meta,digest")).data).toEqual({ total: 0, results: [] });

    const before = await digests("/courses/tea/lessons?include=digest");
    await publishAll([tea(META, { url, updatedAt: "2026-01-03", quizHtml: "<form>" }), coffee]);
    const quiz = await digests("/courses/tea/lessons?include=digest");
    expect(differing(before, quiz)).toEqual(["a"]);
    expect((await read("/courses/tea/lessons?include=digest")).data.results[0].hasQuiz).toBe(true);
    await publishAll([tea(META, { url, updatedAt: "2026-01-03", quizHtml: "<form>", durationMinutes: 1 }), coffee]);
    expect(differing(quiz, await digests("/courses/tea/lessons?include=digest"))).toEqual(["a"]);
    await publishAll([tea(META, { url, updatedAt: "2026-01-03" }), coffee]);
    expect(await digests("/courses/tea/lessons?include=digest")).toEqual(before);
    expect(await digests("/courses/tea/lessons?include=digest&release=2")).toEqual(quiz);
  });

  test("a course's digest changes with every answer about it", async () => {
    const more: AuthoredCourse[] = [
      META,
      { ...META, name: "Other" },
      { ...META, slug: "other" },
      { ...META, description: "Other" },
      { ...META, tags: [] },
      { ...META, thumbnail: "https://example.org/other.jpg" },
      { ...META, updatedAt: "2027-01-01" },
    ];
    const courses = more.map((each) => tea(each));
    courses.push(
      tea(META, { additionalText: "Other" }),
      tea(META, { durationMinutes: 3 }),
      tea(META, { url: "https://x.example/" }),
    );
    await publishAll(...courses.map((each) => [each, coffee]));
    const seen = await Promise.all(courses.map((_, index) => digests(`/courses?include=digest&release=${index + 1}`)));
    expect(new Set(seen.map((each) => each["tea"])).size).toBe(courses.length);
    expect(new Set(seen.map((each) => each["coffee"])).size).toBe(1);
    const tags = await Promise.all(
      courses.map(async (_, index) => (await read(`/courses/tea?include=lessons,meta&release=${index + 1}`)).etag),
    );
    expect(new Set(tags).size).toBe(courses.length);
    const members = Object.keys((await read("/courses?include=digest,meta")).data.results[0]);
    expect(members.slice(-3)).toEqual(["published", "translations", "digest"]);
  });

  test("nav locates a lesson", async () => {
    await publishAll([tea(), coffee]);
    const course = { id: "tea", name: "Tea" };
    const [one, two] = [
      { id: "one", name: "One" },
      { id: "two", name: "Two" },
    ];
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, name: `Lesson ${id}` }));
    const nav = async (id: string): Promise<unknown[]> => {
      const plain = (await read(`/courses/tea/lessons/${id}`)).data;
      const entries = Object.entries((await read(`/courses/all-about-tea/lessons/${id}?include=nav`)).data);
      expect(entries.slice(0, -4)).toEqual(Object.entries(plain));
      return entries.slice(-4);
    };
    const places = [
      ["a", one, null, b],
      ["b", one, a, c],
      ["c", two, b, null],
    ] as const;
    for (const [id, chapter, previous, next] of places) {
      expect(await nav(id)).toEqual(Object.entries({ course, chapter, previous, next }));
    }
    const tags = async (): Promise<(string | null)[]> =>
      Promise.all(["", "?include=nav"].map(async (query) => (await read(`/courses/tea/lessons/b${query}`)).etag));
    const [plainBefore, navBefore] = await tags();
    await publishAll([tea({}, { name: "Another name" }), coffee]);
    const [plainAfter, navAfter] = await tags();
    expect(plainAfter).toBe(plainBefore as never);
    expect(navAfter).not.toBe(navBefore as never);
    expect(await read("/courses/tea/lessons/nothing?include=nav")).toMatchObject({
      status: 404,
      message: "Lesson not found",
    });
    expect(await read("/courses/nothing/lessons/a?include=nav")).toMatchObject({
      status: 404,
      message: "Course not found",
    });
    expect((await read("/courses/coffee/lessons/a?include=nav")).status).toBe(404);
  });

  test("an unknown include is rejected with a list of the known ones", async () => {
    await publishAll([tea(), coffee]);
    for (const [path, message] of [
      ["/courses?include=body", 'include accepts meta, digest here, not "body"'],
      ["/courses/tea?include=meta,body", 'not "body"'],
      ["/courses/tea?include=meta,", 'not ""'],
      ["/courses/tea/lessons/a?include=META", 'not "META"'],
      ["/courses/tea?include=meta,meta", "include must not repeat a name"],
      ["/courses/tea?include=meta&include=meta", "include must not be repeated"],
    ] as const) {
      const answer = await read(path);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.message).toContain(message);
    }
    expect((await read("/courses/tea?include=")).data).toEqual((await read("/courses/tea")).data);
    expect((await read("/courses/tea?include=body", "no-key")).status).toBe(401);
  });
});
