// What a terminal shows of many problems: warnings by kind, what is the same in one line.
import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { useTestStore } from "../support/store.ts";
import { testTexts, writeFolder, type Files } from "../support/written-folder.ts";

/** A course whose lessons have so many links to nothing, unknown fields, and one script. */
function writeWarnings(links: number): string {
  const files: Files = { "tea/01-script.html": "<script></script>" };
  for (let n = 1; n <= links; n++) files[`tea/${n + 10}-lesson.md`] = `---\nteaching: ${n}\n---\n[gone](gone.md)\n`;
  return writeFolder(files);
}

async function check(root: string, ...options: string[]) {
  const { exitCode, stdout, stderr } = await runCommand(["check", ".", ...options], { cwd: root });
  return { exitCode, lines: stdout.split("\n").slice(0, -1), notes: stderr.split("\n").slice(0, -1) };
}

const linkOf = (n: number): string =>
  `tea/${n + 10}-lesson.md:4: warning: link "gone.md" points to a missing file: tea/gone.md`;
const SCRIPT = "tea/01-script.html:1: warning: <script> runs in the reader's page";
const KINDS = [
  "Warnings by kind:",
  "  25  link-to-nothing  broken links and images",
  "  25  unknown-field    unknown fields",
  "   1  script           scripts that would run in the reader's page",
];

test("many warnings of a check are all shown as they are found, with counts at the end", async () => {
  const { exitCode, lines, notes } = await check(writeWarnings(25));
  expect(exitCode).toBe(0);
  const [first, ...others] = lines.filter((line) => !line.includes("unknown field teaching"));
  expect(first).toBe(SCRIPT);
  expect(others).toEqual(Array.from({ length: 25 }, (_, index) => linkOf(index + 1)));
  expect(lines).toHaveLength(51);
  expect(notes).toEqual([...KINDS, "0 errors, 51 warnings in 1 course, 26 lessons"]);
});

test("a thousand broken links of a lesson are shown, and the others counted", async () => {
  const { lines } = await check(writeFolder({ "01-a.md": "[x](gone.md)\n".repeat(1500) + "![](/gone.png)" }));
  expect(lines.slice(1000)).toEqual([expect.stringContaining("01-a.md:1000: warning: 501 more links of this text")]);
});

test("many warnings become one annotation per kind and cause, since GitHub shows ten", async () => {
  const { lines } = await check(writeWarnings(4), "--format", "github");
  const titles = lines.map((line) => /title=([a-z-]+)::/.exec(line)?.[1]);
  expect(titles).toEqual(["link-to-nothing", "unknown-field", "script"]);
});

describe("the warnings of an import", () => {
  const database = useTestStore();

  const importFiles = async (project: string, files: Files, ...options: string[]) => {
    const root = writeFolder(files);
    const env = { LECTERN_DATABASE: database.url };
    const { exitCode, stderr } = await runCommand(["import", root, "--project", project, ...options], { env });
    const lines = stderr.replaceAll(`${root}/`, "").split("\n");
    return { exitCode, lines, warnings: lines.filter((line) => line.includes(": warning: ")) };
  };

  test("are one line per kind and cause, with the first location and the count; --verbose shows all", async () => {
    const files = { "1-a.md": "[b](b.md)\n[c](c.md)\n\n<script></script>\n", "2-b.md": "[d](d.md)\n" };
    const { exitCode, lines, warnings } = await importFiles("acme", files);
    expect(exitCode).toBe(0);
    expect(warnings).toEqual([
      '1-a.md:1: warning: link "b.md" points to a missing file: b.md (and 2 others in 2 files)',
      "1-a.md:4: warning: <script> runs in the reader's page",
    ]);
    expect(lines).toContain("--verbose prints every place, as `lectern check` does.");
    const verbose = await importFiles("acme", files, "--verbose");
    expect(verbose.lines.filter((line) => /link ".\.md" points to a missing file/.test(line))).toHaveLength(3);
  });

  test("count other links in a file, and name a file that differs from the link only in letter case", async () => {
    const { warnings } = await importFiles("leaves", {
      "1-a.md": "![](img/leaf.png)\n![](b.png)\n![](c.png)\n",
      "2-b.md": "![](x.gif)\n![](x.gif)\n",
      "img/Leaf.png": "",
    });
    expect(warnings).toEqual([
      '1-a.md:1: warning: image "img/leaf.png" points to a missing file: img/leaf.png; did you mean img/Leaf.png?',
      '1-a.md:2: warning: image "b.png" points to a missing file: b.png (and 3 others in 2 files)',
    ]);
  });
});

test("annotations for GitHub have paths relative to the checkout, however the folder was typed", async () => {
  const root = writeFolder({ "courses/01-part/1.md": "[x](gone.md)", "other/a": "" });
  const courses = join(root, "courses");
  symlinkSync(root, join(root, "link"));
  const inCheckout = "courses/01-part/1.md";
  for (const [cwd, source, workspace, file] of [
    [root, courses, "", inCheckout],
    [courses, ".", join(root, "link"), inCheckout],
    [join(root, "other"), courses, "", join(root, inCheckout)],
  ] as const) {
    const env = { GITHUB_WORKSPACE: workspace };
    const { stdout } = await runCommand(["check", source, "--format", "github"], { cwd, env });
    expect(stdout).toStartWith(`::warning file=${file},line=1,title=link-to-nothing::`);
  }
});

const toldOf = async (field: string) => {
  const { lines } = await check(writeFolder({ "course.yaml": `name: A\n${field}\n`, "01-a.md": "x" }));
  return lines.map((line) => line.replace("course.yaml:2:1: warning: unknown field ", ""));
};
testTexts("unknown fields suggest a known one", toldOf, {
  "tumbnail: x": ["tumbnail of a course is ignored; did you mean thumbnail?"],
  "modules: x": ["modules of a course is ignored; did you mean chapters?"],
  "colour: x": ["colour of a course is ignored"],
});
