import { expect, test } from "bun:test";
import { callout } from "../support/mkdocs.ts";
import { read, testTexts, type Files } from "../support/written-folder.ts";

/** The HTML of the first lesson of a book, a.md, and what is reported. */
async function readChapter(text: string, files: Files = {}) {
  const book = { "book.toml": "[book]\ntitle = 'T'", "src/SUMMARY.md": "- [A](a.md)\n" };
  const { lessons, problems } = await read({ ...book, "src/a.md": text, ...files });
  return { html: lessons[0]?.additionalText, problems };
}

const errorsOf = (problems: string[]): string[] => problems.filter((problem) => problem.includes(": error: "));

const chapterOf = async (text: string, files: Files = {}): Promise<string | undefined> => {
  const { html, problems } = await readChapter(text, files);
  expect(problems).toEqual([]);
  return html;
};

const numbers = Array.from({ length: 9 }, (_, index) => `line ${index + 1}\n`).join("");
const showLines = async (link: string): Promise<string | undefined> => {
  const html = await chapterOf(`~~~\n{{#include ${link}}}\n~~~\n`, { "src/n.txt": numbers });
  return html?.replaceAll(/line |^<pre><code>|\n<\/code><\/pre>\n/g, "").replaceAll("\n", " ");
};
testTexts("included lines", showLines, { "n.txt:7:": "7 8 9", "n.txt::2": "1 2" });

test("included anchors end at their own end markers, and show no marker lines", async () => {
  const marked = ["// ANCHOR: all\na();\n", "// ANCHOR: in-ner_1\nb();\n", "// ANCHOR_END: in-ner_1\nc();\n"];
  const files = { "code/x.rs": `${marked.join("")}// ANCHOR_END: all\nd();\n` };
  const shown = (directive: string) => chapterOf(`~~~\n{{#${directive}}}\n~~~\n`, files);
  expect(await shown("include ../code/x.rs:all")).toBe("<pre><code>a();\nb();\nc();\n</code></pre>\n");
  expect(await shown("include ../code/x.rs:in-ner_1")).toBe("<pre><code>b();\n</code></pre>\n");
  expect(await shown("rustdoc_include ../code/x.rs:in-ner_1")).toBe("<pre><code>b();\n</code></pre>\n");
});

test("includes resolve relative to their own file, with problems at its lines", async () => {
  const text = "one\n\n{{#include parts/b.md}}\n\n[x](gone.md) {{#include c.txt}} end\n\n{{%z}}\n";
  const { html, problems } = await readChapter(text, {
    "src/parts/b.md": "two {{#include ../c.txt}}\n\n{{#include deep/d.md:2:}}\n",
    "src/parts/deep/d.md": "not this\n*three*\n\n[y](nowhere.png)\n",
    "src/c.txt": "sea\n",
  });
  expect(html).toBe(
    '<p>one</p>\n<p>two sea</p>\n<p><em>three</em></p>\n<p><a href="nowhere.png" data-unresolved="">y</a></p>\n<p><a href="gone.md" data-unresolved="">x</a> sea end</p>\n',
  );
  expect(problems.map((problem) => problem.replace(/(warning: \w+).*/, "$1"))).toEqual([
    "src/parts/deep/d.md:4: warning: link",
    "src/a.md:5: warning: link",
    "src/a.md:7: warning: directive",
  ]);
});

test("{{#playground}} becomes a block of Rust with its properties, {{#title}} is left out, and an escaped directive is text", async () => {
  const text = "{{#title My page}}\n\n{{#playground p.rs editable}}\n\n\\{{#include x.rs}} and `{{#if y}}`\n";
  const { html, problems } = await readChapter(text, { "src/p.rs": "fn main() {\n#     hidden();\n}" });
  expect(html).toMatch(/^<pre><code class="language-rust[^"]*"[^>]*>fn main\(\) \{\n\}\n<\/code><\/pre>\n/);
  expect(problems).toContain("src/a.md:1: note: {{#title}} is left out: SUMMARY.md names the lesson");
  expect(html).toEndWith("<p>{{#include x.rs}} and <code>{{#if y}}</code></p>\n");
});

