// Quotations of authors' texts in problems: printable on one line, and no longer than needed.
import { describe, expect, test } from "bun:test";
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
const line = (course: object | string): Files => ({
  "c.ndjson": typeof course === "string" ? course : JSON.stringify(course),
});

describe("a problem quotes at most 200 characters of the author's text", () => {
  const authored: Record<string, Files> = {
    "a field": outline(`${LONG}: 1`),
    "a chapter without lessons": outline(`chapters: [{name: ${LONG}, lessons: []}]`),
    "a folder that does not exist": outline(`chapters: [{name: ${LONG}, folder: ${LONG}}]`),
    "a file that does not exist": outline(`chapters: [{name: ${LONG}, lessons: [${LONG}]}]`),
    "a file outside": outline(`chapters: [{name: ${LONG}, lessons: [../${LONG}.md]}]`),
    "YAML with a long word": outline(`a: "${LONG}" ${LONG}`),
    "an alias without an anchor": outline(`a: *${LONG}`),
    "a date": outline(`createdAt: ${LONG}`),
    "an id": outline(`_id: ${LONG}`),
    "a part": {
      "_toctree.yml": `- title: ${LONG}\n  ${LONG}: 1\n  sections: [{title: ${LONG}, sections: [{local: ${LONG}}]}]`,
    },
    "a link": lesson("1.md", `[a](${LONG}) ![](${LONG}) <a href="${LONG}">`),
    "a link from the root": lesson("1.html", `<a href="/${LONG}">`),
    "a script": lesson("1.md", `[a](javascript:${LONG})\n\n<${LONG} on${LONG}=1 href=javascript:1>`),
    "a component": lesson("1.mdx", `<${LONG} />`),
    "front matter": lesson("1.md", `---\n${LONG}: 1\nurl: ${LONG}\nquizHtml: <img src="${LONG}">\n---\nx`),
    "not JSON": line(LONG),
    "a member twice": line(`{"${LONG}":1,"${LONG}":2}`),
    "a field of a line": line({ name: "C", [LONG]: 1, chapters: [{ name: LONG }] }),
    "a lesson of a line": line({
      name: "C",
      chapters: [
        {
          name: LONG,
          lessons: [{ name: LONG, url: LONG, additionalText: `<img src="${LONG}"><${LONG} on${LONG}=1>` }],
        },
      ],
    }),
    "ids that are taken": line({
      name: "C",
      chapters: [
        {
          name: "A",
          lessons: [
            { name: "L", id: LONG.slice(0, 255) },
            { name: "M", id: LONG.slice(0, 255) },
          ],
        },
      ],
    }),
    "a slug that is taken": line(
      [1, 2].map((id) => JSON.stringify({ _id: String(id), slug: LONG.slice(0, 255), name: "C" })).join("\n"),
    ),
  };
  test.each(Object.entries(authored))("%s", async (_what, files) => {
    const problems = await problemsOf(files, "c.ndjson" in files ? "c.ndjson" : "");
    expect(problems).not.toEqual([]);
    for (const problem of problems) expect([...problem.matchAll(/Q/gi)].length, problem).toBeLessThanOrEqual(200);
  });

  test("the ellipsis never splits a character", async () => {
    const name = "😀".repeat(200);
    const [problem = ""] = await problemsOf(outline(`chapters: [{name: ${name}, lessons: []}]`));
    expect(problem).toEndWith(`warning: chapter "${"😀".repeat(99)}…" has no lessons`);
  });
});

describe("output cannot control a terminal", () => {
  // A command, a line break, a C1 control, a line separator, a turn of the direction.
  const HOSTILE = "a\u001b[31m\nb\u009bc\u2028d\u202ee";
  const UNPRINTABLE = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

  test.each(["text", "github"])("in problems as %s", async (format) => {
    const files = {
      [`${HOSTILE}/01-a.md`]: "![](gone.png)",
      "tea/course.yaml": `name: Tea\nchapters: [{name: ${JSON.stringify(HOSTILE)}, lessons: []}]\n${JSON.stringify(HOSTILE)}: 1`,
    };
    const { stdout, stderr } = await runCommand(["check", writeFolder(files), "--format", format]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stdout).toContain("a [31m b c d e");
    expect(stdout + stderr).not.toMatch(UNPRINTABLE);
  });

  test("in the messages of an import", async () => {
    const root = writeFolder({ [`${HOSTILE}/c.ndjson`]: "x", [`${HOSTILE}.ndjson`]: '{"name":"C"}' });
    const runImport = (path: string) =>
      runCommand(["import", `${root}/${path}`, "--project", "p", "--database", `sqlite:${root}/x.db`]);
    const outputs = [
      await runImport(HOSTILE),
      await runImport(`${HOSTILE}/c.ndjson`),
      await runImport(`${HOSTILE}.ndjson`),
    ];
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([3, 3, 0]);
    outputs.push(await runCommand(["releases", "--project", "p", "--database", `sqlite:${root}/x.db`]));
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(UNPRINTABLE);
  });

  test.each<[what: string, args: string[]]>([
    ["a source that does not exist", ["check", HOSTILE]],
    ["an unknown command", [HOSTILE]],
    ["an unknown option", ["check", "x", `--${HOSTILE}`]],
    ["an invalid value", ["check", "x", "--format", HOSTILE]],
    ["an invalid key", ["keys", "revoke", HOSTILE, "--database", `sqlite:/${HOSTILE}.db`]],
  ])("in arguments: %s", async (_what, args) => {
    const { stdout, stderr, exitCode } = await runCommand(args);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(UNPRINTABLE);
  });
});
