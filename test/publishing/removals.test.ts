// What an import may remove without a question, and what others can do while a person thinks about it.
import { beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type AuthoredCourse, toNdjson } from "../support/catalog.ts";
import { MAIN } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";
import { makeFolder, writeFiles } from "../support/written-folder.ts";

/** A course with so many lessons; `from` is the number of the first. */
function course(id: string, number: number, from = 0): AuthoredCourse {
  const lessons = Array.from({ length: number }, (_, n) => ({ id: `l${from + n}`, name: `L ${from + n}` }));
  return { _id: id, name: `Course ${id}`, chapters: [{ name: "A", lessons }] };
}

describe.each(engines)("imports with removals on $name", (engine) => {
  const database = useTestStore(engine);
  const project = useProject(database);
  const current = async (): Promise<number | undefined> =>
    (await database.store.publishing.findCurrentRelease(project.name, "live"))?.number;

  // How they are counted does not depend on the database.
  const first = <Row>(rows: Row[]): Row[] => rows.slice(0, engine === anyEngine ? undefined : 1);
  /** A catalog by the lessons of its courses. */
  const courses = (lessons: Record<string, number>): AuthoredCourse[] =>
    Object.entries(lessons).map(([id, number]) => course(id, number));
  const five = (lessons: number) => ({ a: lessons, b: lessons, c: lessons, d: lessons, e: lessons });
  const of = (counts: string, id = "a"): string => `${counts} lessons of course "course-${id}"`;

  const refused: [what: string, before: AuthoredCourse[], after: AuthoredCourse[], told: string][] = [
    ["more than half of ten", courses({ a: 10, b: 90 }), courses({ a: 4, b: 90 }), `${of("6 of 10")} of PROJECT`],
    ["over half of short courses", courses({ a: 6, b: 3 }), courses({ a: 2, b: 2 }), "5 of 9 lessons of PROJECT"],
    ["lessons that others replace", courses({ a: 72 }), [course("a", 90, 71)], `${of("71 of 72")} of PROJECT`],
    ["a long course", courses({ a: 12, b: 90, c: 1 }), courses({ b: 90, c: 1 }), `${of("12 of 12")} of PROJECT`],
    [
      "most lessons of many courses",
      courses(five(10)),
      courses(five(2)),
      `40 of 50 lessons of PROJECT, and ${of("8 of 10")}, and ${of("8 of 10", "b")}, and ${of("8 of 10", "c")}, ` +
        "and most lessons of 2 more courses",
    ],
  ];
  test.each(first(refused))("refuse to remove %s if nobody can be asked", async (_what, before, after, told) => {
    await project.import(before);
    const { exitCode, stdout, stderr } = await project.runImport(after);
    expect([exitCode, stdout, await current()]).toEqual([1, "", 1]);
    expect(stderr).toStartWith(
      `lectern: Nothing was imported: it would remove ${told.replace("PROJECT", project.name)}. If that is intended, add --allow-removals`,
    );
    expect((await project.runImport(after, "--allow-removals")).exitCode).toBe(0);
    expect(await current()).toBe(2);
  });

  const allowed: [what: string, before: AuthoredCourse[], after: AuthoredCourse[], ...args: string[]][] = [
    ["half of a course", courses({ a: 10 }), courses({ a: 5 })],
    ["most of a short course in a larger catalog", courses({ a: 9, b: 40 }), courses({ a: 1, b: 40 })],
    ["a short course as a whole", courses({ a: 9, b: 40 }), courses({ b: 40 })],
    ["a course that --merge keeps", courses({ a: 20, b: 20 }), courses({ b: 20 }), "--merge"],
    ["unfinished content", courses({ a: 20 }), courses({ a: 1 }), "--dry-run"],
    ["anything on a preview", courses({ a: 20 }), courses({ a: 1 }), "--channel", "pr-1"],
  ];
  test.each(first(allowed))("remove %s without a question", async (_what, before, after, ...args) => {
    await project.import(before);
    expect(await project.runImport(after, ...args)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("count only the source's own courses if there are several sources", async () => {
    await project.runImport([course("a", 30)], "--source", "one");
    await project.runImport([course("b", 400)], "--source", "two");
    const { exitCode, stderr } = await project.runImport([course("a", 6)], "--source", "one");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `it would remove 24 of 30 lessons of course "course-a" of source one of ${project.name}. `,
    );
  });

  describe("a question about removals", () => {
    let folder: string;
    beforeEach(async () => {
      folder = makeFolder();
      writeLessons(12);
      expect((await project.run("import", folder)).exitCode).toBe(0);
    });
    const writeLessons = (lessons: number): void => {
      rmSync(join(folder, "tea"), { recursive: true, force: true });
      for (let n = 0; n < lessons; n++) writeFiles(folder, { [`tea/${n + 1}-l.md`]: `# Lesson ${n}\n` });
    };
    const countLessons = async () =>
      (await database.store.publishing.findCurrentRelease(project.name, "live"))?.lessons;
    /** An import at a terminal, and what it has shown. */
    const startImport = (path = folder) => {
      let shown = "";
      const data = (_: unknown, bytes: Uint8Array) => void (shown += Buffer.from(bytes).toString());
      const args = ["import", path, "--project", project.name, "--database", database.url];
      const child = Bun.spawn([process.execPath, MAIN, ...args], { terminal: { cols: 200, rows: 50, data } });
      return {
        child,
        shown: () => shown,
        waitForQuestion: (number: number) => waitFor(() => shown.split("[y/N]").length > number),
        answer: (text: string) => void child.terminal?.write(`${text}\r`),
      };
    };

    test("leaves the project unlocked: the import plans again, and asks again if the plan differs", async () => {
      writeFiles(folder, { "tea/13-l.md": "# More\n" });
      expect((await project.run("import", folder)).exitCode).toBe(0);
      writeLessons(3);
      const asking = startImport();
      await asking.waitForQuestion(1);
      expect(asking.shown()).toContain(
        `This removes 10 of 13 lessons of course "tea" of ${project.name} on live. Continue?`,
      );
      // Its writes block nothing, and no command waits for the answer.
      expect(await database.execute("select project from unfinished_imports")).toEqual([]);
      expect(await project.run("rollback")).toMatchObject({ exitCode: 0, stderr: "" });
      asking.answer("y");
      await asking.waitForQuestion(2);
      expect(asking.shown()).toContain(
        `The catalog or the source has changed. This removes 9 of 12 lessons of course "tea" of ${project.name} on live`,
      );
      expect(await countLessons()).toBe(12);
      asking.answer("y");
      expect(await asking.child.exited).toBe(0);
      expect(await countLessons()).toBe(3);
    });

    // What a person answers does not depend on the database.
    if (engine !== anyEngine) return;

    test("is repeated when the source has changed, even if it removes less; any answer but yes changes nothing", async () => {
      writeLessons(3);
      const asking = startImport();
      await asking.waitForQuestion(1);
      writeLessons(11);
      asking.answer("yes");
      await asking.waitForQuestion(2);
      asking.answer("maybe");
      expect([await asking.child.exited, await current()]).toEqual([1, 1]);
    });

    test("is asked once if nothing has changed, and each warning is printed once", async () => {
      writeLessons(3);
      writeFiles(folder, { "tea/1-l.md": "# Lesson 0\n\n[gone](nothing.md)\n" });
      const asking = startImport();
      await asking.waitForQuestion(1);
      asking.answer("y");
      expect(await asking.child.exited).toBe(0);
      expect(asking.shown().match(/1-l\.md:3|\[y\/N\]/g)).toEqual(["1-l.md:3", "[y/N]"]);
    });

    test("is not asked if the source cannot be read again: the import refuses", async () => {
      const pipe = join(folder, "pipe");
      expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
      const feeding = Bun.spawn(["sh", "-c", 'cat > "$0"', pipe], { stdin: new Blob([toNdjson([course("a", 1)])]) });
      const importing = startImport(pipe);
      expect(await importing.child.exited).toBe(1);
      await feeding.exited;
      expect(importing.shown()).not.toContain("[y/N]");
      expect(importing.shown()).toContain("add --allow-removals");
    });
  });
});
