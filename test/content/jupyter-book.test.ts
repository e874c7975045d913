// Jupyter Book and MyST: outlines of both versions, the directives that teach, and answers that stay withheld.
import { describe, expect, test } from "bun:test";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { createPng } from "../support/images.ts";
import { outlinesOf, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const page = (heading: string): string => `# ${heading}\n\nText.\n`;
const notebook = (...sources: string[]): string =>
  JSON.stringify({
    nbformat: 4,
    metadata: {},
    cells: sources.map((source) => ({ cell_type: "markdown", metadata: {}, source })),
  });

async function readBook(files: Files, options: Parameters<typeof readFolder>[2] = {}) {
  const { courses, problems, lessons, ...rest } = await readFolder(writeFolder(files), undefined, options);
  return { outline: outlinesOf(courses), course: courses[0], problems, lessons, ...rest };
}

describe("the outline of a Jupyter Book", () => {
  test("of version 1 has a chapter per part, with the root page first", async () => {
    const { outline, course, problems } = await readBook({
      "_config.yml": "title: Tea for scientists\nauthor: A\n",
      "_toc.yml": `format: jb-book
root: intro
parts:
  - caption: Leaves
    chapters:
      - file: leaves/green
      - file: leaves/black
        title: Black, named here
        sections:
          - file: leaves/assam
  - chapters:
      - glob: water/*
      - url: https://example.org
        title: Elsewhere
`,
      "intro.md": page("Welcome"),
      "leaves/green.ipynb": notebook("# Green leaves", "x"),
      "leaves/black.md": page("Black"),
      "leaves/assam.md": page("Assam"),
      "water/b.md": page("B"),
      "water/a.ipynb": notebook("# A"),
    });
    expect(course?.name).toBe("Tea for scientists");
    expect(outline).toBe("Introduction > Welcome; Leaves > Green leaves, Black, named here, Assam; Part 2 > A, B");
    expect(problems).toEqual(['_toc.yml:13:9: warning: "https://example.org" points to another site and is skipped']);
  });

  test("without parts has a chapter per page with subpages, named after its heading", async () => {
    const { outline, problems } = await readBook({
      "_toc.yml":
        "format: jb-book\nroot: intro\nchapters:\n- file: a\n  sections:\n  - file: b\n- file: c\n- file: d\n",
      "intro.md": page("Welcome"),
      "a.md": "---\ntitle: x\n---\n# The *first*\n",
      "b.md": page("B"),
      "c.md": page("C"),
      "d.md": page("D"),
    });
    expect(problems).toEqual([]);
    expect(outline).toBe("Introduction > Welcome; The first > x, B; C > C, D");
  });

  test("has a limited number of patterns", async () => {
    const toc = `format: jb-book\nroot: a\nchapters:\n${"- glob: b*\n".repeat(1001)}`;
    const { problems } = await readBook({ "_toc.yml": toc, "a.md": "x", "b.md": "x" });
    expect(problems).toEqual([expect.stringContaining('"b*" exceeds the limit of 1,000 patterns and is skipped')]);
  });

  test("qualifies equal lesson names in a chapter by section", async () => {
    const files = "index hello/index hello/solution fizz/index fizz/solution fizz/deep/solution other/solution".split(
      " ",
    );
    const section = (title: string, ...pages: string[]): string =>
      `    - title: ${title}\n      children:\n${pages.join("")}`;
    const leaf = (file: string): string => `        - file: ${file}.md\n`;
    const { outline, problems, found } = await readBook({
      "myst.yml":
        "project:\n  toc:\n  - title: Exercises\n    children:\n" +
        section("Hello, World", leaf("hello/index"), leaf("hello/solution")) +
        section(
          "Fizz",
          leaf("fizz/index"),
          leaf("fizz/solution"),
          '        - title: "Solution"\n          children:\n            - file: fizz/deep/solution.md\n',
        ) +
        "  - title: More\n    children:\n    - file: other/solution.md\n    - file: index.md\n",
      ...Object.fromEntries(files.map((file) => [`${file}.md`, page(file.endsWith("solution") ? "Solution" : file)])),
    });
    expect(problems).toEqual([]);
    expect(outline).toBe(
      "Exercises > hello/index, Hello, World: Solution, fizz/index, Fizz: Solution, Fizz: Solution: Solution; More > Solution, index",
    );
    expect(found[0]?.course.tree).toBeDefined();
  });

  test("of version 2 comes from the toc in myst.yml", async () => {
    const { outline, course, problems } = await readBook({
      "myst.yml": `version: 1
project:
  title: Tea
  description: All of it.
  toc:
    - file: index.md
    - title: Basics
      children:
        - file: water.md
        - file: gone.md
        - pattern: more/*.md
    - file: end.md
      hidden: true
`,
      "index.md": page("Start"),
      "water.md": page("Water"),
      "more/x.md": page("X"),
      "end.md": page("End"),
    });
    expect(course).toMatchObject({ name: "Tea", description: "All of it." });
    expect(outline).toBe("Introduction > Start; Basics > Water, X");
    expect(problems).toEqual([
      'myst.yml:10:11: warning: chapter "Basics" names lesson "gone.md", but there is no file gone.md',
      ".: warning: 1 file is not in myst.yml, so it is not a lesson: end.md",
    ]);
  });
});

const BOOK = { "_toc.yml": "root: a\nchapters:\n- file: b\n", "b.md": "x", "plan.png": "png" };

async function renderMyst(text: string, options: Parameters<typeof readFolder>[2] = {}) {
  const { lessons, problems, ...rest } = await readBook({ ...BOOK, "a.md": text }, options);
  return { html: lessons[0]?.additionalText, problems, ...rest };
}

describe("MyST", () => {
  test.each<[what: string, text: string, html: string]>([
    [
      "admonitions in both fences, with titles, options and Markdown",
      "```{note}\nA **b**.\n```\n\n:::{admonition} My title\n:class: tip\n- x\n:::\n",
      `<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>A <strong>b</strong>.</p>\n</aside>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">My title</p>\n<ul>\n<li>x</li>\n</ul>\n</aside>\n`,
    ],
    [
      "directives in directives",
      "::::{tip}\n:::{warning} W\nx\n:::\ny\n::::\n",
      `<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<aside class="callout" data-callout="warning">\n<p class="callout-title">W</p>\n<p>x</p>\n</aside>\n<p>y</p>\n</aside>\n`,
    ],
    ["math", "```{math}\n:label: e\nx_1 * x_2\n```\n", `<a id="e"></a>\n<div class="math display">x_1 * x_2</div>\n`],
    [
      "a formula followed by a label",
      "$$\nx_1\n$$ (e)\n\n$$y$$ (f)\n\n$$z$$ (not a label)\n",
      `<a id="e"></a>\n<div class="math display">x_1</div>\n<a id="f"></a>\n<div class="math display">y</div>\n<p><span class="math display">z</span> (not a label)</p>\n`,
    ],
    [
      "formulas without delimiters",
      "a\n\\begin{align*}\nx &= 1 \\\\\n\n\\end{align*}\n\n\\begin{gather} y \\end{gather}\n\n\\begin{align} open\n",
      `<p>a</p>\n<div class="math display">\\begin{align*}\nx &amp;= 1 \\\\\n\n\\end{align*}</div>\n<div class="math display">\\begin{gather} y \\end{gather}</div>\n<p>\\begin{align} open</p>\n`,
    ],
    [
      "tables of lists",
      "```{list-table} T\n:header-rows: 1\n\n* - A\n  - B\n* - - x\n    - y\n  - *c*\n```\n",
      `<figure>\n<table>\n<tr>\n<th>A</th>\n<th>B</th>\n</tr>\n<tr>\n<td>\n<ul>\n<li>x</li>\n<li>y</li>\n</ul>\n</td>\n<td><em>c</em></td>\n</tr>\n</table>\n<figcaption>\n<p>T</p>\n</figcaption>\n</figure>\n`,
    ],
    [
      "lists that are not tables as lists",
      "```{list-table}\n* a\n* b\n```\n\n```{list-table}\nx\n```\n",
      "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>x</p>\n",
    ],
    [
      "tables of values",
      '```{csv-table}\n:header: "A, b", C\n"x ""y""", *z*\n\n"open\n```\n',
      `<table>\n<tr>\n<th>A, b</th>\n<th>C</th>\n</tr>\n<tr>\n<td>x &quot;y&quot;</td>\n<td><em>z</em></td>\n</tr>\n<tr>\n<td>&quot;open</td>\n</tr>\n</table>\n`,
    ],
    [
      "links named after their targets",
      "(e)=\n## The *end*\n\n[](#e) [](#the-end) {ref}`e` {ref}`so <e>` {numref}`Part %s: {name} <e>` [](b.md) <project:#e> [](gone.pdf)\n",
      `<a id="e"></a>\n<h2 id="the-end">The <em>end</em></h2>\n<p><a href="#e">The end</a> <a href="#the-end">The end</a> <a href="#e">The end</a> <a href="#e">so</a> <a href="#e">Part: The end</a> <a href="b.md"></a> <a href="#e">The end</a> <a href="gone.pdf" data-unresolved="">gone.pdf</a></p>\n`,
    ],
    [
      "citations, and roles with attributes",
      "[@a2020] [-@b; @c, p. 3] {cite:t}`d` {span .red}`e` {abbr}`HTML (a language)` [@x](b.md)\n",
      `<p><cite>a2020</cite> <cite>b; c, p. 3</cite> <cite>d</cite> e <abbr title="a language">HTML</abbr> <a href="b.md">@x</a></p>\n`,
    ],
    [
      "exercises over several blocks",
      "```{exercise-start} T\n:label: e\n```\n\n- a\n\n```{exercise-end}\n```\n",
      `<aside class="callout" data-callout="exercise" id="e">\n<p class="callout-title">Exercise (T)</p>\n<ul>\n<li>a</li>\n</ul>\n</aside>\n`,
    ],
    [
      "figures with the size of their author",
      "```{figure} plan.png\n:width: 50%\n:height: 2em\n```\n",
      `<figure><img src="plan.png" data-unresolved="" alt="" width="50%" loading="lazy"></figure>\n`,
    ],
    ["no image of a script", "```{image} javascript:alert(1)\n```\n", "<figure>javascript:alert(1)</figure>\n"],
    [
      "code",
      "```{code-block} python\n:linenos:\nx = 1\n```\n",
      `<pre><code class="language-python">x = 1\n</code></pre>\n`,
    ],
    [
      "tabs and folded parts",
      "::::{tab-set}\n:::{tab-item} One\nx\n:::\n::::\n:::{dropdown} More\ny\n:::\n",
      `<div class="options">\n<div class="option" data-option="One">\n<p class="option-title">One</p>\n<p>x</p>\n</div>\n</div>\n<details>\n<summary>More</summary>\n<p>y</p>\n</details>\n`,
    ],
    [
      "figures with captions",
      "```{figure} plan.png\n:name: plan\n:alt: A plan\nThe *plan*.\n```\n",
      `<figure id="plan"><img src="plan.png" data-unresolved="" alt="A plan" loading="lazy"><figcaption>\n<p>The <em>plan</em>.</p>\n</figcaption>\n</figure>\n`,
    ],
    [
      "roles",
      "{doc}`the page <b>` {ref}`here <e>` {math}`x_1` H{sub}`2`O {kbd}`Ctrl` {unknown}`x`\n\n(e)=\n% not shown\n",
      `<p><a href="b">the page</a> <a href="#e">here</a> <span class="math inline">x_1</span> H<sub>2</sub>O <kbd>Ctrl</kbd> <code>x</code></p>\n<a id="e"></a>\n`,
    ],
    [
      "nothing in code",
      "`` {doc}`x` ``\n\n    :::{note}\n    x\n    :::\n\n```\n:::{note}\n```\n",
      `<p><code>{doc}\`x\`</code></p>\n<pre><code>:::{note}\nx\n:::\n</code></pre>\n<pre><code>:::{note}\n</code></pre>\n`,
    ],
    [
      "a missing end",
      ":::{note}\nx\n",
      `<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>x</p>\n</aside>\n`,
    ],
  ])("has %s", async (_, text, html) => {
    const { html: shown } = await renderMyst(text);
    expect(shown).toBe(html);
  });

  test("reports unsupported directives at their lines", async () => {
    const { problems, html } = await renderMyst("x\n\n```{bokeh} a.py\nShown.\n```\n");
    expect(html).toBe("<p>x</p>\n<p>Shown.</p>\n");
    expect(problems).toEqual(["a.md:3: warning: directive {bokeh} is not supported"]);
  });

  test("withholds solutions in pages and notebooks unless answers are published", async () => {
    const text = ":::{exercise}\n:label: e\nWhat?\n:::\n\n:::{solution} e\nsecret\n:::\n";
    for (const file of ["a.md", "a.ipynb"]) {
      const files = { ...BOOK, [file]: file === "a.md" ? text : notebook(text) };
      const { lessons } = await readBook(files);
      expect(lessons[0]?.additionalText).toContain('<aside class="callout" data-callout="exercise" id="e">');
      expect(JSON.stringify(lessons)).not.toContain("secret");
      const { lessons: all } = await readBook(files, { answers: "all" });
      expect(all[0]?.additionalText).toContain("<details>\n<summary>Solution</summary>\n<p>secret</p>");
    }
  });

  test("withholds content between solution marks, wherever they are", async () => {
    const start = "```{solution-start} e\n:class: dropdown\n```\n";
    const end = "```{solution-end}\n```\n";
    const secret = "SECRET\n\n- SECRET\n\n```python\nSECRET\n```\n\n";
    const texts: [text: string, shows: string][] = [
      [`${start}\n${secret}${end}\nAfter.\n`, "After."],
      [`${start}\n${secret}\n:::{note}\nSECRET\n:::\n\n${end}After.\n`, "After."],
      [`${start}\n${secret}\n## SECRET\n`, "Before."],
      [`- item\n\n  ${start.replaceAll("\n", "\n  ")}\n  SECRET\n\nAfter.\n`, "After."],
      [`:::::{note}\n${start}\nSECRET\n\n${end}\nInner.\n:::::\n`, "Inner."],
      [`${start}\n${start}\nSECRET\n\n${end}\nSECRET\n\n${end}\nAfter.\n`, "After."],
    ];
    for (const [text, shows] of texts) {
      const { lessons } = await readBook({ ...BOOK, "a.md": `Before.\n\n${text}` });
      expect(lessons[0]?.additionalText).toContain(shows);
      expect(JSON.stringify(lessons)).not.toContain("SECRET");
      const { lessons: all } = await readBook({ ...BOOK, "a.md": `Before.\n\n${text}` }, { answers: "all" });
      expect(JSON.stringify(all)).toContain("SECRET");
    }
  });

  test("withholds cells between solution marks, with their outputs", async () => {
    const png = Buffer.from(createPng(2, 2)).toString("base64");
    const outputs = [
      { output_type: "stream", name: "stdout", text: "SECRET" },
      { output_type: "display_data", data: { "image/png": png }, metadata: {} },
    ];
    const markdown = (source: string): object => ({ cell_type: "markdown", metadata: {}, source });
    const cells = [
      markdown("```{exercise}\n:label: e\nWhat?\n```"),
      markdown("```{solution-start} e\n```"),
      markdown("SECRET"),
      { cell_type: "code", metadata: {}, source: "SECRET", outputs, execution_count: 1 },
      markdown("```{solution-end}\n```"),
      markdown("After."),
    ];
    const files = { ...BOOK, "a.ipynb": JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }) };
    for (const answers of ["self-check", "all"] as const) {
      const linked = new LinkedFiles(new URL("https://c.example"), 1_000_000);
      const { lessons } = await readBook(files, { answers, files: linked });
      const isTold = answers === "all";
      expect(lessons[0]?.additionalText.includes("After.")).toBe(true);
      expect(JSON.stringify(lessons).includes("SECRET")).toBe(isTold);
      expect(linked.countLinked().files).toBe(isTold ? 1 : 0);
    }
  });

  test("handles directives with more content than a call may have arguments", async () => {
    const { html } = await renderMyst(`:::{table}\n${"***\n".repeat(100_000)}:::\n`);
    expect(html).toBe("<hr>\n".repeat(100_000));
  });

  test("is plain text in other folders", async () => {
    const { lessons } = await readFolder(writeFolder({ "01-a.md": "{doc}`x`\n\n% shown\n", "02-b.md": "x" }));
    expect(lessons[0]?.additionalText).toBe("<p>{doc}<code>x</code></p>\n<p>% shown</p>\n");
  });
});
