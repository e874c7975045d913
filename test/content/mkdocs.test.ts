// The Markdown of MkDocs and Zensical: that of Python-Markdown and PyMdown.
import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { callout, render, tabs } from "../support/mkdocs.ts";
import { read, readFolder, testTexts, writeFolder, type Files } from "../support/written-folder.ts";

const folded = (kind: string, open: string, title: string, text: string): string =>
  `<details class="callout" data-callout="${kind}"${open}>\n<summary>${title}</summary>\n${text}</details>\n`;
const withoutProblems = (extensions: string) => async (text: string) => {
  const { html, problems } = await render(extensions, text);
  expect(problems).toEqual([]);
  return html;
};

describe("boxes and tabs", () => {
  const EXTENSIONS =
    "[admonition, pymdownx.details, pymdownx.tabbed, pymdownx.blocks.admonition, pymdownx.blocks.details, pymdownx.blocks.tab, pymdownx.blocks.html, pymdownx.blocks.caption, pymdownx.critic, pymdownx.quotes, pymdownx.emoji]";
  const shown = withoutProblems(EXTENSIONS);
  const x = "<p>x</p>\n";
  testTexts("boxes", shown, {
    "!!! note\n    *x*\n": callout("note", "Note", "<p><em>x</em></p>\n"),
    '!!! danger inline end ""\n    x\n': '<aside class="callout" data-callout="caution">\n<p>x</p>\n</aside>\n',
    "a\n!!! example\n    x\n": `<p>a</p>\n${callout("note", "Example", x)}`,
    "??? question\n    x\n": folded("note", "", "Question", x),
    "> [!note]+ Open\n> x\n": folded("note", ' open=""', "Open", x),
    "> [!tip | inline | end]\n> x\n": callout("tip", "Tip", x),
    "{==\n\na\n\n==}\n\n{--\n\n- b\n": "<mark>\n<p>a</p>\n</mark>\n<p>{--</p>\n<ul>\n<li>b</li>\n</ul>\n",
  });

  testTexts("blocks", shown, {
    "/// tip | Hot\nx\n///\n": callout("tip", "Hot", x),
    "/// details | Why\n    type: warning\n    open: True\n\nx\n///\n": folded("warning", ' open=""', "Why", x),
    "//// note\n/// tip\nx\n///\ny\n////\nz": `${callout("note", "Note", `${callout("tip", "Tip", x)}<p>y</p>\n`)}<p>z</p>\n`,
    "/// html | script\nx\n///\n": "<div>\n<p>x</p>\n</div>\n",
    "/// html | p\n    markdown: raw\n\n*a* <b>\n///\n*c*": "<p>\n\n*a* &lt;b&gt;\n</p>\n<p><em>c</em></p>\n",
    "a\n\n/// caption\nb\n///\n": "<figure>\n<p>a</p>\n<figcaption>\n<p>b</p>\n</figcaption>\n</figure>\n",
    "a\n\n/// caption | <\nb\n///\n": "<figure>\n<figcaption>\n<p>b</p>\n</figcaption>\n<p>a</p>\n</figure>\n",
    '=== "A"\n\n    x\n\n=== "B"\n\n    y\n\nz': `${tabs(["A", x], ["B", "<p>y</p>\n"])}<p>z</p>\n`,
    "/// tab | A\nx\n///\n/// tab | B\ny\n///\n": tabs(["A", x], ["B", "<p>y</p>\n"]),
  });
});

