// MyST's directives, roles and cells of extensions, and answers in notebooks as text.
import { describe, expect, test } from "bun:test";
import { readFolder, writeFolder } from "../support/written-folder.ts";

async function renderMyst(text: string, options: Parameters<typeof readFolder>[2] = {}) {
  const files = { "_toc.yml": "root: a\nchapters:\n- file: b\n", "b.md": "x", "a.md": text };
  const { lessons, problems } = await readFolder(writeFolder(files), undefined, options);
  return { html: lessons.find(({ sourcePath }) => sourcePath === "a.md")?.additionalText, problems };
}

describe("MyST", () => {
  test.each<[what: string, text: string, html: string]>([
    [
      "options beside the name",
      ':::{tip #t .dropdown open="true"} A *title*\nx\n:::\n\n:::{note .x}\n:class: dropdown, x\ny\n:::\n\n::: {.wide}\nz\n:::\n',
      `<details id="t" open="">\n<summary>A <em>title</em></summary>\n<p>x</p>\n</details>\n<details>\n<summary>Note</summary>\n<p>y</p>\n</details>\n<div class="wide">\n<p>z</p>\n</div>\n`,
    ],
    [
      "an admonition's first line as its text or title",
      "```{note} All of it.\n```\n\n:::{tip}\n# A title\nx\n:::\n",
      `<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>All of it.</p>\n</aside>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">A title</p>\n<p>x</p>\n</aside>\n`,
    ],
    [
      "code in colons, and fences that end with their list",
      ":::python\n*a*\n:::\n\n- x\n  :::{note}\n  y\n\nz\n",
      `<pre><code class="language-python">*a*\n</code></pre>\n<ul>\n<li>x\n<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>y</p>\n</aside>\n</li>\n</ul>\n<p>z</p>\n`,
    ],
    ["no comments, and no breaks between blocks", 'a\n%b\n% c\n++++\n+++{"a": 1}\nd\n', `<p>a</p>\n<p>d</p>\n`],
    [
      "labels and classes of blocks and of texts",
      "{#p .wide}\nx [y](b.md){.z} `c`{l=python} ![](https://e.example/a.png){width=50%}\n",
      `<a id="p"></a>\n<p>x <a href="b.md" class="z">y</a> <code>c</code> <img src="https://e.example/a.png" alt="" width="50%" loading="lazy"></p>\n`,
    ],
    [
      "options of several lines, in quotes",
      '```{code-block} python\n---\nlineno-start: 1\ncaption: |\n    Two\n    *lines*\n---\nx\n```\n\n```{code} sh\n:filename: "a.sh"\nls\n```\n',
      `<figure>\n<pre><code class="language-python">x\n</code></pre>\n<figcaption>\n<p>Two <em>lines</em></p>\n</figcaption>\n</figure>\n<figure>\n<pre><code class="language-sh">ls\n</code></pre>\n<figcaption>\n<p>a.sh</p>\n</figcaption>\n</figure>\n`,
    ],
    [
      "figures of several images, and of Markdown",
      "```{figure}\n:label: f\n![A](https://e.example/a.png)\n\nBoth.\n```\n\n```{figure-md} g\n![B](https://e.example/b.png)\n\nOne.\n```\n",
      `<figure id="f">\n<p><img src="https://e.example/a.png" alt="A" loading="lazy"></p>\n<p>Both.</p>\n</figure>\n<figure id="g">\n<p><img src="https://e.example/b.png" alt="B" loading="lazy"></p>\n<p>One.</p>\n</figure>\n`,
    ],
    [
      "videos",
      "![](https://e.example/a.mp4)\n\n```{figure} https://e.example/b.webm\nB\n```\n\n```{iframe} https://e.example/embed/1\nC\n```\n\n```{youtube} abc\n```\n",
      `<p><video src="https://e.example/a.mp4" controls=""></video></p>\n<figure><video src="https://e.example/b.webm" controls=""></video><figcaption>\n<p>B</p>\n</figcaption>\n</figure>\n<p><a href="https://e.example/embed/1">https://e.example/embed/1</a></p>\n<p>C</p>\n<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>\n`,
    ],
    [
      "cards with links, headers, images and footers",
      "::::{grid} 2\n:::{card} T\n:header: *H*\n:footer: F\n:link: e\n:link-type: ref\n:img-top: https://e.example/a.png\nx\n:::\n:::{grid-item-card}\n:link: https://e.example\nA\n^^^\nB\n+++\nC\n:::\n::::\n\n(e)=\n\n```{panels}\n:column: a\none\n---\n:card: b\ntwo\n```\n",
      `<div class="card">\n<p class="card-title"><a href="#e">T</a></p>\n<img src="https://e.example/a.png" alt="" loading="lazy"><p><em>H</em></p>\n<p>x</p>\n<p>F</p>\n</div>\n<div class="card">\n<p>A</p>\n<p>B</p>\n<p>C</p>\n<p><a href="https://e.example">https://e.example</a></p>\n</div>\n<a id="e"></a>\n<div class="card">\n<p>one</p>\n</div>\n<div class="card">\n<p>two</p>\n</div>\n`,
    ],
    [
      "buttons, badges and no icons",
      "```{button-link} https://e.example\n:color: info\nA *b*\n```\n\n{bdg-primary}`new` {bdg-link-info}`more <https://e.example>` {octicon}`star;1em` {badge}`old,x` {link-badge}`https://e.example,c`\n",
      `<p><a href="https://e.example">A <em>b</em></a></p>\n<p>new <a href="https://e.example">more</a>  old <a href="https://e.example">c</a></p>\n`,
    ],
    [
      "tabs of extensions",
      "````{tabs}\n```{group-tab} A\nx\n```\n```{code-tab} py A title\n*y*\n```\n````\n\n````{tab-set-code}\n```{code-block} js\nz\n```\n```python\nw\n```\n````\n",
      `<div class="options">\n<div class="option" data-option="A">\n<p class="option-title">A</p>\n<p>x</p>\n</div>\n<div class="option" data-option="A title">\n<p class="option-title">A title</p>\n<pre><code class="language-py">*y*\n</code></pre>\n</div>\n</div>\n<div class="options">\n<div class="option" data-option="js">\n<p class="option-title">js</p>\n<pre><code class="language-js">z\n</code></pre>\n</div>\n<div class="option" data-option="python">\n<p class="option-title">python</p>\n<pre><code class="language-python">w\n</code></pre>\n</div>\n</div>\n`,
    ],
    [
      "hidden exercises and open folds",
      ":::{exercise}\n:hidden:\nno\n:::\n\n```{toggle}\n:show:\nx\n```\n",
      `<details open="">\n<summary>Details</summary>\n<p>x</p>\n</details>\n`,
    ],
    [
      "terms as Sphinx writes them",
      "```{glossary}\nA\n  What *a* is\n\nB\n  What b is\n```\n",
      `<dl>\n<dt>A</dt>\n<dd>What <em>a</em> is</dd>\n<dt>B</dt>\n<dd>What b is</dd>\n</dl>\n`,
    ],
    ["definitions behind tildes", "A\n  ~ one\n  ~ two\n", `<dl>\n<dt>A</dt>\n<dd>one</dd>\n<dd>two</dd>\n</dl>\n`],
    [
      "links with placeholders",
      "(e)=\n## End\n\n[Part %s](#e) [see {name}](#e) {ref}`{number} <e>` <inv:python#print> [](xref:spec#a)\n",
      `<a id="e"></a>\n<h2 id="end">End</h2>\n<p><a href="#e">Part</a> <a href="#e">see End</a> <a href="#e">End</a> <span>print</span> <span>a</span></p>\n`,
    ],
    [
      "roles of every kind",
      "{chem}`H2O` {strong}`a` {abbreviation}`HTML (language)` {guilabel}`&Save` {raw:latex}`no` {raw:html}`<b>c</b>` {external+python:ref}`d` {literal}``e`f`` {si}`4 <\\kilo\\gram>` {footcite:t}`g`\n",
      `<p>H<sub>2</sub>O <strong>a</strong> <abbr title="language">HTML</abbr> Save  <b>c</b> <code>d</code> <code>e\`f</code> 4 kilogram <cite>g</cite></p>\n`,
    ],
    [
      "code of other programs, and nothing for an index",
      "```{graphviz}\na -> b\n```\n\n```{index} single: x\n```\n\n```{toc}\n:depth: 2\n```\n",
      `<pre><code class="language-dot">a -&gt; b\n</code></pre>\n`,
    ],
    [
      "the cells of a notebook by their tags",
      '```{raw-cell}\n:raw_mimetype: text/html\n\n<b>r</b>\n```\n\n```{code-cell} ipython3\n:tags: [remove-cell]\nno\n```\n\n```{code-cell} ipython3\n---\ntags:\n  - hide_input\n---\na\n```\n\n```{code-cell} python\n#| tags: remove-input\nno\n```\n\n+++ {"tags": ["remove-cell"]}\n\nno\n\n+++\n\nb\n',
      `\n<b>r</b>\n<details>\n<summary>Code</summary>\n<pre><code class="language-python">a\n</code></pre>\n</details>\n<p>b</p>\n`,
    ],
  ])("has %s", async (_, text, html) => {
    const { html: shown, problems } = await renderMyst(text);
    expect(shown).toBe(html);
    expect(problems).toEqual([]);
  });

  test("tells of what it leaves out", async () => {
    const { html, problems } = await renderMyst(
      "```{eval-rst}\n.. note:: x\n```\n```{only} latex\nx\n```\n```{csv-table}\n:file: a.csv\n```\n![](#cell)\n\n```{figure} #cell\nA plot.\n```\n\n```{glue:figure} fig\n:name: f\nA value.\n```\n\n{glue:text}`mean:.2f`\n",
    );
    expect(html).toBe(
      `<p></p>\n<figure><figcaption>\n<p>A plot.</p>\n</figcaption>\n</figure>\n<figure id="f">\n<p>A value.</p>\n</figure>\n<p><code>mean:.2f</code></p>\n`,
    );
    expect(problems).toEqual([
      "a.md:1: warning: raw text for reStructuredText is left out",
      "a.md:4: warning: raw text for latex is left out",
      "a.md:7: warning: the file of a {csv-table} is left out",
      'a.md:10: warning: the output of cell "cell" is left out',
      'a.md:12: warning: the output of cell "cell" is left out',
      'a.md:16: warning: the value of "fig" is left out: imports do not run code',
      'a.md:21: warning: readers see the name "mean:.2f", not its value: imports do not run code',
    ]);
  });
});

