// Sites of MkDocs and Zensical: their configuration, and the Markdown of Python-Markdown and PyMdown.
import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const withExtensions = (extensions: string, text: string): Files => ({
  "mkdocs.yml": `nav: [a.md]\nmarkdown_extensions: ${extensions}\n`,
  "docs/a.md": text,
});

async function render(extensions: string, text: string): Promise<{ html: string; problems: string[] }> {
  const { lessons, problems } = await read(withExtensions(extensions, text));
  return { html: lessons[0]?.additionalText ?? "", problems };
}

const callout = (kind: string, title: string, text: string): string =>
  `<aside class="callout" data-callout="${kind}">\n<p class="callout-title">${title}</p>\n${text}</aside>\n`;
const folded = (kind: string, open: string, title: string, text: string): string =>
  `<details class="callout" data-callout="${kind}"${open}>\n<summary>${title}</summary>\n${text}</details>\n`;
const tabs = (...each: [title: string, text: string][]): string =>
  `<div class="options">\n${each
    .map(
      ([title, text]) =>
        `<div class="option" data-option="${title}">\n<p class="option-title">${title}</p>\n${text}</div>\n`,
    )
    .join("")}</div>\n`;

describe("the configuration", () => {
  test.each<[what: string, files: Files]>([
    [
      "beside course.yaml",
      {
        "course.yaml": "name: C\nchapters: [{name: A, lessons: [docs/a]}]\n",
        "mkdocs.yml": "markdown_extensions: [admonition, pymdownx.snippets]\n",
      },
    ],
    [
      "above it",
      {
        "docs/course.yaml": "name: C\nchapters: [{name: A, lessons: [a]}]\n",
        "mkdocs.yml": "markdown_extensions: [admonition, pymdownx.snippets]\n",
      },
    ],
  ])("sets the Markdown of lessons whose chapters are in a course.yaml: %s", async (_, files) => {
    const text = { "docs/a.md": '!!! tip "T"\n    x\n\n--8<-- "s.txt"\n', "s.txt": "y\n" };
    const { lessons, courses, problems } = await read({ ...files, ...text });
    expect(problems).toEqual([]);
    expect([courses[0]?.name, outlinesOf(courses)]).toEqual(["C", "A > A"]);
    expect(lessons[0]?.additionalText).toBe(`${callout("tip", "T", "<p>x</p>\n")}<p>y</p>\n`);
  });

  test("does not apply to a course.yaml in another folder", async () => {
    const yaml = "name: C\nchapters: [{name: A, lessons: [a]}]\n";
    const { lessons } = await read({
      "other/course.yaml": yaml,
      "mkdocs.yml": "markdown_extensions: [admonition]\n",
      "docs/b.md": "x",
      "other/a.md": "!!! tip\n    x\n",
    });
    expect(lessons[0]?.additionalText).toContain("<p>!!! tip");
  });

  test.each([
    ["zensical.toml", '[project]\nsite_name = "Tea"\nnav = [{ "Hot" = "b.md" }, { "Leaves" = ["a.md"] }]\n'],
    ["zensical.yml", "site_name: Tea\nnav: [{Hot: b.md}, {Leaves: [a.md]}]\n"],
    ["zensical.yaml", "site_name: Tea\nnav: [{Hot: b.md}, {Leaves: [a.md]}]\n"],
    ["mkdocs.yaml", "site_name: Tea\nnav: [{Hot: b.md}, {Leaves: [a.md]}]\n"],
  ])("%s sets the name and nav of the course", async (name, config) => {
    const { courses, problems } = await read({ [name]: config, "docs/a.md": "x", "docs/b.md": "x" });
    expect([courses[0]?.name, outlinesOf(courses)]).toEqual(["Tea", "Introduction > Hot; Leaves > A"]);
    expect(problems).toEqual([]);
  });

  test("pages may be deep below it", async () => {
    const { courses, problems } = await read({
      "mkdocs.yml": "docs_dir: docs/src/pages\nnav: [b.md, a.md]\n",
      "docs/src/pages/a.md": "x",
      "docs/src/pages/b.md": "x",
    });
    expect(outlinesOf(courses)).toBe("Introduction > B, A");
    expect(problems).toEqual([]);
  });

  test("!ENV uses its default, never the environment", async () => {
    process.env["TEA_NAME"] = "Coffee";
    const page = { "docs/a.md": "x" };
    const named = await read({ "mkdocs.yml": 'site_name: !ENV [TEA_NAME, "Tea"]\nnav: [a.md]\n', ...page });
    const unnamed = await read({ "mkdocs.yml": "site_name: !ENV TEA_NAME\nnav: [a.md]\n", ...page });
    delete process.env["TEA_NAME"];
    expect([named.courses[0]?.name, named.problems]).toEqual(["Tea", []]);
    expect([unnamed.courses[0]?.name, unnamed.problems]).toEqual([
      "Docs",
      [
        "mkdocs.yml:1:1: warning: site_name is ignored: !ENV has no default, and imports do not read environment variables",
      ],
    ]);
  });

  test("INHERIT is followed within the source, and mappings are merged", async () => {
    const { courses, lessons, problems } = await read({
      "base.yml": "site_name: Base\nmarkdown_extensions:\n  admonition: {}\n",
      "mkdocs.yml": "INHERIT: base.yml\nsite_name: Tea\nnav: [a.md]\nmarkdown_extensions:\n  pymdownx.mark: {}\n",
      "docs/a.md": "!!! tip\n    ==x==\n",
    });
    expect(courses[0]?.name).toBe("Tea");
    expect(lessons[0]?.additionalText).toBe(callout("tip", "Tip", "<p><mark>x</mark></p>\n"));
    expect(problems).toEqual([]);
  });

  test.each([
    ["../base.yml", "points outside the source folder"],
    ["https://tea.example/base.yml", "is not a path relative to its file"],
    ["/etc/base.yml", "is not a path relative to its file"],
    ["gone.yml", "does not exist"],
    [".git/base.yml", "points to a hidden or ignored path"],
    ["mkdocs.yml", "inherits from itself"],
  ])("INHERIT: %s is not followed", async (parent, fault) => {
    const files = { "mkdocs.yml": `nav: [a.md]\nINHERIT: ${parent}\n`, "docs/a.md": "x", ".git/base.yml": "nav: []" };
    expect((await read(files)).problems).toEqual([`mkdocs.yml:2:1: warning: INHERIT is ignored: ${parent} ${fault}`]);
  });

  test("unconfigured syntax is text; Zensical configures most extensions by default", async () => {
    const text = "!!! tip\n    ==x==\n";
    expect((await render("[toc]", text)).html).toBe("<p>!!! tip\n==x==</p>\n");
    expect((await render("[admonition]", text)).html).toContain("<p>==x==</p>");
    const { lessons } = await read({ "zensical.toml": '[project]\nnav = ["a.md"]\n', "docs/a.md": text });
    expect(lessons[0]?.additionalText).toBe(callout("tip", "Tip", "<p><mark>x</mark></p>\n"));
  });

  test("pages of numbered courses have their site's syntax too", async () => {
    const files = {
      "mkdocs.yml": "nav: [02-b.md, 01-a.md]\nmarkdown_extensions: [admonition]\n",
      "docs/01-a.md": "!!! tip\n    x\n",
      "docs/02-b.md": "x",
    };
    const numbered = await read(files);
    expect(numbered.lessons[0]?.additionalText).toBe(callout("tip", "Tip", "<p>x</p>\n"));
    expect([outlinesOf(numbered.courses), numbered.problems]).toEqual(["Introduction > A, B", []]);
    const byNav = await readFolder(writeFolder(files), undefined, { format: "plain" });
    expect([outlinesOf(byNav.courses), byNav.problems]).toEqual(["Introduction > B, A", []]);
  });

  test("SUMMARY.md is a page beside nav; else the order of the site's pages", async () => {
    const files = { "docs/SUMMARY.md": "- [Two](b.md)\n- [One](a.md)\n", "docs/a.md": "x", "docs/b.md": "==x==" };
    const config = "site_name: Tea\nmarkdown_extensions: [pymdownx.mark]\nplugins: [literate-nav]\n";
    const byNav = await read({ "mkdocs.yml": `${config}nav: [a.md]\n`, ...files });
    const bySummary = await read({ "mkdocs.yml": config, ...files });
    expect([byNav, bySummary].map(({ courses }) => [courses[0]?.name, outlinesOf(courses)])).toEqual([
      ["Tea", "Introduction > A"],
      ["Tea", "Two > Two; One > One"],
    ]);
    expect(bySummary.lessons[0]?.additionalText).toBe("<p><mark>x</mark></p>\n");
  });

  test.each([["nav: [index.md, in/a.md, b.md]\n"], [""]])("pages that it excludes are left out: %p", async (nav) => {
    const { courses, problems } = await read({
      "mkdocs.yml": `${nav}exclude_docs: |\n  in/\n  *.old.md\ndraft_docs: b.md\n`,
      "docs/index.md": "[a](in/a.md)",
      ...pages("docs/in/a.md", "docs/c.old.md", "docs/b.md"),
    });
    expect(outlinesOf(courses)).toBe("Introduction > Introduction");
    expect(problems).toContain(`docs: note: ${nav === "" ? 3 : 2} pages that their site excludes are left out`);
    expect(problems).toContain(
      'docs/index.md:1: warning: link "in/a.md" points to docs/in/a.md, which is left out for now',
    );
  });

  test("what mkdocstrings makes of code is left out and counted, and references to it are text", async () => {
    const { lessons, problems } = await read({
      "mkdocs.yml": "nav: [a.md]\nplugins:\n  - mkdocstrings: {}\n",
      "docs/a.md":
        "x\n\n::: tea.Leaf\n    options:\n      heading_level: 2\n\ny [`*z*`][tea.Leaf] *[b][]* [c][d] [^1] [e]\n\n[d]: https://tea.example\n",
    });
    expect(lessons[0]?.additionalText).toBe(
      '<p>x</p>\n<p>y <code>*z*</code> <em>b</em> <a href="https://tea.example">c</a> [^1] [e]</p>\n',
    );
    expect(problems.slice(0, 2)).toEqual([
      "docs/a.md:3: note: ::: tea.Leaf is left out: mkdocstrings makes it of code",
      "docs/a.md:7: note: reference to tea.Leaf is only text: a plugin finds its page (2 times in this file)",
    ]);
  });

  test.each<[nav: string, outline: string, ...problems: string[]]>([
    ["[a/, b/two.md, '*']", "A > Introduction, One; Two > Two, C, D; B > Three"],
    ["[d.md, More: '*.md', B: 'b/*']", "Introduction > D; More > C; B > Three, Two"],
    ["[b, ...]", "B > Three, Two; C > C, D; A > Introduction, One"],
    ["['*/', c.md]", "A > Introduction, One; B > Three, Two; C > C"],
    [
      "[c.md, 'x*', ../, '../*']",
      "Introduction > C",
      'mkdocs.yml:1:13: warning: "x*" in nav matches no other page and is skipped',
      'mkdocs.yml:1:19: warning: "../" in nav matches no other page and is skipped',
      'mkdocs.yml:1:24: warning: "../*" in nav matches no other page and is skipped',
    ],
  ])("folders and patterns in nav: %s", async (nav, outline, ...problems) => {
    const found = await read({
      "mkdocs.yml": `nav: ${nav}\n`,
      ...pages("docs/a/one.md", "docs/a/index.md", "docs/b/two.md", "docs/b/three.md", "docs/c.md", "docs/d.md", "e.md"),
    });
    expect(outlinesOf(found.courses)).toBe(outline);
    expect(found.problems.filter((each) => each.startsWith("mkdocs.yml"))).toEqual(problems);
  });

  test("nav starts at the folder of the default language", async () => {
    const i18n = "{docs_structure: folder, languages: [{locale: en, default: true}, {locale: fr}]}";
    const { courses, problems } = await read({
      "mkdocs.yml": `site_name: Tea\nnav: [b.md, a.md]\ntheme: {language: en}\nplugins:\n  - i18n: ${i18n}\n`,
      ...pages("docs/en/a.md", "docs/en/b.md", "docs/fr/a.md", "docs/fr/b.md", "docs/fr/README.md"),
    });
    expect(courses.map(({ language }) => language)).toEqual(["en", "fr"]);
    expect(outlinesOf(courses.slice(0, 1))).toBe("Introduction > B, A");
    expect(outlinesOf(courses.slice(1))).toStartWith("Introduction > B, A");
    expect(problems.filter((each) => each.startsWith("mkdocs.yml:2"))).toEqual([]);
  });

  test.each([
    ["mkdocs.yml", "site_name: Tea\nnav: [b.md, a.md]\n"],
    ["zensical.toml", '[project]\nsite_name = "Tea"\nnav = ["b.md", "a.md"]\n'],
  ])("%s in folders beside each other make a course each", async (name, config) => {
    const site = (folder: string): Files => ({
      [`${folder}/${name}`]: config,
      ...pages(`${folder}/docs/a.md`, `${folder}/docs/b.md`),
    });
    const { found, problems } = await read({ ...site("sites/en"), ...site("sites/fr"), "README.md": "x" });
    expect(found.map(({ key, course }) => [key, course.name, outlinesOf([course])])).toEqual([
      ["sites/en/docs", "Tea", "Introduction > B, A"],
      ["sites/fr/docs", "Tea", "Introduction > B, A"],
    ]);
    expect(problems).toEqual([]);
  });

  test("globs of the plugin exclude leave pages out", async () => {
    const { courses } = await read({
      "mkdocs.yml": "plugins:\n  - exclude:\n      glob: ['*.old.md', 'in/*']\n",
      ...pages("docs/a.md", "docs/b.old.md", "docs/in/c.md"),
    });
    expect(outlinesOf(courses)).toBe("Introduction > A");
  });

  test("films and sounds of the plugins are players", async () => {
    const { lessons, problems } = await read(
      {
        "mkdocs.yml": "nav: [a/b.md]\nplugins: [mkdocs-video, mkdocs-audio]\n",
        "docs/a/b.md":
          "![type:video](../x.mp4)\n![type:audio](y.mp3)\n![type:video](https://tea.example/embed/z?a&b)\n![type](../x.mp4)\n",
        ...pages("docs/x.mp4", "docs/a/y.mp3"),
      },
      "https://a.example/",
    );
    expect(lessons[0]?.additionalText).toStartWith(
      '<p><video controls src="https://a.example/docs/x.mp4"></video>\n<audio controls src="https://a.example/docs/a/y.mp3"></audio>\n' +
        '<iframe src="https://tea.example/embed/z?a&amp;b" allowfullscreen></iframe>\n<img src="https://a.example/docs/x.mp4"',
    );
    expect(problems).toEqual([]);
  });

  test(".nav.yml orders its folder, or with awesome-nav the site", async () => {
    const files = {
      "docs/.nav.yml": "append_unmatched: true\nnav:\n  - c.md\n  - More:\n      - b\n      - Deep: a/one.md\n",
      "docs/b/.nav.yml": "title: Bees\nnav:\n  - two.md\n  - glob: '*'\n",
      ...pages("docs/a/one.md", "docs/a/index.md", "docs/b/two.md", "docs/b/three.md", "docs/b/four.md", "docs/c.md"),
    };
    const byPlugin = await read({ "mkdocs.yml": "nav: [c.md]\nplugins: [awesome-nav]\n", ...files });
    expect(outlinesOf(byPlugin.courses)).toBe(
      "Introduction > C; More: B > Two, Four, Three; More > Deep; A > Introduction",
    );
    const byFolder = await read({ "mkdocs.yml": "site_name: T\n", ...files });
    expect(outlinesOf(byFolder.courses)).toBe("Introduction > C; A > Introduction, One; Bees > Two, Four, Three");
    expect([...byPlugin.problems, ...byFolder.problems]).toEqual([]);
  });

  test("TOML tables can name extensions too", async () => {
    const { lessons } = await read({
      "zensical.toml":
        '[project]\nnav = ["a.md"]\n[project.markdown_extensions.pymdownx.snippets]\nbase_path = [".snippets"]\n',
      "docs/a.md": '--8<-- "b.md"\n',
      ".snippets/b.md": "tea",
    });
    expect(lessons[0]?.additionalText).toBe("<p>tea</p>\n");
  });
});

