// Notebooks as lessons: what readers get of their cells, and what never reaches them.
import { expect, test } from "bun:test";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { runCommand } from "../support/command.ts";
import {
  code,
  display,
  htmlOf,
  markdown,
  notebook,
  PNG,
  readNotebook,
  stream,
  tagged,
  type Json,
} from "../support/notebooks.ts";
import { readFolder, writeFolder } from "../support/written-folder.ts";

type Cell = ReturnType<typeof code>;
const python = (text: string): string => `<pre><code class="language-python">${text}\n</code></pre>\n`;
const out = (text: string): string => `<pre class="output">${text}</pre>\n`;

const table = `<style scoped>.x{}</style><div><table border="1" class="dataframe" onclick="x()"><thead><tr style="a"><th colspan="2" scope="col" id="i">A &lt;b&gt;</th></tr></thead><tbody><tr><td><a href="https://x.example">1</a><script>x()</script><svg><b>no</b></svg></td></tr></tbody></table></div>`;
test.each<[what: string, output: Cell, html: string]>([
  [
    "tables without styles, classes, ids, addresses and scripts",
    display({ "text/html": [table], "text/plain": "plain" }),
    `<div class="output"><table><thead><tr><th colspan="2" scope="col">A &lt;b&gt;</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></div>\n`,
  ],
  ["text without what was overwritten", stream("10%\r20%\r100%\na\r\r\r"), out("100%\na")],
])("an output has one form: %s", async (_, output, html) => {
  expect(await htmlOf(code("f()", [output]))).toBe(python("f()") + html);
});

test("tags fold and remove the cells that Jupyter Book folds and removes", async () => {
  const outputs = [stream("out")];
  const folded = (title: string, html: string): string => `<details>\n<summary>${title}</summary>\n${html}</details>\n`;
  const cells: [cell: Cell, html: string][] = [
    [code("gone", outputs, tagged("remove-cell")), ""],
    [markdown("gone", { metadata: tagged("remove_cell") }), ""],
    [code("a", outputs, tagged("remove-input")), out("out")],
    [code("b", outputs, tagged("hide-input")), folded("Code", python("b")) + out("out")],
    [code("c", outputs, tagged("hide_output")), python("c") + folded("Output", out("out"))],
    [code("d", outputs, tagged("remove-output")), python("d")],
    [code("e", [stream("gone", "stderr")], tagged("remove-stderr")), python("e")],
    [code("f", outputs, tagged("remove_stdout", "remove-stderr")), python("f")],
    [code("g", outputs, tagged("hide-cell")), folded("Code", python("g") + out("out"))],
    [code("h", outputs, { jupyter: { source_hidden: true } }), folded("Code", python("h")) + out("out")],
  ];
  expect(await htmlOf(...cells.map(([cell]) => cell))).toBe(cells.map(([, html]) => html).join(""));
});