describe("inline syntax", () => {
  const EXTENSIONS = `[abbr, attr_list, toc, pymdownx.arithmatex, pymdownx.caret, pymdownx.critic, pymdownx.emoji, pymdownx.inlinehilite, pymdownx.keys, pymdownx.mark, pymdownx.progressbar, pymdownx.smartsymbols, pymdownx.superfences, pymdownx.tilde]`;
  const shown = async (text: string) => (await withoutProblems(EXTENSIONS)(text)).replace(/^<p>|<\/p>\n$/g, "");
  testTexts("becomes", shown, {
    "==a *b*== ^^c^^ ~~d~~ e^2^ H~2~O": "<mark>a <em>b</em></mark> <ins>c</ins> <s>d</s> e<sup>2</sup> H<sub>2</sub>O",
    "a == b == c and a^^b, c++ and C++ are": "a == b == c and a^^b, c++ and C++ are",
    ":smile: :man_raising_hand: :no-such: 12:30:45": "😄 🙋‍♂️ :no-such: 12:30:45",
    ":material-check: :octicons-x-16:{ .no } :fontawesome-solid-circle-xmark:": "✓ ✗ ✗",
    '[=50% "Half"]': '<progress value="50" max="100">Half</progress> Half',
    '++ctrl+alt+del++ ++"A b"++': "<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd> <kbd>A b</kbd>",
    "++lcmd+comma++ ++pg-up++ ++num5++": "<kbd>Left Cmd</kbd>+<kbd>,</kbd> <kbd>Page Up</kbd> <kbd>Num 5</kbd>",
  });

  const withNotes = async (text: string) => {
    const { html, problems } = await render(EXTENSIONS, text);
    return [
      html.replaceAll(/^<p>|\s*<\/p>\n$/g, ""),
      ...problems.map((each) => each.replace(/^docs\/a\.md:[12]: note: /, "")),
    ];
  };
  testTexts("is left out and counted", withNotes, {
    ":material-leaf: Tea [:octicons-leaf-16:{ .big } a](#)": [
      'Tea <a href="#">a</a>',
      "icon :material-leaf: is left out: it is an image of the site's theme (2 times in this file)",
    ],
    "a {>>*why*<<} b\n\n{>>c<<}": ["a b", "comment {>>*why*<<} is left out (2 times in this file)"],
    "![](https://a.b/l.png#only-light)\n[![](https://a.b/d.png#only-dark){ .c }](https://a.b)\n![](https://a.b/d.png#gh-dark-mode-only)":
      [
        '<img src="https://a.b/l.png#only-light" alt="" loading="lazy">',
        'image "https://a.b/d.png#only-dark" is left out: the page has one for light pages (2 times in this file)',
      ],
  });
  const QUIZ = "<quiz> is left out: it contains its answers and needs the plugin mkdocs_quiz";
  test.each([
    ["material/tags", "[TAGS]", "[TAGS] is left out: a plugin lists the site's tags there"],
    ["mkdocs_quiz", "<quiz>\nGreen?\n- [x] Yes\n- [ ] No\n\n```\nWhy\n```\n</quiz>", QUIZ],
  ])("the plugin %s: %j is left out and counted", async (plugin, text, told) => {
    const files = { "mkdocs.yml": `nav: [a.md]\nplugins: [${plugin}]\n`, "docs/a.md": `a\n\n${text}\n\nb\n` };
    const { lessons, problems } = await read(files);
    expect(lessons[0]?.additionalText).toBe("<p>a</p>\n<p>b</p>\n");
    expect(problems).toEqual([`docs/a.md:3: note: ${told}`]);
  });
});

const htmlWith = (extensions: string) => async (text: string) => (await render(extensions, text)).html;

testTexts("text outside CommonMark", htmlWith("[toc]"), {
  "a\n#Tea ##\n#. b": '<p>a</p>\n<h1 id="tea">Tea</h1>\n<p>#. b</p>\n',
  '[a](https://x.example/a b.md "T")': '<p><a href="https://x.example/a%20b.md" title="T">a</a></p>\n',
  "<p>\n<b>*a*</b></p>\n*b*": "<p>\n<b>*a*</b></p>\n<p><em>b</em></p>\n",
});

