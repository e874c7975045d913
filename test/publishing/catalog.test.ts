// What an import makes of courses: ids, slugs, dates, releases. Read back through the interface.
import { beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { dataOf, releaseOf, type Content } from "../support/answers.ts";
import { importCourses, importNdjson, publish, type AuthoredCourse } from "../support/catalog.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

/** An independent implementation of the rule for ids: the first 12 bytes of SHA-256 over parts that U+0000 separates. */
const generatedId = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\0"), "utf8").digest("hex").slice(0, 24);

/** A project that no other test has: they share a store. */
let project = "";
beforeEach(() => {
  project = `p${crypto.randomUUID().slice(0, 8)}`;
});

describe("courses", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  const readPart = async (path: string, from = project): Promise<Content> => {
    const key = await createKey(database.store, from, { drafts: true });
    return dataOf(await ask(`/courses${path}`, key));
  };
  /** What an import of courses says, as a catalog of their own. */
  const problemsOf = async (...courses: AuthoredCourse[]): Promise<string[]> => {
    const { outcome, problems } = await importCourses(database.store, project, courses);
    const hasError = problems.some((problem) => problem.includes(": error: "));
    expect(outcome.status).toBe(hasError ? "invalid" : "published");
    return problems;
  };

  describe("generated ids", () => {
    test("derive from project, kind and slug, or from course, chapter and name, whatever else there is", async () => {
      const tea = { name: "Trà & Cà phê", chapters: [{ name: "Một", lessons: [{ name: "Hạt" }] }] };
      await publish(database.store, project, [tea]);
      await publish(database.store, "other", [{ name: "Before" }, tea]);
      for (const from of [project, "other"]) {
        const courseId = generatedId(from, "course", "trà-cà-phê");
        const lessons = [{ id: generatedId(from, "lesson", courseId, "Một", "Hạt"), name: "Hạt" }];
        expect(await readPart(`/${encodeURIComponent("trà-cà-phê")}`, from)).toMatchObject({
          _id: courseId,
          chapters: [{ id: generatedId(from, "chapter", courseId, "Một"), lessons }],
        });
      }
    });

    test("are numbered for repeated names: chapters in a course, lessons in a chapter", async () => {
      const lessons = [{ name: "L" }, { name: "M" }, { name: "L" }, { name: "L" }];
      const chapters = [{ name: "A", lessons }, { name: "B", lessons }, { name: "A" }];
      await publish(database.store, project, [{ _id: "c", name: "C", chapters }]);
      const read = (await readPart("/c")).chapters;
      const idOf = (kind: string, ...rest: string[]) => generatedId(project, kind, "c", ...rest);
      expect(read.map(({ id }) => id)).toEqual([["A"], ["B"], ["A", "2"]].map((rest) => idOf("chapter", ...rest)));
      for (const [index, name] of ["A", "B"].entries()) {
        const ids = [["L"], ["M"], ["L", "2"], ["L", "3"]].map((rest) => idOf("lesson", name, ...rest));
        expect(read[index]?.lessons.map(({ id }) => id)).toEqual(ids);
      }
    });
  });

  describe("duplicate names", () => {
    const first = { _id: "one", slug: "first", name: "First" };
    const between = { _id: "two", slug: "second", name: "Between" };

    test.each<[what: string, course: AuthoredCourse]>([
      ["the id of another course", { _id: "one", slug: "third", name: "Third" }],
      ["another's id as its slug", { _id: "three", slug: "one", name: "Third" }],
      ["another's slug as its id", { _id: "first", slug: "third", name: "Third" }],
      ["a name that yields another course's slug", { _id: "three", name: "FIRST!" }],
    ])("a course with %s is an error at its line that names the other course, a draft too", async (_what, course) => {
      const problems = await problemsOf({ ...first, published: false }, between, course);
      expect(problems).toEqual([expect.stringMatching(/^courses\.ndjson:3: error: .* courses\.ndjson:1$/)]);
    });

    test("a course's id may equal its slug or a lesson's id; case, accents and normal forms make a difference", async () => {
      const chapters = [{ id: "same", name: "A", lessons: [{ id: "same", name: "L" }] }];
      const ids = ["tea", "Tea", "té", "te\u0301", "ｔea", "tea "];
      const others = ids.map((id) => ({ _id: id, slug: `s-${id}`, name: "Tea", chapters }));
      expect(await problemsOf({ _id: "same", slug: "same", name: "Same", chapters }, ...others)).toEqual([]);
    });

    test("chapter and lesson ids are unique in their course", async () => {
      const lessons = [{ id: "l", name: "L" }];
      const chapters = ["A", "B"].map((name) => ({ id: "a", name, lessons }));
      expect(await problemsOf({ name: "C", chapters })).toEqual([
        'courses.ndjson:1: error: chapter id "a" is also the id of the chapter at courses.ndjson:1',
        'courses.ndjson:1: error: lesson id "l" is also the id of the lesson at courses.ndjson:1',
      ]);
    });
  });

  test("ids and slugs are neither empty nor long, and hold no slash, dots alone, controls or half characters", async () => {
    for (const id of ["", ".", "..", "a/b", "a\nb", "a\u0085b", "a\ud800b", "\u{1f600}".repeat(256)]) {
      const said = "must have 1 to 255 characters, no / and no control characters, and must not be . or ..";
      const problems = await problemsOf(
        { _id: id, name: "A" },
        { slug: id, name: "B" },
        { name: "C", chapters: [{ id, name: "A" }] },
        { name: "D", chapters: [{ name: "A", lessons: [{ id, name: "L" }] }] },
      );
      const fields = ["_id", "slug", "chapters[0].id", "chapters[0].lessons[0].id"];
      expect(problems).toEqual(fields.map((field, n) => `courses.ndjson:${n + 1}: error: ${field}: ${said}`));
    }
  });

  test("slugs are made from names in any script", async () => {
    const slugs = {
      "  C++ & C#, part 2!  ": "c-c-part-2",
      "Nha\u0323\u0302p": "nhập",
      "हिन्दी में कोर्स": "हिन्दी-में-कोर्स",
      "日本語 コース ①": "日本語-コース-①",
      "🎉": "course",
      "-- x_/y --": "x-y",
      [`\t${"a".repeat(300)}`]: "a".repeat(255),
    };
    const courses = Object.keys(slugs).map((name) => ({ name }));
    await publish(database.store, project, courses);
    for (const [name, slug] of Object.entries(slugs)) {
      // The name stays as written, white space too.
      const _id = generatedId(project, "course", slug);
      expect(await readPart(`/${encodeURIComponent(slug)}`)).toMatchObject({ name, _id });
    }
  });

  test("names and thumbnails are checked, and thumbnails resolved against the base, if there is one", async () => {
    const nested = [{ name: "A".repeat(501), parts: [{ name: "B".repeat(500), parts: ["l"] }] }];
    const relative = "img/a.png //cdn.example.org/a.png ftp://example.org/a.png https://".split(" ");
    for (const [fields, problem] of [
      [{ name: "\t\u3000" }, "name: must not be empty"],
      [{ name: "n".repeat(1001) }, "name: must have at most 1000 characters"],
      [{ chapters: [{ name: "C", lessons: [{ id: "l", name: "L" }] }], tree: nested }, "tree: the names of nested"],
      [{ thumbnail: `http://a/${"a".repeat(5000)}` }, "thumbnail: must have at most 5000 characters"],
      ...relative.map((thumbnail) => [{ thumbnail }, "thumbnail: must be an absolute http or https URL"] as const),
    ] as const)
      expect(await problemsOf({ name: "A", ...fields })).toEqual([expect.stringContaining(`:1: error: ${problem}`)]);
    const options = { assetBase: "https://cdn.example.org/courses/" };
    for (const [thumbnail, resolved] of Object.entries({
      "img/a b.png": "https://cdn.example.org/courses/img/a%20b.png",
      "http://example.org/a.png?x=1#y": "http://example.org/a.png?x=1#y",
      "": "",
    })) {
      const ndjson = JSON.stringify({ _id: "c", name: "C", thumbnail });
      await importNdjson(database.store, project, ndjson, undefined, options);
      expect((await readPart("/c")).thumbnail).toBe(resolved);
    }
  });

  describe("timestamps", () => {
    test("show dates, and date-times with a zone, in UTC with milliseconds", async () => {
      const shown: Record<string, string> = {
        "2024-02-29": "2024-02-29T00:00:00.000Z",
        "0001-01-01": "0001-01-01T00:00:00.000Z",
        "2026-01-31T09:30Z": "2026-01-31T09:30:00.000Z",
        "2026-01-31T09:30:05.9999Z": "2026-01-31T09:30:05.999Z",
        "2026-01-31 09:30:05.5+02": "2026-01-31T07:30:05.500Z",
        "2026-01-01T00:30:00+05:45": "2025-12-31T18:45:00.000Z",
      };
      const courses = Object.keys(shown).map((at, index) => {
        const dates = { createdAt: at, updatedAt: at };
        const chapters = [{ name: "A", lessons: [{ id: "l", name: "L", ...dates }] }];
        return { _id: `c${index}`, name: at, ...dates, chapters };
      });
      await publish(database.store, project, courses);
      for (const [index, date] of Object.values(shown).entries())
        for (const path of [`/c${index}`, `/c${index}/lessons/l`])
          expect(await readPart(path)).toMatchObject({ createdAt: date, updatedAt: date });
    });

    test("reject everything else with an error at its line that names the field and the form", async () => {
      const days = "2026-02-30 1900-02-29 2026-13-01 2026-1-1 2026-01 10000-01-01 -000001-01-01 ２０２６-01-31";
      const times = "09:30:00 24:00:00Z 09:30:60Z 9:30:00Z 09:30:00+24:00 09:30:00+2 09:30:00.Z".split(" ");
      const edges = ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"];
      const others = ["yesterday", "", " 2026-01-31", "1767225600", "Sat, 31 Jan 2026 09:30:00 GMT"];
      const invalid = [...days.split(" "), ...times.map((time) => `2026-01-31T${time}`), ...edges, ...others];
      const form = "a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z";
      expect(await problemsOf(...invalid.map((createdAt, index) => ({ name: `C${index}`, createdAt })))).toEqual(
        invalid.map((_, index) => `courses.ndjson:${index + 1}: error: createdAt: must be ${form}`),
      );
    });
  });

  describe("derived dates", () => {
    const day = (number: number): string => `2026-01-${String(number).padStart(2, "0")}T10:20:30.456Z`;
    const course = (first: string | undefined, more: AuthoredCourse = {}): AuthoredCourse => {
      const edited = first === undefined ? [] : [{ id: "l1", name: "L1", additionalText: first }];
      const chapters = [{ name: "A", lessons: [...edited, { id: "l2", name: "L2" }] }];
      return { _id: "c", name: "C", chapters, ...more };
    };
    const keeper = { _id: "keeper", name: "Keeper" };

    // Each step continues from the previous one's catalog, a day later: the days on which course and lessons were created
    // and updated.
    const STEPS: [courses: AuthoredCourse[], ...days: string[]][] = [
      // The first import gives all of them its time.
      [[course("one"), keeper], "1-1", "1-1", "1-1"],
      // A changed lesson is updated, and with it its course; the other lesson is not.
      [[course("two"), keeper], "1-2", "1-2", "1-1"],
      // A lesson that is changed back is updated again.
      [[course("one"), keeper], "1-3", "1-3", "1-1"],
      // A change of the course's own part leaves its lessons' dates alone.
      [[course("one", { name: "C renamed", slug: "c" }), keeper], "1-4", "1-3", "1-1"],
      // A removed lesson changes its course; one that returns keeps the time of its first import.
      [[course(undefined), keeper], "1-5"],
      [[course("one"), keeper], "1-6", "1-6", "1-1"],
      // A removed course changes no other. One that returns, and its lessons, keep the times of their first imports.
      [[keeper]],
      [[course("three"), keeper], "1-8", "1-8", "1-1"],
    ];
    test("change with what they are of, and with nothing else", async () => {
      const parts = ["/c", "/c/lessons/l1", "/c/lessons/l2"];
      for (const [index, [courses, ...expected]] of STEPS.entries()) {
        expect(await publish(database.store, "shared", courses, day(index + 1))).toBe(index + 1);
        const keeps: [path: string, days: string][] = [["/keeper", "1-1"]];
        for (const [path, days] of [...keeps, ...expected.map((each, n) => [parts[n] ?? "", each] as const)]) {
          const [created = 0, updated = 0] = days.split("-").map(Number);
          const { createdAt, updatedAt } = await readPart(path, "shared");
          expect([index, path, createdAt, updatedAt]).toEqual([index, path, day(created), day(updated)]);
        }
      }
    });

    test("authored dates come first; without one a course is as new as its newest part", async () => {
      const given: [own: string | undefined, lesson: string | undefined, shown: string, shownOfLesson: string][] = [
        ["2021-01-01", "2022-01-01", "2021-01-01", "2022-01-01"],
        ["2023-01-01", undefined, "2023-01-01", "2026-01-02"],
        [undefined, "2022-01-01", "2026-01-03", "2022-01-01"],
        [undefined, "2027-01-01", "2027-01-01", "2027-01-01"],
      ];
      for (const [index, [updatedAt, ofLesson, shown, shownOfLesson]] of given.entries()) {
        const lessons = [
          { id: "old", name: "Old", createdAt: "2019-01-01", updatedAt: "2019-06-01" },
          { id: "new", name: "New", createdAt: "2018-01-01", updatedAt: ofLesson },
        ];
        const chapters = [{ name: "A", lessons }];
        const courses = [{ _id: "dated", name: "Dated", createdAt: "2020-01-01", updatedAt, chapters }];
        await publish(database.store, "dated", courses, day(index + 1));
        expect((await importCourses(database.store, "dated", courses, day(20))).outcome.status).toBe("unchanged");
        const seen = [];
        for (const path of ["/dated", "/dated/lessons/new", "/dated/lessons/old"]) {
          const part = await readPart(path, "dated");
          seen.push(part.createdAt.slice(0, 10), part.updatedAt.slice(0, 10));
        }
        expect(seen).toEqual(["2020-01-01", shown, "2018-01-01", shownOfLesson, "2019-01-01", "2019-06-01"]);
      }
    });

    test("edits of authored dates are changes; the same time, written differently, is none", async () => {
      const at = (createdAt: string) => [{ _id: "x", name: "X", createdAt, updatedAt: "2021-01-01" }];
      await publish(database.store, project, at("2020-01-01"));
      expect(await publish(database.store, project, at("2020-01-02"))).toBe(2);
      const { outcome } = await importCourses(database.store, project, at("2020-01-02T01:00:00+01:00"));
      expect(outcome.status).toBe("unchanged");
    });
  });

  test("a release does not change after one error in a source", async () => {
    await publish(database.store, project, [{ _id: "a", name: "A" }]);
    const rows = () => database.execute("select count(*) as n from course_versions");
    const before = await rows();
    const many = Array.from({ length: 250 }, (_, n) => ({ _id: `n${n}`, name: `Course ${n}` }));
    const { outcome, problems } = await importCourses(database.store, project, [...many, { name: "" }]);
    expect(outcome).toEqual({ status: "invalid" });
    expect(problems).toEqual(["courses.ndjson:251: error: name: must not be empty"]);
    const list = await ask("/courses", await createKey(database.store, project));
    expect([releaseOf(list), dataOf(list).results.map(({ _id }) => _id)]).toEqual([1, ["a"]]);
    // What was written before the error came is gone again.
    expect(await rows()).toEqual(before);
  });
});
