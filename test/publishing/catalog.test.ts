// What an import makes of courses: ids, slugs, dates, releases. Read back through the interface.
import { beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { importCourses, importNdjson, publish, type AuthoredCourse } from "../support/catalog.ts";
import { openNdjsonInput } from "../../src/content/readers/ndjson.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { createUnboundServer, publishingAt } from "../support/in-process.ts";
import { createKey, type Answer } from "../support/server.ts";
import { engines, type TestStore, useTestStore } from "../support/store.ts";

/** An independent implementation of the rule for ids: the first 12 bytes of SHA-256 over parts that U+0000 separates. */
const generatedId = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\0"), "utf8").digest("hex").slice(0, 24);

interface Dates {
  createdAt: string;
  updatedAt: string;
}

interface Part extends Dates {
  _id: string;
  name: string;
  thumbnail: string;
  additionalText: string;
  chapters: { id: string; name: string; lessons: { id: string; name: string }[] }[];
}

/** A project that no other test has: they share a store. */
let project = "";
beforeEach(() => {
  project = `p${crypto.randomUUID().slice(0, 8)}`;
});

/** Opens one request's view of a project: a server on what is published now. */
async function read(database: TestStore, from: string, ...paths: string[]): Promise<Answer[]> {
  const key = await createKey(database.store, from, { drafts: true });
  const server = await createUnboundServer(database.store);
  const answers: Answer[] = [];
  for (const path of paths) answers.push(await server.get(`/api/v1/courses${path}`, { key }));
  return answers;
}

async function readPart(database: TestStore, path: string, from = project): Promise<Part> {
  const [answer] = await read(database, from, path);
  if (answer?.status !== 200) throw new Error(`${path}: ${answer?.status}`);
  return (JSON.parse(answer.text) as { data: Part }).data;
}

/** What an import of courses says, as a catalog of their own. */
async function listProblems(database: TestStore, courses: AuthoredCourse[]): Promise<string[]> {
  const { outcome, problems } = await importCourses(database.store, project, courses);
  const hasError = problems.some((problem) => problem.includes(": error: "));
  expect(outcome.status).toBe(hasError ? "invalid" : "published");
  return problems;
}

describe("catalogs", () => {
  const database = useTestStore();

  const problemsOf = (...courses: AuthoredCourse[]) => listProblems(database, courses);

  describe("generated ids", () => {
    test("derive from project, kind and slug, or from course, chapter and name", async () => {
      await publish(database.store, project, [
        { name: "Trà & Cà phê", chapters: [{ name: "Một", lessons: [{ name: "Hạt" }] }] },
      ]);
      const courseId = generatedId(project, "course", "trà-cà-phê");
      expect(await readPart(database, `/${encodeURIComponent("trà-cà-phê")}`)).toMatchObject({
        _id: courseId,
        chapters: [
          {
            id: generatedId(project, "chapter", courseId, "Một"),
            lessons: [{ id: generatedId(project, "lesson", courseId, "Một", "Hạt"), name: "Hạt" }],
          },
        ],
      });
    });

    test("are numbered for repeated names: chapters in a course, lessons in a chapter", async () => {
      const lessons = [{ name: "L" }, { name: "M" }, { name: "L" }, { name: "L" }];
      await publish(database.store, project, [
        { _id: "c", name: "C", chapters: [{ name: "A", lessons }, { name: "B", lessons }, { name: "A" }] },
      ]);
      const { chapters } = await readPart(database, "/c");
      expect(chapters.map((chapter) => chapter.id)).toEqual([
        generatedId(project, "chapter", "c", "A"),
        generatedId(project, "chapter", "c", "B"),
        generatedId(project, "chapter", "c", "A", "2"),
      ]);
      for (const [index, name] of ["A", "B"].entries()) {
        expect(chapters[index]?.lessons.map((lesson) => lesson.id)).toEqual([
          generatedId(project, "lesson", "c", name, "L"),
          generatedId(project, "lesson", "c", name, "M"),
          generatedId(project, "lesson", "c", name, "L", "2"),
          generatedId(project, "lesson", "c", name, "L", "3"),
        ]);
      }
    });

    test("differ between projects, and do not depend on other content or on order", async () => {
      const tea = { name: "Tea", chapters: [{ name: "A", lessons: [{ name: "L" }] }] };
      await publish(database.store, project, [tea]);
      await publish(database.store, "other", [{ name: "Before" }, tea, { name: "After" }]);
      expect((await readPart(database, "/tea"))._id).toBe(generatedId(project, "course", "tea"));
      expect((await readPart(database, "/tea", "other"))._id).toBe(generatedId("other", "course", "tea"));
    });

    test("derive from an authored slug, so that a course keeps its id under a new name", async () => {
      await publish(database.store, project, [{ name: "Tea", slug: "hot-drink" }]);
      await publish(database.store, project, [{ name: "Tea, second edition", slug: "hot-drink" }]);
      expect((await readPart(database, "/hot-drink"))._id).toBe(generatedId(project, "course", "hot-drink"));
    });
  });

  describe("duplicate names", () => {
    const first = { _id: "one", slug: "first", name: "First" };
    const between = { _id: "two", slug: "second", name: "Between" };

    test.each<[what: string, course: AuthoredCourse]>([
      ["the id of another course", { _id: "one", slug: "third", name: "Third" }],
      ["the slug of another course", { _id: "three", slug: "first", name: "Third" }],
      ["another's id as its slug", { _id: "three", slug: "one", name: "Third" }],
      ["another's slug as its id", { _id: "first", slug: "third", name: "Third" }],
      ["a name that yields another course's slug", { _id: "three", name: "FIRST!" }],
    ])("a course with %s is an error at its line that names the other course", async (_what, course) => {
      const problems = await problemsOf(first, between, course);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toStartWith("courses.ndjson:3: error: ");
      expect(problems[0]).toEndWith(" courses.ndjson:1");
    });

    test("two courses with the same name cause one message, with a remedy", async () => {
      expect(await problemsOf({ name: "Tea" }, { name: "Tea" })).toEqual([
        expect.stringMatching(/^courses\.ndjson:2: error: .*its own slug|^courses\.ndjson:2: error: .*its own _id/),
      ]);
    });

    test("names of drafts count too", async () => {
      expect(await problemsOf({ ...first, published: false }, { _id: "x", slug: "one", name: "X" })).toHaveLength(1);
    });

    test("a course's id may equal its slug, a lesson's id, or an id in another project", async () => {
      const lessons = [{ id: "same", name: "L" }];
      const same = { _id: "same", slug: "same", name: "Same", chapters: [{ id: "same", name: "A", lessons }] };
      expect(await problemsOf(same, { _id: "x", name: "X", chapters: [{ id: "same", name: "A", lessons }] })).toEqual(
        [],
      );
      await publish(database.store, "other", [same]);
      expect((await readPart(database, "/same", "other"))._id).toBe("same");
    });

    test("chapter and lesson ids are unique in their course", async () => {
      const lesson = { id: "l", name: "L" };
      expect(
        await problemsOf({
          name: "C",
          chapters: [
            { id: "a", name: "A", lessons: [lesson] },
            { id: "a", name: "B", lessons: [lesson] },
          ],
        }),
      ).toEqual([
        'courses.ndjson:1: error: chapter id "a" is also the id of the chapter at courses.ndjson:1',
        'courses.ndjson:1: error: lesson id "l" is also the id of the lesson at courses.ndjson:1',
      ]);
    });

    test("names are compared exactly: case, accents and normal forms make a difference", async () => {
      const ids = ["tea", "Tea", "té", "te\u0301", "ｔea", "tea "];
      expect(await problemsOf(...ids.map((id) => ({ _id: id, slug: `s-${id}`, name: "Tea" })))).toEqual([]);
    });
  });

  describe("fields", () => {
    test("keep white space and marks as written in names", async () => {
      const name = "  Te\u0301 \t 日本 ";
      await publish(database.store, project, [{ _id: "c", name }]);
      expect((await readPart(database, "/c")).name).toBe(name);
    });
  });
});

// What no store has a part in.
describe("courses", () => {
  const database = useTestStore();

  const problemsOf = (...courses: AuthoredCourse[]) => listProblems(database, courses);

  describe("ids", () => {
    test.each([
      ["nothing", ""],
      ["one dot", "."],
      ["two dots", ".."],
      ["a slash", "a/b"],
      ["a line break", "a\nb"],
      ["a tab", "a\tb"],
      ["U+0000", "a\u0000b"],
      ["a C1 control", "a\u0085b"],
      ["half a surrogate pair", "a\ud800b"],
      ["256 characters", "a".repeat(256)],
      ["256 characters beyond U+FFFF", "\u{1f600}".repeat(256)],
    ])("must not be, or hold, %s", async (_what, id) => {
      const [course, slug, chapter, lesson] = [
        await problemsOf({ _id: id, name: "C" }),
        await problemsOf({ slug: id, name: "C" }),
        await problemsOf({ name: "C", chapters: [{ id, name: "A" }] }),
        await problemsOf({ name: "C", chapters: [{ name: "A", lessons: [{ id, name: "L" }] }] }),
      ];
      for (const [problems, field] of [
        [course, "_id"],
        [slug, "slug"],
        [chapter, "chapters[0].id"],
        [lesson, "chapters[0].lessons[0].id"],
      ] as const) {
        expect(problems).toEqual([
          `courses.ndjson:1: error: ${field}: must have 1 to 255 characters, no / and no control characters, and must not be . or ..`,
        ]);
      }
    });
  });

  describe("slugs", () => {
    test.each([
      ["Getting Started", "getting-started"],
      ["  C++ & C#, part 2!  ", "c-c-part-2"],
      ["Nhập môn Lập trình", "nhập-môn-lập-trình"],
      ["Nha\u0323\u0302p", "nhập"],
      ["हिन्दी में कोर्स", "हिन्दी-में-कोर्स"],
      ["การเขียนโปรแกรม", "การเขียนโปรแกรม"],
      ["日本語 コース ①", "日本語-コース-①"],
      ["under_score/slash", "under-score-slash"],
      ["🎉 Party 🎉 time", "party-time"],
      ["🎉", "course"],
      ["-- x --", "x"],
      ["a".repeat(300), "a".repeat(255)],
    ])("the slug made from the name %j is %j", async (name, slug) => {
      await publish(database.store, project, [{ name }]);
      const course = await readPart(database, `/${encodeURIComponent(slug)}`);
      expect(course.name).toBe(name);
      expect(course._id).toBe(generatedId(project, "course", slug));
    });
  });

  describe("fields", () => {
    test.each(["", " ", "\t\n", "\u3000"])("the name %j is an error", async (name) => {
      expect(await problemsOf({ name })).toEqual(["courses.ndjson:1: error: name: must not be empty"]);
    });

    test.each("img/a.png /a.png //cdn.example.org/a.png ftp://example.org/a.png javascript:x https://".split(" "))(
      "the thumbnail %j is an error without a base",
      async (thumbnail) => {
        const problems = await problemsOf({ name: "C", thumbnail });
        expect(problems).toHaveLength(1);
        expect(problems[0]).toStartWith("courses.ndjson:1: error: thumbnail: must be an absolute http or https URL");
      },
    );

    test.each([
      ["img/a b.png", "https://cdn.example.org/courses/img/a%20b.png"],
      ["/a.png", "https://cdn.example.org/a.png"],
      ["../a.png", "https://cdn.example.org/a.png"],
      ["http://example.org/a.png?x=1#y", "http://example.org/a.png?x=1#y"],
      ["", ""],
    ])("the thumbnail %j is resolved against the base to %j", async (thumbnail, resolved) => {
      const ndjson = JSON.stringify({ _id: "c", name: "C", thumbnail });
      const options = { assetBase: "https://cdn.example.org/courses/" };
      const { problems } = await importNdjson(database.store, project, ndjson, undefined, options);
      expect(problems).toEqual([]);
      expect((await readPart(database, "/c")).thumbnail).toBe(resolved);
    });
  });
});

describe("timestamps", () => {
  const database = useTestStore();

  test("show dates, and date-times with a zone, in UTC with milliseconds", async () => {
    const shown: Record<string, string> = {
      "2024-02-29": "2024-02-29T00:00:00.000Z",
      "0001-01-01": "0001-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
      "2026-01-31T09:30Z": "2026-01-31T09:30:00.000Z",
      "2026-01-31T09:30:05.9999Z": "2026-01-31T09:30:05.999Z",
      "2026-01-31 09:30:05.5+02": "2026-01-31T07:30:05.500Z",
      "2026-01-01T00:30:00+05:45": "2025-12-31T18:45:00.000Z",
    };
    for (const [updatedAt, date] of Object.entries(shown)) {
      const dates = { createdAt: updatedAt, updatedAt };
      const chapters = [{ name: "A", lessons: [{ id: "l", name: "L", ...dates }] }];
      await publish(database.store, project, [{ _id: "c", name: "C", ...dates, chapters }]);
      for (const path of ["/c", "/c/lessons/l"])
        expect(await readPart(database, path)).toMatchObject({ createdAt: date, updatedAt: date });
    }
  });

  test("reject everything else with an error at its line that names the field and the form", async () => {
    const days =
      "2026-02-30 1900-02-29 2026-13-01 2026-01-32 2026-1-1 2026-01 10000-01-01 -000001-01-01 ２０２６-01-31";
    const times = "09:30:00 24:00:00Z 09:30:60Z 9:30:00Z 09:30:00+24:00 09:30:00+2 09:30:00.Z".split(" ");
    const edges = ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"];
    const others = ["yesterday", "", " 2026-01-31", "1767225600", "Sat, 31 Jan 2026 09:30:00 GMT"];
    const invalid = [...days.split(" "), ...times.map((time) => `2026-01-31T${time}`), ...edges, ...others];
    const form = "a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z";
    const problems = await listProblems(
      database,
      invalid.map((createdAt, index) => ({ name: `C${index}`, createdAt })),
    );
    expect(problems).toEqual(
      invalid.map((_, index) => `courses.ndjson:${index + 1}: error: createdAt: must be ${form}`),
    );
    expect(await listProblems(database, [{ name: "C", updatedAt: 1767225600000 }])).toEqual([
      expect.stringMatching(/^courses\.ndjson:1: error: updatedAt: /),
    ]);
  });
});

/** The project of tests that build on each other. */
const SHARED = "shared";

describe("derived dates", () => {
  const database = useTestStore();

  const day = (number: number): string => `2026-01-${String(number).padStart(2, "0")}T10:20:30.456Z`;
  const course = (first: string | undefined, more: AuthoredCourse = {}): AuthoredCourse => ({
    _id: "c",
    name: "C",
    chapters: [
      {
        name: "A",
        lessons: [
          ...(first === undefined ? [] : [{ id: "l1", name: "L1", additionalText: first }]),
          { id: "l2", name: "L2" },
        ],
      },
    ],
    ...more,
  });
  const keeper = { _id: "keeper", name: "Keeper" };

  // Each step continues from the previous one's catalog, a day later.
  const STEPS: [what: string, courses: AuthoredCourse[], dates: Record<string, [created: number, updated: number]>][] =
    [
      [
        "the first import gives all of them its time",
        [course("one"), keeper],
        { "/c": [1, 1], "/c/lessons/l1": [1, 1], "/c/lessons/l2": [1, 1], "/keeper": [1, 1] },
      ],
      [
        "a changed lesson is updated, and with it its course; the other lesson is not",
        [course("two"), keeper],
        { "/c": [1, 2], "/c/lessons/l1": [1, 2], "/c/lessons/l2": [1, 1], "/keeper": [1, 1] },
      ],
      [
        "a lesson that is changed back is updated again",
        [course("one"), keeper],
        { "/c": [1, 3], "/c/lessons/l1": [1, 3] },
      ],
      [
        "a change of the course's own part leaves its lessons' dates alone",
        [course("one", { name: "C renamed", slug: "c" }), keeper],
        { "/c": [1, 4], "/c/lessons/l1": [1, 3], "/c/lessons/l2": [1, 1] },
      ],
      ["a removed lesson changes its course", [course(undefined), keeper], { "/c": [1, 5] }],
      [
        "a lesson that returns keeps the time of its first import",
        [course("one"), keeper],
        { "/c": [1, 6], "/c/lessons/l1": [1, 6] },
      ],
      ["a removed course changes no other", [keeper], { "/keeper": [1, 1] }],
      [
        "a course that returns keeps the time of its first import, and so do its lessons",
        [course("three"), keeper],
        { "/c": [1, 8], "/c/lessons/l1": [1, 8], "/c/lessons/l2": [1, 1] },
      ],
    ];
  let today = 0;
  test.each(STEPS)("%s", async (_what, courses, dates) => {
    expect(await publish(database.store, SHARED, courses, day(++today))).toBe(today);
    for (const [path, [created, updated]] of Object.entries(dates)) {
      const { createdAt, updatedAt } = await readPart(database, path, SHARED);
      expect([path, createdAt, updatedAt]).toEqual([path, day(created), day(updated)]);
    }
  });

  test("do not change with an unchanged import, in any order of courses and members: it makes no release", async () => {
    const { chapters, name, _id } = course("three");
    const same = [keeper, { chapters, name, _id, published: true, thumbnail: "" }];
    const { outcome } = await importCourses(database.store, SHARED, same, day(20));
    expect(outcome).toMatchObject({ status: "unchanged", release: { number: today } });
    expect((await readPart(database, "/c", SHARED)).updatedAt).toBe(day(8));
  });

  test("keep a draft's creation time when it is published", async () => {
    await publish(database.store, "drafts", [{ _id: "d", name: "D", published: false }], day(1));
    await publish(database.store, "drafts", [{ _id: "d", name: "D" }], day(2));
    const { createdAt, updatedAt } = await readPart(database, "/d", "drafts");
    expect([createdAt, updatedAt]).toEqual([day(1), day(2)]);
  });

  test("give way to authored dates; without one a course is as new as its newest part", async () => {
    const dated = (own: string | undefined, lesson: string | undefined) => ({
      _id: "dated",
      name: "Dated",
      createdAt: "2020-01-01",
      ...(own === undefined ? {} : { updatedAt: own }),
      chapters: [
        {
          name: "A",
          lessons: [
            { id: "old", name: "Old", createdAt: "2019-01-01", updatedAt: "2019-06-01" },
            { id: "new", name: "New", createdAt: "2018-01-01", ...(lesson === undefined ? {} : { updatedAt: lesson }) },
          ],
        },
      ],
    });
    const given: [own: string | undefined, lesson: string | undefined, shown: string, shownOfLesson: string][] = [
      ["2021-01-01", "2022-01-01", "2021-01-01", "2022-01-01"],
      ["2023-01-01", "2022-01-01", "2023-01-01", "2022-01-01"],
      ["2023-01-01", undefined, "2023-01-01", "2026-01-03"],
      [undefined, "2022-01-01", "2026-01-04", "2022-01-01"],
      [undefined, "2027-01-01", "2027-01-01", "2027-01-01"],
    ];
    for (const [index, [own, lesson, shown, shownOfLesson]] of given.entries()) {
      await publish(database.store, "dated", [dated(own, lesson)], day(index + 1));
      const again = await importCourses(database.store, "dated", [dated(own, lesson)], day(20));
      expect(again.outcome.status).toBe("unchanged");
      for (const [path, created, updated] of [
        ["/dated", "2020-01-01", shown],
        ["/dated/lessons/new", "2018-01-01", shownOfLesson],
        ["/dated/lessons/old", "2019-01-01", "2019-06-01"],
      ] as const) {
        const { createdAt, updatedAt } = await readPart(database, path, "dated");
        expect([path, createdAt.slice(0, 10), updatedAt.slice(0, 10)]).toEqual([path, created, updated]);
      }
    }
  });

  test("are unlike authored dates, whose edits are changes", async () => {
    const at = (createdAt: string) => [{ _id: "x", name: "X", createdAt, updatedAt: "2021-01-01" }];
    await publish(database.store, "moved", at("2020-01-01"), day(1));
    expect(await publish(database.store, "moved", at("2020-01-02"), day(2))).toBe(2);
    // The same time, written differently, is not a change.
    const { outcome } = await importCourses(database.store, "moved", at("2020-01-02T01:00:00+01:00"), day(3));
    expect(outcome.status).toBe("unchanged");
  });
});

describe.each(engines)("releases on $name", (engine) => {
  const database = useTestStore(engine);

  const course = (id: string, lessons: Record<string, string> = {}) => ({
    _id: id,
    name: `Course ${id}`,
    chapters: [
      {
        name: "A",
        lessons: Object.entries(lessons).map(([name, additionalText]) => ({ id: name, name, additionalText })),
      },
    ],
  });

  test("do not change when a source ends early", async () => {
    const { store } = database;
    const chunks = Array.from({ length: 250 }, (_, n) => `${JSON.stringify(course(`n${n}`, { l: "x" }))}\n`);
    const input = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) throw new Error("the pipe broke");
        controller.enqueue(new TextEncoder().encode(chunk));
      },
    });
    const imported = importCatalog({
      ...publishingAt(store, project, "2026-01-01T00:00:00.000Z"),
      channel: "live",
      source: openNdjsonInput(() => input, { assetBase: undefined }),
      report: () => undefined,
    });
    expect(await imported.catch(String)).toContain("the pipe broke");
    expect(await database.execute(`select id from course_versions where project = '${project}'`)).toEqual([]);
  });

  test("do not change after one error in a source", async () => {
    const { store } = database;
    await publish(store, project, [course("a", { l1: "x" })]);
    const rows = () => database.execute("select count(*) as n from course_versions");
    const before = await rows();
    const courses = [...Array.from({ length: 250 }, (_, n) => course(`n${n}`, { l: "x" })), { name: "" }];
    const { outcome, problems } = await importCourses(store, project, courses);
    expect(outcome).toEqual({ status: "invalid" });
    expect(problems).toEqual(["courses.ndjson:251: error: name: must not be empty"]);
    const [list] = await read(database, project, "");
    expect(list?.headers.get("catalog-release")).toBe("1");
    expect(list?.text).toContain('"total":1,"results":[{"_id":"a"');
    // What was written before the error came is gone again.
    expect(await rows()).toEqual(before);
  });
});