describe("boxes and tabs", () => {
  const EXTENSIONS =
    "[admonition, pymdownx.details, pymdownx.tabbed, pymdownx.blocks.admonition, pymdownx.blocks.details, pymdownx.blocks.tab, pymdownx.blocks.html, pymdownx.blocks.caption, pymdownx.critic, pymdownx.quotes, pymdownx.emoji]";
  test.each<[text: string, html: string, ...problems: string[]]>([
    ["!!! note\n    *x*\n", callout("note", "Note", "<p><em>x</em></p>\n")],
    [
      '!!! warning "Hot `tea`"\n\n    x\n\n    y\nz',
      `${callout("warning", "Hot <code>tea</code>", "<p>x</p>\n<p>y</p>\n")}<p>z</p>\n`,
    ],
    ['!!! danger inline end ""\n    x\n', '<aside class="callout" data-callout="caution">\n<p>x</p>\n</aside>\n'],
    ['!!!- danger "Hot"\n    x\n', callout("caution", "Hot", "<p>x</p>\n")],
    ['???- tip "Hot"\n    x\n', folded("tip", "", "Hot", "<p>x</p>\n")],
    ["a\n!!! example\n    x\n", `<p>a</p>\n${callout("note", "Example", "<p>x</p>\n")}`],
    ["!!! tip\n    !!! bug\n        x\n", callout("tip", "Tip", callout("caution", "Bug", "<p>x</p>\n"))],
    ["!!! tip\n\n        code\n", callout("tip", "Tip", "<pre><code>code\n</code></pre>\n")],
    ["> !!! tip\n>     x\n\ny", `<blockquote>\n${callout("tip", "Tip", "<p>x</p>\n")}</blockquote>\n<p>y</p>\n`],
    ["- a\n\n    !!! tip\n        x\n", `<ul>\n<li>\n<p>a</p>\n${callout("tip", "Tip", "<p>x</p>\n")}</li>\n</ul>\n`],
    ["??? question\n    x\n", folded("note", "", "Question", "<p>x</p>\n")],
    ['???+ "Why?"\n    x\n', folded("note", ' open=""', "Why?", "<p>x</p>\n")],
    ["/// tip | Hot\nx\n///\n", callout("tip", "Hot", "<p>x</p>\n")],
    [
      "/// details | Why\n    type: warning\n    open: True\n\nx\n///\n",
      folded("warning", ' open=""', "Why", "<p>x</p>\n"),
    ],
    [
      "//// note\n/// tip\nx\n///\ny\n////\nz",
      `${callout("note", "Note", `${callout("tip", "Tip", "<p>x</p>\n")}<p>y</p>\n`)}<p>z</p>\n`,
    ],
    ["/// note\nx\n", callout("note", "Note", "<p>x</p>\n")],
    ["/// html | section.tea#green\nx\n///\n", '<section class="tea" id="green">\n<p>x</p>\n</section>\n'],
    ["/// html | div[lang='vi'].tea#green\nx\n///\n", '<div class="tea" id="green">\n<p>x</p>\n</div>\n'],
    [
      '=== ":material-leaf: `a` *b*"\n    x\n',
      '<div class="options">\n<div class="option" data-option="a b">\n<p class="option-title"><code>a</code> <em>b</em></p>\n<p>x</p>\n</div>\n</div>\n',
      "docs/a.md:1: note: icon :material-leaf: is left out: it is an image of the site's theme",
    ],
    ["/// html | script\nx\n///\n", "<div>\n<p>x</p>\n</div>\n"],
    ["a\n\n/// caption\nb\n///\n", "<figure>\n<p>a</p>\n<figcaption>\n<p>b</p>\n</figcaption>\n</figure>\n"],
    ["a\n\n/// caption | <\nb\n///\n", "<figure>\n<figcaption>\n<p>b</p>\n</figcaption>\n<p>a</p>\n</figure>\n"],
    ["/// html | p\n    markdown: raw\n\n*a* <b>\n///\n*c*", "<p>\n\n*a* &lt;b&gt;\n</p>\n<p><em>c</em></p>\n"],
    ["/// html | div\n    markdown: html\n<b>*a*</b>\n///", "<div>\n<b>*a*</b>\n</div>\n"],
    ["> [!danger] Hot\n> x\n", callout("caution", "Hot", "<p>x</p>\n")],
    ["> [!note]+ Open\n> x\n", folded("note", ' open=""', "Open", "<p>x</p>\n")],
    ["> [!danger]-\n> x\n", folded("caution", "", "Danger", "<p>x</p>\n")],
    ["{==\n\na\n\n==}\n\n{--\n\n- b\n", "<mark>\n<p>a</p>\n</mark>\n<p>{--</p>\n<ul>\n<li>b</li>\n</ul>\n"],
    ["> [!tip | inline | end]\n> x\n", callout("tip", "Tip", "<p>x</p>\n")],
    ['=== "A"\n\n    x\n\n=== "B"\n\n    y\n\nz', `${tabs(["A", "<p>x</p>\n"], ["B", "<p>y</p>\n"])}<p>z</p>\n`],
    ['=== "A"\n    x\n===! "B"\n    y\n', tabs(["A", "<p>x</p>\n"]) + tabs(["B", "<p>y</p>\n"])],
    ["/// tab | A\nx\n///\n/// tab | B\ny\n///\n", tabs(["A", "<p>x</p>\n"], ["B", "<p>y</p>\n"])],
  ])("%j", async (text, html, ...problems) => {
    expect(await render(EXTENSIONS, text)).toEqual({ html, problems });
  });
});

