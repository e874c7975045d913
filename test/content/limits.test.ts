// How much of a source is read: content over a limit is an error that names it, and what must work is below.
import { describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS, MIB } from "../../src/content/limits.ts";
import { openNdjsonFile } from "../../src/content/readers/ndjson.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore } from "../support/store.ts";
import { pages, writeFolder, type Files } from "../support/written-folder.ts";

/** Runs `lectern check`; returns its problems, without the root's path, and its exit code. */
async function check(files: Files, args: string[] = [], env: Record<string, string> = {}) {
  const root = writeFolder(files);
  const { stdout, exitCode } = await runCommand(["check", root, ...args], { env });
  return { problems: stdout.replaceAll(`${root}/`, "").trimEnd().split("\n"), exitCode };
}

const course = (additionalText: string, more = {}): string =>
  JSON.stringify({
    _id: "c",
    name: "C",
    chapters: [{ name: "A", lessons: [{ id: "l", name: "L", additionalText }] }],
    ...more,
  });

test("an import refuses lessons of 3 GiB and 600 MiB without reading them, and publishes nothing", async () => {
  const root = writeFolder(pages("01-a/1.md", "01-a/2.html", "01-a/3.md"));
  truncateSync(join(root, "01-a/1.md"), 3 * 1024 * MIB);
  truncateSync(join(root, "01-a/2.html"), 600 * MIB);
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const { exitCode, stdout, stderr } = await runCommand(["import", root, ...to]);
  expect([exitCode, stdout]).toEqual([3, ""]);
  const may = "the limit for a lesson or outline file is 16 MiB (--max-file-size)";
  expect(stderr.split("\n").filter((line) => line.includes(": error: "))).toEqual([
    `${root}/01-a/1.md: error: too large: 3,072 MiB; ${may}`,
    `${root}/01-a/2.html: error: too large: 600 MiB; ${may}`,
  ]);
  expect((await runCommand(["releases", "--json", ...to])).stdout).toBe("[]\n");
});

const LARGE = `<p>${"é".repeat(46)}</p>`.repeat(5_000_000 / 99);

test("lessons of 5 MB are read from files", async () => {
  const prose =
    "The *quick* brown fox jumps over the [lazy](https://x.example) dog, again and again, all day long.\n\n";
  const files = { "01-a/1.html": LARGE, "01-a/2.md": prose.repeat(10_000) };
  expect(await check(files)).toEqual({ problems: [""], exitCode: 0 });
});

