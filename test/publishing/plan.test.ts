// What a dry run says that an import would change.
import { beforeEach, describe, expect, test } from "bun:test";
import type { CatalogPlan } from "../../src/publishing/catalog-plan.ts";
import type { CoursePlan } from "../../src/publishing/catalog-plan.ts";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { useTestStore } from "../support/store.ts";

const lesson = (id: string, more: object = {}) => ({ id, name: `Lesson ${id}`, ...more });
const tea = {
  _id: "tea",
  slug: "tea",
  name: "Tea",
  published: true,
  thumbnail: "https://cdn.example.org/tea.png",
  createdAt: "2026-01-01",
  updatedAt: "2026-01-02",
  chapters: [
    { id: "basics", name: "Basics", lessons: [lesson("leaves"), lesson("water")] },
    { id: "more", name: "More", lessons: [lesson("cups")] },
  ],
};
const other = { _id: "other", slug: "coffee", name: "Other" };
const [basics, more] = tea.chapters as [(typeof tea.chapters)[0], (typeof tea.chapters)[0]];

/** The plan of a course without changes. */
const unchanged: CoursePlan = {
  change: "changed",
  id: "tea",
  name: "Tea",
  slug: "tea",
  fields: [],
  formerSlug: undefined,
  becomesDraft: false,
  lessonsAdded: [],
  lessonsRemoved: [],
  lessonsChanged: [],
  lessonsMoved: [],
};
const named = (id: string) => ({ id, name: `Lesson ${id}` });

