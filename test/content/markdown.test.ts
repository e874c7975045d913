// What Markdown becomes: formulas, headings, code blocks, callouts, comments. What docs/content/markdown.md shows of it is
// in docs-content.test.ts.
import { expect, test } from "bun:test";
import { callout } from "../support/mkdocs.ts";
import { problemsOf, read, readLesson, readOnly, render, testTexts, type Files } from "../support/written-folder.ts";

/** The HTML of a lesson in a course whose course.yaml holds these lines too. */
async function renderIn(course: string, text: string): Promise<string> {
  const { chapters } = await readOnly({
    "course.yaml": `name: C\n${course}\nchapters: [{name: A, lessons: [{file: a, name: L}]}]`,
    "a.md": text,
  });
  return chapters[0]?.lessons[0]?.additionalText ?? "";
}

const inline = (tex: string): string => `<span class="math inline">${tex}</span>`;
const display = (tex: string): string => `<span class="math display">${tex}</span>`;
const block = (tex: string): string => `<div class="math display">${tex}</div>\n`;

const toMarkdown = (text: string) => render("1.md", text);

const formulas: Record<string, string> = {
  "$$\\mathrm{freq\\_of\\_pair}\\,\\{a\\}$$\n": block("\\mathrm{freq\\_of\\_pair}\\,\\{a\\}"),
  '$$ a < b & c [``p", ``u] $$  \n': block(" a &lt; b &amp; c [``p&quot;, ``u] "),
  "So\n$$\n- a\n+ b\n=\n# c\n\n> d \\\\\n$$\nholds.\n": `<p>So</p>\n${block("\n- a\n+ b\n=\n# c\n\n&gt; d \\\\\n")}<p>holds.</p>\n`,
  "\\\\[\n\\alpha\\_1 * x * y\n\\\\]\n": block("\n\\alpha\\_1 * x * y\n"),
  "- One\n\n  $$\n  x\n    y\n  $$\n- $$z$$\n": `<ul>\n<li>\n<p>One</p>\n${block("\nx\n  y\n")}</li>\n<li>\n${block("z")}</li>\n</ul>\n`,
  "A \\\\( q_1*2*3 \\\\), $$x_1$$ b \\\\[*y*\\\\] c\n": `<p>A ${inline(" q_1*2*3 ")}, ${display("x_1")} b ${display("*y*")} c</p>\n`,
  "$$x$$ where *x*\n": `<p>${display("x")} where <em>x</em></p>\n`,
  "| \\\\( x_1 \\\\) $$*y*$$ |\n|---|\n": `<table>\n<thead>\n<tr>\n<th>${inline(" x_1 ")} ${display("*y*")}</th>\n</tr>\n</thead>\n</table>\n`,
  "**b \\\\( **x** \\\\)**, [l \\\\(]\\\\)](https://x.example)\n": `<p><strong>b ${inline(" **x** ")}</strong>, <a href="https://x.example">l ${inline("]")}</a></p>\n`,
  "$$ \\text{\\$5} \\\\$$\n": block(" \\text{\\$5} \\\\"),
};
test.each(Object.entries(formulas))("a formula reaches the reader as written: %j", async (text, html) => {
  expect([await toMarkdown(text), await render("1.mdx", text)]).toEqual([html, html]);
});

testTexts("a formula is not", toMarkdown, {
  "`$$x$$`, \\$$x$$, `\\\\(a\\\\)`\n": "<p><code>$$x$$</code>, $$x$$, <code>\\\\(a\\\\)</code></p>\n",
  "$$\nnot *closed*\n": "<p>$$\nnot <em>closed</em></p>\n",
  "A \\\\( b, $$$ c $$$, $$$$\n": "<p>A \\( b, $$$ c $$$, $$$$</p>\n",
});