test.each<[text: string, rest: string | undefined]>([
  ["```{code-cell}\ndef f():\n    # BEGIN SOLUTION\n    SECRET\n    # END SOLUTION\n```\n", "def f():"],
  ["```{code-cell}\n---\nnbgrader:\n  grade: true\n  solution: true\n---\nSECRET\n```\n", undefined],
  ["```{code-cell}\n:tags: [solution]\nSECRET\n```\n", undefined],
  ['```{code-cell}\n:nbgrader: {"solution": true}\nSECRET\n### BEGIN HIDDEN TESTS\nSECRET\n```\n', undefined],
  ['+++ {"nbgrader": {"grade": true, "solution": true}}\n\nSECRET\n\n- SECRET\n', undefined],
  ['+++ {"tags": ["solution"]}\n\nSECRET\n\n```python\nSECRET\n```\n', undefined],
  ["### BEGIN SOLUTION\nSECRET\n\n### More SECRET\n### END SOLUTION\n", undefined],
  ["```{solution-start} e\nSECRET\n```\n\nSECRET\n\n```{solution-end}\n```\n", undefined],
])("an answer in a notebook as text is withheld: %j", async (answer, rest) => {
  const text = `Before.\n\n${answer}\n+++\n\nAfter.\n`;
  const { html } = await renderMyst(text);
  expect(html).not.toContain("SECRET");
  expect(html).toContain("<p>After.</p>");
  if (rest !== undefined) expect(html).toContain(rest);
  expect((await renderMyst(text, { answers: "all" })).html).toContain("SECRET");
});

test("an answer's marks are whole headings if answers are published", async () => {
  const { html } = await renderMyst("# T\n\n# BEGIN SOLUTION\n\nA\n\n# END SOLUTION\n", { answers: "all" });
  expect(html).toMatch(/<h1 [^>]*>BEGIN SOLUTION<\/h1>\n<p>A<\/p>\n<h1 [^>]*>END SOLUTION<\/h1>\n$/);
});
