// Sites of MkDocs and Zensical: their configuration, order, plugins and links.
import { expect, test } from "bun:test";
import { callout } from "../support/mkdocs.ts";
import { outlinesOf, pages, read, type Files } from "../support/written-folder.ts";

const TIP = "!!! tip\n    ==x==\n";
const SHOWN = callout("tip", "Tip", "<p><mark>x</mark></p>\n");
const MARKED = "site_name: T\nmarkdown_extensions: {admonition: {}, pymdownx.mark: {}}\n";

test("the configuration sets the Markdown of lessons in a course.yaml beside it", async () => {
  const page = { "docs/c.md": `${TIP}\n--8<-- "s.txt"\n`, "s.txt": "y\n" };
  const config = "markdown_extensions: [admonition, pymdownx.mark, pymdownx.snippets]\n";
  const yaml = "name: C\nchapters: [{name: A, lessons: [docs/c]}]\n";
  const { lessons, problems } = await read({ ...page, "course.yaml": yaml, "mkdocs.yml": config });
  expect([lessons[0]?.additionalText, problems]).toEqual([`${SHOWN}<p>y</p>\n`, []]);
});

test.each(["zensical.toml", "zensical.yml", "zensical.yaml", "mkdocs.yaml"])("%s sets name and nav", async (name) => {
  const toml = '[project]\nsite_name = "Tea"\nnav = [{ "Hot" = "b.md" }, { "Leaves" = ["a.md"] }]\n';
  const config = name.endsWith("toml") ? toml : "site_name: Tea\nnav: [{Hot: b.md}, {Leaves: [a.md]}]\n";
  const { courses, problems } = await read({ [name]: config, ...pages("docs/a.md", "docs/b.md") });
  expect([courses[0]?.name, outlinesOf(courses)]).toEqual(["Tea", "Introduction > Hot; Leaves > A"]);
  expect(problems).toEqual([]);
});

const I18N = "plugins: [{i18n: {docs_structure: folder, languages: [{locale: en, default: true}, {locale: fr}]}}]\n";
test.each<[config: string, paths: string, outline: string]>([
  ["plugins: [{exclude: {glob: ['*.old.md', 'in/*']}}]\n", "docs/a.md docs/b.old.md docs/in/c.md", "A"],
  [`nav: [b.md, a.md]\n${I18N}`, "docs/en/a.md docs/en/b.md docs/fr/a.md", "B, A; Introduction > A"],
])("the configuration orders pages: %j", async (config, paths, outline) => {
  const { courses, problems } = await read({ "mkdocs.yml": config, ...pages(...paths.split(" ")) });
  expect(outlinesOf(courses)).toBe(`Introduction > ${outline}`);
  expect(problems.filter((each) => each.includes(" in nav "))).toEqual([]);
});

test("!ENV uses its default, never the environment", async () => {
  process.env["TEA_NAME"] = "Coffee";
  const page = { "docs/a.md": "x" };
  const named = await read({ "mkdocs.yml": 'site_name: !ENV [TEA_NAME, "Tea"]\nnav: [a.md]\n', ...page });
  const unnamed = await read({ "mkdocs.yml": "site_name: !ENV TEA_NAME\nnav: [a.md]\n", ...page });
  delete process.env["TEA_NAME"];
  expect([named.courses[0]?.name, named.problems]).toEqual(["Tea", []]);
  expect(unnamed.courses[0]?.name).toBe("Docs");
  expect(unnamed.problems).toEqual([
    "mkdocs.yml:1:1: warning: site_name is ignored: !ENV has no default, and imports do not read environment variables",
  ]);
});

test.each([
  ["../base.yml", "points outside the source folder"],
  ["https://tea.example/base.yml", "is not a path relative to this file"],
  [".git/base.yml", "points to a hidden or ignored path"],
])("INHERIT: %s is not followed", async (parent, fault) => {
  const files = { "mkdocs.yml": `nav: [a.md]\nINHERIT: ${parent}\n`, "docs/a.md": "x", ".git/base.yml": "nav: []" };
  expect((await read(files)).problems).toEqual([`mkdocs.yml:2:1: warning: INHERIT is ignored: ${parent} ${fault}`]);
});

const TOML = '[project]\nnav = ["a.md"]\n';
const EXTENSION = '[project.markdown_extensions.pymdownx.snippets]\nbase_path = [".snippets"]\n';
test.each<[what: string, files: Files, html: string]>([
  ["most of Zensical's", { "zensical.toml": TOML, "docs/a.md": TIP }, SHOWN],
  ["one in TOML", { "zensical.toml": TOML + EXTENSION, "docs/a.md": '--8<-- "b"\n', ".snippets/b": "x" }, "<p>x</p>\n"],
  ["an inherited one", { "mkdocs.yml": "INHERIT: b.yml\nnav: [a.md]\n", "b.yml": MARKED, "docs/a.md": TIP }, SHOWN],
])("the configuration sets the extensions of its pages: %s", async (_what, files, html) => {
  expect((await read(files)).lessons[0]?.additionalText).toBe(html);
});