test("a formula may be between single dollars and backslashes if the course sets math: tex", async () => {
  const text = "A $x_1*2*3$, \\(a_b_c\\), from $5 to $10, $ x, \\$y, $z$2.\n\n\\[\n- a\\_b \\\\]\n\\]\n";
  const html = `<p>A ${inline("x_1*2*3")}, ${inline("a_b_c")}, from $5 to $10, $ x, $y, $z$2.</p>\n${block("\n- a\\_b \\\\]\n")}`;
  expect(await renderIn("math: tex", text)).toBe(html);
  const files = { "course.yaml": "name: C\nmath: tex", "01-a/1.mdx": "$a_b_c$" };
  expect((await readOnly(files)).chapters[0]?.lessons[0]?.additionalText).toBe(`<p>${inline("a_b_c")}</p>\n`);
  expect(await problemsOf({ ...files, "course.yaml": "name: C\nmath: on" })).toEqual([
    "course.yaml:2:1: error: math: must be tex or absent; without it, only $$…$$, \\\\(…\\\\) and \\\\[…\\\\] are formulas",
  ]);
});

const idsOf = async (text: string, name = "1.md"): Promise<string> =>
  Array.from((await render(name, text)).matchAll(/<h\d id="([^"]*)"/g), ([, id]) => id).join(" ");

testTexts("a heading gets GitHub's id, or its author's", idsOf, {
  "## A `b_c` *d*, e & f!\n\n## Größe — ÄÖ\n\n## 概要（その1）\n\n## हिन्दी में\n":
    "a-b_c-d-e--f größe--äö 概要その1 हिन्दी-में",
  "### 1.2 C++ / C#\n\n> ## In a quotation\n": "12-c--c in-a-quotation",
});

testTexts("a heading shows no attributes", toMarkdown, {
  "## Decks {#my-decks .wide x=1}\n\n### M {: #m}\n\n#### N {.u}\n":
    '<h2 id="my-decks">Decks</h2>\n<h3 id="m">M</h3>\n<h4 id="n">N</h4>\n',
});

test.each<[format: string, path: string, files: Files]>([
  ["MDX", "01-part/1.mdx", {}],
  ["plain folders", "a.md", {}],
  ["mdBook", "src/a.md", { "book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n" }],
  ["Jekyll", "a.md", { "_config.yml": "" }],
  ["_toctree.yml", "a.md", { "_toctree.yml": "- local: a\n  title: A\n" }],
])("a heading keeps braces that are not attributes: %s", async (_format, path, files) => {
  const text = "x\n\n## Call f{x=1}\n\nSet {a=1}\n---------\n\n### f{.x} ###\n\n### y \\{#z}\n";
  const { lessons } = await read({ ...files, [path]: text });
  const shown = lessons[0]?.additionalText.matchAll(/<h\d[^>]*>(.*?)<\/h\d>/g) ?? [];
  expect(Array.from(shown, ([, heading]) => heading)).toEqual(["Call f{x=1}", "Set {a=1}", "f{.x}", "y {#z}"]);
});

const left = '<a id="all-about-tea"></a>\n<p>x</p>\n';
test.each(["# All *about* Tea\n\nx", "### All about tea\n\nx", "<!-- c -->\n\nAll about tea\n===\n\nx"])(
  "a first heading that repeats the name leaves its id: %j",
  async (text) => {
    expect(await renderIn("", `---\nname: all about TEA\n---\n${text}`)).toBe(left);
    expect(await toMarkdown(`---\ntitle: All about tea\n---\n${text}`)).toBe(left);
  },
);

testTexts("other headings stay", (text) => renderIn("", text), {
  "# [L](https://x.example)\n\nx": '<h1 id="l"><a href="https://x.example">L</a></h1>\n<p>x</p>\n',
});

test("a link inside a page is reported with its line if its id is missing, percent-encoded or not", async () => {
  const text =
    '---\nname: L\n---\n# L\n\n[a](#l) [b](#Über-uns)\n[c](#gone) [t](#top) [e](#)\n\n<p>\n<a href="#raw">x</a> <a href="#lost">x</a></p>\n<i id="raw"></i>\n\n## Über uns\n';
  const end = "points to a missing id";
  expect((await readLesson("1.md", text)).problems).toEqual([
    `01-part/1.md:6: warning: link "#Über-uns" ${end}; did you mean "#über-uns"?`,
    `01-part/1.md:7: warning: link "#gone" ${end}`,
    `01-part/1.md:10: warning: link "#lost" ${end}`,
  ]);
  const links = "[a](#größe) [b](#gr%C3%B6%C3%9Fe) [c](#x:~:text=y) [d](#n)";
  await toMarkdown(`${links}\n\n## Größe\n\n## X\n\n<a name='n'></a>\n`);
  expect((await readLesson("1.html", "<a href=#a>x</a>\n<a href='#b'>x</a><a name=a>")).problems).toEqual([
    `01-part/1.html:2: warning: link "#b" ${end}`,
  ]);
});

