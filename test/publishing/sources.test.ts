// Several sources in one project: each import replaces what its own has brought, as `model.test.ts` also says.
import { describe, expect, test } from "bun:test";
import type { AuthoredCourse } from "../support/catalog.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";
import { writeFolder } from "../support/written-folder.ts";

const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2026-02-01T00:00:00.000Z";

describe("named sources", () => {
  const database = useTestStore();
  const project = useProject(database);

  const course = (id: string, more: object = {}): AuthoredCourse => {
    return { _id: id, name: id, chapters: [{ name: "A", lessons: [{ id: "l", name: "L" }] }], ...more };
  };
  /** Imports courses of these ids from a source; from none if its name is empty. */
  const importFrom = (source: string, courses: string | AuthoredCourse[], options: object = {}, at = AT) => {
    const all = typeof courses === "string" ? courses.split(" ").map((id) => course(id)) : courses;
    const sourceName = source === "" ? undefined : source;
    return project.import(all, { ...options, sourceName }, at);
  };
  const statusOf = async (...args: Parameters<typeof importFrom>) => (await importFrom(...args)).outcome.status;
  const listCourses = async (): Promise<string> =>
    (await project.read("/courses")).data.results.map(({ _id }: { _id: string }) => _id).join(" ");
  const listSources = async () => {
    const release = await database.store.publishing.findCurrentRelease(project.name, "live");
    return release === undefined ? [] : database.store.publishing.listSources(release);
  };

  test("must be named in every import, on any channel", async () => {
    await importFrom("", "old");
    await importFrom("", "old new", { channel: "pr-1" });
    await importFrom("physics", "p1");
    const refusal =
      `The courses of ${project.name} come from named sources: physics. Add --source NAME to import one of them, or a new one; ` +
      "`lectern sources remove NAME` removes one.";
    for (const options of [{}, { dryRun: true }, { merge: true }, { channel: "pr-1" }, { channel: "pr-2" }]) {
      const error: unknown = await importFrom("", "all", options).catch((reason: unknown) => reason);
      expect(String(error)).toContain(refusal);
    }
    expect(await listCourses()).toBe("old p1");
  });

  test("cannot contain another source's course, which is an error at its location, until they take it over", async () => {
    await importFrom("physics", "p1 p2");
    await importFrom("chemistry", "c1", {}, LATER);
    const label = expect.stringContaining("file ") as string;
    expect(await listSources()).toEqual([
      { name: "chemistry", courses: 1, drafts: 0, lessons: 1, label, changedAt: LATER },
      { name: "physics", courses: 2, drafts: 0, lessons: 2, label, changedAt: AT },
    ]);
    expect(await importFrom("chemistry", "c1 p1")).toEqual({
      outcome: { status: "invalid" },
      problems: [
        'courses.ndjson:2: error: id "p1" belongs to a course of source physics (slug "p1"): give this course its own _id, ' +
          "or move that course to source chemistry with --take-over",
      ],
    });
    const takeOver = true;
    const renamed = [course("c1"), course("p1"), course("p2", { name: "New" })];
    expect((await importFrom("chemistry", renamed, { takeOver, dryRun: true })).outcome).toMatchObject({
      plan: {
        courses: [{ fields: [] }, { fields: ["name", "slug"], formerSource: "physics" }],
        sources: [{ courses: 3 }],
      },
    });
    expect((await importFrom("chemistry", "c1 p1", { takeOver })).outcome).toMatchObject({ takenOver: 1 });
    expect(await statusOf("chemistry", "c1 p1", { takeOver })).toBe("unchanged");
    expect(await statusOf("physics", "p1 p2")).toBe("invalid");
    expect(await statusOf("physics", "p2")).toBe("unchanged");
    expect(await listCourses()).toBe("c1 p1 p2");
    // Slugs are not shared either.
    const { problems } = await importFrom("biology", [course("b1", { slug: "p2" })]);
    expect(problems).toEqual([
      'courses.ndjson:1: error: the id or slug of this course clashes with the course "p2" (slug "p2") of source physics',
    ]);
  });

  test("generate ids from paths that differ between sources, and existing ids stay when a catalog gets sources", async () => {
    const [physics = "", chemistry = ""] = ["Physics", "Chemistry"].map((name) =>
      writeFolder({ "course.yaml": `name: ${name}\n`, "01-basics/01-a.md": "A", "01-basics/02-b.md": "B" }),
    );
    const idOf = async (slug: string) => (await project.read(`/courses/${slug}`)).data._id;
    await project.run("import", physics);
    const id = await idOf("physics");
    expect((await project.run("import", physics, "--source", "p")).stderr).toContain(
      `error: id "${id}" belongs to a course without a source (slug "physics"): give this course its own _id, `,
    );
    expect((await project.run("import", physics, "--source", "p", "--take-over")).exitCode).toBe(0);
    expect((await project.run("import", physics, "--source", "p")).stdout).toStartWith("Nothing changed");
    expect((await project.run("import", chemistry, "--source", "c")).exitCode).toBe(0);
    expect([(await idOf("chemistry")) === id, await idOf("physics")]).toEqual([false, id]);
  });

  test("are retired by removal, never by an empty import", async () => {
    await importFrom("", "old");
    await importFrom("physics", [course("p1"), course("p2", { published: false })]);
    const { problems } = await importFrom("physics", []);
    expect(problems.join()).toContain("this source contains no course; `lectern sources remove physics` removes it");
    expect((await project.run("sources")).stdout).toMatch(/^physics +1 +1 +2 [^]*\n\(none\) +1 +0 +1$/m);
    await project.run("sources", "remove", "--unnamed");
    expect(await listCourses()).toBe("p1");
    await project.run("rollback");
    expect((await project.run("sources", "remove", "physics")).stdout).toBe(
      `Removed source physics from ${project.name}: 1 course and 1 draft, 2 lessons. Channel live is now at release 4. ` +
        "`lectern rollback` undoes this.\n",
    );
    expect(await listCourses()).toBe("old");
    expect(await statusOf("", "old")).toBe("unchanged");
    expect((await project.run("sources", "remove", "physics")).stderr).toContain("has no named sources.");
  });
});
