// What the pages for authors show, against what the program makes of it: the course of docs/content.md is imported and read,
// examples of the reference are rendered.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataOf } from "../support/answers.ts";
import { runCommand } from "../support/command.ts";
import { listBlocks, listRows } from "../support/markdown.ts";
import { createPng } from "../support/images.ts";
import { createAsk } from "../support/in-process.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { outlinesOf, readLesson, readOnly, render, writeFolder } from "../support/written-folder.ts";

const readDocument = (path: string): string =>
  readFileSync(join(fileURLToPath(new URL("../../docs", import.meta.url)), path), "utf8");
const textsOf = (document: string, ...kinds: string[]): string[] =>
  listBlocks(document, ...kinds).map(({ text }) => `${text}\n`);

describe("docs/content.md", () => {
  const page = readDocument("content.md");
  const [courseYaml = ""] = textsOf(page, "yaml");
  const [waterText = ""] = textsOf(page, "jsx");
  const html = textsOf(page, "html");
  const files = {
    "courses/tea/course.yaml": courseYaml,
    "courses/tea/basics/leaves.md": textsOf(page, "markdown").join("\n"),
    "courses/tea/basics/img/leaf.png": createPng(640, 480),
    "courses/tea/basics/water.mdx": waterText,
  };
  // A preview does not end by itself; it has tests of its own.
  const runs = textsOf(page, "console", "sh").flatMap(
    (text) => text.match(/(?<=^|^\$ )lectern (?!preview ).*/gm) ?? [],
  );
  const database = useTestStore(anyEngine);

  test("its commands import its course, and it compiles to the answer that it shows", async () => {
    const env = { LECTERN_DATABASE: database.url };
    const cwd = writeFolder(files);
    let printed = "";
    for (const run of runs) {
      const { exitCode, stdout, stderr } = await runCommand(run.split(" ").slice(1), { env, cwd });
      expect([run, exitCode, stdout + stderr]).toEqual([run, 0, expect.not.stringMatching(/: (warning|error): /)]);
      printed += stdout;
    }
    const key = /lectern_\w+/.exec(printed)?.[0] ?? "";
    const ask = createAsk(database);
    const leaves = await ask("/courses/tea/lessons/leaves", key);
    const water = await ask("/courses/tea/lessons/water", key);
    const maskHash = (text = ""): string => text.replace(/\/assets\/[0-9a-f]{32}\//g, "/assets/HASH/");
    const { additionalText, ...rest } = dataOf(leaves);
    expect(rest).toMatchObject({ name: "The leaves", url: "https://example.org/leaves.mp4" });
    expect(maskHash(additionalText)).toBe(maskHash(html.slice(0, -1).join("")));
    expect(dataOf(water)).toMatchObject({ name: "The water", quizHtml: html.at(-1) as string });
  });

  test("a check prints its example of a problem", async () => {
    const [shown = ""] = /^courses.*: warning: .*$/m.exec(page) ?? [];
    const [, wrong = ""] = /image "(.*?)"/.exec(shown) ?? [];
    const leaves = files["courses/tea/basics/leaves.md"].replace("img/leaf.png", wrong);
    const cwd = writeFolder({ ...files, "courses/tea/basics/leaves.md": leaves });
    const { stdout } = await runCommand(runs[0]?.split(" ").slice(1) ?? [], { cwd });
    expect(stdout.split("\n")).toContain(shown);
  });
});

test("docs/content/fields.md and docs/formats/hugging-face.md show outlines without problems", async () => {
  const fields = readDocument("content/fields.md");
  const [courseYaml = "", meta = ""] = textsOf(fields, "yaml");
  const [lesson = ""] = textsOf(fields, "markdown");
  const course = await readOnly({
    "course.yaml": courseYaml + meta,
    "basics/leaves.md": lesson,
    "basics/water.html": "<p>x</p>",
    "02-ceremonies/01-gongfu.md": "x",
  });
  expect(outlinesOf([course])).toBe("Basics > Leaves, The right water, Watch: a slow pour; Ceremonies > Gongfu");
  expect(course).toMatchObject({ language: "en", translationOf: "tee", durationMinutes: 45 });
  const [toctree = ""] = textsOf(readDocument("formats/hugging-face.md"), "yaml");
  expect(outlinesOf([await readOnly({ "_toctree.yml": toctree, "basics/leaves.mdx": "x" })])).toBe("Basics > Leaves");
});

describe("docs/content/markdown.md", () => {
  const text = readDocument("content/markdown.md");
  const rows = listRows(text).filter(([written]) => written?.startsWith("`"));
  const blocks = [...text.matchAll(/^````markdown\n([\s\S]*?)^````\n\n```html\n([\s\S]*?)^```$/gm)].map(
    ([, written = "", html = ""]) => [written, html],
  );

  test("has a table and blocks of examples", () => {
    expect([rows.length, blocks.length]).toEqual([16, 3]);
  });

  test.each(rows)("shows what readers get from %s", async (written, html) => {
    const unquote = (cell = ""): string => cell.replace(/^`+|(?<=`) `+$|`+$/g, "");
    expect(await render("1.md", unquote(written))).toBe(`${unquote(html)}\n`);
  });

  test.each(blocks)("shows what readers get from\n%s", async (written, html) => {
    expect(await render("1.md", written)).toBe(html);
  });
});

describe("docs/formats/hugging-face.md", () => {
  const [question = "", branches = ""] = textsOf(readDocument("formats/hugging-face.md"), "jsx");
  const [quiz = "", shown = ""] = textsOf(readDocument("formats/hugging-face.md"), "html");

  test("shows the quiz rendered from a question", async () => {
    const { lesson, problems } = await readLesson("1.mdx", question);
    expect(problems).toEqual([]);
    expect(lesson?.quizHtml).toBe(quiz);
  });

  test("shows how branches are rendered", async () => {
    const { lesson } = await readLesson("1.mdx", branches);
    expect(lesson?.additionalText).toBe(shown);
  });
});