const attributesOf = async (info: string): Promise<string> =>
  /<code([^>]*)>/.exec(await toMarkdown(`~~~${info}\nx\n~~~\n`))?.[1]?.trim() ?? "";

testTexts("a code block has its language as a class and the rest as data attributes", attributesOf, {
  '{.python .numberLines startFrom="3" #code}':
    'class="language-python" data-number-lines="" data-start-from="3" id="code"',
  "jsx{2} title='x y' live={true}": 'class="language-jsx" data-highlight="2" data-title="x y" data-live="true"',
  "a onclick=x größe=1 b b=2 @eval 名前":
    'class="language-a" data-onclick="x" data-gr-e="1" data-b="" data-eval="" data-more="名前"',
  [`a ${Array.from({ length: 30 }, (_, n) => `w${n}`).join(" ")}`]: expect.stringMatching(
    /^class="language-a"( data-w\d+=""){20} data-more="w20 w21/,
  ),
});

test("a callout has classes, and the author's title or a default in the course's language", async () => {
  const text = "> [!TIP]\n> Drink *tea*.\n\n> [!WARNING] Very *hot* \\\n> - a\n\n> [!note]- Folded\n";
  const html = (tip: string): string =>
    callout("tip", tip, "<p>Drink <em>tea</em>.</p>\n") +
    callout("warning", "Very <em>hot</em> \\", "<ul>\n<li>a</li>\n</ul>\n") +
    callout("note", "Folded", "");
  expect(await toMarkdown(text)).toBe(html("Tip"));
  const inFolder = async (folder: string, written = text) => {
    const toctree = "- title: A\n  sections:\n  - {local: a, title: L}";
    const { lessons } = await read({ [`${folder}/_toctree.yml`]: toctree, [`${folder}/a.mdx`]: written });
    return lessons[0]?.additionalText;
  };
  for (const [folder, tip] of Object.entries({ de: "Tipp", pt_BR: "Dica", jp: "ヒント", constructor: "Tip" })) {
    expect(await inFolder(folder)).toBe(html(tip));
  }
  const warning = callout("warning", "Warnung", "<p>Heiß.</p>\n");
  expect(await inFolder("de", "<Warning>\n\nHeiß.\n\n</Warning>\n")).toBe(warning);
});

testTexts("HTML in Markdown loses its comments, except in code", toMarkdown, {
  "<div>\n<!-- h\n-->\n<b>i</b><!-- j -->\n</div>\n<script>// <!-- k -->\n</script>\n":
    "<div>\n<b>i</b>\n</div>\n<script>// <!-- k -->\n</script>\n",
  "<div>\n<!-- a\n\nb\n\nc --> <!-- d\n\ne -->\n</div>\nF\n\n*G*\n": "<div>\n</div>\nF\n<p><em>G</em></p>\n",
});

test("HTML in Markdown keeps text below an unclosed comment, and the lines of reported problems", async () => {
  const { lesson } = await readLesson("1.md", "<p>\n<!-- never\n\nclosed\n");
  expect(lesson?.additionalText).toBe("<p>\n<p>closed</p>\n");
  const text = 'x\n\n<div><!-- a\nb --><a href="c.md">\n<!-- d -->\n<!-- e --><a href="f.md"></a></a></div>\n';
  const { problems } = await readLesson("1.md", text);
  const links = problems.map((problem) => /md:(\d+): .*link "(.*?)"/.exec(problem)?.slice(1).join(" "));
  expect(links.filter(Boolean)).toEqual(["4 c.md", "6 f.md"]);
});

