// Sites of MkDocs and Zensical: their configuration, order, plugins and links.
import { describe, expect, test } from "bun:test";
import { callout, render } from "../support/mkdocs.ts";
import { outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

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
    ["https://tea.example/base.yml", "is not a path relative to this file"],
    ["/etc/base.yml", "is not a path relative to this file"],
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

  test("an exclusion that cannot be used is an error, since its pages would be published", async () => {
    const { problems } = await read({
      "mkdocs.yml": "nav: [index.md]\nexclude_docs: '*s*e*c*r*e*t*.*m*d*'\n",
      ...pages("docs/index.md", "docs/secret.md"),
    });
    expect(problems[0]).toMatch(/^mkdocs\.yml: error: the pattern .* has too many wildcards/);
  });

  test("exclusions that aliases repeat are an error", async () => {
    const globs = `[&a "${"x".repeat(500_000)}"${", *a".repeat(5000)}]`;
    const { problems } = await read({
      "mkdocs.yml": `nav: [index.md]\nplugins:\n  - exclude:\n      glob: ${globs}\n`,
      ...pages("docs/index.md"),
    });
    expect(problems[0]).toBe("mkdocs.yml: error: too large: an ignore file is limited to 64 KiB");
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
      "docs/a.md:3: note: ::: tea.Leaf is left out: mkdocstrings generates it from code",
      "docs/a.md:7: note: reference to tea.Leaf is shown as text: only a plugin can find its page (2 times in this file)",
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
      ...pages(
        "docs/a/one.md",
        "docs/a/index.md",
        "docs/b/two.md",
        "docs/b/three.md",
        "docs/c.md",
        "docs/d.md",
        "e.md",
      ),
    });
    expect(outlinesOf(found.courses)).toBe(outline);
    expect(found.problems.filter((each) => each.startsWith("mkdocs.yml"))).toEqual(problems);
  });

  test("patterns in nav are limited", async () => {
    const nav = Array.from({ length: 1001 }, () => "...").join(", ");
    const { problems } = await read({ "mkdocs.yml": `nav: [${nav}]\n`, "docs/a.md": "x" });
    expect(problems).toEqual([
      expect.stringContaining('"..." in nav exceeds the limit of 1,000 wildcards and folders and is skipped'),
    ]);
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
    ["mkdocs.yml", "/docs", "site_name: Tea\nnav: [b.md, a.md]\n"],
    ["zensical.toml", "", '[project]\nsite_name = "Tea"\nnav = ["b.md", "a.md"]\n'],
  ])("%s in folders beside each other make a course each", async (name, within, config) => {
    const site = (folder: string): Files => ({
      [`${folder}/${name}`]: config,
      ...pages(`${folder}/docs/a.md`, `${folder}/docs/b.md`),
    });
    const { found, problems } = await read({ ...site("sites/en"), ...site("sites/fr"), "README.md": "x" });
    expect(found.map(({ key, course }) => [key, course.name, outlinesOf([course])])).toEqual([
      [`sites/en${within}`, "Tea", "Introduction > B, A"],
      [`sites/fr${within}`, "Tea", "Introduction > B, A"],
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
      expect.stringContaining('link "../none/" points to a missing file: docs/a/none/'),
      expect.stringContaining('link "none.png" points to a missing file: docs/a/none.png'),
    ]);
  });

  test("start at the file where use_directory_urls is false", async () => {
    const { problems } = await read(site("a/b.md", "[c](../c/) [d](../d.html)", "use_directory_urls: false\n"));
    expect(problems).toEqual([expect.stringContaining('link "../c/" points to a missing file: docs/c/')]);
  });
});
