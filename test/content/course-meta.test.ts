// What a card needs of a course: description, language, translationOf, tags, durationMinutes. No v1 body has any of it.
import { beforeEach, describe, expect, test } from "bun:test";
import { importCourses, publish, type AuthoredCourse } from "../support/catalog.ts";
import { dataOf } from "../support/answers.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { problemsOf, readOnly } from "../support/written-folder.ts";

const lessons = ["a", "b", "c", "d"].map((id) => ({ id, name: `Lesson ${id}` }));
const courseOf = (more: object = {}, lessonA: object = {}): AuthoredCourse => ({
  _id: "tea",
  name: "Tea",
  ...more,
  chapters: [{ id: "all", name: "All", lessons: [{ ...lessons[0], ...lessonA }, ...lessons.slice(1)] }],
});
/** The original of which it is a translation. */
const te: AuthoredCourse = { _id: "te", name: "Te", createdAt: "2026-01-01", updatedAt: "2026-01-01" };
const SHOWN = { description: "All of it.", language: "pt-BR", translationOf: "te", durationMinutes: 90 };
const META = { ...SHOWN, description: "  All of it. ", language: "PT-br", tags: [" leaves ", "water", "leaves"] };
const TEXTS: [html: string, description: string, readingMinutes: number][] = [
  ["", "", 0],
  ["<h1>Title</h1><p>Tea &amp; <b>milk</b></p><pre>code</pre><p>twice</p>", "Tea & milk twice", 1],
  ["<aside><p>Note</p></aside><ul><li>One<li>Two</ul><style>no</style>", "One Two", 1],
  [`<p>${"word ".repeat(399)}end</p>`, `${"word ".repeat(31).trim()}…`, 2],
  [`<p>${"茶".repeat(801)}</p>`, `${"茶".repeat(159)}…`, 3],
  ["<template><p>hidden</p></template>", "", 0],
  [`<p>${"🍵".repeat(170)}</p>`, `${"🍵".repeat(159)}…`, 0],
];
const LANGUAGE = "language: must be a language tag (BCP 47) such as en, pt-BR or zh-Hans";
const MINUTES = "durationMinutes: must be a whole number of minutes from 0 to 999999, such as 45";

describe("course meta", () => {
  const database = useTestStore();
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(() => {
    project = `acme-${++count}`;
  });

  const publishTea = (course: AuthoredCourse): Promise<number> => publish(database.store, project, [course, te]);
  test("is shown in one form where it is requested, and absent from v1 bodies", async () => {
    const key = await createKey(database.store, project);
    const ask = createAsk(database);
    const dates = { createdAt: "2026-01-01", updatedAt: "2026-01-02" };
    const paths = ["/courses", "/courses/tea", "/courses/tea/lessons", "/courses/tea/lessons/a"];
    const read = () => Promise.all(paths.map(async (path) => (await ask(path, key)).text));
    await publishTea(courseOf(dates, dates));
    const before = await read();
    await publishTea(courseOf({ ...META, ...dates }, { durationMinutes: 0, ...dates }));
    expect(await read()).toEqual(before);
    expect(dataOf(await ask("/courses/tea?include=meta", key))).toMatchObject({ ...SHOWN, tags: ["leaves", "water"] });
    expect(dataOf(await ask("/courses/tea/lessons/a?include=meta", key))).toMatchObject({ durationMinutes: 0 });
  });

  test.each(TEXTS)("of a lesson has its first paragraphs and its reading time: %#", async (additionalText, ...told) => {
    await publishTea(courseOf({}, { additionalText }));
    const key = await createKey(database.store, project);
    const answer = await createAsk(database)("/courses/tea/lessons/a?include=meta", key);
    expect(dataOf(answer)).toMatchObject({ description: told[0], readingMinutes: told[1] });
  });

  test("without values adds nothing: absent, null and empty meta are the same source", async () => {
    await publishTea(courseOf());
    const empty = { description: " ", language: "", translationOf: null, tags: [], durationMinutes: null };
    const none = { description: null, language: null, tags: null };
    for (const meta of [empty, none, {}]) {
      const { outcome } = await importCourses(database.store, project, [courseOf(meta, { durationMinutes: null }), te]);
      expect(outcome.status).toBe("unchanged");
    }
  });

  test.each([
    [{ description: "x".repeat(5001) }, "description: must have at most 5000 characters"],
    [{ language: "pt_BR" }, LANGUAGE],
    [{ translationOf: "a/b" }, "translationOf: must have 1 to 255 characters, no / and no control characters"],
    [{ tags: ["x".repeat(101)] }, "tags[0]: must have at most 100 characters"],
    [{ durationMinutes: 1.5 }, MINUTES],
  ])("authored meta is an error at its location if invalid: %#", async (meta, message) => {
    const { problems } = await importCourses(database.store, project, [courseOf(meta)]);
    expect(problems).toEqual([expect.stringContaining(`courses.ndjson:1: error: ${message}`)]);
  });
});

describe("the language of a course", () => {
  const toctree = "- title: Basics\n  sections:\n  - local: basics/water\n    title: Water\n";
  test.each([
    ["zh-CN", undefined, "zh-CN"],
    ["pt_br", undefined, "pt-BR"],
    ["go-basics", undefined, undefined],
    ["de", "", "de"],
    ["de", "language: gsw", "gsw"],
  ])("is that of folder %p with a _toctree.yml or of a course.yaml, %p: %p", async (folder, field, expected) => {
    const yaml = field === undefined ? {} : { [`${folder}/course.yaml`]: `name: Tee\n${field}\n` };
    const files = { [`${folder}/_toctree.yml`]: toctree, [`${folder}/basics/water.md`]: "Hot.", ...yaml };
    expect((await readOnly(files)).language).toBe(expected);
  });

  test("comes from book.toml, as does the description", async () => {
    const book = (toml: string) => ({ "book.toml": toml, "src/SUMMARY.md": "- [Water](w.md)\n", "src/w.md": "Hot." });
    const told = { language: "de", description: "Tee" };
    expect(await readOnly(book('[book]\nlanguage = "de"\ndescription = "Tee"\n'))).toMatchObject(told);
    expect(await problemsOf(book('[book]\ntitle = "T"\nlanguage = "de_DE"\n'))).toEqual([
      'book.toml:3: warning: book.language is ignored: "de_DE" is not a language tag such as en or pt-BR',
    ]);
  });
});