const ALL = "[admonition, attr_list, def_list, footnotes, md_in_html, pymdownx.superfences, smarty, tables]";
testTexts("extensions of Python-Markdown", htmlWith(ALL), {
  '- a\n\n    ``` py title="`tea` b" linenums="1"\n    c\n    ```\n\n```py title="`"``` d':
    '<ul>\n<li>\n<p>a</p>\n<pre><code class="language-py" data-title="`tea` b" data-linenums="1">c\n</code></pre>\n</li>\n</ul>\n' +
    "<p><code>py title=&quot;`&quot;</code> d</p>\n",
  '## Tea f{x=1} { data-toc-label="x y" }': '<h2 id="tea-fx1">Tea f{x=1}</h2>\n',
  "a[^1]{ .b } [c]{ .d }\n\n[^1]: e": expect.stringContaining('role="doc-noteref">1</a></sup> [c]{ .d }</p>'),
  '<div markdown>\n  <div class="grid" markdown>\n\n- a\n\n    - b\n\n    ```\n    </div>\n    ```\n\n  </div>\n</div>\n\nc':
    '<div>\n<div class="grid">\n<ul>\n<li>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n' +
    "<pre><code>&lt;/div&gt;\n</code></pre>\n</li>\n</ul>\n</div>\n</div>\n<p>c</p>\n",
});
testTexts("sane headers", htmlWith("[pymdownx.saneheaders]"), { "#Tea": "<p>#Tea</p>\n" });

const withMetadata = async (text: string) => {
  const { html, problems } = await render("[pymdownx.mark]", text);
  return [html, ...problems];
};
testTexts("lines of metadata before a page are left out and counted", withMetadata, {
  "Title: Tea\nauthors: A\n    B\nempty:\n\n==x==\n": [
    "<p><mark>x</mark></p>\n",
    "docs/a.md:1: note: metadata such as Title: is left out: only front matter between --- is read",
  ],
  "Note: kept\nx\n": ["<p>Note: kept\nx</p>\n"],
});

const site = (options: string, files: Files): Files => ({
  "mkdocs.yml": `nav: [a.md]\nmarkdown_extensions:\n  - abbr\n  - pymdownx.snippets: ${options}\n`,
  ...files,
});
const renderSite = async (options: string, files: Files) => {
  const { lessons, problems } = await read(site(options, files));
  return { html: lessons[0]?.additionalText, problems };
};

test("snippets include lines, sections and blocks, with their indentation, even from dotted folders", async () => {
  const { html, problems } = await renderSite("{base_path: [docs/.parts, LICENSE.md], auto_append: [abbr.md]}", {
    "docs/a.md":
      'HTML\n\n- a\n\n    --8<-- "list.md:2:3"\n\n--8<--\nsections.txt:two\n; off.md\n\nLICENSE.md\n--8<--\n\n```\n;--8<-- "list.md"\n--8<-- "list.md:1:1"\n```\n\n--8<-- "; off.md"\n',
    "docs/.parts/list.md": "one\ntwo\nthree\nfour\n",
    "docs/.parts/sections.txt": "x\n# --8<-- [start:two]\ny\n# --8<-- [end:two]\nz\n",
    "docs/.parts/abbr.md": "*[HTML]: Hyper\n",
    "LICENSE.md": '\nfree, as in "list.md"\n',
  });
  expect(problems).toEqual([]);
  expect(html).toBe(
    '<p><abbr title="Hyper">HTML</abbr></p>\n<ul>\n<li>\n<p>a</p>\n<p>two\nthree</p>\n</li>\n</ul>\n<p>y</p>\n<p>free, as in &quot;list.md&quot;</p>\n<pre><code>--8&lt;-- &quot;list.md&quot;\none\n</code></pre>\n',
  );
});

test("snippets {!file!} of Python-Markdown includes lines and files, too", async () => {
  const { lessons, problems } = await read({
    "mkdocs.yml": "nav: [a.md]\nmarkdown_extensions:\n  mdx_include:\n    base_path: docs\n",
    "docs/a.md":
      '- a\n\n    {!b.txt!}\n\n```\n{!> ../c.py [ln:2-3] !}\n{!../c.py!lines=1 3}\n--8<-- "b.txt"\n```\n\n{! no.md !}\n{!../../../etc/passwd!}\n{!../.git/config!}\n',
    "docs/b.txt": "*b*\n{!b.txt!}\n",
    "c.py": "1\n2\n3\n4\n",
    ".git/config": "secret",
  });
  expect(lessons[0]?.additionalText).toBe(
    "<ul>\n<li>\n<p>a</p>\n<p><em>b</em></p>\n</li>\n</ul>\n<pre><code>2\n3\n1\n3\n--8&lt;-- &quot;b.txt&quot;\n</code></pre>\n",
  );
  expect(problems).toEqual([
    'docs/b.txt:2: warning: snippet "b.txt" includes itself: docs/a.md → docs/b.txt → docs/b.txt',
    'docs/a.md:11: warning: snippet "no.md" points to a missing file: no folder in base_path contains no.md',
    'docs/a.md:12: warning: snippet "../../../etc/passwd" points outside its base_path or the source folder, and is skipped',
    'docs/a.md:13: warning: snippet "../.git/config" is left out: it points to a hidden or ignored path',
  ]);
});

