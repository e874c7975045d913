// What GitHub adds to Markdown, which authors use in courses everywhere: footnotes, tasks, addresses that are links.
import { expect, test } from "bun:test";
import { render, testTexts } from "../support/written-folder.ts";

const toMarkdown = (text: string) => render("1.md", text);
const toMdx = (text: string) => render("1.mdx", text);

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
  // No reference, and a label twice.
  "a[^a]\n\n[^b]: B\n[^a]: A\n[^a]: A2\n":
    `<p>a${reference(1)}</p>\n` +
    notes(
      `<li id="fn1">\n<p>A${back(1)}</p>\n</li>\n`,
      '<li id="fn2">\n<p>B</p>\n</li>\n<li id="fn3">\n<p>A2</p>\n</li>\n',
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
  expect([await toMarkdown(`${text}\n`), await toMdx(`${text}\n`)]).toEqual([`${html}\n`, `${html}\n`]);
});

test.each<[text: string, links?: number]>([
  ["README.md, me@tea.example, http://localhost:3000, https://{host}/a, xhttps://tea.example, git://tea.example"],
  ['[https://tea.example/a](https://x.example) <a href="https://tea.example">https://tea.example</a>', 2],
])("a bare URL stays as written: %j", async (text, links = 0) => {
  expect((await toMarkdown(`${text}\n`)).match(/<a /g)?.length ?? 0).toBe(links);
});
