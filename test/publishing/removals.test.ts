// What an import may remove without a question, and what others can do while a person thinks about it.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { MAIN, runCommand, type CommandResult } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, engines, useTestStore } from "../support/store.ts";

/** A course with so many lessons; `from` is the number of the first. */
const course = (id: string, lessons: number, from = 0): AuthoredCourse => ({
  _id: id,
  name: `Course ${id}`,
  chapters: [
    { name: "A", lessons: Array.from({ length: lessons }, (_, n) => ({ id: `l${from + n}`, name: `L ${from + n}` })) },
  ],
});

describe.each(engines)("imports with removals on $name", (engine) => {
  const database = useTestStore(engine);
  let project = "";
  let count = 0;
  beforeEach(() => {
    project = `acme-${++count}`;
  });

  const run = (command: string[], stdin?: string): Promise<CommandResult> =>
    runCommand([...command, "--project", project, "--database", database.url], stdin === undefined ? {} : { stdin });
  const importAll = (courses: AuthoredCourse[], ...args: string[]): Promise<CommandResult> =>
    run(["import", "-", ...args], toNdjson(courses));
  const current = async (): Promise<number | undefined> =>
    (await database.store.publishing.findCurrentRelease(project, "live"))?.number;

  describe("refuse removed lessons if nobody can be asked:", () => {
    const refused: [what: string, before: AuthoredCourse[], after: AuthoredCourse[], told: string][] = [
      [
        "more than half of a course of ten",
        [course("a", 10), course("b", 90)],
        [course("a", 4), course("b", 90)],
        '6 of 10 lessons of course "course-a" of PROJECT',
      ],
      [
        "more than half of a catalog of short courses",
        [course("a", 6), course("b", 3)],
        [course("a", 2), course("b", 2)],
        "5 of 9 lessons of PROJECT",
      ],
      [
        "lessons that are replaced by others",
        [course("a", 572), course("b", 3000)],
        [course("a", 900, 571), course("b", 3000)],
        '571 of 572 lessons of course "course-a" of PROJECT',
      ],
      [
        "a long course as a whole",
        [course("a", 12), course("b", 90), course("c", 1)],
        [course("b", 90), course("c", 1)],
        '12 of 12 lessons of course "course-a" of PROJECT',
      ],
      [
        "most courses, and most lessons of one that stays",
        [course("a", 12), course("b", 1), course("c", 1)],
        [course("a", 2)],
        '2 of 3 courses of PROJECT, and 10 of 12 lessons of course "course-a"',
      ],
      [
        "most lessons of many courses",
        ["a", "b", "c", "d", "e"].map((id) => course(id, 10)),
        ["a", "b", "c", "d", "e"].map((id) => course(id, 2)),
        '40 of 50 lessons of PROJECT, and 8 of 10 lessons of course "course-a", and 8 of 10 lessons of course "course-b", ' +
          'and 8 of 10 lessons of course "course-c", and most lessons of 2 more courses',
      ],
    ];
    // How they are counted does not depend on the database.
    test.each(refused.slice(0, engine === anyEngine ? undefined : 1))("%s", async (_what, before, after, told) => {
      await importNdjson(database.store, project, toNdjson(before));
      const { exitCode, stdout, stderr } = await importAll(after);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toStartWith(
        `lectern: Nothing was imported: it would remove ${told.replace("PROJECT", project)}. If that is intended, add --allow-removals`,
      );
      expect(await current()).toBe(1);
      expect((await importAll(after, "--allow-removals")).exitCode).toBe(0);
      expect(await current()).toBe(2);
    });
  });

  describe("remove lessons without a question:", () => {
    const allowed: [what: string, before: AuthoredCourse[], after: AuthoredCourse[], args: string[]][] = [
      ["half of a course", [course("a", 10)], [course("a", 5)], []],
      [
        "most of a short course in a larger catalog",
        [course("a", 9), course("b", 40)],
        [course("a", 1), course("b", 40)],
        [],
      ],
      ["a short course as a whole", [course("a", 9), course("b", 40)], [course("b", 40)], []],
      ["half of the courses", [course("a", 1), course("b", 1)], [course("a", 1)], []],
      ["a course that --merge keeps", [course("a", 20), course("b", 20)], [course("b", 20)], ["--merge"]],
      ["unfinished content", [course("a", 20)], [course("a", 1)], ["--dry-run"]],
      ["anything on a preview", [course("a", 20)], [course("a", 1)], ["--channel", "pr-1"]],
    ];
    test.each(allowed.slice(0, engine === anyEngine ? undefined : 1))("%s", async (_what, before, after, args) => {
      await importNdjson(database.store, project, toNdjson(before));
      expect(await importAll(after, ...args)).toMatchObject({ exitCode: 0, stderr: "" });
    });
  });

  test("count only the source's own courses if there are several sources", async () => {
    await importAll([course("a", 30)], "--source", "one");
    await importAll([course("b", 400)], "--source", "two");
    const { exitCode, stderr } = await importAll([course("a", 6)], "--source", "one");
    expect([exitCode, stderr]).toEqual([
      1,
      `lectern: Nothing was imported: it would remove 24 of 30 lessons of course "course-a" of source one of ${project}. If ` +
        "that is intended, add --allow-removals.\n",
    ]);
  });

  describe("a question about removals", () => {
    let folder: ReturnType<typeof createTestFolder>;
    beforeEach(() => {
      folder = createTestFolder();
      writeLessons(3);
    });
    afterEach(() => folder.remove());
    const writeLessons = (lessons: number): void => {
      rmSync(join(folder.path, "tea"), { recursive: true, force: true });
      mkdirSync(join(folder.path, "tea"));
      for (let n = 0; n < lessons; n++) writeFileSync(join(folder.path, "tea", `${n + 1}-l.md`), `# Lesson ${n}\n`);
    };
    /** An import at a terminal, and what it has shown. */
    const startImport = (path = folder.path) => {
      let shown = "";
      const child = Bun.spawn(
        [process.execPath, MAIN, "import", path, "--project", project, "--database", database.url],
        {
          terminal: { cols: 200, rows: 50, data: (_, bytes) => void (shown += Buffer.from(bytes).toString()) },
        },
      );
      return {
        child,
        shown: () => shown,
        waitForQuestion: (number: number) => waitFor(() => shown.split("[y/N]").length > number),
        answer: (text: string) => void child.terminal?.write(`${text}\r`),
      };
    };

    test("leaves the project unlocked: the import plans again, and asks again if the plan differs", async () => {
      writeLessons(12);
      expect((await run(["import", folder.path])).exitCode).toBe(0);
      writeFileSync(join(folder.path, "tea/13-l.md"), "# More\n");
      expect((await run(["import", folder.path])).exitCode).toBe(0);
      writeLessons(3);
      const asking = startImport();
      await asking.waitForQuestion(1);
      expect(asking.shown()).toContain(
        `This removes 10 of 13 lessons of course "tea" of ${project} on live. Continue?`,
      );
      // Its writes block nothing, and no command waits for the answer.
      expect(await database.execute("select project from unfinished_imports")).toEqual([]);
      expect(await run(["rollback"])).toMatchObject({ exitCode: 0, stderr: "" });
      asking.answer("y");
      await asking.waitForQuestion(2);
      expect(asking.shown()).toContain(
        `The catalog or the source has changed. This removes 9 of 12 lessons of course "tea" of ${project} on live`,
      );
      expect((await database.store.publishing.findCurrentRelease(project, "live"))?.lessons).toBe(12);
      asking.answer("y");
      expect(await asking.child.exited).toBe(0);
      expect((await database.store.publishing.findCurrentRelease(project, "live"))?.lessons).toBe(3);
    });

    // What a person answers does not depend on the database.
    if (engine !== anyEngine) return;

    test("is repeated when the source has changed, even if it removes less; any answer but yes changes nothing", async () => {
      writeLessons(12);
      expect((await run(["import", folder.path])).exitCode).toBe(0);
      writeLessons(3);
      const asking = startImport();
      await asking.waitForQuestion(1);
      writeLessons(11);
      asking.answer("yes");
      await asking.waitForQuestion(2);
      expect(asking.shown()).toContain(`This removes 1 of 12 lessons of ${project} on live. Continue?`);
      asking.answer("maybe");
      expect(await asking.child.exited).toBe(1);
      expect(await current()).toBe(1);
    });

    test("is asked once if nothing has changed, and each warning is printed once", async () => {
      writeLessons(12);
      expect((await run(["import", folder.path])).exitCode).toBe(0);
      writeLessons(3);
      writeFileSync(join(folder.path, "tea/1-l.md"), "# Lesson 0\n\n[gone](nothing.md)\n");
      const asking = startImport();
      await asking.waitForQuestion(1);
      asking.answer("y");
      expect(await asking.child.exited).toBe(0);
      expect(asking.shown().split("1-l.md:3")).toHaveLength(2);
      expect(asking.shown().split("[y/N]")).toHaveLength(2);
      expect(await current()).toBe(2);
    });

    test("is not asked if the source cannot be read again: the import refuses", async () => {
      await importNdjson(database.store, project, toNdjson([course("a", 12)]));
      const pipe = join(folder.path, "pipe");
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
