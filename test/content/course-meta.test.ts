// What a card needs of a course: description, language, translationOf, tags, durationMinutes. No v1 body has any of it.
import { beforeEach, describe, expect, test } from "bun:test";
import { importCourses, importNdjson, publish, type AuthoredCourse } from "../support/catalog.ts";
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
const META = {
  description: "  All of it. ",
  language: "PT-br",
  translationOf: "te",
  tags: [" leaves ", "water", "leaves"],
  durationMinutes: 90,
};
const SHOWN = {
  description: "All of it.",
  language: "pt-BR",
  translationOf: "te",
  tags: ["leaves", "water"],
  durationMinutes: 90,
};

describe("course meta", () => {
  const database = useTestStore();
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(() => {
    project = `acme-${++count}`;
  });

  const publishTea = (course: AuthoredCourse): Promise<number> => publish(database.store, project, [course, te]);
  const planTea = async (course: AuthoredCourse) => {
    const text = `${JSON.stringify(course)}\n${JSON.stringify(te)}\n`;
    const { outcome } = await importNdjson(database.store, project, text, undefined, { dryRun: true });
    if (outcome.status !== "planned") throw new Error(outcome.status);
    return outcome.plan.courses.map(({ fields, lessonsChanged }) => ({
      fields,
      lessons: lessonsChanged.map((lesson) => [lesson.id, ...lesson.fields]),
    }));
  };

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
    expect(dataOf(await ask("/courses/tea?include=meta", key))).toMatchObject(SHOWN);
    expect(dataOf(await ask("/courses/tea/lessons/a?include=meta", key))).toMatchObject({ durationMinutes: 0 });
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

  test("alone makes a release when it changes, and a plan names the change", async () => {
    await publishTea(courseOf({ description: "Old" }));
    expect(await planTea(courseOf({ description: "Old" }))).toEqual([]);
    expect(await planTea(courseOf({ description: "New" }))).toEqual([{ fields: ["description"], lessons: [] }]);
    expect(await planTea(courseOf(META, { durationMinutes: 5 }))).toEqual([
      {
        fields: ["description", "language", "translationOf", "tags", "durationMinutes"],
        lessons: [["a", "durationMinutes"]],
      },
    ]);
    expect(await publishTea(courseOf({ description: "New" }))).toBe(2);
    expect(await publishTea(courseOf({ description: "New" }, { durationMinutes: 5 }))).toBe(3);
    expect(await planTea(courseOf())).toEqual([{ fields: ["description"], lessons: [["a", "durationMinutes"]] }]);
    expect(await publishTea(courseOf())).toBe(4);
  });

  test("a translation of a missing course is a warning", async () => {
    const { problems } = await importCourses(database.store, project, [courseOf({ translationOf: "nothing" }), te]);
    expect(problems).toEqual(['courses.ndjson:1: warning: translationOf "nothing" matches no course of the catalog']);
    const options = { sourceName: "b", merge: true };
    await importNdjson(database.store, `${project}-b`, `${JSON.stringify(te)}\n`, undefined, { sourceName: "a" });
    const text = `${JSON.stringify(courseOf({ translationOf: "te" }))}\n`;
    expect((await importNdjson(database.store, `${project}-b`, text, undefined, options)).problems).toEqual([]);
  });
});