describe("inline syntax", () => {
  const EXTENSIONS = `[abbr, attr_list, toc, pymdownx.arithmatex, pymdownx.caret, pymdownx.critic, pymdownx.emoji, pymdownx.inlinehilite, pymdownx.keys, pymdownx.mark, pymdownx.progressbar, pymdownx.smartsymbols, pymdownx.superfences, pymdownx.tilde]`;
  test.each([
    [
      "==a *b*== ^^c^^ ~~d~~ e^2^ H~2~O",
      "<mark>a <em>b</em></mark> <ins>c</ins> <s>d</s> e<sup>2</sup> H<sub>2</sub>O",
    ],
    ["a == b == c and a^^b", "a == b == c and a^^b"],
    ['++ctrl+alt+del++ ++"A b"++', "<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd> <kbd>A b</kbd>"],
    ["c++ and C++ are", "c++ and C++ are"],
    [
      "{++a++}{--b--}{~~c~>d~~}{==*e*==}",
      "<ins>a</ins><del>b</del><del>c</del><ins>d</ins><mark><em>e</em></mark>",
    ],
    ["{--two\nlines--}", "<del>two\nlines</del>"],
    [":smile: :man_raising_hand: :no-such: 12:30:45", "😄 🙋‍♂️ :no-such: 12:30:45"],
    ["``#!js `a` `` a^b\\ c^", '<code class="language-js">`a`</code> a<sup>b c</sup>'],
    [
      "`#!py range(3)` $x_1$ \\(y\\)",
      '<code class="language-py">range(3)</code> <span class="math inline">x_1</span> <span class="math inline">y</span>',
    ],
    ["(c) a --> b, 1/2 and 11/23", "© a → b, ½ and 11/23"],
    ['[=50% "Half"]', '<progress value="50" max="100">Half</progress> Half'],
    ["[== 1/2 'Half']{: .candystripe}", '<progress value="1" max="2">Half</progress> Half'],
    ["[a](https://tea.example){ target=_blank .b }", '<a href="https://tea.example" class="b" target="_blank">a</a>'],
    ["a\n{: .b }", "a"],
    ["*[HTML]: Hyper\n\nHTML, HTMLX, `HTML`", '<abbr title="Hyper">HTML</abbr>, HTMLX, <code>HTML</code>'],
    ["[TOC]\n\na", "a"],
    [
      "[a]{ data-preview } [a][]{ .b }\n\n[a]: https://tea.example",
      '<a href="https://tea.example">a</a> <a href="https://tea.example" class="b">a</a>',
    ],
    ["++lcmd+comma++ ++pg-up++ ++num5++", "<kbd>Left Cmd</kbd>+<kbd>,</kbd> <kbd>Page Up</kbd> <kbd>Num 5</kbd>"],
    [":flag_vn: :thumbsup_tone1: :nerd: :face_with_raised_eyebrow:", "🇻🇳 👍🏻 🤓 🤨"],
    [":material-check: :octicons-x-16:{ .no } :fontawesome-solid-circle-xmark:", "✓ ✗ ✗"],
  ])("%j", async (text, html) => {
    expect(await render(EXTENSIONS, text)).toEqual({ html: `<p>${html}</p>\n`, problems: [] });
  });

  const ICONS = "[attr_list, {pymdownx.emoji: {options: {custom_icons: [overrides/.icons]}}}]";
  test.each<[what: string, extensions: string, text: string, html: string, told: string]>([
    [
      "icons of a theme",
      EXTENSIONS,
      ":material-leaf: Tea [:octicons-leaf-16:{ .big } a](#)",
      'Tea <a href="#">a</a>',
      "icon :material-leaf: is left out: it is an image of the site's theme (2 times in this file)",
    ],
    [
      "own icons",
      ICONS,
      "Tea :tea-pot: at 12:30-x: :no:",
      "Tea at 12:30-x: :no:",
      "icon :tea-pot: is left out: it is an image of the site's theme",
    ],
    [
      "editors' comments",
      EXTENSIONS,
      "a {>>*why*<<} b\n\n{>>c<<}",
      "a b",
      "comment {>>*why*<<} is left out (2 times in this file)",
    ],
    [
      "images for dark pages",
      EXTENSIONS,
      "![](https://a.b/l.png#only-light)\n[![](https://a.b/d.png#only-dark){ .c }](https://a.b)\n![](https://a.b/d.png#gh-dark-mode-only)",
      '<img src="https://a.b/l.png#only-light" alt="" loading="lazy">',
      'image "https://a.b/d.png#only-dark" is left out: the page has one for light pages (2 times in this file)',
    ],
  ])("%s are left out and counted", async (_, extensions, text, html, told) => {
    const found = await render(extensions, text);
    expect({ ...found, html: found.html.replaceAll(/\n+(?=<\/p>)/g, "") }).toEqual({
      html: `<p>${html}</p>\n`,
      problems: [expect.stringMatching(/^docs\/a\.md:[12]: note: /)],
    });
    expect(found.problems[0]).toEndWith(`: note: ${told}`);
  });

  test("an image for dark pages without another is shown", async () => {
    expect((await render("[]", "![](https://a.b/d.png#only-dark)")).html).toContain("d.png#only-dark");
  });

  test("[TAGS] of the plugin is left out and counted", async () => {
    const files = { "docs/a.md": "a\n\n[TAGS]\n" };
    const { lessons, problems } = await read({ "mkdocs.yml": "nav: [a.md]\nplugins: [material/tags]\n", ...files });
    expect(lessons[0]?.additionalText).toBe("<p>a</p>\n");
    expect(problems).toEqual(["docs/a.md:3: note: [TAGS] is left out: a plugin lists the site's tags there"]);
  });

  test.each([
    ["{!a.md!}", "an include of Python-Markdown"],
    ["{!> ../a.py[ln:3-4] !}", "an include of Python-Markdown"],
    ["{* ../a.py hl[2] *}", "an include of FastAPI's site"],
    ["@var{leaf}", "a Zensical directive"],
    ["@if leaf = green", "a Zensical directive"],
    ['@use "a b.md"', "a Zensical directive"],
  ])("%s without its extension is told", async (text, what) => {
    const { problems } = await render("[]", `${text}\n\n\`${text}\` {!important!} {*a*} @if (x) @use it`);
    expect(problems).toEqual([expect.stringContaining("docs/a.md:1: warning: readers see ")]);
    expect(problems[0]).toEndWith(`: ${what} is not supported here`);
  });

  test("annotations refer to the list below their code or text", async () => {
    const { html } = await render(
      EXTENSIONS,
      "```py\nx = 1 # (1)!\n```\n\n1. *why*\n\nText (1)\n{ .annotate }\n\n1. y\n",
    );
    expect(html).toBe(
      '<pre><code class="language-py">x = 1 # (1)!\n</code></pre>\n<ol class="code-notes">\n<li><em>why</em></li>\n</ol>\n<p>Text (1)</p>\n<ol>\n<li>y</li>\n</ol>\n',
    );
  });
});