test.each([["nav: [index.md, in/a.md, b.md]\n"], [""]])("excluded pages are left out: %p", async (nav) => {
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

// Pages that it means to exclude would be published.
test.each([
  ["exclude_docs: '*s*e*c*r*e*t*.*m*d*'\n", /^mkdocs\.yml: error: the pattern .* has too many wildcards/],
  ["exclude_docs: a: b\n", /^mkdocs.yml:2:15: error: Nested mappings are not allowed in compact mappings/],
])("an exclusion that cannot be used is an error %#", async (excludes, fault) => {
  const { problems } = await read({ "mkdocs.yml": `nav: [index.md]\n${excludes}`, ...pages("docs/index.md") });
  expect(problems[0]).toMatch(fault);
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

const skipped = (column: number, pattern: string): string =>
  `mkdocs.yml:1:${column}: warning: "${pattern}" in nav matches no other page and is skipped`;
test.each<[nav: string, outline: string, ...problems: string[]]>([
  ["['*/', c.md]", "A > Introduction, One; B > Three, Two; C > C"],
  ["[c.md, 'x*', ../, '../*']", "Introduction > C", skipped(13, "x*"), skipped(19, "../"), skipped(24, "../*")],
])("folders and patterns in nav: %s", async (nav, outline, ...problems) => {
  const paths = ["a/one", "a/index", "b/two", "b/three", "c", "d", "../e"].map((name) => `docs/${name}.md`);
  const found = await read({ "mkdocs.yml": `nav: ${nav}\n`, ...pages(...paths) });
  expect(outlinesOf(found.courses)).toBe(outline);
  expect(found.problems.filter((each) => each.startsWith("mkdocs.yml"))).toEqual(problems);
});

test("patterns in nav are limited", async () => {
  const { problems } = await read({ "mkdocs.yml": `nav: [${"..., ".repeat(1001)}]\n`, "docs/a.md": "x" });
  const fault = '"..." in nav exceeds the limit of 1,000 wildcards and folders';
  expect(problems).toEqual([expect.stringContaining(`: error: ${fault}`)]);
});

test("films and sounds of the plugins are players", async () => {
  const text =
    "![type:video](../x.mp4)\n![type:audio](y.mp3)\n![type:video](https://tea.example/embed/z?a&b)\n![type](../x.mp4)\n";
  const config = "nav: [a/b.md]\nplugins: [mkdocs-video, mkdocs-audio]\n";
  const files = { "mkdocs.yml": config, "docs/a/b.md": text, ...pages("docs/x.mp4", "docs/a/y.mp3") };
  const { lessons, problems } = await read(files, "https://a.example/");
  expect(lessons[0]?.additionalText).toStartWith(
    '<p><video controls src="https://a.example/docs/x.mp4"></video>\n<audio controls src="https://a.example/docs/a/y.mp3"></audio>\n' +
      '<iframe src="https://tea.example/embed/z?a&amp;b" allowfullscreen></iframe>\n<img src="https://a.example/docs/x.mp4"',
  );
  expect(problems).toEqual([]);
});

test("the file .nav.yml orders its folder, or with awesome-nav the site", async () => {
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

const site = (page: string, text: string, options = ""): Files => ({
  "mkdocs.yml": `${options}nav: [index.md, a/index.md, a/b.md, a/c.md, d.md]\n`,
  ...pages("docs/index.md", "docs/a/index.md", "docs/a/b.md", "docs/a/c.md", "docs/d.md"),
  ...pages("docs/img/x.png", "docs/a/img/x.png", "docs/a/img/y.png", "docs/a/b/z.png"),
  [`docs/${page}`]: text,
});

test.each<[page: string, url: string, target?: string]>([
  ["a/b.md", "../c/", "a/c.md"],
  ["a/b.md", "../..", "index.md"],
  ["a/b.md", "../none/"],
])("links of a page may start at its URL: %s to %s", async (page, url, ...[target]) => {
  const { found } = await read(site(page, `[x](${url})\n\n<a href="${url}">x</a>\n`));
  const lessons = found[0]?.course.chapters.flatMap((chapter) => chapter.lessons);
  const links = lessons?.find(({ sourcePath }) => sourcePath === `docs/${page}`)?.links ?? [];
  const path = `docs/${target}`;
  expect(links.map((link) => link.target.sourcePath)).toEqual(target === undefined ? [] : [path, path]);
});

test.each([
  ["![x](../img/y.png)", "a/img/y.png"],
  ['<img src="../img/x.png">', "a/img/x.png"],
])("links to files, too: %s", async (text, path) => {
  const { lessons, problems } = await read(site("a/b.md", text), "https://tea.example/");
  expect(problems).toEqual([]);
  expect(lessons[2]?.additionalText).toContain(`"https://tea.example/docs/${path}"`);
});
