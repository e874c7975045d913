// What commands show to people at a terminal, and only to them.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { MAIN, runCommand } from "../support/command.ts";
import { ERASE, showCommand as show } from "../support/shown-command.ts";
import { writeFolder } from "../support/written-folder.ts";

const files = ["1-x", "2-y", "3-z"];
const lessons = Array.from({ length: 20 }, (_, n) => files.map((name) => [`courses/c-${n + 10}/1-a/${name}.md`, name]));
const folder = writeFolder({
  ...Object.fromEntries(lessons.flat()),
  "faulty/a/1-a/1-x.md": "---\nname: [\n---\n",
  "faulty/a/1-a/2-y.md": "---\nname: [\n---\n",
});
const database = `sqlite:${folder}/a.db`;
const courses = join(folder, "courses");
const inDatabase = (...args: string[]): string[] => [...args, "--project", "acme", "--database", database];

test("progress of an import counts lessons and then disappears", async () => {
  const first = await show(inDatabase("import", courses));
  expect(first.stdout).toStartWith("Published release 1 of acme: 20 courses, 60 lessons.\n");
  expect(first.stderr).toEndWith(ERASE);
  expect(first.lines[0]).toBe("Reading folder courses");
  expect(first.lines).toContainEqual(expect.stringMatching(/^Reading folder courses: \d+ lessons$/));
});

test("a process draws progress on its terminal, in color unless turned off", async () => {
  const runAtTerminal = async (env: Record<string, string>): Promise<string> => {
    let text = "";
    const decoder = new TextDecoder();
    const child = Bun.spawn([process.execPath, MAIN, "check", join(folder, "faulty")], {
      env: { ...process.env, TERM: "xterm", NO_COLOR: "", FORCE_COLOR: "", ...env },
      terminal: { cols: 40, rows: 10, data: (_, data) => void (text += decoder.decode(data, { stream: true })) },
    });
    expect(await child.exited).toBe(3);
    return text;
  };
  const text = await runAtTerminal({});
  expect(text).toStartWith("\r\u001b[KReading folder faulty");
  expect(text).toContain(": \u001b[31merror\u001b[39m: ");
  const plain = await runCommand(inDatabase("import", join(folder, "faulty")));
  expect(plain.stderr).not.toMatch(/\u001b|Reading/);
  // A dumb one cannot go back in its line.
  expect(await runAtTerminal({ TERM: "dumb", FORCE_COLOR: "1", NO_COLOR: "1" })).not.toContain("\u001b");
});
