// Notebooks as lessons: what readers get of their cells, and what never reaches them.
import { describe, expect, test } from "bun:test";
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
import { readFolder, writeFolder, type Files } from "../support/written-folder.ts";

test("a notebook becomes a lesson with its text, highlighted code and outputs", async () => {
  const { lesson, problems } = await readNotebook(
    notebook([
      markdown("# Loops\n\nSee [the end](02-end.md) and $x_1 * x_2$.\n\n```\nnever closed"),
      code("for n in range(3):\n    print(n)\n", [stream("0\n1\n"), stream("2\n")]),
      markdown("# Loops\n\n## Loops"),
      code("%%bash\nls", [stream("oops\n", "stderr")]),
      code("", []),
    ]),
  );
  expect(problems).toEqual([]);
  expect(lesson?.name).toBe("Loops");
  expect(lesson?.additionalText).toBe(`<a id="loops"></a>
<p>See <a href="02-end.md">the end</a> and <span class="math inline">x_1 * x_2</span>.</p>
<pre><code>never closed
</code></pre>
<pre><code class="language-python">for n in range(3):
    print(n)
</code></pre>
<pre class="output">0
1
2</pre>
<h1 id="loops-1">Loops</h1>
<h2 id="loops-2">Loops</h2>
<pre><code class="language-bash">%%bash
ls
</code></pre>
<pre class="output">oops</pre>
`);
});

