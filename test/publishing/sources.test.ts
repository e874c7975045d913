// Several sources in one project: each import replaces what its own has brought.
import { beforeEach, describe, expect, test } from "bun:test";
import { issueKey } from "../../src/keys/issue-key.ts";
import { removeSource } from "../../src/publishing/publish.ts";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { writeFolder } from "../support/written-folder.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2026-02-01T00:00:00.000Z";
const course = (id: string, more: object = {}): AuthoredCourse => ({
  _id: id,
  name: id,
  chapters: [{ name: "A", lessons: [{ id: "l", name: "L" }] }],
  ...more,
});

interface Options {
  source?: string;
  takeOver?: boolean;
  merge?: boolean;
  channel?: string;
  dryRun?: boolean;
  at?: string;
}

describe("named sources", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let key: string;
  /** Tests share a store: each has a project of its own. */
  let project = "";
  let count = 0;
  beforeEach(async () => {
    project = `acme-${++count}`;
    key = (await issueKey(database.store.keys, { project, channel: "live", drafts: false, name: "" })).secret;
  });

  const importFrom = ({ source, at = AT, ...options }: Options, ...courses: AuthoredCourse[]) =>
    importNdjson(database.store, project, toNdjson(courses), at, {
      ...options,
      sourceName: source,
    });
  const statusOf = async (...args: Parameters<typeof importFrom>) => (await importFrom(...args)).outcome.status;
  const listCourses = async (secret = key): Promise<string> => {
    const { data } = JSON.parse((await ask("/courses", secret)).text) as { data: { results: { _id: string }[] } };
    return data.results.map(({ _id: id }) => id).join(" ");
  };
  const listSources = async (channel = "live") => {
    const release = await database.store.publishing.findCurrentRelease(project, channel);
    return release === undefined ? [] : database.store.publishing.listSources(release);
  };
  const run = (...args: string[]) => runCommand([...args, "--project", project, "--database", database.url]);

  test("each replace only their own courses", async () => {
    expect(await statusOf({ source: "physics" }, course("p1"), course("p2"))).toBe("published");
    expect(await statusOf({ source: "chemistry", at: LATER }, course("c1"))).toBe("published");
    expect(await listCourses()).toBe("c1 p1 p2");
    expect(await statusOf({ source: "physics" }, course("p2"), course("p3"))).toBe("published");
    expect(await listCourses()).toBe("c1 p2 p3");
    expect(await statusOf({ source: "physics" }, course("p3"), course("p2"))).toBe("unchanged");
    expect(await statusOf({ source: "physics", merge: true }, course("p4"))).toBe("published");
    expect(await listCourses()).toBe("c1 p2 p3 p4");
    const label = expect.stringContaining("file ") as string;
    expect(await listSources()).toEqual([
      { name: "chemistry", courses: 1, drafts: 0, lessons: 1, label, changedAt: LATER },
      { name: "physics", courses: 3, drafts: 0, lessons: 3, label, changedAt: AT },
    ]);
  });

  test("must be named in every import, on any channel", async () => {
    await importFrom({}, course("old"));
    await importFrom({ channel: "pr-1" }, course("old"), course("new"));
    await importFrom({ source: "physics" }, course("p1"));
    const refusal =
      `The courses of ${project} come from named sources: physics. Add --source NAME to import one of them, or a new one; ` +
      "`lectern sources remove NAME` removes one.";
    for (const options of [{}, { dryRun: true }, { merge: true }, { channel: "pr-1" }, { channel: "pr-2" }]) {
      expect(importFrom(options, course("all"))).rejects.toThrow(refusal);
    }
    expect(await listCourses()).toBe("old p1");
  });

  test("cannot contain another source's course, which is an error at its location, until they take it over", async () => {
    await importFrom({ source: "physics" }, course("p1"), course("p2"));
    await importFrom({ source: "chemistry" }, course("c1"));
    const { outcome, problems } = await importFrom({ source: "chemistry" }, course("c1"), course("p1"));
    expect(outcome.status).toBe("invalid");
    expect(problems).toEqual([
      'courses.ndjson:2: error: id "p1" belongs to a course of source physics (slug "p1"): give this course its own _id, or move that course to source chemistry with --take-over',
    ]);
    const takeOver = { source: "chemistry", takeOver: true };
    const planned = await importFrom(
      { ...takeOver, dryRun: true },
      course("c1"),
      course("p1"),
      course("p2", { name: "New" }),
    );
    if (planned.outcome.status !== "planned") throw new Error(planned.outcome.status);
    expect(planned.outcome.plan.courses.map(({ id, fields, formerSource }) => [id, fields, formerSource])).toEqual([
      ["p1", [], "physics"],
      ["p2", ["name", "slug"], "physics"],
    ]);
    expect(planned.outcome.plan.sources).toMatchObject([{ name: "chemistry", courses: 3, drafts: 0, lessons: 3 }]);
    expect((await importFrom(takeOver, course("c1"), course("p1"))).outcome).toMatchObject({
      status: "published",
      takenOver: 1,
      changes: { coursesAdded: 0, coursesChanged: 1, coursesRemoved: 0 },
    });
    expect(await statusOf(takeOver, course("c1"), course("p1"))).toBe("unchanged");
    expect(await statusOf({ source: "physics" }, course("p1"), course("p2"))).toBe("invalid");
    expect(await statusOf({ source: "physics" }, course("p2"))).toBe("unchanged");
    expect(await listCourses()).toBe("c1 p1 p2");
  });

  test("cannot share ids and slugs", async () => {
    await importFrom({ source: "physics" }, course("p1", { slug: "intro" }));
    const { problems } = await importFrom({ source: "chemistry" }, course("c1", { slug: "intro" }));
    expect(problems).toEqual([
      'courses.ndjson:1: error: the id or slug of this course clashes with the course "p1" (slug "intro") of source physics',
    ]);
  });

  test("generate ids from paths that differ between sources, and existing ids stay when a catalog gets sources", async () => {
    const folders = ["Physics", "Chemistry"].map((name) => {
      return writeFolder({ "course.yaml": `name: ${name}\n`, "01-basics/01-a.md": "A", "01-basics/02-b.md": "B" });
    });
    const importFolder = (index: number, ...args: string[]) => run("import", folders[index] ?? "", ...args);
    const idOf = async (slug: string): Promise<string> =>
      (JSON.parse((await ask(`/courses/${slug}`, key)).text) as { data: { _id: string } }).data._id;
    await importFolder(0);
    const physics = await idOf("physics");
    expect((await importFolder(0, "--source", "p")).stderr).toContain(
      `error: id "${physics}" belongs to a course without a source (slug "physics"): give this course its own _id, `,
    );
    expect((await importFolder(0, "--source", "p", "--take-over")).exitCode).toBe(0);
    expect(await idOf("physics")).toBe(physics);
    expect((await importFolder(0, "--source", "p")).stdout).toStartWith("Nothing changed");
    expect((await importFolder(1, "--source", "c")).exitCode).toBe(0);
    const chemistry = await idOf("chemistry");
    expect([chemistry === physics, await idOf("physics")]).toEqual([false, physics]);
    expect((await importFolder(1, "--source", "c")).stdout).toStartWith("Nothing changed");
  });

  test("are retired by removal, never by an empty import", async () => {
    await importFrom({}, course("old"));
    await importFrom({ source: "physics" }, course("p1"), course("p2", { published: false }));
    const { problems } = await importFrom({ source: "physics" });
    expect(problems.join()).toContain("this source contains no course; `lectern sources remove physics` removes it");
    const listed = await run("sources");
    expect(listed.stdout.split("\n").map((line) => line.split(/ +/).slice(0, 4).join(" "))).toEqual([
      "SOURCE COURSES DRAFTS LESSONS",
      "physics 1 1 2",
      "(none) 1 0 1",
      "",
    ]);
    expect((await run("sources", "remove", "phisics")).stderr).toBe(
      `lectern: Channel live of ${project} has no courses from source phisics. Its sources are physics. Did you mean source physics?\n`,
    );
    expect((await run("sources", "remove")).exitCode).toBe(2);
    expect((await run("sources", "remove", "physics")).stdout).toBe(
      `Removed source physics from ${project}: 1 course and 1 draft, 2 lessons. Channel live is now at release 3. ` +
        "`lectern rollback` undoes this.\n",
    );
    expect(await listCourses()).toBe("old");
    expect(JSON.parse((await run("releases", "--json")).stdout)).toMatchObject([
      { release: 3, action: "remove", sourceName: "physics", changes: { coursesRemoved: 2, lessonsRemoved: 2 } },
      { release: 2, action: "import", sourceName: "physics" },
      { release: 1, action: "import", sourceName: null },
    ]);
    expect(await statusOf({}, course("old"))).toBe("unchanged");
  });

  test("can take over courses without a source, which can also be removed", async () => {
    await importFrom({}, course("a"), course("b"));
    expect(await statusOf({ source: "physics" }, course("a"))).toBe("invalid");
    expect(await statusOf({ source: "physics", takeOver: true }, course("a"))).toBe("published");
    expect(await listCourses()).toBe("a b");
    expect((await run("sources", "remove", "--unnamed")).stdout).toStartWith("Removed the courses without a source");
    expect(await listCourses()).toBe("a");
    await removeSource(publishingAt(database.store, project, LATER), "live", "physics");
    expect(await listCourses()).toBe("");
    expect(removeSource(publishingAt(database.store, project, LATER), "live", "physics")).rejects.toThrow(
      `Channel live of ${project} has no named sources.`,
    );
    expect(await statusOf({}, course("c"))).toBe("published");
  });

  test("are copied with a database and restored with a release", async () => {
    await importFrom({ source: "physics" }, course("p1"));
    await importFrom({ source: "chemistry" }, course("c1"));
    const target = await anyEngine.createDatabase();
    const copied = await runCommand(["copy", "--from", database.url, "--to", target.url]);
    expect(copied.stdout).toContain("The copy is identical.");
    const tables = ["select * from release_courses order by 1, 2", "select * from release_sources order by 1, 2"];
    for (const table of tables) expect(await target.execute(table)).toEqual(await database.execute(table));
    await target.drop();
    await database.execute(`update publications set published_at = '${AT}'`);
    expect((await run("prune", "--keep", "1")).stdout).toContain("Pruned 1 release");
    expect((await listSources()).map(({ name }) => name)).toEqual(["chemistry", "physics"]);
    const ofProject = `select distinct release_id from release_sources
      where release_id in (select id from releases where project = '${project}')`;
    expect(await database.execute(ofProject)).toHaveLength(1);
  });

  test("have valid names only, and the log of an import names its source", async () => {
    const wrong = await run("import", "-", "--source", "-x");
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("beginning with a letter or digit")]);
    expect((await run("import", "-", "--take-over")).stderr).toContain("--take-over needs --source NAME.");
    await importFrom({ source: "chemistry" }, course("c1"));
    const input = `${JSON.stringify(course("c1"))}\n${JSON.stringify(course("p1"))}\n`;
    const args = [
      "import",
      "-",
      "--source",
      "physics",
      "--take-over",
      "--project",
      project,
      "--database",
      database.url,
    ];
    expect((await runCommand([...args, "--dry-run"], { stdin: input })).stdout)
      .toBe(`Would publish in ${project}: 2 courses, 2 lessons.
  of source physics: 2 courses, 2 lessons
  courses: 1 added, 1 changed, 0 removed
  lessons: 1 added, 0 changed, 0 removed
~ course "c1" (c1)
    taken over from source chemistry
+ course "p1" (p1), lessons: 1
`);
    expect((await runCommand(args, { stdin: input })).stdout)
      .toBe(`Published release 2 of ${project}: 2 courses, 2 lessons.
  of source physics: 2 courses, 2 lessons
  courses: 1 added, 1 changed, 0 removed
  lessons: 1 added, 0 changed, 0 removed
  1 course taken over by source physics
`);
    expect((await run("releases")).stdout).toContain("physics: standard input");
  });
});