test.each([
  ["{{#include gone.rs}}", "points to a missing file: src/gone.rs"],
  ["{{#include /etc/passwd}}", "has an absolute path; write a path relative to this file"],
])("a failed include leaves nothing in the text: %s", async (directive, fault) => {
  const { html, problems } = await readChapter(`text\n\n${directive}\n`, { "src/n.txt": "x" });
  expect([html, problems]).toEqual(["<p>text</p>\n", [`src/a.md:3: warning: ${directive} ${fault}`]]);
});

test("an include outside the source folder is an error, and a cycle is reported where it closes", async () => {
  const outside = "{{#include ../../secret.txt}}";
  expect(await readChapter(`text\n\n${outside}\n`)).toEqual({
    html: undefined,
    problems: [
      `src/a.md:3: error: ${outside} points outside the source folder, and is skipped; import the folder that contains both`,
    ],
  });
  const cycle = { "src/b.md": "b\n{{#include c.md}}", "src/c.md": "{{#include b.md}}" };
  expect((await readChapter("{{#include b.md}}", cycle)).problems).toEqual([
    "src/c.md:1: warning: {{#include b.md}} includes itself: src/a.md → src/b.md → src/c.md → src/b.md",
  ]);
});

/** Files f0.txt and so on, each with a text about the next one. */
const chain = (length: number, toText: (next: string) => string): Files =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`src/f${n}.txt`, toText(`{{#include f${n + 1}.txt}}\n`)]));

test("includes end at the tenth level", async () => {
  const files = chain(20, (next) => next);
  const { problems } = await readChapter("{{#include f0.txt}}", files);
  expect(problems.filter((problem) => problem.includes("{{#"))).toEqual([
    "src/f9.txt:1: warning: {{#include f10.txt}} is skipped: includes can be nested at most 10 deep",
  ]);
});

const include = (name: string, count: number): string => `{{#include ${name}}}\n`.repeat(count);
const PADDING = "x".repeat(80_000);
test.each(["{{#include gone.txt}}\n", "\\{{#a}}\n"])(
  "repeated includes of missing files are tried up to the limit of a course: %j",
  async (leaf) => {
    const { problems } = await readChapter(include("b.txt", 150) + PADDING, { "src/b.txt": leaf.repeat(150) });
    expect(problems.length).toBeLessThanOrEqual(20_002);
    expect(errorsOf(problems)).toEqual([expect.stringContaining("makes the text too large: ")]);
  },
);

test("repeated includes of missing files are tried up to the limit of all books in a source", async () => {
  const books = Array.from({ length: 7 }, (_, n) => [
    [`b${n}/src/SUMMARY.md`, "- [A](a.md)\n"],
    [`b${n}/src/a.md`, include("b.txt", 95) + PADDING],
    [`b${n}/src/b.txt`, "\\{{#a}}\n".repeat(199)],
  ]);
  const { problems, found } = await read(Object.fromEntries(books.flat()) as Files);
  const limit = "a source is limited to 100,000 directives and 256 MiB of included files; import it";
  expect(errorsOf(problems)).toEqual([5, 6].map((n) => expect.stringMatching(RegExp(`^b${n}/src/a\\.md:.*${limit}`))));
  for (const { readAgain } of found) expect(await readAgain?.(() => {})).toBeDefined();
});

test("an unreadable file is tried once", async () => {
  const { problems } = await readChapter(include("e.txt", 300), { "src/e.txt": new Uint8Array(1000).fill(0x81) });
  const fault = "src/e.txt:1: error: is neither UTF-8 nor Windows-1252; save the file as UTF-8";
  expect(errorsOf(problems)).toEqual([fault]);
});

