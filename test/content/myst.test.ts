// MyST's directives and roles, what is left out of texts, and answers in notebooks as text.
import { expect, test } from "bun:test";
import { callout, tabs } from "../support/mkdocs.ts";
import { readFolder, testTexts, writeFolder } from "../support/written-folder.ts";

async function renderMyst(text: string, options: Parameters<typeof readFolder>[2] = {}) {
  const files = { "_toc.yml": "root: a\nchapters:\n- file: b\n", "b.md": "x", "plan.png": "png", "a.md": text };
  const { lessons, problems } = await readFolder(writeFolder(files), undefined, options);
  return { html: lessons.find(({ sourcePath }) => sourcePath === "a.md")?.additionalText, problems };
}

/** The HTML of a page of which nothing is reported but a link that it contains. */
async function htmlOf(text: string): Promise<string | undefined> {
  const { html, problems } = await renderMyst(text);
  expect(problems.filter((each) => !/: (?:link|image) "/.test(each))).toEqual([]);
  return html;
}

const code = (language: string, text: string): string =>
  `<pre><code class="language-${language}">${text}\n</code></pre>\n`;
const card = (html: string): string => `<div class="card">\n${html}</div>\n`;
const math = (tex: string): string => `<div class="math display">${tex}</div>\n`;
const img = (name: string, alt: string): string =>
  `<img src="https://e.example/${name}.png" alt="${alt}" loading="lazy">`;

testTexts("boxes", htmlOf, {
  "```{note} All of it.\n```\n\n:::{tip}\n# A title\nx\n:::\n":
    callout("note", "Note", "<p>All of it.</p>\n") + callout("tip", "A title", "<p>x</p>\n"),
  ':::{tip #t .dropdown open="true"} A *title*\nx\n:::\n\n:::{note .x}\n:class: dropdown, x\ny\n:::\n\n::: {.wide}\nz\n:::\n':
    '<details id="t" open="">\n<summary>A <em>title</em></summary>\n<p>x</p>\n</details>\n' +
    '<details>\n<summary>Note</summary>\n<p>y</p>\n</details>\n<div class="wide">\n<p>z</p>\n</div>\n',
  ":::{exercise}\n:hidden:\nno\n:::\n\n```{toggle}\n:show:\nx\n```\n":
    '<details open="">\n<summary>Details</summary>\n<p>x</p>\n</details>\n',
  "````{tab-set-code}\n```{code-block} js\nz\n```\n```python\nw\n```\n````\n": tabs(
    ["js", code("js", "z")],
    ["python", code("python", "w")],
  ),
  "::::{grid} 2\n:::{card} T\n:header: *H*\n:footer: F\n:link: e\n:link-type: ref\n:img-top: https://e.example/a.png\nx\n:::\n::::\n\n(e)=\n":
    card(`<p class="card-title"><a href="#e">T</a></p>\n${img("a", "")}<p><em>H</em></p>\n<p>x</p>\n<p>F</p>\n`) +
    '<a id="e"></a>\n',
  ":::{grid-item-card}\n:link: https://e.example\nA\n^^^\nB\n+++\nC\n:::\n\n```{panels}\n:column: a\none\n---\n:card: b\ntwo\n```\n":
    card('<p>A</p>\n<p>B</p>\n<p>C</p>\n<p><a href="https://e.example">https://e.example</a></p>\n') +
    card("<p>one</p>\n") +
    card("<p>two</p>\n"),
});

testTexts("formulas, tables and definitions", htmlOf, {
  "$$\nx_1\n$$ (e)\n\n$$y$$ (f)\n\n$$z$$ (not a label)\n":
    `<a id="e"></a>\n${math("x_1")}<a id="f"></a>\n${math("y")}` +
    '<p><span class="math display">z</span> (not a label)</p>\n',
});

testTexts("links and roles", htmlOf, {
  "(e)=\n## End\n\n[Part %s](#e) [see {name}](#e) {ref}`{number} <e>` <inv:python#print> [](xref:spec#a)\n":
    '<a id="e"></a>\n<h2 id="end">End</h2>\n<p><a href="#e">Part</a> <a href="#e">see End</a> <a href="#e">End</a> ' +
    "<span>print</span> <span>a</span></p>\n",
  "[@a2020] [-@b; @c, p. 3] {cite:t}`d` {span .red}`e` {abbr}`HTML (a language)` [@x](b.md)\n":
    "<p><cite>a2020</cite> <cite>b; c, p. 3</cite> <cite>d</cite> e " +
    '<abbr title="a language">HTML</abbr> <a href="b.md">@x</a></p>\n',
  "{chem}`H2O` {strong}`a` {abbreviation}`HTML (language)` {guilabel}`&Save` {raw:latex}`no` {raw:html}`<b>c</b>`\n":
    '<p>H<sub>2</sub>O <strong>a</strong> <abbr title="language">HTML</abbr> Save  <b>c</b></p>\n',
  "{external+python:ref}`d` {literal}``e`f`` {si}`4 <\\kilo\\gram>` {footcite:t}`g`\n":
    "<p><code>d</code> <code>e`f</code> 4 kilogram <cite>g</cite></p>\n",
  "```{button-link} https://e.example\n:color: info\nA *b*\n```\n\n{bdg-primary}`new` {bdg-link-info}`more <https://e.example>` {octicon}`star;1em` {badge}`old,x` {link-badge}`https://e.example,c`\n":
    '<p><a href="https://e.example">A <em>b</em></a></p>\n<p>new <a href="https://e.example">more</a>  old <a href="https://e.example">c</a></p>\n',
  "{#p .wide}\nx [y](b.md){.z} `c`{l=python} ![](https://e.example/a.png){width=50%}\n":
    '<a id="p"></a>\n<p>x <a href="b.md" class="z">y</a> <code>c</code> ' +
    '<img src="https://e.example/a.png" alt="" width="50%" loading="lazy"></p>\n',
});

testTexts("figures and videos", htmlOf, {
  "```{figure} plan.png\n:name: plan\n:alt: A plan\n:width: 50%\n:height: 2em\nThe *plan*.\n```\n":
    '<figure id="plan"><img src="plan.png" data-unresolved="" alt="A plan" width="50%" loading="lazy">' +
    "<figcaption>\n<p>The <em>plan</em>.</p>\n</figcaption>\n</figure>\n",
  "```{figure}\n:label: f\n![A](https://e.example/a.png)\n\nBoth.\n```\n\n```{figure-md} g\n![B](https://e.example/b.png)\n\nOne.\n```\n":
    `<figure id="f">\n<p>${img("a", "A")}</p>\n<p>Both.</p>\n</figure>\n` +
    `<figure id="g">\n<p>${img("b", "B")}</p>\n<p>One.</p>\n</figure>\n`,
  "![](https://e.example/a.mp4)\n\n```{figure} https://e.example/b.webm\nB\n```\n":
    '<p><video src="https://e.example/a.mp4" controls=""></video></p>\n' +
    '<figure><video src="https://e.example/b.webm" controls=""></video><figcaption>\n<p>B</p>\n</figcaption>\n</figure>\n',
});

testTexts("code and cells", htmlOf, {
  ":::python\n*a*\n:::\n\n- x\n  :::{note}\n  y\n\nz\n": `${code("python", "*a*")}<ul>\n<li>x\n${callout("note", "Note", "<p>y</p>\n")}</li>\n</ul>\n<p>z</p>\n`,
  'a\n%b\n% c\n++++\n+++{"a": 1}\nd\n': "<p>a</p>\n<p>d</p>\n",
  "```{graphviz}\na -> b\n```\n\n```{index} single: x\n```\n\n```{toc}\n:depth: 2\n```\n": code("dot", "a -&gt; b"),
  "```{raw-cell}\n:raw_mimetype: text/html\n\n<b>r</b>\n```\n\n```{code-cell} ipython3\n:tags: [remove-cell]\nno\n```\n":
    "\n<b>r</b>\n",
  "```{code-cell} ipython3\n---\ntags:\n  - hide_input\n---\na\n```\n\n```{code-cell} python\n#| tags: remove-input\nno\n```\n": `<details>\n<summary>Code</summary>\n${code("python", "a")}</details>\n`,
});

test("unsupported directives and what needs a program are reported at their lines", async () => {
  const { html, problems } = await renderMyst(
    "```{eval-rst}\n.. note:: x\n```\n```{only} latex\nx\n```\n```{csv-table}\n:file: a.csv\n```\n![](#cell)\n\n```{figure} #cell\nA plot.\n```\n\n" +
      "```{glue:figure} fig\n:name: f\nA value.\n```\n\n{glue:text}`mean:.2f`\n\n```{bokeh} a.py\nShown.\n```\n",
  );
  expect(html).toBe(
    "<p></p>\n<figure><figcaption>\n<p>A plot.</p>\n</figcaption>\n</figure>\n" +
      '<figure id="f">\n<p>A value.</p>\n</figure>\n<p><code>mean:.2f</code></p>\n<p>Shown.</p>\n',
  );
  expect(problems.map((problem) => problem.replace(": warning", "")).toSorted()).toEqual([
    'a.md:10: the output of cell "cell" is left out',
    'a.md:12: the output of cell "cell" is left out',
    'a.md:16: the value of "fig" is left out: imports do not run code',
    "a.md:1: raw text for reStructuredText is left out",
    'a.md:21: readers see the name "mean:.2f", not its value: imports do not run code',
    "a.md:23: directive {bokeh} is not supported",
    "a.md:4: raw text for latex is left out",
    "a.md:7: the file of a {csv-table} is left out",
  ]);
});

test.each<[text: string, rest?: string]>([
  ["```{code-cell}\ndef f():\n    # BEGIN SOLUTION\n    SECRET\n    # END SOLUTION\n```\n", "def f():"],
  ["```{code-cell}\n---\nnbgrader:\n  grade: true\n  solution: true\n---\nSECRET\n```\n"],
  ["```{code-cell}\n:tags: [solution]\nSECRET\n```\n"],
  ['```{code-cell}\n:nbgrader: {"solution": true}\nSECRET\n### BEGIN HIDDEN TESTS\nSECRET\n```\n'],
  ['+++ {"tags": ["solution"]}\n\nSECRET\n\n```python\nSECRET\n```\n'],
  ["### BEGIN SOLUTION\nSECRET\n\n### More SECRET\n### END SOLUTION\n"],
])("an answer in a notebook as text is withheld: %j", async (answer, rest = "") => {
  const text = `Before.\n\n${answer}\n+++\n\nAfter.\n`;
  const { html } = await renderMyst(text);
  expect(html).not.toContain("SECRET");
  expect(html).toContain("<p>After.</p>");
  expect(html).toContain(rest);
  expect((await renderMyst(text, { answers: "all" })).html).toContain("SECRET");
});

test("an answer's marks are whole headings if answers are published", async () => {
  const { html } = await renderMyst("# T\n\n# BEGIN SOLUTION\n\nA\n\n# END SOLUTION\n", { answers: "all" });
  expect(html).toMatch(/<h1 [^>]*>BEGIN SOLUTION<\/h1>\n<p>A<\/p>\n<h1 [^>]*>END SOLUTION<\/h1>\n$/);
});