// No store has a part in it.
describe("authored meta", () => {
  const database = useTestStore();

  test.each([
    [{ description: 5 }, "description: invalid input: expected string, received number"],
    [{ description: "x".repeat(5001) }, "description: must have at most 5000 characters"],
    [{ language: "pt_BR" }, "language: must be a language tag (BCP 47) such as en, pt-BR or zh-Hans"],
    [{ language: "english" }, "language: must be a language tag (BCP 47) such as en, pt-BR or zh-Hans"],
    [{ language: "x".repeat(1e6) }, "language: must be a language tag (BCP 47) such as en, pt-BR or zh-Hans"],
    [
      { translationOf: "a/b" },
      "translationOf: must have 1 to 255 characters, no / and no control characters, and must not be . or ..",
    ],
    [{ tags: "a, b" }, "tags: invalid input: expected array, received string"],
    [{ tags: ["a", " "] }, "tags[1]: must not be empty"],
    [{ tags: ["x".repeat(101)] }, "tags[0]: must have at most 100 characters"],
    [{ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, "tags: must list at most 50 different tags"],
    [{ durationMinutes: 1.5 }, "durationMinutes: must be a whole number of minutes from 0 to 999999, such as 45"],
    [{ durationMinutes: -1 }, "durationMinutes: must be a whole number of minutes from 0 to 999999, such as 45"],
    [{ durationMinutes: "an hour" }, "durationMinutes: must be a whole number of minutes from 0 to 999999, such as 45"],
  ])("is an error at its location if invalid: %#", async (meta, message) => {
    const { problems } = await importCourses(database.store, "acme", [courseOf(meta)]);
    expect(problems).toEqual([`courses.ndjson:1: error: ${message}`]);
  });
});

const page = { "basics/water.md": "---\ndurationMinutes: 7\n---\nHot.\n", "basics/leaves.md": "Green.\n" };

test("comes from course.yaml, its lesson entries and front matter", async () => {
  const course = await readOnly({
    "course.yaml": `name: Tea
description: >
  All
  of it.
language: zh-hant
translationOf: te
tags: [leaves, hot water]
durationMinutes: 45
chapters:
  - name: Basics
    folder: basics
    lessons:
      - water
      - file: leaves
        durationMinutes: 9
`,
    ...page,
  });
  expect(course).toMatchObject({
    description: "All of it.",
    language: "zh-Hant",
    translationOf: "te",
    tags: ["leaves", "hot water"],
    durationMinutes: 45,
    chapters: [{ lessons: [{ durationMinutes: 7 }, { durationMinutes: 9 }] }],
  });
});

test("in a folder is an error at its line if invalid", async () => {
  const files = { "course.yaml": "name: Tea\nlanguage: german\ndurationMinutes: long\ntags: tea\n", "01-a.md": "A" };
  expect(await problemsOf(files)).toEqual([
    "course.yaml:2:1: error: language: must be a language tag (BCP 47) such as en, pt-BR or zh-Hans",
    "course.yaml:4:1: error: tags: invalid input: expected array, received string",
    "course.yaml:3:1: error: durationMinutes: must be a whole number of minutes from 0 to 999999, such as 45",
  ]);
});

describe("the language of a course", () => {
  const toctree = "- title: Basics\n  sections:\n  - local: basics/water\n    title: Water\n";
  const below = (folder: string, more: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries({ "_toctree.yml": toctree, "basics/water.md": "Hot.", ...more }).map(([path, text]) => [
        `${folder}/${path}`,
        text,
      ]),
    );
  test.each([
    ["de", "de"],
    ["zh-CN", "zh-CN"],
    ["pt_br", "pt-BR"],
    ["source", undefined],
    ["src", undefined],
    ["xx", undefined],
    ["go-basics", undefined],
  ])("is that of folder %p with a _toctree.yml: %p", async (folder, expected) => {
    expect((await readOnly(below(folder))).language).toBe(expected);
  });

  test("in a course.yaml overrides it", async () => {
    const described = (yaml: string) => readOnly(below("de", { "course.yaml": yaml }));
    expect((await described("name: Tee\n")).language).toBe("de");
    expect((await described("name: Tee\nlanguage:\n")).language).toBe("de");
    expect((await described("name: Tee\nlanguage: gsw\n")).language).toBe("gsw");
  });

  test("comes from book.toml, as does the description", async () => {
    const book = (toml: string) => ({ "book.toml": toml, "src/SUMMARY.md": "- [Water](w.md)\n", "src/w.md": "Hot." });
    expect(await readOnly(book('[book]\nlanguage = "de"\ndescription = "Tee"\n'))).toMatchObject({
      language: "de",
      description: "Tee",
    });
    expect(await problemsOf(book('[book]\ntitle = "T"\nlanguage = "de_DE"\n'))).toEqual([
      'book.toml:3: warning: book.language is ignored: "de_DE" is not a language tag such as en or pt-BR',
    ]);
  });

  test("comes from LiaScript's comment", async () => {
    const text = "<!--\nauthor: A\nlanguage: de\n-->\n# Tee\n\n## Wasser\n\nHeiß.\n";
    expect((await readOnly({ "README.md": text })).language).toBe("de");
  });
});