describe("an output has one form:", () => {
  const table = `<style scoped>.x{}</style><div><table border="1" class="dataframe" onclick="x()"><thead><tr style="a"><th colspan="2" scope="col" id="i">A &lt;b&gt;</th></tr></thead><tbody><tr><td><a href="https://x.example">1</a><script>x()</script><svg><b>no</b></svg></td></tr></tbody></table></div>`;
  test.each<[what: string, output: Json, html: string]>([
    [
      "tables without styles, classes, ids, addresses and scripts",
      display({ "text/html": [table], "text/plain": "plain" }),
      `<div class="output"><table><thead><tr><th colspan="2" scope="col">A &lt;b&gt;</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></div>\n`,
    ],
    [
      "the text if no HTML remains",
      display({ "text/html": "<iframe src='https://x.example'></iframe>", "text/plain": "an <iframe>" }),
      `<pre class="output">an &lt;iframe&gt;</pre>\n`,
    ],
    [
      "Markdown where the text is the name of an object",
      display({ "text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "**b**" }),
      `<pre class="output">**b**</pre>\n`,
    ],
    [
      "text without the colors of a terminal, and without what was overwritten",
      stream("\u001b[0;31mred\u001b[0m\n10%\r20%\r100%\n\u001b]0;title\u0007done"),
      `<pre class="output">red\n100%\ndone</pre>\n`,
    ],
    ["text before carriage returns", stream("a\r\r\r"), `<pre class="output">a</pre>\n`],
    [
      "errors as their trace",
      { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mTrace\u001b[0m", "E: <v>"] },
      `<pre class="output error">Trace\nE: &lt;v&gt;</pre>\n`,
    ],
    [
      "an invalid image as its text",
      display({ "image/png": Buffer.from("<script>").toString("base64"), "text/plain": "a plot" }),
      `<pre class="output">a plot</pre>\n`,
    ],
  ])("%s", async (_, output, html) => {
    expect(await htmlOf(code("f()", [output]))).toBe(`<pre><code class="language-python">f()\n</code></pre>\n${html}`);
  });

  test("or is counted if it needs a program", async () => {
    const { statement, problems, lesson } = await readNotebook(
      notebook([
        code("a", [display({ "application/javascript": "alert(1)", "text/plain": "secret" })]),
        code("b", [display({ "application/vnd.jupyter.widget-view+json": {}, "text/plain": "IntSlider()" })]),
        code("c", [display({ "text/plain": "<IPython.core.display.HTML object>" })]),
      ]),
    );
    expect(lesson?.additionalText).not.toMatch(/secret|IntSlider|object/);
    expect(statement).toBe(
      "not shown: 1 output of JavaScript, 1 output of an unsupported kind, 1 widget of a notebook",
    );
    expect(problems[0]).toMatch(/^01-start\.ipynb:\d+: warning: 1 output of JavaScript is left out$/);
  });
});

test("tags fold and remove the cells that Jupyter Book folds and removes", async () => {
  const out = [stream("out")];
  expect(
    await htmlOf(
      code("gone", out, tagged("remove-cell")),
      markdown("gone", { metadata: tagged("remove_cell") }),
      code("a", out, tagged("remove-input")),
      code("b", out, tagged("hide-input")),
      code("c", out, tagged("hide_output")),
      code("d", out, tagged("remove-output")),
      code("d", [stream("gone", "stderr")], tagged("remove-stderr")),
      code("d", out, tagged("remove_stdout", "remove-stderr")),
      code("e", out, tagged("hide-cell")),
      code("f", out, { jupyter: { source_hidden: true } }),
    ),
  ).toBe(
    [
      `<pre class="output">out</pre>`,
      `<details>\n<summary>Code</summary>\n<pre><code class="language-python">b\n</code></pre>\n</details>\n<pre class="output">out</pre>`,
      `<pre><code class="language-python">c\n</code></pre>\n<details>\n<summary>Output</summary>\n<pre class="output">out</pre>\n</details>`,
      `<pre><code class="language-python">d\n</code></pre>\n`.repeat(3).trim(),
      `<details>\n<summary>Code</summary>\n<pre><code class="language-python">e\n</code></pre>\n<pre class="output">out</pre>\n</details>`,
      `<details>\n<summary>Code</summary>\n<pre><code class="language-python">f\n</code></pre>\n</details>\n<pre class="output">out</pre>\n`,
    ].join("\n"),
  );
});

test("images in outputs and attachments are stored files, in HTML and in Markdown", async () => {
  const root = writeFolder({
    "01-start.ipynb": notebook([
      markdown('![plan](attachment:my%20plan.png)\n\n<img src="attachment:my plan.png">', {
        attachments: { "my plan.png": { "image/png": PNG } },
      }),
      code("plot()", [display({ "image/svg+xml": "<svg></svg>", "image/png": PNG, "text/plain": "x" })]),
      code("draw()", [display({ "image/svg+xml": ["<svg>", "</svg>"] })]),
    ]),
  });
  const taken = new Map<string, string>();
  const reading: Promise<void>[] = [];
  const { lessons, problems } = await readFolder(
    root,
    undefined,
    {
      files: {
        maxBytes: 100,
        take({ fileName, digest, bytes, read }) {
          reading.push(
            Array.fromAsync(read()).then((parts) => {
              const content = Buffer.concat(parts);
              expect([bytes, digest]).toEqual([content.length, Bun.SHA256.hash(content, "hex").slice(0, 32)]);
              taken.set(fileName, content.toString("latin1"));
            }),
          );
          return `https://c.example/${fileName}`;
        },
      },
    },
    () => Promise.all(reading),
  );
  expect(problems).toEqual([]);
  expect(lessons[0]?.additionalText.match(/src="[^"]*"/g)).toEqual([
    'src="https://c.example/my-plan-1.png"',
    'src="https://c.example/my-plan-1.png"',
    'src="https://c.example/output-2-1.png"',
    'src="https://c.example/output-3-1.svg"',
  ]);
  expect(taken.get("output-3-1.svg")).toBe("<svg></svg>");
  expect(taken.get("output-2-1.png")).toBe(Buffer.from(PNG, "base64").toString("latin1"));
});

test("problems name the file's line, whether a source is a list of lines or one string", async () => {
  const list = notebook([code("a"), markdown("x\n\n[gone](gone.md)")]);
  const line = list.split("\n").findIndex((each) => each.includes("gone.md")) + 1;
  const start = `01-start.ipynb:${line}: warning: link "gone.md" points to a missing file`;
  expect((await readNotebook(list)).problems[0]).toStartWith(start);
  const string = notebook([{ cell_type: "markdown", metadata: {}, source: "x\n\n[gone](gone.md)\n" }]);
  const first = string.split("\n").findIndex((each) => each.includes("gone.md")) + 1;
  expect((await readNotebook(string)).problems[0]).toStartWith(`01-start.ipynb:${first}: warning: link`);
});

test("format 3 is read as nbconvert converts it", async () => {
  const old = {
    nbformat: 3,
    metadata: { name: "" },
    worksheets: [
      {
        cells: [
          { cell_type: "heading", level: 2, source: ["Old"] },
          {
            cell_type: "code",
            language: "python",
            input: ["1 + 1"],
            outputs: [
              { output_type: "pyout", text: ["2"], prompt_number: 1 },
              { output_type: "stream", stream: "stdout", text: "a" },
              { output_type: "pyerr", ename: "E", traceback: ["bad"] },
            ],
          },
        ],
      },
    ],
  };
  old.worksheets[0]?.cells.push({
    cell_type: "code",
    language: "python",
    collapsed: true,
    input: ["f()"],
    outputs: [{ output_type: "stream", stream: "stdout", text: "b" }],
  } as never);
  const { lesson, problems } = await readNotebook(JSON.stringify(old));
  expect(problems).toEqual([]);
  expect(lesson?.additionalText).toBe(
    `<h2 id="old">Old</h2>\n<pre><code class="language-python">1 + 1\n</code></pre>\n<pre class="output">2</pre>\n<pre class="output">a</pre>\n<pre class="output error">bad</pre>\n` +
      `<pre><code class="language-python">f()\n</code></pre>\n<details>\n<summary>Output</summary>\n<pre class="output">b</pre>\n</details>\n`,
  );
});

test.each([
  ["3", 3],
  ["900000000", 6],
  ["1e400", 6],
  ["-1", 1],
  ["0.5", 1],
  ['"x"', 1],
])("a heading of format 3 with level %s is one of HTML", async (level, shown) => {
  const cell = `{"cell_type": "heading", "level": ${level}, "source": ["x"]}`;
  const { lesson } = await readNotebook(`{"nbformat": 3, "worksheets": [{"cells": [${cell}]}]}`);
  expect(lesson?.additionalText).toBe(`<h${shown} id="x">x</h${shown}>\n`);
});

test("a cell can have more lines than a call can have arguments", async () => {
  const cell = { cell_type: "markdown", metadata: {}, source: `${"\n".repeat(7e5)}x` };
  expect(await htmlOf(cell)).toBe("<p>x</p>\n");
});

test("a notebook takes precedence over its paired Jupytext file", async () => {
  const pair = (name: string, front: string): Files => ({
    [`${name}.ipynb`]: notebook([markdown(`# ${name}`)]),
    [`${name}.md`]: `---\n${front}\n---\n# Text of ${name}\n`,
  });
  const files = { ...pair("a", "jupyter:\n  jupytext:\n    text_representation: {}"), ...pair("b", "title: B") };
  const { lessons, statement } = await readFolder(writeFolder(files));
  expect(lessons.map(({ name }) => name).toSorted()).toEqual(["B", "a", "b"]);
  expect(statement).toBe("not shown: 1 text of a notebook");
});

test.each<[text: string, problem: string]>([
  ["", "is not a notebook: "],
  ["{}", "is not a notebook: the field nbformat is missing"],
  [
    '{"nbformat": 2, "worksheets": []}',
    "is a notebook of format 2: only formats 3 and 4 are supported; convert it with jupyter nbconvert --to notebook",
  ],
  ['{"nbformat": 5}', "is a notebook of format 5: only formats 3 and 4 are supported"],
  ['{"nbformat": 4, "cells": [{"cell_type": "code"}]}', "is a malformed notebook: cells.0.source: "],
  ['{"nbformat": 4, "cells": {}}', "is a malformed notebook: cells: "],
  [`{"nbformat": 4, "a": ${"[".repeat(200)}${"]".repeat(200)}}`, "nested too deeply"],
])("%j is an error with a remedy", async (text, problem) => {
  const files: Files = { "01-start.ipynb": text, "02-end.md": "x" };
  const { problems } = await readFolder(writeFolder(files));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith(`01-start.ipynb: error: ${problem}`);
});

test("links resolve to headings by Jupyter's ids, which keep letters and punctuation", async () => {
  const html = await htmlOf(
    markdown("[a](#Aside:-Big-O) [b](#aside-big-o) <a href='#A-B'>c</a>\n\n<a href=\"#A-B\">d</a>\n\n# T\n"),
    markdown("## Aside: Big *O*\n\n## A B"),
  );
  expect(html?.match(/href=["'][^"']+["']/g)?.map((each) => each.slice(6, -1))).toEqual([
    "#aside-big-o",
    "#aside-big-o",
    "#a-b",
    "#a-b",
  ]);
});

test("links point to headings of other notebooks, too", async () => {
  const root = writeFolder({
    "01-a.ipynb": notebook([markdown("[x](02-b.ipynb#Some-Part's-*name*) [y](02-b.ipynb#Own) [z](03-c.md#Big-O)")]),
    "02-b.ipynb": notebook([markdown('## Some Part\'s *name*\n\n<a id="Own"></a>\n\n## Own')]),
    "03-c.md": "## Big O\n",
  });
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const run = (...args: string[]) => runCommand([...args, ...to], { cwd: root });
  const { stderr } = await run("import", ".", "--lesson-url", "https://c.example/{lessonId}{fragment}");
  const shown = (await run("export", "-")).stdout;
  expect(Array.from(shown.matchAll(/c\.example[^"\\]*#([^"\\]*)/g), ([, fragment]) => fragment)).toEqual([
    "some-parts-name",
    "Own",
    "Big-O",
  ]);
  expect(stderr.match(/.*no such id.*/g)).toEqual([expect.stringContaining('"03-c.md#Big-O"')]);
});

test("an attachment that its cell lacks is a missing file", async () => {
  const { lesson, problems } = await readNotebook(
    notebook([markdown('![](attachment:gone%20one.png)\n\n<img src="attachment:b.png">')]),
  );
  expect(lesson?.additionalText).not.toContain("attachment:");
  expect(problems).toEqual([
    expect.stringContaining('"gone one.png" points to a missing file'),
    expect.stringContaining('"b.png"'),
  ]);
});