describe("plans", () => {
  const database = useTestStore();
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    await importText([tea, other]);
  });

  const importText = (
    courses: AuthoredCourse[],
    options: { dryRun?: boolean; channel?: string; merge?: boolean } = {},
  ) => importNdjson(database.store, project, toNdjson(courses), "2026-05-01T00:00:00.000Z", options);
  const plan = async (
    courses: AuthoredCourse[],
    options: { channel?: string; merge?: boolean } = {},
  ): Promise<CatalogPlan> => {
    const { outcome, problems } = await importText(courses, { ...options, dryRun: true });
    if (outcome.status !== "planned") throw new Error(`${outcome.status}: ${problems.join("; ")}`);
    return outcome.plan;
  };
  /** The plan for the course, the other one being as it was. */
  const planTea = async (course: AuthoredCourse): Promise<CoursePlan[]> => (await plan([course, other])).courses;

  test("of the same courses in any order are empty", async () => {
    const none = {
      coursesAdded: 0,
      coursesChanged: 0,
      coursesRemoved: 0,
      lessonsAdded: 0,
      lessonsChanged: 0,
      lessonsRemoved: 0,
    };
    expect(await plan([other, tea])).toEqual({
      changes: none,
      counts: { courses: 2, drafts: 0, lessons: 3 },
      sources: [],
      courses: [],
    });
  });

  test.each<[what: string, change: object, expected: Partial<CoursePlan>]>([
    ["a name", { name: "All about tea" }, { name: "All about tea", fields: ["name"] }],
    ["a slug", { slug: "all-about-tea" }, { slug: "all-about-tea", fields: ["slug"], formerSlug: "tea" }],
    ["a draft", { published: false }, { fields: ["published"], becomesDraft: true }],
    ["a thumbnail", { thumbnail: "" }, { fields: ["thumbnail"] }],
    ["a first date", { createdAt: "2025-01-01" }, { fields: ["createdAt"] }],
    ["a last date", { updatedAt: "2026-06-02" }, { fields: ["updatedAt"] }],
    ["a chapter's name", { chapters: [{ ...basics, name: "First" }, more] }, { fields: ["chapters"] }],
    ["the order of chapters", { chapters: [more, basics] }, { fields: ["chapters"] }],
    ["an added chapter", { chapters: [basics, more, { id: "end", name: "End" }] }, { fields: ["chapters"] }],
    [
      "the order of lessons",
      { chapters: [{ ...basics, lessons: basics.lessons.toReversed() }, more] },
      { fields: ["lessonOrder"] },
    ],
    [
      "an added lesson",
      { chapters: [{ ...basics, lessons: [lesson("heat"), ...basics.lessons] }, more] },
      { lessonsAdded: [named("heat")] },
    ],
    [
      "a removed lesson",
      { chapters: [{ ...basics, lessons: basics.lessons.slice(1) }, more] },
      { lessonsRemoved: [named("leaves")] },
    ],
    [
      "a removed chapter with its lesson",
      { chapters: [basics] },
      { fields: ["chapters"], lessonsRemoved: [named("cups")] },
    ],
    [
      "a lesson in another chapter",
      {
        chapters: [
          { ...basics, lessons: [lesson("leaves")] },
          { ...more, lessons: [lesson("cups"), lesson("water")] },
        ],
      },
      { lessonsMoved: [{ ...named("water"), from: "Basics", to: "More" }] },
    ],
    [
      "a lesson in another chapter and changed",
      {
        chapters: [
          { ...basics, lessons: [lesson("leaves")] },
          { ...more, lessons: [lesson("water", { quizHtml: "<p>?</p>" }), lesson("cups")] },
        ],
      },
      {
        lessonsMoved: [{ ...named("water"), from: "Basics", to: "More" }],
        lessonsChanged: [{ ...named("water"), fields: ["quizHtml"] }],
      },
    ],
  ])("report %s and nothing else", async (_what, change, expected) => {
    expect(await planTea({ ...tea, ...change })).toEqual([{ ...unchanged, ...expected }]);
  });

  test.each<[field: string, value: string, fields?: string[]]>([
    ["name", "Other name"],
    ["url", "https://video.example.org/1"],
    ["quizHtml", "<p>?</p>"],
    ["additionalText", "<p>Text.</p>"],
    ["createdAt", "2025-01-01"],
    ["updatedAt", "2026-04-01"],
  ])("report the %s of a lesson", async (field, value) => {
    const changed = lesson("leaves", { [field]: value });
    const plans = await planTea({ ...tea, chapters: [{ ...basics, lessons: [changed, lesson("water")] }, more] });
    expect(plans).toEqual([{ ...unchanged, lessonsChanged: [{ id: "leaves", name: changed.name, fields: [field] }] }]);
  });

  test("say what a slug taken by another course means for both", async () => {
    const plans = (
      await plan([
        { ...tea, slug: "coffee" },
        { ...other, slug: "cocoa" },
      ])
    ).courses;
    expect(plans).toEqual([
      { ...unchanged, slug: "coffee", fields: ["slug"], formerSlug: "tea" },
      { ...unchanged, id: "other", name: "Other", slug: "cocoa", fields: ["slug"], formerSlug: "coffee" },
    ]);
  });

  test("list additions and removals with their lessons", async () => {
    const added = {
      _id: "new",
      name: "New",
      published: false,
      chapters: [{ name: "A", lessons: [lesson("one"), lesson("two")] }],
    };
    expect(await plan([added, other])).toEqual({
      changes: {
        coursesAdded: 1,
        coursesChanged: 0,
        coursesRemoved: 1,
        lessonsAdded: 2,
        lessonsChanged: 0,
        lessonsRemoved: 3,
      },
      counts: { courses: 1, drafts: 1, lessons: 2 },
      sources: [],
      courses: [
        {
          ...unchanged,
          change: "added",
          id: "new",
          name: "New",
          slug: "new",
          lessonsAdded: [named("one"), named("two")],
        },
        {
          ...unchanged,
          change: "removed",
          formerSlug: "tea",
          lessonsRemoved: [named("leaves"), named("water"), named("cups")],
        },
      ],
    });
  });

  test("with --merge remove nothing", async () => {
    const { courses, changes, counts } = await plan([{ _id: "new", name: "New" }], { merge: true });
    expect(courses.map(({ change, id }) => [change, id])).toEqual([["added", "new"]]);
    expect([changes.coursesRemoved, counts]).toEqual([0, { courses: 3, drafts: 0, lessons: 3 }]);
  });

  test("compare with the channel's own release, or with live on a new channel", async () => {
    expect(
      (await plan([{ ...tea, name: "X" }], { channel: "pr-1" })).courses.map(({ change, id }) => [change, id]),
    ).toEqual([
      ["changed", "tea"],
      ["removed", "other"],
    ]);
    await importText([{ ...tea, name: "X" }], { channel: "pr-1" });
    expect((await plan([{ ...tea, name: "X" }], { channel: "pr-1" })).courses).toEqual([]);
    expect((await plan([tea], { channel: "pr-1" })).courses).toEqual([{ ...unchanged, fields: ["name"] }]);
  });

  test("write nothing, take no lock, and have a form for people and one for programs", async () => {
    const before = await database.execute("select name, value from counters order by name");
    const lock = await database.store.publishing.lockProject(
      project,
      { pid: 1, host: "h", since: "", task: "test" },
      () => {},
    );
    const run = (...args: string[]) =>
      runCommand(["import", "-", "--project", project, "--database", database.url, ...args], {
        stdin: JSON.stringify({
          ...tea,
          published: false,
          slug: "x",
          chapters: [{ ...basics, lessons: [lesson("leaves", { url: "https://a.example", name: "New" })] }],
        }),
      });
    const text = await run("--dry-run");
    const json = await run("--dry-run", "--json");
    await lock.unlock();
    expect(text).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Would publish in ${project}: 0 courses and 1 draft, 1 lesson.
  courses: 0 added, 1 changed, 1 removed
  lessons: 0 added, 1 changed, 2 removed
~ course "Tea" (x): slug, published, chapters
    becomes a draft: readers no longer see it
    slug "tea" redirects to "x"
    ~ lesson "New" (leaves): name, url
    - lesson "Lesson water" (water)
    - lesson "Lesson cups" (cups)
- course "Other" (coffee), lessons: 0
    slug "coffee" is removed
`,
    });
    expect([json.exitCode, json.stderr]).toEqual([0, ""]);
    expect(json.stdout.trimEnd()).not.toContain("\n");
    const { formerSlug: _none, ...rest } = unchanged;
    expect(JSON.parse(json.stdout)).toEqual({
      project: project,
      channel: "live",
      changes: {
        coursesAdded: 0,
        coursesChanged: 1,
        coursesRemoved: 1,
        lessonsAdded: 0,
        lessonsChanged: 1,
        lessonsRemoved: 2,
      },
      counts: { courses: 0, drafts: 1, lessons: 1 },
      sources: [],
      courses: [
        {
          ...rest,
          slug: "x",
          fields: ["slug", "published", "chapters"],
          formerSlug: "tea",
          becomesDraft: true,
          lessonsRemoved: [named("water"), named("cups")],
          lessonsChanged: [{ id: "leaves", name: "New", fields: ["name", "url"] }],
        },
        { ...rest, change: "removed", id: "other", name: "Other", slug: "coffee", formerSlug: "coffee" },
      ],
    });
    expect(await database.execute("select name, value from counters order by name")).toEqual(before);
    expect((await run("--json")).exitCode).toBe(2);
  });

  test("also describe an empty project and an unchanged catalog", async () => {
    const run = (into: string) =>
      runCommand(["import", "-", "--project", into, "--database", database.url, "--dry-run"], {
        stdin: `${JSON.stringify(tea)}\n${JSON.stringify(other)}\n`,
      });
    expect((await run(project)).stdout).toBe(`Nothing would change in ${project}: 2 courses, 3 lessons.\n`);
    expect((await run("empty")).stdout).toContain(
      '+ course "Tea" (tea), lessons: 3\n+ course "Other" (coffee), lessons: 0\n',
    );
  });
});