test.each([
  ["../../secret.md", "points outside its base_path or the source folder, and is skipped"],
  ["https://tea.example/a.md", "is a URL and is left out: url_download is not configured"],
  ["b.md:gone", "names a section that docs/b.md does not contain"],
])('"%s" that cannot be read', async (name, fault) => {
  const files = { "docs/a.md": `x\n\n--8<-- "${name}"\n`, "docs/b.md": '--8<-- "b.md"\n', "docs/c.md": "x" };
  const { problems } = await renderSite("{base_path: docs}", files);
  const file = name === "b.md" ? "docs/b.md:1" : "docs/a.md:3";
  expect(problems[0]).toBe(`${file}: warning: snippet "${name}" ${fault}`);
});

const SECRETS = `.git/config .snippets/a.md .snippets/ignored.md .snippets/.hidden/a.md
  .streamlit/a.md docs/node_modules/a.md`.split(/\s+/);
test.each([
  ["base_path: .git", "config"],
  ["base_path: .streamlit", "a.md"],
  ["base_path: .", ".git/config"],
  ["base_path: .", ".snippets/a.md"],
  ["base_path: .snippets", "link.md"],
  ["base_path: .snippets", "ignored.md"],
  ["base_path: docs/node_modules", "a.md"],
  ["base_path: .", "."],
  ["base_path: .", "docs/up"],
])("snippets {%s} does not read %s", async (option, name) => {
  const secrets = SECRETS.map((path) => [path, "secret"]);
  const page = { ".lecternignore": ".snippets/ignored.md\n", "docs/a.md": `x\n\n--8<-- "${name}"\n` };
  const root = writeFolder(site(`{${option}}`, { ...page, ...Object.fromEntries(secrets) }));
  symlinkSync(join(root, ".git/config"), join(root, ".snippets/link.md"));
  symlinkSync("..", join(root, "docs/up"));
  const { lessons, problems } = await readFolder(root);
  expect(lessons.map(({ additionalText }) => additionalText)).toEqual(["<p>x</p>\n"]);
  expect(problems.filter((each) => each.includes("snippet"))).toHaveLength(1);
  expect(problems.join()).not.toContain("secret");
});

test("snippets ranges of lines can overlap and exceed the file", async () => {
  const files = { "docs/a.md": "--8<--\nb.txt:2:3,3:4,-1,-,9:9999999\n--8<--\n", "b.txt": "1\n2\n3\n4\n5\n6\n" };
  expect(await renderSite("{}", files)).toEqual({ html: "<p>2\n3\n4\n6</p>\n", problems: [] });
});

test("snippets that multiply stop once the limit is reached, with one error", async () => {
  const again = (name: string): string => `--8<-- "${name}"\n`.repeat(20);
  const parts = ["b", "c", "d"].map((name, at) => [`docs/.parts/${name}.md`, again(`${"cde"[at]}.md`)]);
  const files = { "docs/a.md": again("b.md"), ...Object.fromEntries(parts), "docs/.parts/e.md": "x\n" };
  const { problems } = await renderSite("{base_path: docs/.parts}", files);
  expect(problems.filter((each) => each.includes("a source is limited to 2,000 directives"))).toHaveLength(1);
});

test("snippets that are appended to every page, or have too many lines together, count", async () => {
  const missing = Array.from({ length: 20_001 }, () => "//m").join(", ");
  const many = await renderSite(`{auto_append: [${missing}]}`, { "docs/a.md": "x\n" });
  const long = await renderSite("", { "docs/a.md": '--8<-- "b.txt"\n'.repeat(2), "b.txt": "\n".repeat(600_000) });
  for (const { problems } of [many, long])
    expect(problems.filter((each) => each.includes("makes the text too large"))).toHaveLength(1);
});
