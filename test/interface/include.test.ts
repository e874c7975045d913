// What an answer has beyond the fields of the specification, where `include` asks for it. `test/store/stored.test.ts` has the
// bytes of meta, whole lessons, neighbors and trees.
import { describe, expect, test } from "bun:test";
import type { AuthoredCourse } from "../support/catalog.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const META = { description: 'All "about" tea', language: "pt-BR", translationOf: "coffee", tags: ["leaves", "water"] };

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

const NEW_MEMBERS = "durationMinutes,slug,section,source,editUrl,description,readingMinutes,translations".split(",");

describe("include", () => {
  const project = useProject(useTestStore());
  const { read, publish } = project;
  const etagsOf = (...paths: string[]) => Promise.all(paths.map(async (path) => (await read(path)).etag));

  test("full lessons replace their summaries", async () => {
    await publish([tea(META, { additionalText: "Text\u2028 of 'a'", quizHtml: "<form>" }), coffee]);
    for (const meta of ["", ",meta"]) {
      const expected = (await read(`/courses/tea?include=${meta.slice(1)}`)).data;
      for (const { lessons } of expected.chapters as { lessons: { id: string }[] }[]) {
        for (const [index, { id }] of lessons.entries()) {
          lessons[index] = (await read(`/courses/tea/lessons/${id}?include=${meta.slice(1)}`)).data;
        }
      }
      // Members stand in the same order, too.
      expect((await read(`/courses/tea?include=lessons${meta}`)).text).toContain(JSON.stringify(expected));
    }
    const [one, other] = await etagsOf("/courses/tea?include=meta,lessons", "/courses/tea?include=lessons,meta");
    expect(one).toBe(other as never);
    expect((await read("/courses/coffee?include=lessons")).data).toEqual((await read("/courses/coffee")).data);
  });

  const digests = async (path: string): Promise<Record<string, string>> => {
    const results = (await read(path)).data.results as Record<string, string>[];
    return Object.fromEntries(results.map(({ _id, id = _id, digest }) => [id, digest]));
  };

  test("digest shows the contents of each listed lesson, and whether it changed", async () => {
    const lessonA = { url: "https://example.org/video.mp4", updatedAt: "2026-01-03" };
    await publish([tea(META, lessonA), coffee]);
    const { total, results } = (await read("/courses/all-about-tea/lessons?include=digest")).data;
    expect(total).toBe(3);
    for (const [index, id] of ["a", "b", "c"].entries()) {
      const { name, updatedAt } = (await read(`/courses/tea/lessons/${id}`)).data;
      const digest = expect.stringMatching(/^[0-9a-f]{32}$/) as unknown;
      const members = { id, name, updatedAt, digest, hasVideo: id === "a", hasQuiz: false };
      expect(Object.entries(results[index])).toEqual(Object.entries(members));
    }
    const both = (await read("/courses/tea/lessons?include=digest,meta")).data.results[0];
    expect(Object.keys(both)).toEqual(["id", "name", ...NEW_MEMBERS, "updatedAt", "digest", "hasVideo", "hasQuiz"]);
    const minutes = async (query: string): Promise<unknown[]> =>
      (await read(`/courses/tea/lessons?${query}`)).data.results.map((each: object) => Object.values(each)[2]);
    expect(await minutes("include=meta")).toEqual([null, null, 7]);
    expect(await minutes("include=meta&limit=1&offset=2")).toEqual([7]);
    expect((await read("/courses/coffee/lessons?include=meta,digest")).data).toEqual({ total: 0, results: [] });

    const edits = [{}, { quizHtml: "<form>" }, { quizHtml: "<form>", durationMinutes: 1 }, {}];
    await publish(...edits.slice(1).map((more) => [tea(META, { ...lessonA, ...more }), coffee]));
    const path = "/courses/tea/lessons?include=digest&release=";
    const all = await Promise.all(edits.map((_, index) => digests(`${path}${index + 1}`)));
    expect(new Set(all.map(({ a }) => a)).size).toBe(3);
    expect(all).toEqual(all.map(({ a = "" }) => ({ ...all[0], a })));
    expect(all[3]).toEqual(all[0] ?? {});
    expect((await read(`${path}2`)).data.results[0].hasQuiz).toBe(true);
  });

  test("a course's digest changes with every answer about it", async () => {
    const texts = ["name", "slug", "description"].map((field) => ({ [field]: "other" }));
    const ofCourse = [{}, ...texts, { thumbnail: "https://example.org/other.jpg" }, { updatedAt: "2027-01-01" }];
    const ofLesson = [{ additionalText: "Other" }, { durationMinutes: 3 }, { url: "https://x.example/" }];
    const courses = [...ofCourse.map((more) => tea({ ...META, ...more })), ...ofLesson.map((more) => tea(META, more))];
    await publish(...courses.map((each) => [each, coffee]));
    const releases = courses.map((_, index) => index + 1);
    const seen = await Promise.all(releases.map((number) => digests(`/courses?include=digest&release=${number}`)));
    expect(new Set(seen.map((each) => each["tea"])).size).toBe(courses.length);
    expect(new Set(seen.map((each) => each["coffee"])).size).toBe(1);
    const tags = await etagsOf(...releases.map((number) => `/courses/tea?include=lessons,meta&release=${number}`));
    expect(new Set(tags).size).toBe(courses.length);
    const members = Object.keys((await read("/courses?include=digest,meta")).data.results[0]);
    expect(members.slice(-3)).toEqual(["published", "translations", "digest"]);
  });

  test("a change of a neighbor changes only the ETags of answers with nav", async () => {
    await publish([tea(), coffee]);
    const tags = () => etagsOf("/courses/tea/lessons/b", "/courses/tea/lessons/b?include=nav");
    const before = await tags();
    await publish([tea({}, { name: "Another name" }), coffee]);
    expect((await tags()).map((tag, index) => tag === before[index])).toEqual([true, false]);
    const missing = await read("/courses/tea/lessons/nothing?include=nav");
    expect(missing).toMatchObject({ status: 404, message: "Lesson not found" });
  });

  test("an unknown include is rejected with a list of the known ones", async () => {
    await publish([tea(), coffee]);
    for (const [path, message] of [
      ["/courses?include=body", 'include accepts meta, digest here, not "body"'],
      ["/courses/tea?include=meta,", 'not ""'],
      ["/courses/tea/lessons/a?include=META", 'not "META"'],
      ["/courses/tea?include=meta,meta", "include must not repeat a name"],
      ["/courses/tea?include=meta&include=meta", "include must not be repeated"],
    ] as const) {
      const answer = await read(path);
      expect([path, answer.status, answer.message]).toEqual([path, 400, expect.stringContaining(message)]);
    }
    expect((await read("/courses/tea?include=")).data).toEqual((await read("/courses/tea")).data);
    expect((await read("/courses/tea?include=body", "no-key")).status).toBe(401);
  });
});