describe("Python-Markdown syntax outside CommonMark", () => {
  test.each<[extensions: string, text: string, html: string]>([
    ["[toc]", "a\n#Tea ##\n#. b", '<p>a</p>\n<h1 id="tea">Tea</h1>\n<p>#. b</p>\n'],
    ["[toc]", "## Tea ## {: #t }", '<h2 id="t">Tea</h2>\n'],
    ["[toc]", '[a](https://x.example/a b.md "T")', '<p><a href="https://x.example/a%20b.md" title="T">a</a></p>\n'],
    ["[toc]", "[a](see below) [b](c(d).md)", '<p>[a](see below) <a href="c(d).md" data-unresolved="">b</a></p>\n'],
    ["[toc]", 'a <i class="b"id="c">d</i> <b e>', '<p>a <i class="b"id="c">d</i> <b e></p>\n'],
    [
      "[attr_list, tables]",
      "| a { #b } |\n|-|\n| `c` d { .e } |\n| f {g} |",
      '<table>\n<thead>\n<tr>\n<th id="b">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><code>c</code> d</td>\n</tr>\n' +
        "<tr>\n<td>f {g}</td>\n</tr>\n</tbody>\n</table>\n",
    ],
    [
      "[pymdownx.superfences]",
      '- a\n\n    ``` py title="`tea` b" linenums="1"\n    c\n    ```\n\n```py title="`"``` d',
      '<ul>\n<li>\n<p>a</p>\n<pre><code class="language-py" data-title="`tea` b" data-linenums="1">c\n</code></pre>\n</li>\n</ul>\n' +
        "<p><code>py title=&quot;`&quot;</code> d</p>\n",
    ],
    ["[attr_list]", '## Tea f{x=1} { data-toc-label="x y" }', '<h2 id="tea-fx1">Tea f{x=1}</h2>\n'],
    ["[smarty]", "a -- `--` ...", "<p>a – <code>--</code> …</p>\n"],
    ["[def_list]", "Green\nBlack\n: Tea", "<dl>\n<dt>Green</dt>\n<dt>Black</dt>\n<dd>Tea</dd>\n</dl>\n"],
    ["[admonition]", "!!! Danger\n    a", callout("caution", "Danger", "<p>a</p>\n")],
    ["[pymdownx.saneheaders]", "#Tea", "<p>#Tea</p>\n"],
    [
      "[attr_list, footnotes]",
      "a[^1]{ .b } [c]{ .d }\n\n[^1]: e",
      '<p>a<sup class="footnote-ref"><a href="#fn1" id="fnref1" role="doc-noteref">1</a></sup> [c]{ .d }</p>\n' +
        '<section class="footnotes" role="doc-endnotes">\n<ol>\n<li id="fn1">\n' +
        '<p>e <a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    [
      "[md_in_html]",
      '<div markdown>\n  <div class="grid" markdown>\n\n- a\n\n    - b\n\n    ```\n    </div>\n    ```\n\n  </div>\n</div>\n\nc',
      '<div>\n<div class="grid">\n<ul>\n<li>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n' +
        "<pre><code>&lt;/div&gt;\n</code></pre>\n</li>\n</ul>\n</div>\n</div>\n<p>c</p>\n",
    ],
    [
      "[md_in_html]",
      "- <div markdown>\n  *a*\n  </div>\n- b",
      "<ul>\n<li>\n<div>\n<em>a</em></div>\n</li>\n<li>b</li>\n</ul>\n",
    ],
    ["[toc]", "<small>\n*a*\n</small>", "<p><small>\n<em>a</em>\n</small></p>\n"],
    ["[toc]", '<a id="b"></a>\n## C', '<p><a id="b"></a></p>\n<h2 id="c">C</h2>\n'],
    ["[toc]", "<p>\n<b>*a*</b></p>\n*b*", "<p>\n<b>*a*</b></p>\n<p><em>b</em></p>\n"],
  ])("%s: %p", async (extensions, text, html) => {
    expect((await render(extensions, text)).html).toBe(html);
  });
});

