// What a dry run says that an import would change.
import { beforeEach, describe, expect, test } from "bun:test";
import type { CatalogPlan, CoursePlan } from "../../src/publishing/catalog-plan.ts";
import type { AuthoredCourse } from "../support/catalog.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const lesson = (id: string, more: object = {}) => ({ id, name: `Lesson ${id}`, ...more });
const basics = { id: "basics", name: "Basics", lessons: [lesson("leaves"), lesson("water")] };
const more = { id: "more", name: "More", lessons: [lesson("cups")] };
const tea = {
  _id: "tea",
  slug: "tea",
  name: "Tea",
  published: true,
  thumbnail: "https://cdn.example.org/tea.png",
  createdAt: "2026-01-01",
  updatedAt: "2026-01-02",
  chapters: [basics, more],
};
const other = { _id: "other", slug: "coffee", name: "Other" };

/** What a plan says of a course, without what is empty. */
const tell = (planned: CoursePlan) =>
  Object.fromEntries(Object.entries(planned).filter(([, value]) => (Array.isArray(value) ? value.length : value)));
const named = (id: string) => ({ id, name: `Lesson ${id}` });
describe("plans", () => {
  const database = useTestStore();
  const project = useProject(database);
  beforeEach(() => project.publish([tea, other]));

  const plan = async (courses: AuthoredCourse[]): Promise<CatalogPlan> => {
    const { outcome, problems } = await project.import(courses, { dryRun: true });
    if (outcome.status !== "planned") throw new Error(`${outcome.status}: ${problems.join("; ")}`);
    return outcome.plan;
  };

  const start = (...lessons: object[]) => ({ ...basics, lessons });
  const waterMoved = { lessonsMoved: [{ ...named("water"), from: "Basics", to: "More" }] };
  const moved = (...lessons: object[]) => [start(lesson("leaves")), { ...more, lessons }];
  const quiz = { quizHtml: "<p>?</p>" };
  const dates = { createdAt: "2025-01-01", updatedAt: "2026-04-01" };
  const edited = { name: "Other", url: "https://v.example/1", ...quiz, additionalText: "x", ...dates };

  test("report each change of a course and nothing else", async () => {
    const changes: [change: object, expected: Partial<CoursePlan>][] = [
      [{ slug: "all-about-tea" }, { slug: "all-about-tea", fields: ["slug"], formerSlug: "tea" }],
      [{ published: false }, { fields: ["published"], becomesDraft: true }],
      [
        { name: "All about tea", thumbnail: "" },
        { name: "All about tea", fields: ["name", "thumbnail"] },
      ],
      [{ createdAt: "2025-01-01", updatedAt: "2026-06-02" }, { fields: ["createdAt", "updatedAt"] }],
      [{ chapters: [{ ...basics, name: "First" }, more] }, { fields: ["chapters"] }],
      [{ chapters: [basics] }, { fields: ["chapters"], lessonsRemoved: [named("cups")] }],
      [{ chapters: [start(lesson("water"), lesson("leaves")), more] }, { fields: ["lessonOrder"] }],
      [{ chapters: [start(lesson("heat"), ...basics.lessons), more] }, { lessonsAdded: [named("heat")] }],
      [{ chapters: [start(lesson("water")), more] }, { lessonsRemoved: [named("leaves")] }],
      [{ chapters: moved(lesson("cups"), lesson("water")) }, waterMoved],
      [
        { chapters: [start(lesson("leaves", edited), lesson("water")), more] },
        { lessonsChanged: [{ id: "leaves", name: "Other", fields: Object.keys(edited) }] },
      ],
      [
        { chapters: moved(lesson("water", quiz), lesson("cups")) },
        { ...waterMoved, lessonsChanged: [{ ...named("water"), fields: ["quizHtml"] }] },
      ],
    ];
    const unchanged = { change: "changed", id: "tea", name: "Tea", slug: "tea" };
    for (const [change, expected] of changes) {
      const { courses } = await plan([{ ...tea, ...change }, other]);
      expect([change, ...courses.map(tell)]).toEqual([change, { ...unchanged, ...expected }]);
    }
  });

  test("write nothing, take no lock, and have a form for people and one for programs", async () => {
    const readCounters = () => database.execute("select name, value from counters order by name");
    const before = await readCounters();
    const holder = { pid: 1, host: "h", since: "", task: "test" };
    const lock = await database.store.publishing.lockProject(project.name, holder, () => {});
    const chapters = [start(lesson("leaves", { url: "https://a.example", name: "New" }))];
    const courses = [{ ...tea, published: false, slug: "x", chapters }];
    const text = await project.runImport(courses, "--dry-run");
    const json = await project.runImport(courses, "--dry-run", "--json");
    await lock.unlock();
    expect(text).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Would publish in ${project.name}: 0 courses and 1 draft, 1 lesson.
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
    expect(JSON.parse(json.stdout)).toMatchObject({
      project: project.name,
      channel: "live",
      changes: { coursesAdded: 0, coursesChanged: 1, coursesRemoved: 1, lessonsChanged: 1, lessonsRemoved: 2 },
      courses: [
        { change: "changed", slug: "x", formerSlug: "tea", lessonsRemoved: [named("water"), named("cups")] },
        { change: "removed", id: "other", formerSlug: "coffee" },
      ],
    });
    expect(await readCounters()).toEqual(before);
    expect((await project.runImport(courses, "--json")).exitCode).toBe(2);
  });
});
