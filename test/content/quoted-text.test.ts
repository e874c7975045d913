// Quotations of authors' texts in problems: printable on one line, and no longer than needed.
import { expect, test } from "bun:test";
import { openSource } from "../../src/cli/write/open-source.ts";
import { formatProblem } from "../../src/content/source.ts";
import { checkCatalog } from "../../src/publishing/check-catalog.ts";
import { runCommand } from "../support/command.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const LONG = "Q".repeat(5000);

async function problemsOf(files: Files, file = ""): Promise<string[]> {
  const root = writeFolder(files);
  const path = `${root}/${file}`;
  const problems: string[] = [];
  await checkCatalog({
    project: "check",
    path,
    openSource: (inspection) => openSource(path, { assetBase: undefined, inspection }),
    // Its name is chance, and may hold the letter.
    report: (problem) => problems.push(formatProblem(problem).replaceAll(root, "")),
  });
  return problems;
}

const outline = (yaml: string): Files => ({ "course.yaml": `name: Tea\n${yaml}`, "a.md": "x" });
const lesson = (name: string, text: string): Files => ({ [`01-part/${name}`]: text });
const chapters = (...lessons: object[]): Files => ({
  "c.ndjson": JSON.stringify({ name: "C", [LONG]: 1, chapters: [{ name: LONG, lessons }] }),
});
const taken = LONG.slice(0, 255);
const html = `<img src="${LONG}"><${LONG} on${LONG}=1>`;

test.each([
  outline(`chapters: [{name: ${LONG}, lessons: [${LONG}]}]`),
  { "_toctree.yml": `- title: ${LONG}\n  ${LONG}: 1\n  sections: [{title: ${LONG}, sections: [{local: ${LONG}}]}]` },
  lesson("1.md", `[a](${LONG}) ![](${LONG}) <a href="${LONG}">`),
  lesson("1.md", `---\n${LONG}: 1\nurl: ${LONG}\nquizHtml: <img src="${LONG}">\n---\nx`),
  { "c.ndjson": LONG },
  chapters({ name: LONG, url: LONG, additionalText: html }),
  chapters({ name: "L", id: taken }, { name: "M", id: taken }),
] as Files[])("a problem quotes at most 200 characters of the author's text: %#", async (files) => {
  const problems = await problemsOf(files, "c.ndjson" in files ? "c.ndjson" : "");
  expect(problems).not.toEqual([]);
  for (const problem of problems) expect([...problem.matchAll(/Q/gi)].length, problem).toBeLessThanOrEqual(200);
});

test("a problem quotes at most 200 characters: the ellipsis never splits a character", async () => {
  const name = "😀".repeat(200);
  const [problem = ""] = await problemsOf(outline(`chapters: [{name: ${name}, lessons: []}]`));
  expect(problem).toEndWith(`warning: chapter "${"😀".repeat(99)}…" has no lessons`);
});

// A command, a line break, a C1 control, a line separator, a turn of the direction.
const HOSTILE = "a\u001b[31m\nb\u009bc\u2028d\u202ee";
const UNPRINTABLE = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

test.each(["text", "github"])("output cannot control a terminal: in problems as %s", async (format) => {
  const files = {
    [`${HOSTILE}/01-a.md`]: "![](gone.png)",
    "tea/course.yaml": `name: Tea\nchapters: [{name: ${JSON.stringify(HOSTILE)}, lessons: []}]\n${JSON.stringify(HOSTILE)}: 1`,
  };
  const { stdout, stderr } = await runCommand(["check", writeFolder(files), "--format", format]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  expect(stdout).toContain("a [31m b c d e");
  expect(stdout + stderr).not.toMatch(UNPRINTABLE);
});

test.each<[what: string, args: string[]]>([
  ["a source that does not exist", ["check", HOSTILE]],
  ["an unknown command", [HOSTILE]],
  ["an invalid value", ["check", "x", "--format", HOSTILE]],
  ["an invalid key", ["keys", "revoke", HOSTILE, "--database", `sqlite:/${HOSTILE}.db`]],
])("output cannot control a terminal: in arguments: %s", async (_what, args) => {
  const { stdout, stderr, exitCode } = await runCommand(args);
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).not.toBe("");
  expect(stdout + stderr).not.toMatch(UNPRINTABLE);
});