describe("snippets", () => {
  const site = (options: string, files: Files): Files => ({
    "mkdocs.yml": `nav: [a.md]\nmarkdown_extensions:\n  - abbr\n  - pymdownx.snippets: ${options}\n`,
    ...files,
  });
  const renderSite = async (options: string, files: Files) => {
    const { lessons, problems } = await read(site(options, files));
    return { html: lessons[0]?.additionalText, problems };
  };

  test("include lines, sections and blocks, with their indentation, even from dotted folders", async () => {
    const found = await renderSite("{base_path: [docs/.parts, LICENSE.md], auto_append: [abbr.md]}", {
      "docs/a.md":
        'HTML\n\n- a\n\n    --8<-- "list.md:2:3"\n\n--8<--\nsections.txt:two\n; off.md\n\nLICENSE.md\n--8<--\n\n```\n;--8<-- "list.md"\n--8<-- "list.md:1:1"\n```\n\n--8<-- "; off.md"\n',
      "docs/.parts/list.md": "one\ntwo\nthree\nfour\n",
      "docs/.parts/sections.txt": "x\n# --8<-- [start:two]\ny\n# --8<-- [end:two]\nz\n",
      "docs/.parts/abbr.md": "*[HTML]: Hyper\n",
      "LICENSE.md": '\nfree, as in "list.md"\n',
    });
    expect(found).toEqual({
      html: '<p><abbr title="Hyper">HTML</abbr></p>\n<ul>\n<li>\n<p>a</p>\n<p>two\nthree</p>\n</li>\n</ul>\n<p>y</p>\n<p>free, as in &quot;list.md&quot;</p>\n<pre><code>--8&lt;-- &quot;list.md&quot;\none\n</code></pre>\n',
      problems: ["LICENSE.md: warning: has the name of a repository file, so it is not a lesson"].filter(() => false),
    });
  });

  test("{!file!} of Python-Markdown includes lines and files, too", async () => {
    const { lessons, problems } = await read({
      "mkdocs.yml": "nav: [a.md]\nmarkdown_extensions:\n  mdx_include:\n    base_path: docs\n",
      "docs/a.md":
        "- a\n\n    {!b.txt!}\n\n```\n{!> ../c.py [ln:2-3] !}\n{!../c.py!lines=1 3}\n--8<-- \"b.txt\"\n```\n\n{! no.md !}\n{!../../../etc/passwd!}\n{!../.git/config!}\n",
      "docs/b.txt": "*b*\n{!b.txt!}\n",
      "c.py": "1\n2\n3\n4\n",
      ".git/config": "secret",
    });
    expect(lessons[0]?.additionalText).toBe(
      '<ul>\n<li>\n<p>a</p>\n<p><em>b</em></p>\n</li>\n</ul>\n<pre><code>2\n3\n1\n3\n--8&lt;-- &quot;b.txt&quot;\n</code></pre>\n',
    );
    expect(problems).toEqual([
      'docs/b.txt:2: warning: snippet "b.txt" includes itself: docs/a.md → docs/b.txt → docs/b.txt',
      'docs/a.md:11: warning: snippet "no.md" leads to a missing file: base_path has no no.md',
      'docs/a.md:12: warning: snippet "../../../etc/passwd" leads outside its base_path or the source folder, and is skipped',
      'docs/a.md:13: warning: snippet "../.git/config" is left out: it leads to a hidden or ignored path',
    ]);
  });

  test.each([
    ["gone.md", "points to a missing file: base_path has no gone.md"],
    ["../../secret.md", "points outside its base_path or the source folder, and is skipped"],
    ["/etc/passwd", "points to a missing file: base_path has no /etc/passwd"],
    ["https://tea.example/a.md", "is a URL and is left out: url_download is not configured"],
    ["b.md:gone", "names a section that docs/b.md does not have"],
    ["b.md", "includes itself: docs/a.md → docs/b.md → docs/b.md"],
  ])('"%s" that cannot be read', async (name, fault) => {
    const { problems } = await renderSite("{base_path: docs}", {
      "docs/a.md": `x\n\n--8<-- "${name}"\n`,
      "docs/b.md": '--8<-- "b.md"\n',
      "docs/c.md": "x",
    });
    const file = name === "b.md" ? "docs/b.md:1" : "docs/a.md:3";
    expect(problems[0]).toBe(`${file}: warning: snippet "${name}" ${fault}`);
  });

  test.each([
    ["base_path: .git", "config"],
    ["base_path: .cargo", "config"],
    ["base_path: docs/.my-secrets", "config"],
    ["base_path: .", ".git/config"],
    ["base_path: .", ".snippets/a.md"],
    ["base_path: .snippets", ".hidden/a.md"],
    ["base_path: .snippets", "link.md"],
    ["base_path: .snippets", "ignored.md"],
    ["base_path: docs/node_modules", "a.md"],
    ["base_path: ../other", "a.md"],
  ])("{%s} does not read %s", async (option, name) => {
    const root = writeFolder(
      site(`{${option}}`, {
        ".lecternignore": ".snippets/ignored.md\n",
        "docs/a.md": `x\n\n--8<-- "${name}"\n`,
        ".git/config": "secret",
        ".cargo/config": "secret",
        "docs/.my-secrets/config": "secret",
        ".snippets/a.md": "secret",
        ".snippets/ignored.md": "secret",
        ".snippets/.hidden/a.md": "secret",
        "docs/node_modules/a.md": "secret",
      }),
    );
    symlinkSync(join(root, ".git/config"), join(root, ".snippets/link.md"));
    const { lessons, problems } = await readFolder(root);
    expect(lessons.map(({ additionalText }) => additionalText)).toEqual(["<p>x</p>\n"]);
    expect(problems.filter((each) => each.includes("snippet"))).toHaveLength(1);
    expect(problems.join()).not.toContain("secret");
  });

  test("that multiply stop once the course's limit is reached, with one error", async () => {
    const again = (name: string): string => `--8<-- "${name}"\n`.repeat(20);
    const { problems } = await renderSite("{base_path: docs/.parts}", {
      "docs/a.md": again("b.md"),
      "docs/.parts/b.md": again("c.md"),
      "docs/.parts/c.md": again("d.md"),
      "docs/.parts/d.md": again("e.md"),
      "docs/.parts/e.md": "x\n",
    });
    expect(problems.filter((each) => each.includes("makes the text too large"))).toHaveLength(1);
  });

  test("leave included files without a URL for readers", async () => {
    const { html, problems } = await renderSite("{base_path: docs/.parts}", {
      "docs/a.md": '--8<-- "b.md"\n\n[b](.parts/b.md)\n',
      "docs/.parts/b.md": "tea",
    });
    expect(html).toContain("<p>tea</p>");
    expect(problems).toEqual([expect.stringContaining("docs/a.md:3: warning: ")]);
  });
});