test.each(engines)("a lesson of 5 MB is read from NDJSON and served, on $name", async (engine) => {
  const database = await openTestStore(engine);
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
    expect(await check(files, ["--max-file-size", "1"])).toEqual({
      problems: [
        "course.yaml: error: too large: 1.3 MiB; the limit for a lesson or outline file is 1 MiB (--max-file-size)",
      ],
      exitCode: 3,
    });
    expect((await check({ "01-a/1.md": MUCH }, [], { LECTERN_MAX_FILE_SIZE: "1" })).problems).toEqual([
      "01-a/1.md: error: too large: 1.2 MiB; the limit for a lesson or outline file is 1 MiB (--max-file-size)",
    ]);
  });

  test("--max-lesson-size, which includes the rendered text", async () => {
    const limit = "is 1 MiB (--max-lesson-size)";
    expect((await check({ "01-a/1.html": MUCH }, ["--max-lesson-size", "1"])).problems).toEqual([
      `01-a/1.html:1: error: too large: 1.2 MiB; the limit for a lesson with all its content ${limit}`,
    ]);
    // Each use of an address repeats it.
    const uses = `[a]: https://x.example/${"b".repeat(200_000)}\n\n${"[a] ".repeat(20)}`;
    expect((await check({ "01-a/1.md": uses }, ["--max-lesson-size", "1"])).problems).toEqual([
      `01-a/1.md: error: too large: 1.2 MiB; the limit for a lesson's link URLs and titles ${limit}`,
    ]);
    const { stdout } = await runCommand(["check", "-", "--max-lesson-size", "1"], { stdin: course(MUCH) });
    expect(stdout).toBe(
      `standard input:1: error: lesson "L": too large: 1.2 MiB; the limit for a lesson with all its content ${limit}\n`,
    );
  });

  test("--max-line-size; reading continues after a line that is too long", async () => {
    const stdin = [course("x"), `{"name":"${MUCH}"}`, '{"slug":"a"}', MUCH].join("\n");
    const { stdout, exitCode } = await runCommand(["check", "-", "--max-line-size", "1"], { stdin });
    const long = "error: too large: 1.3 MiB; the limit for a line, which is one course, is 1 MiB (--max-line-size)";
    expect(stdout.trimEnd().split("\n")).toEqual([
      `standard input:2: ${long}`,
      "standard input:3: error: name is missing",
      `standard input:4: ${long.replace("1.3", "1.2")}`,
    ]);
    expect(exitCode).toBe(3);
  });

  test("--max-nodes, for YAML, JSON and Markdown", async () => {
    const most = ["--max-nodes", "1000"];
    const has = (what: string) => `error: too large: ${what} has more than 1,000 nodes (--max-nodes)`;
    expect((await check({ "course.yaml": `name: Tea\nchapters: []\nx: [${"a,".repeat(900)}]` }, most)).exitCode).toBe(
      0,
    );
    expect((await check({ "course.yaml": `name: Tea\nx: [${"a,".repeat(1000)}]` }, most)).problems).toEqual([
      `course.yaml:1: ${has("the YAML")}`,
    ]);
    // Few aliases, each of a large list.
    const aliases = `---\nx: &x [${"a,".repeat(300)}]\ny: [*x, *x, *x]\n---\nx`;
    expect((await check({ "01-a/1.md": aliases }, most)).problems).toEqual([
      `01-a/1.md:2: ${has("the YAML, with its aliases expanded,")}`,
    ]);
    expect((await check({ "01-a/1.md": `|a|b|\n|-|-|\n${"|c|\n".repeat(200)}` }, most)).problems).toEqual([
      `01-a/1.md: ${has("the Markdown")}`,
    ]);
    const stdin = course("x", { x: Array.from({ length: 1000 }, () => 1) });
    expect((await runCommand(["check", "-", ...most], { stdin })).stdout).toBe(
      `standard input:1: ${has("the JSON")}\n`,
    );
  });
});

describe("large sources", () => {
  test("100,000 lessons in one NDJSON course with every field stay below the limits, as 10,000 stay below a tenth of them", async () => {
    const { maxNodes, maxLineBytes } = DEFAULT_LIMITS;
    const limits = { ...DEFAULT_LIMITS, maxNodes: maxNodes / 10, maxLineBytes: maxLineBytes / 10 };
    const lessons = Array.from({ length: 10_000 }, (_, n) => ({
      id: `l${n}`,
      name: "L",
      url: "",
      quizHtml: "",
      additionalText: "x",
      createdAt: "2026-01-01",
      updatedAt: "2026-01-02",
    }));
    const path = join(
      writeFolder({ "c.ndjson": JSON.stringify({ name: "C", chapters: [{ name: "A", lessons }] }) }),
      "c.ndjson",
    );
    const problems: string[] = [];
    const source = openNdjsonFile(path, { assetBase: undefined, limits });
    const courses = await Array.fromAsync(source.read((problem) => problems.push(formatProblem(problem))));
    expect(problems).toEqual([]);
    expect(courses[0]?.course.chapters[0]?.lessons).toHaveLength(10_000);
  });

  test("a line of 70 MiB is refused by its length", async () => {
    const path = join(writeFolder({ "c.ndjson": "" }), "c.ndjson");
    truncateSync(path, 70 * MIB);
    const { stdout } = await runCommand(["check", path]);
    expect(stdout).toBe(
      `${path}:1: error: too large: 70 MiB; the limit for a line, which is one course, is 64 MiB (--max-line-size)\n`,
    );
  });
});
