// What commands show to people at a terminal, and only to them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN, runCommand, runProcess } from "../support/command.ts";
import { ERASE, showCommand as show } from "../support/shown-command.ts";
import { createTestFolder } from "../support/store.ts";

let folder: { path: string; remove: () => void };
beforeAll(() => {
  folder = createTestFolder();
  for (let number = 10; number < 30; number++) {
    mkdirSync(join(folder.path, `courses/course-${number}/1-a`), { recursive: true });
    for (const name of ["1-x", "2-y", "3-z"]) {
      writeFileSync(join(folder.path, `courses/course-${number}/1-a/${name}.md`), `Text of ${number} ${name}.\n`);
    }
  }
});
afterAll(() => folder.remove());

const database = (): string => `sqlite:${folder.path}/a.db`;
const inDatabase = (...args: string[]): string[] => [...args, "--project", "acme", "--database", database()];

describe("progress", () => {
  test("of an import counts lessons and then disappears", async () => {
    const first = await show(inDatabase("import", join(folder.path, "courses")));
    expect(first.stdout).toStartWith("Published release 1 of acme: 20 courses, 60 lessons.\n");
    expect(first.stderr).toEndWith(ERASE);
    expect(first.lines[0]).toBe("Reading folder courses");
    const told = /^Reading folder courses: \d+ lessons$/;
    expect(first.lines.filter((line) => told.test(line)).length).toBeGreaterThan(5);
    const again = await show(inDatabase("import", join(folder.path, "courses")), { columns: 100 });
    expect(again.stdout).toBe("Nothing changed. Release 1 of acme stays on live.\n");
  });

  test("is cut to the width", async () => {
    const { lines } = await show(inDatabase("import", join(folder.path, "courses")), { columns: 30 });
    for (const line of lines) expect(line.length).toBeLessThan(30);
    expect(lines).toContainEqual(expect.stringMatching(/^Reading folder courses: 4\d l.*…$/));
  });

  test("is drawn at most ten times a second", async () => {
    const { lines } = await show(["check", join(folder.path, "courses")], {}, 1);
    // The clock is read once per lesson.
    expect(lines.length).toBeLessThan(4);
  });

  test("of an export, a backup and a copy is erased at the end", async () => {
    const file = join(folder.path, "exported.ndjson");
    const exported = await show(inDatabase("export", file), {}, 2000);
    expect(exported.lines).toContainEqual(expect.stringMatching(/^Exporting release 1: 30 of 60 lessons$/));
    const backup = await show(["backup", join(folder.path, "b.db"), "--database", database()], {}, 2000);
    expect(backup.lines).toEqual(["Copying the database"]);
    const copy = await show(["copy", "--from", database(), "--to", `sqlite:${folder.path}/c.db`], {}, 2000);
    expect(copy.lines.join("\n")).toMatch(
      /^Copying version_lessons: 60 rows\n(.*\n)*Comparing version_lessons: 60 of 60 rows/m,
    );
    expect(copy.lines.join("\n")).toContain("Copying releases: 1 row");
    const vacuum = await show(["vacuum", "--database", database()]);
    expect(vacuum.lines).toEqual(["Rewriting the database"]);
    for (const { stderr, exitCode } of [exported, backup, copy, vacuum]) {
      expect([exitCode, stderr.endsWith(ERASE)]).toEqual([0, true]);
    }
  });

  test("does not mix with other output", async () => {
    mkdirSync(join(folder.path, "faulty/a/1-a"), { recursive: true });
    for (const name of ["1-x", "2-y"]) {
      writeFileSync(join(folder.path, `faulty/a/1-a/${name}.md`), "---\nname: [\n---\n");
    }
    const { stderr, exitCode } = await show(inDatabase("import", join(folder.path, "faulty")), {}, 200);
    expect(exitCode).toBe(3);
    // Whatever is printed begins on an empty line.
    const printed = stderr.split("\n").filter((line) => line.includes("error"));
    expect(printed.length).toBeGreaterThan(0);
    for (const line of printed) expect(line).toMatch(/^([^]*\r\u001b\[K)?[^\r]*$/);
    expect(stderr).toMatch(/\r\u001b\[K[^\r]*1-x\.md:\d.*error/);
  });

  test("is not drawn without a terminal, and colors follow the environment", async () => {
    const args = inDatabase("import", join(folder.path, "faulty"));
    const plain = await runCommand(args);
    expect(plain.stderr).not.toContain("\u001b");
    expect(plain.stderr).not.toContain("Reading");
    const colored = await runProcess(args, { env: { FORCE_COLOR: "1" } });
    expect(colored.stderr).toContain(": \u001b[31merror\u001b[39m: ");
    expect(colored.stderr.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain.stderr);
  });
});

test("a process draws progress on its terminal, in color unless turned off", async () => {
  const runAtTerminal = async (env: Record<string, string>): Promise<string> => {
    let text = "";
    const decoder = new TextDecoder();
    const child = Bun.spawn([process.execPath, MAIN, "check", join(folder.path, "faulty")], {
      env: { ...process.env, TERM: "xterm", NO_COLOR: "", FORCE_COLOR: "", ...env },
      terminal: {
        cols: 40,
        rows: 10,
        data: (_terminal, data) => void (text += decoder.decode(data, { stream: true })),
      },
    });
    expect(await child.exited).toBe(3);
    return text;
  };
  const text = await runAtTerminal({});
  expect(text).toStartWith("\r\u001b[KReading folder faulty");
  expect(text).toContain(": \u001b[31merror\u001b[39m: ");
  // A dumb one cannot go back in its line.
  expect(await runAtTerminal({ TERM: "dumb", FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain("\u001b");
});

describe("tables", () => {
  test("are complete in pipes and fit the width of a terminal", async () => {
    expect((await show(inDatabase("import", join(folder.path, "courses"), "--channel", "next"))).exitCode).toBe(0);
    const releases = (columns: number | undefined) => show(inDatabase("releases"), { columns });
    const { stdout: whole } = await releases(undefined);
    expect(whole).toMatch(/^RELEASE +CHANNEL +PUBLISHED +BY +SOURCE +COURSES /);
    expect(whole).toMatch(/^1 +next +2026-11-21T22:\d\d:\d\d\.\d{3}Z +import +folder courses +20 +0 +60 +/m);
    const { stdout: wide } = await releases(160);
    expect(wide).toMatch(/^1 +next +just now +import +folder courses +20 +0 +60 +/m);
    const { stdout: narrow } = await releases(80);
    expect(narrow).toMatch(/^1 +next +just now +import +folder cour… +20 +60 +current$/m);
    expect(narrow).toEndWith("\nMore in a wider window: DRAFTS, CHANGED\n");
    for (const [text, columns] of [
      [wide, 160],
      [narrow, 80],
    ] as const) {
      for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  });
});