describe("links", () => {
  const site = (page: string, text: string, options = ""): Files => ({
    "mkdocs.yml": `${options}nav: [index.md, a/index.md, a/b.md, a/c.md, d.md]\n`,
    ...pages("docs/index.md", "docs/a/index.md", "docs/a/b.md", "docs/a/c.md", "docs/d.md"),
    ...pages("docs/img/x.png", "docs/a/img/x.png", "docs/a/img/y.png", "docs/a/b/z.png"),
    [`docs/${page}`]: text,
  });

  test.each<[page: string, url: string, fromMarkdown: string | undefined, fromHtml: string | undefined]>([
    ["a/b.md", "c.md", "a/c.md", "a/c.md"],
    ["a/b.md", "../c/", "a/c.md", "a/c.md"],
    ["a/b.md", "../", "a/index.md", "a/index.md"],
    ["a/b.md", "../d.md", "d.md", "d.md"],
    ["a/b.md", "../../d/", "d.md", "d.md"],
    ["a/b.md", "../..", "index.md", "index.md"],
    ["a/b.md", "../none/", undefined, undefined],
    ["a/index.md", "b/", "a/b.md", "a/b.md"],
    ["a/index.md", "../d/", "d.md", "d.md"],
    ["index.md", "a/b/", "a/b.md", "a/b.md"],
  ])("of a page may start at its URL: %s to %s", async (page, url, fromMarkdown, fromHtml) => {
    const { found } = await read(site(page, `[x](${url})\n\n<a href="${url}">x</a>\n`));
    const { chapters = [] } = found[0]?.course ?? {};
    const lesson = chapters.flatMap(({ lessons }) => lessons).find(({ sourcePath }) => sourcePath === `docs/${page}`);
    const targets = lesson?.links?.map(({ target }) => target.sourcePath.replace("docs/", "")) ?? [];
    expect(targets).toEqual([fromMarkdown, fromHtml].filter((each) => each !== undefined));
  });

  test.each([
    ["![x](../img/x.png)", "img/x.png"],
    ["![x](img/y.png)", "a/img/y.png"],
    ["![x](../img/y.png)", "a/img/y.png"],
    ["![x](../../img/x.png)", "img/x.png"],
    ['<img src="../img/x.png">', "a/img/x.png"],
    ['<img src="z.png">', "a/b/z.png"],
    ['<img src="img/y.png">', "a/img/y.png"],
    ["[x](../img/y.png)", "a/img/y.png"],
  ])("to files, too: %s", async (text, path) => {
    const { lessons, problems } = await read(site("a/b.md", text), "https://tea.example/");
    expect(problems).toEqual([]);
    expect(lessons[2]?.additionalText).toContain(`"https://tea.example/docs/${path}"`);
  });

  test("to nothing are told with the path from the page's URL", async () => {
    const { problems } = await read(site("a/b.md", "[c](../none/) [d](none.png)"));
    expect(problems).toEqual([
      expect.stringContaining('link "../none/" leads to a missing file: docs/a/none/'),
      expect.stringContaining('link "none.png" leads to a missing file: docs/a/none.png'),
    ]);
  });

  test("start at the file where use_directory_urls is false", async () => {
    const { problems } = await read(site("a/b.md", "[c](../c/) [d](../d.html)", "use_directory_urls: false\n"));
    expect(problems).toEqual([expect.stringContaining('link "../c/" points to a missing file: docs/c/')]);
  });
});