test("other preprocessors' syntax is removed from text but not from code, and reported once per kind", async () => {
  const code = '```python\n"""\n    ```\n    {{#if x}}\n"""\n```\n\n    ```\n    c\n\n`{{#each}}` { 1 }\n\n';
  const ended = "{{#d e}}\n\n- ```\n  f\n\nx{{#d g}}\n\n> ~~~\n> h\n{{#d i}}\n";
  const { html, problems } = await readChapter(`{{%course outline}}\n\n${code}${ended}`);
  expect(html).toBe(
    '<pre><code class="language-python">&quot;&quot;&quot;\n    ```\n    {{#if x}}\n&quot;&quot;&quot;\n</code></pre>\n<pre><code>```\nc\n</code></pre>\n' +
      "<p><code>{{#each}}</code> { 1 }</p>\n<ul>\n<li>\n<pre><code>f\n\n</code></pre>\n</li>\n</ul>\n<p>x</p>\n" +
      "<blockquote>\n<pre><code>h\n</code></pre>\n</blockquote>\n",
  );
  expect(problems).toEqual([
    "src/a.md:1: warning: directive {{%course …}} is dropped: it needs a preprocessor",
    "src/a.md:15: warning: directive {{#d …}} is dropped: it needs a preprocessor (3 times in this file)",
  ]);
});

testTexts("other preprocessors' syntax becomes HTML", chapterOf, {
  '<Listing number="3-1" file-name="src/a.rs" caption="A `Vec<T>` of tea">\n\n```rust\na();\n```\n\n</Listing>\n\n<Listing>\n\n    x\n\n</Listing>\n':
    '<figure class="listing"><p class="file-name">src/a.rs</p>\n<pre><code class="language-rust">a();\n</code></pre>\n' +
    "<figcaption>Listing 3-1: A <code>Vec&lt;T&gt;</code> of tea</figcaption></figure>\n" +
    '<figure class="listing">\n<pre><code>x\n</code></pre>\n</figure>\n',
  'a\n\n````admonish warning title="Hot **water**"\nMind.\n\n```rust\n# hidden\nb();\n```\n````\n\n```admonish\nc\n```\nd `\\{{#include e}}`\n': `<p>a</p>\n${callout("warning", "Hot <strong>water</strong>", '<p>Mind.</p>\n<pre><code class="language-rust">b();\n</code></pre>\n')}${callout("note", "Note", "<p>c</p>\n")}<p>d <code>{{#include e}}</code></p>\n`,
  '```admonish tip "Hot"\r\na\r\n```\r\n\r\nb\r\n': `${callout("tip", "Hot", "<p>a</p>\n")}<p>b</p>\n`,
});

const toml = { "book.toml": '[output.html.code.hidelines]\npython = "~"\n' };
const shownOf = async (code: string) =>
  /<pre><code[^>]*>([^<]*)<\/code>/.exec((await chapterOf(code, toml)) ?? "")?.[1];

testTexts("hidden lines are set by book.toml or the block, and begin with # in Rust", shownOf, {
  "```rust,editable\n# use a;\n#\n  # b();\n#[derive(X)]\n#![y]\n## c\n  ## d\nlet e = 1;\n```\n":
    "#[derive(X)]\n#![y]\n# c\n  # d\nlet e = 1;\n",
  "```python\n~a\n  ~b\nc\n```\n": "c\n",
  "```python,hidelines=!!!\n~a\n!!!b\nc\n```\n": "~a\nc\n",
});

test("links to moved pages point to their new location", async () => {
  const { found, problems } = await read({
    "book.toml":
      '[output.html.redirect]\n"/old.html" = "new/page.html"\n"deep/old.html" = "../a.html#here"\n"/rooted.html" = "/b.html"\n"/away.html" = "https://x.example/y"\n',
    "src/SUMMARY.md": "- [A](a.md)\n- [B](b.md)\n- [P](new/page.md)\n",
    "src/a.md": "[1](old.html#part) [2](deep/old.html) [3](rooted.html) [4](away.html) [5](gone.html)\n\n## Here\n",
    "src/b.md": "[1](old.md)\n",
    "src/new/page.md": "[2](../deep/old.html)\n\n## Part\n",
  });
  const lessons = found[0]?.course.chapters.map((chapter) => chapter.lessons[0]) ?? [];
  const targets = lessons.map((lesson) =>
    lesson?.links?.map(({ target }) => `${target.sourcePath}#${target.fragment}`),
  );
  expect(targets).toEqual([
    ["src/new/page.md#part", "src/a.md#here", "src/b.md#"],
    ["src/new/page.md#"],
    ["src/a.md#here"],
  ]);
  expect(lessons[0]?.additionalText).toContain('<a href="https://x.example/y">4</a>');
  expect(problems).toEqual(['src/a.md:1: warning: link "gone.html" points to a missing file: src/gone.html']);
});