testTexts("HTML in Markdown contains Markdown if its author says so", toMarkdown, {
  '<section markdown>\n*f*\n</section>\n\n<div markdown="1">*g*</div>\n\n<div markdown="0">\n*h*\n</div>\n':
    "<section>\n<p><em>f</em></p>\n</section>\n<div><em>g</em></div>\n<div>\n*h*\n</div>\n",
  '<span markdown="1">*i*</span> j\n': "<p><span><em>i</em></span> j</p>\n",
  '<details markdown="1"><summary>*a*</summary>\nb *c*\n</details>\n\n<details>\n<summary>*g*</summary>\n</details>\n':
    "<details>\n<summary><em>a</em></summary>\n<p>b <em>c</em></p>\n</details>\n<details>\n<summary>*g*</summary>\n</details>\n",
});

// Definitions hold blocks of every kind.
const toDefinitions = async (text: string, toFiles: (text: string) => Files = (page) => ({ "a.md": page })) => {
  const { lessons, problems } = await read(toFiles(`${text}\nend\n`));
  expect(problems).toEqual([]);
  return lessons[0]?.additionalText.replace("<p>end</p>\n", "");
};

const inList = (definition: string): string => `<dl>\n<dt>Tea</dt>\n<dd>${definition}</dd>\n</dl>\n`;
const LIST = "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n";
const BELOW = inList(`\n<p>x</p>\n${LIST}`);
const CODE = '<pre><code class="language-sh">boil\n  wait\n</code></pre>\n';

testTexts("a definition", (text) => toDefinitions(text), {
  "Tea\n:   - a\n    - b\n": inList(`\n${LIST}`),
  "Tea\n: x\n  - a\n  - b\n": BELOW,
  "Tea\n:   ```sh\n    boil\n      wait\n    ```\n": inList(`\n${CODE}`),
  "Tea\n:   x\n\n        boil\n": inList("\n<p>x</p>\n<pre><code>boil\n</code></pre>\n"),
  "Tea\n: x\ny\n": inList("x\ny"),
  "Tea\n:   x\n\n    Pot\n    :   y\n": inList("\n<p>x</p>\n<dl>\n<dt>Pot</dt>\n<dd>y</dd>\n</dl>\n"),
  "- Tea\n  :   - a\n      - b\n": `<ul>\n<li>\n${inList(`\n${LIST}`)}</li>\n</ul>\n`,
  "> Tea\n> :   - a\n>     - b\n": `<blockquote>\n${inList(`\n${LIST}`)}</blockquote>\n`,
  "Tea\n: a\n: b\nPot\n: c\n\nCup\n\n: d\n\n## H\n: no\n\n    code\n":
    "<dl>\n<dt>Tea</dt>\n<dd>a</dd>\n<dd>b</dd>\n<dt>Pot</dt>\n<dd>c</dd>\n<dt>Cup</dt>\n<dd>d</dd>\n</dl>\n" +
    '<h2 id="h">H</h2>\n<p>: no</p>\n<pre><code>code\n</code></pre>\n',
});

// What GitHub adds to Markdown: footnotes, tasks, addresses that are links.
const reference = (number: number, use = ""): string =>
  `<sup class="footnote-ref"><a href="#fn${number}" id="fnref${number}${use}" role="doc-noteref">${number}</a></sup>`;
const back = (number: number, use = ""): string =>
  ` <a href="#fnref${number}${use}" class="footnote-back" role="doc-backlink">\u21a9\ufe0e</a>`;
const notes = (...items: string[]): string =>
  `<section class="footnotes" role="doc-endnotes">\n<ol>\n${items.join("")}</ol>\n</section>\n`;

testTexts("a footnote is shown at the end, with links in both directions", toMarkdown, {
  "A[^long] b[^1], again[^LONG].\n\n[^1]: One *word*.\n[^long]: First.\n\n    Second.\n\n        code\n\nEnd.\n":
    `<p>A${reference(1)} b${reference(2)}, again${reference(1, "-2")}.</p>\n<p>End.</p>\n` +
    notes(
      `<li id="fn1">\n<p>First.</p>\n<p>Second.</p>\n<pre><code>code\n</code></pre>\n${back(1)}${back(1, "-2")}</li>\n`,
      `<li id="fn2">\n<p>One <em>word</em>.${back(2)}</p>\n</li>\n`,
    ),
});

