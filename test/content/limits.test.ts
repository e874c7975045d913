// How much of a source is read: content over a limit is an error that names it, and what must work is below.
import { describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { MIB } from "../../src/content/limits.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, openTestStore } from "../support/store.ts";
import { pages, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

/** Runs `lectern check`; returns its problems, without the root's path, and its exit code. */
async function check(files: Files, args: string[] = [], env: Record<string, string> = {}) {
  const root = writeFolder(files);
  const { stdout, exitCode } = await runCommand(["check", root, ...args], { env });
  return { problems: stdout.replaceAll(`${root}/`, "").trimEnd().split("\n"), exitCode };
}
const checkLines = async (stdin: string, args: string[]) =>
  (await runCommand(["check", "-", ...args], { stdin })).stdout;

const course = (additionalText: string, more = {}): string => {
  const lessons = [{ id: "l", name: "L", additionalText }];
  return JSON.stringify({ _id: "c", name: "C", chapters: [{ name: "A", lessons }], ...more });
};
const FILE_LIMIT = "the limit for a lesson or outline file is";

test("an import refuses lessons of 3 GiB and 600 MiB and lines of 70 MiB without reading them, and publishes nothing", async () => {
  const root = writeFolder(pages("01-a/1.md", "01-a/2.html", "01-a/3.md", "c.ndjson"));
  truncateSync(join(root, "01-a/1.md"), 3 * 1024 * MIB);
  truncateSync(join(root, "01-a/2.html"), 600 * MIB);
  truncateSync(join(root, "c.ndjson"), 70 * MIB);
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const { exitCode, stdout, stderr } = await runCommand(["import", root, ...to]);
  expect([exitCode, stdout]).toEqual([3, ""]);
  expect(stderr.split("\n").filter((line) => line.includes(": error: "))).toEqual([
    `${root}/01-a/1.md: error: too large: 3,072 MiB; ${FILE_LIMIT} 16 MiB (--max-file-size)`,
    `${root}/01-a/2.html: error: too large: 600 MiB; ${FILE_LIMIT} 16 MiB (--max-file-size)`,
  ]);
  const line = await runCommand(["import", `${root}/c.ndjson`, ...to]);
  expect(line.stderr).toContain(
    `${root}/c.ndjson:1: error: too large: 70 MiB; the limit for a line, which is one course, is 64 MiB (--max-line-size)`,
  );
  expect((await runCommand(["releases", "--json", ...to])).stdout).toBe("[]\n");
});

const LARGE = `<p>${"é".repeat(46)}</p>`.repeat(5_000_000 / 99);

test("a lesson of 5 MB is read from NDJSON and served", async () => {
  const database = await openTestStore(anyEngine);
  expect((await importNdjson(database.store, "acme", course(LARGE))).problems).toEqual([]);
  const answer = await createAsk(database)("/courses/c/lessons/l", await createKey(database.store, "acme"));
  await database.drop();
  expect((JSON.parse(answer.text) as { data: { additionalText: string } }).data.additionalText === LARGE).toBe(true);
});

describe("each limit is a setting of check and import:", () => {
  const MUCH = "x ".repeat(0.6 * MIB);

  test("--max-file-size, for lessons and outlines", async () => {
    const files = { "course.yaml": `name: Tea\nchapters: []\n${"#".repeat(1.2 * MIB)}` };
    expect(await check(files)).toEqual({ problems: [""], exitCode: 0 });
    const problem = `error: too large: 1.3 MiB; ${FILE_LIMIT} 1 MiB (--max-file-size)`;
    const refused = { problems: [`course.yaml: ${problem}`], exitCode: 3 };
    expect(await check(files, ["--max-file-size", "1"])).toEqual(refused);
    expect(await check(files, [], { LECTERN_MAX_FILE_SIZE: "1" })).toEqual(refused);
    const { problems } = await check({ "01-a/1.md": MUCH }, ["--max-file-size", "1"]);
    expect(problems).toEqual([`01-a/1.md: ${problem.replace("1.3", "1.2")}`]);
    const aliases = `---\nx: &x ${"x".repeat(0.6 * MIB)}\ny: *x\n---\n`;
    const expanded = `01-a/1.md:2: ${problem.replace("a lesson or outline file", "YAML with its aliases expanded")}`;
    expect((await check({ "01-a/1.md": aliases }, ["--max-file-size", "1"])).problems).toEqual([expanded]);
  });

  test("--max-lesson-size, which includes the rendered text", async () => {
    const most = ["--max-lesson-size", "1"];
    const problem = (what: string) =>
      `error: too large: 1.2 MiB; the limit for a lesson${what} is 1 MiB (--max-lesson-size)`;
    const whole = problem(" with all its content");
    expect((await check({ "01-a/1.html": MUCH }, most)).problems).toEqual([`01-a/1.html:1: ${whole}`]);
    // Each use of an address repeats it.
    const uses = `[a]: https://x.example/${"b".repeat(200_000)}\n\n${"[a] ".repeat(20)}`;
    const links = problem("'s link URLs and titles");
    expect((await check({ "01-a/1.md": uses }, most)).problems).toEqual([`01-a/1.md: ${links}`]);
    const told = whole.replace("error: ", 'error: lesson "L": ');
    expect(await checkLines(course(MUCH), most)).toBe(`standard input:1: ${told}\n`);
  });

  test("--max-line-size; reading continues after a line that is too long", async () => {
    const lines = [course("x"), `{"name":"${MUCH}"}`, '{"slug":"a"}', MUCH].join("\n");
    const long = "error: too large: 1.3 MiB; the limit for a line, which is one course, is 1 MiB (--max-line-size)";
    expect((await checkLines(lines, ["--max-line-size", "1"])).trimEnd().split("\n")).toEqual([
      `standard input:2: ${long}`,
      "standard input:3: error: name is missing",
      `standard input:4: ${long.replace("1.3", "1.2")}`,
    ]);
  });

  test("--max-nodes, for YAML, JSON and Markdown", async () => {
    const most = ["--max-nodes", "1000"];
    const has = (what: string) => `error: too large: ${what} has more than 1,000 nodes (--max-nodes)`;
    const yaml = (count: number) => `name: Tea\nchapters: []\nx: [${"a,".repeat(count)}]`;
    expect((await check({ "course.yaml": yaml(900) }, most)).exitCode).toBe(0);
    const aliases = `---\nx: &x [${"a,".repeat(300)}]\ny: [*x, *x, *x]\n---\nx`;
    const table = `|a|b|\n|-|-|\n${"|c|\n".repeat(90)}`;
    const blank = { "01-a/3.md": "\n".repeat(1000), "01-a/4.md": "\r".repeat(1000) };
    const more = { "01-a/5.md": aliases.replace(", *x", "") };
    expect((await check({ "01-a/1.md": aliases, "01-a/2.md": table, ...blank, ...more }, most)).problems).toEqual([
      `01-a/1.md:2: ${has("the YAML, with its aliases expanded,")}`,
      "01-a/2.md: error: too large: the Markdown has more than 500 nodes (half of --max-nodes)",
      `01-a/3.md: ${has("the file").replace("nodes", "lines")}`,
      `01-a/4.md: ${has("the Markdown").replace("nodes", "lines")}`,
      `01-a/5.md:2: ${has("the expansion of all YAML aliases in the source")}`,
    ]);
    expect((await check({ "course.yaml": yaml(1000) }, most)).problems).toEqual([`course.yaml:1: ${has("the YAML")}`]);
    const line = course("x", { x: Array.from({ length: 1000 }, () => 1) });
    expect(await checkLines(line, most)).toBe(`standard input:1: ${has("the JSON")}\n`);
  });
});

test("a course with more faults than can be listed is one error", async () => {
  const wrong = JSON.stringify({
    name: "C",
    chapters: [{ name: "A", lessons: Array.from({ length: 900_000 }, () => 0) }],
  });
  const fault = "error: the course has more faults than can be listed";
  expect(await checkLines(wrong, [])).toBe(`standard input:1: ${fault}\n`);
});

test("files that courses share are read again up to 512 MiB", async () => {
  const outline = "name: Tea\nchapters: [{ name: A, lessons: [../x.md] }]";
  const courses = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`c${n}/course.yaml`, outline]));
  const root = writeFolder({ ...courses, "x.md": "" });
  truncateSync(join(root, "x.md"), 16 * MIB);
  expect(await readFolder(root).catch(String)).toContain(
    "x.md is one of too many shared or linked files: their repeated readings are limited to 512 MiB together",
  );
});