test("images in outputs and attachments are stored files, in HTML and in Markdown", async () => {
  const plan = { attachments: { "my plan.png": { "image/png": PNG } } };
  const cells = [
    markdown('![plan](attachment:my%20plan.png)\n\n<img src="attachment:my plan.png">', plan),
    code("plot()", [display({ "image/svg+xml": "<svg></svg>", "image/png": PNG, "text/plain": "x" })]),
    code("draw()", [display({ "image/svg+xml": ["<svg>", "</svg>"] })]),
    markdown('![](attachment:gone%20one.png)\n\n<img src="attachment:b.png">'),
  ];
  const root = writeFolder({ "01-start.ipynb": notebook(cells) });
  const files = new LinkedFiles(new URL("https://c.example"), 1_000_000);
  const { lessons, problems } = await readFolder(root, undefined, { files });
  const names = lessons[0]?.additionalText.match(/[\w-]+\.(?:png|svg)(?=")/g);
  expect(names?.join(" ")).toBe("my-plan-1.png my-plan-1.png output-2-1.png output-3-1.svg 20one.png b.png");
  expect(files.countLinked().files).toBe(2);
  // Attachments that their cell lacks.
  expect(lessons[0]?.additionalText).not.toContain("attachment:");
  expect(problems).toEqual([
    expect.stringContaining('"gone one.png" points to a missing file'),
    expect.stringContaining('"b.png"'),
  ]);
});

test.each([
  ["a list of lines", notebook([code("a"), markdown("x\n\n[gone](gone.md)")])],
  ["one string", notebook([{ cell_type: "markdown", metadata: {}, source: "x\n\n[gone](gone.md)\n" }])],
])("problems name the file's line where a source is %s", async (_what, text) => {
  const line = text.split("\n").findIndex((each) => each.includes("gone.md")) + 1;
  const told = `01-start.ipynb:${line}: warning: link "gone.md" points to a missing file`;
  expect((await readNotebook(text)).problems[0]).toStartWith(told);
});

test("format 3 is read as nbconvert converts it", async () => {
  const outputs = [
    { output_type: "pyout", text: ["2"], prompt_number: 1 },
    { output_type: "stream", stream: "stdout", text: "a" },
    { output_type: "pyerr", ename: "E", traceback: ["bad"] },
  ];
  const hidden = { collapsed: true, outputs: [{ output_type: "stream", stream: "stdout", text: "b" }] };
  const cells = [
    { cell_type: "heading", level: 2, source: ["Old"] },
    { cell_type: "code", language: "python", input: ["1 + 1"], outputs },
    { cell_type: "code", language: "python", input: ["f()"], ...hidden },
  ];
  const old = { nbformat: 3, metadata: { name: "" }, worksheets: [{ cells }] };
  const { lesson, problems } = await readNotebook(JSON.stringify(old));
  expect(problems).toEqual([]);
  expect(lesson?.additionalText).toBe(
    `<h2 id="old">Old</h2>\n${python("1 + 1")}${out("2")}${out("a")}<pre class="output error">bad</pre>\n` +
      `${python("f()")}<details>\n<summary>Output</summary>\n${out("b")}</details>\n`,
  );
});

test("a heading of format 3 with any level is one of HTML", async () => {
  for (const [level, shown] of Object.entries({ 3: 3, "900000000": 6, "1e400": 6, "-1": 1, "0.5": 1, '"x"': 1 })) {
    const cell = `{"cell_type": "heading", "level": ${level}, "source": ["x"]}`;
    const { lesson } = await readNotebook(`{"nbformat": 3, "worksheets": [{"cells": [${cell}]}]}`);
    expect(lesson?.additionalText).toBe(`<h${shown} id="x">x</h${shown}>\n`);
  }
});

test("a cell can have more lines than a call can have arguments", async () => {
  expect(await htmlOf({ cell_type: "markdown", metadata: {}, source: `${"\n".repeat(7e5)}x` })).toBe("<p>x</p>\n");
});

test("a notebook takes precedence over its paired Jupytext file", async () => {
  const notebooks = { "a.ipynb": notebook([markdown("# a")]), "b.ipynb": notebook([markdown("# b")]) };
  const paired = "---\njupyter:\n  jupytext:\n    text_representation: {}\n---\nx";
  const root = writeFolder({ ...notebooks, "a.md": paired, "b.md": "---\ntitle: B\n---\nx" });
  const { lessons, statement } = await readFolder(root);
  expect(lessons.map(({ name }) => name).toSorted()).toEqual(["B", "a", "b"]);
  expect(statement).toBe("not shown: 1 text of a notebook");
});

test.each<[text: string, problem: string]>([
  ["", "is not a notebook: "],
  ["{}", "is not a notebook: the field nbformat is missing"],
  ['{"nbformat": 2}', "is a notebook of format 2: only formats 3 and 4 are supported; convert it with jupyter "],
])("%j is an error with a remedy", async (text, problem) => {
  const [told, ...more] = (await readNotebook(text)).problems;
  expect(told).toStartWith(`01-start.ipynb: error: ${problem}`);
  expect(more).toEqual([]);
});

test("links resolve to headings by Jupyter's ids, which keep letters and punctuation", async () => {
  const html = await htmlOf(
    markdown("[a](#Aside:-Big-O) [b](#aside-big-o) <a href='#A-B'>c</a>\n\n<a href=\"#A-B\">d</a>\n\n# T\n"),
    markdown("## Aside: Big *O*\n\n## A B"),
  );
  const hrefs = html?.match(/(?<=href=["'])[^"']+(?=["'])/g);
  expect(hrefs?.map(String)).toEqual(["#aside-big-o", "#aside-big-o", "#a-b", "#a-b"]);
});

test("links point to headings of other notebooks, too", async () => {
  const root = writeFolder({
    "01-a.ipynb": notebook([markdown("[x](02-b.ipynb#Some-Part's-*name*) [z](03-c.md#Big-O)")]),
    "02-b.ipynb": notebook([markdown("## Some Part's *name*")]),
    "03-c.md": "## Big O\n",
  });
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const run = (...args: string[]) => runCommand([...args, ...to], { cwd: root });
  const { stderr } = await run("import", ".", "--lesson-url", "https://c.example/{lessonId}{fragment}");
  const shown = (await run("export", "-")).stdout;
  expect(shown.match(/(?<=c\.example[^"\\]*#)[^"\\]*/g)?.join(" ")).toBe("some-parts-name Big-O");
  expect(stderr.match(/.*no such id.*/g)).toEqual([expect.stringContaining('"03-c.md#Big-O"')]);
});

// Answers in notebooks and in texts that Jupytext keeps never reach readers.
const ANSWERS = notebook([
  markdown("# Exercise"),
  code("def f():\n    ### BEGIN SOLUTION\n    return 'secret-1'\n    ### END SOLUTION\n", [stream("secret-2")]),
  code("assert f()\n### BEGIN HIDDEN TESTS\nassert 'secret-3'\n### END HIDDEN TESTS\n", [], {
    nbgrader: { grade: true, solution: false },
  }),
  code("print('secret-4')", [stream("secret-5")], { nbgrader: { grade: false, solution: true } }),
  markdown("secret-6 ![](attachment:secret.png)", {
    metadata: { nbgrader: { grade: true, solution: true } },
    attachments: { "secret.png": { "image/png": PNG } },
  }),
  code("### BEGIN SOLUTION\nsecret-7", [display({ "image/png": PNG })]),
  markdown("# BEGIN TESTS", { cell_type: "raw" }),
  code("secret-8", [stream("secret-9")]),
  markdown("# END TESTS", { cell_type: "raw" }),
  markdown("The end."),
]);

test("answers in notebooks are withheld with their outputs and attachments unless --answers all publishes them", async () => {
  const root = writeFolder({
    "01-start.ipynb": ANSWERS,
    "02-end.md": "[all](01-start.ipynb) [program](01-start.py) [alone](alone.py) [cell](cell.R) [data](other.py)",
    "01-start.py": "secret",
    "alone.py": "x\n### BEGIN SOLUTION\nsecret\n",
    "cell.R": '# %% tags=["solution"]\nsecret\n',
    "other.py": "solution = 1",
  });
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const run = (...args: string[]) => runCommand([...args, ...to], { cwd: root });
  const imported = await run("import", ".", "--public-url", "https://c.example");
  expect(imported.stderr).toContain("withheld in 6 questions, --answers all publishes them");
  const shown = (await run("export", "-")).stdout;
  expect(shown).not.toContain("secret");
  for (const text of ["def f():", "assert f()", "The end."]) expect(shown).toContain(text);
  // Neither an image of an answer nor the notebook itself is a file for readers, nor what Jupytext keeps beside it.
  expect(shown.match(/\/assets\/[^"\\]*/g)).toEqual([expect.stringMatching(/other\.py$/)]);
  expect(imported.stderr).toContain("01-start.py is a notebook saved as a program and can contain answers");
  await run("import", ".", "--public-url", "https://c.example", "--answers", "all");
  const all = (await run("export", "-")).stdout;
  expect(new Set(all.match(/secret-\d/g)).size).toBe(9);
  expect(all).toMatch(/https:\/\/c\.example\/[^"\\]*assets\/[^"\\]*\.png/);
});

const task = { metadata: { nbgrader: { task: true } } };

test.each<[what: string, cell: Json, rest: string]>([
  ["between marks of any comment", code("a()\n# BEGIN SOLUTION\nsecret\n# END SOLUTION\nb()"), "a()\nb()"],
  ["behind code", code("a()\nsecret ### BEGIN SOLUTION\nsecret\n% END SOLUTION\nb()"), "a()\nb()"],
  ["of Otter-Grader", code("a()\nx = 'secret' # SOLUTION\nsecret  #SOLUTION NO PROMPT\nb()"), "a()\nb()"],
  ["of a task", markdown("Draw.\n=== BEGIN MARK SCHEME ===\nsecret\n=== END MARK SCHEME ===", task), "<p>Draw.</p>"],
])("an answer %s is withheld", async (_, cell, rest) => {
  const { lesson } = await readNotebook(notebook([markdown("x"), cell]));
  expect(lesson?.additionalText).not.toContain("secret");
  expect(lesson?.additionalText).toContain(rest);
  expect((await readNotebook(notebook([cell]), { answers: "all" })).lesson?.additionalText).toContain("secret");
});

const FRONT = "---\njupytext:\n  formats: md\n---\n";

test.each([
  '```python tags=["solution"]\nSECRET\n```',
  '```python nbgrader={"grade": false, "solution": true}\nSECRET\n```',
  "```{code-cell}\n:tags: [solution]\nSECRET\n```",
  "```{code-cell}\n---\ntags:\n  - solution\n---\nSECRET\n```",
  '<!-- #region tags=["solution"] -->\nSECRET\n<!-- #endregion -->',
  '+++ {"tags": ["solution"]}\n\nSECRET\n\n+++',
  "=== BEGIN MARK SCHEME ===\nSECRET\n=== END MARK SCHEME ===",
  '```{r tags=c("solution")}\nSECRET\n```',
])("an answer in a text of Jupytext is withheld: %j", async (answer) => {
  const text = `${answer.includes("{r") ? "" : FRONT}x\n\n${answer}\n\n[y](gone.md)`;
  const file = answer.includes("{r") ? "a.Rmd" : "a.md";
  const root = writeFolder({ [file]: text, "b.md": "x" });
  const { lessons, problems } = await readFolder(root);
  expect(JSON.stringify(lessons)).not.toContain("SECRET");
  expect(lessons[0]?.additionalText).toContain("<p>x</p>");
  const line = text.split("\n").findIndex((each) => each.includes("gone.md")) + 1;
  expect(problems.filter((each) => each.includes("missing file"))).toEqual([
    `${file}:${line}: warning: link "gone.md" points to a missing file: gone.md`,
  ]);
  expect(JSON.stringify((await readFolder(root, undefined, { answers: "all" })).lessons)).toContain("SECRET");
});