const box = '<input type="checkbox" disabled> ';
const done = '<input type="checkbox" disabled checked> ';

testTexts("a task", toMarkdown, {
  "- [ ] a *b*\n- [x] c\n  1. [X] d\n- e\n\n* [ ] f\n\n  g\n":
    `<ul class="tasks">\n<li class="task">${box}a <em>b</em></li>\n` +
    `<li class="task">${done}c\n<ol class="tasks">\n<li class="task">${done}d</li>\n</ol>\n</li>\n<li>e</li>\n</ul>\n` +
    `<ul class="tasks">\n<li class="task">\n<p>${box}f</p>\n<p>g</p>\n</li>\n</ul>\n`,
  "- [ ]a\n- [x](https://x.example)\n- `[ ] b`\n- [y] c\n- [ ]`d`\n\n[ ] e\n":
    '<ul>\n<li>[ ]a</li>\n<li><a href="https://x.example">x</a></li>\n<li><code>[ ] b</code></li>\n<li>[y] c</li>\n' +
    "<li>[ ]<code>d</code></li>\n</ul>\n<p>[ ] e</p>\n",
});

const link = (url: string, text = url): string => `<a href="${url}">${text}</a>`;
const FORMULAS =
  "A $`x_1 < \\_`$, $`ls` or `$HOME`, `$`y`$`.\n\n```math\na_1 \\\\\n\nb\n```\n\n- ~~~ math\n  c\n  ~~~\n\n```math x\nd\n```";

const addresses: Record<string, string> = {
  "See https://tea.example/a_b_c?x=1&y=2#z.": `<p>See ${link("https://tea.example/a_b_c?x=1&amp;y=2#z")}.</p>`,
  "(https://tea.example/w_(x)), **http://tea.example**": `<p>(${link("https://tea.example/w_(x)")}), <strong>${link("http://tea.example")}</strong></p>`,
  "www.tea.example/a!": `<p>${link("http://www.tea.example/a", "www.tea.example/a")}!</p>`,
  "👉https://tea.example/叶。见https://tea.example了解（https://tea.example/a）": `<p>👉${link("https://tea.example/%E5%8F%B6", "https://tea.example/叶")}。见${link("https://tea.example")}了解（${link("https://tea.example/a")}）</p>`,
  "a\\_b https://tea.example/a\\_b\nhttps://tea.example/c": `<p>a_b ${link("https://tea.example/a_b")}\n${link("https://tea.example/c")}</p>`,
  "https://tea.example:8080/'a'": `<p>${link("https://tea.example:8080/'a")}'</p>`,
  [FORMULAS]:
    '<p>A <span class="math inline">x_1 &lt; \\_</span>, $<code>ls</code> or <code>$HOME</code>, <code>$</code>y<code>$</code>.</p>\n' +
    '<div class="math display">a_1 \\\\\n\nb\n</div>\n<ul>\n<li>\n<div class="math display">c\n</div>\n</li>\n</ul>\n' +
    '<pre><code class="language-math" data-x="">d\n</code></pre>',
};
test.each(Object.entries(addresses))("a bare URL becomes a link, and $`…`$ a formula: %j", async (text, html) => {
  expect([await toMarkdown(`${text}\n`), await render("1.mdx", `${text}\n`)]).toEqual([`${html}\n`, `${html}\n`]);
});

test.each<[text: string, links?: number]>([
  ["README.md, me@tea.example, http://localhost:3000, https://{host}/a, xhttps://tea.example, git://tea.example"],
  ['[https://tea.example/a](https://x.example) <a href="https://tea.example">https://tea.example</a>', 2],
])("a bare URL stays as written: %j", async (text, links = 0) => {
  expect((await toMarkdown(`${text}\n`)).match(/<a /g)?.length ?? 0).toBe(links);
});
