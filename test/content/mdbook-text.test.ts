import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlineOf, read, writeFolder, type Files } from "../support/written-folder.ts";

/** The HTML of the first lesson of a book, a.md, and what is reported. */
async function readChapter(text: string, files: Files = {}) {
  const { courses, problems } = await read({
    "book.toml": "[book]\ntitle = 'T'",
    "src/SUMMARY.md": "- [A](a.md)\n",
    "src/a.md": text,
    ...files,
  });
  return { html: courses[0]?.chapters[0]?.lessons[0]?.additionalText, problems };
}

const errorsOf = (problems: string[]): string[] => problems.filter((problem) => problem.includes(": error: "));

const chapterOf = async (text: string, files: Files = {}): Promise<string | undefined> => {
  const { html, problems } = await readChapter(text, files);
  expect(problems).toEqual([]);
  return html;
};

describe("a chapter shows its includes", () => {
  const numbers = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n");

  test.each([
    ["n.txt", numbers],
    ["n.txt:3", "line 3"],
    ["n.txt:7:", "line 7\nline 8\nline 9"],
    ["n.txt::2", "line 1\nline 2"],
    ["n.txt:2:4", "line 2\nline 3\nline 4"],
    ["n.txt:0:1", "line 1"],
    ["n.txt:8:20", "line 8\nline 9"],
    ["n.txt:20", ""],
    ["  n.txt:3  ", "line 3"],
  ])("{{#include %s}}", async (link, shown) => {
    const html = await chapterOf(`~~~\n{{#include ${link}}}\n~~~\n`, { "src/n.txt": `${numbers}\n` });
    expect(html).toBe(`<pre><code>${shown === "" ? "" : shown}\n</code></pre>\n`);
  });

  test("an anchor is included without marker lines, its own or nested; it ends at its own end marker", async () => {
    const source = `// ANCHOR: all
fn a() {}
// ANCHOR: in-ner_1
fn b() {}
// ANCHOR_END: in-ner_1
fn c() {}
// ANCHOR_END: all
fn d() {}
`;
    const files = { "code/x.rs": source };
    const fenced = (anchor: string): string => `\`\`\`rust\n{{#include ../code/x.rs:${anchor}}}\n\`\`\`\n`;
    expect(await chapterOf(fenced("all"), files)).toContain(">fn a() {}\nfn b() {}\nfn c() {}\n</code>");
    expect(await chapterOf(fenced("in-ner_1"), files)).toContain(">fn b() {}\n</code>");
    expect(await chapterOf(fenced("in-ner_1").replace("include", "rustdoc_include"), files)).toContain(
      ">fn b() {}\n</code>",
    );
  });

  test("nested includes resolve relative to their own file and report problems at its lines", async () => {
    const { html, problems } = await readChapter(
      "one\n\n{{#include parts/b.md}}\n\n[x](gone.md) {{#include c.txt}} end\n\n{{%z}}\n",
      {
        "src/parts/b.md": "two {{#include ../c.txt}}\n\n{{#include deep/d.md:2:}}\n",
        "src/parts/deep/d.md": "not this\n*three*\n\n[y](nowhere.png)\n",
        "src/c.txt": "sea\n",
      },
    );
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
    const { html, problems } = await readChapter(
      "{{#title My page}}\n\n{{#playground p.rs editable}}\n\n\\{{#include x.rs}} and `{{#if y}}`\n",
      {
        "src/p.rs": "fn main() {\n#     hidden();\n}",
      },
    );
    expect(html).toMatch(/^<pre><code class="language-rust[^"]*"[^>]*>fn main\(\) \{\n\}\n<\/code><\/pre>\n/);
    expect(problems).toContain("src/a.md:1: note: {{#title}} is left out: SUMMARY.md names the lesson");
    expect(html).toEndWith("<p>{{#include x.rs}} and <code>{{#if y}}</code></p>\n");
  });

  test("included files are not reported as missing from SUMMARY.md", async () => {
    const { problems } = await readChapter("{{#include part.md}}", {
      "src/part.md": "x",
      "src/f1.md": "",
      "src/f2.md": "",
      "src/f3.html": "",
      "src/f4.md": "",
    });
    expect(problems).toEqual([
      "src: warning: 4 files are not in SUMMARY.md, so they are not lessons: src/f1.md, src/f2.md, src/f3.html, and 1 more",
    ]);
  });
});

describe("a failed include is a problem at its line and leaves nothing in the text", () => {
  test.each([
    ["{{#include gone.rs}}", "warning: {{#include gone.rs}} points to a missing file: src/gone.rs"],
    [
      "{{#include ../../secret.txt}}",
      "error: {{#include ../../secret.txt}} points outside the source folder, and is skipped; import the folder that contains both",
    ],
    [
      "{{#include /etc/passwd}}",
      "warning: {{#include /etc/passwd}} has an absolute path; write a path relative to this file",
    ],
    ["{{#include n.txt:gone}}", "warning: {{#include n.txt:gone}} names an anchor that src/n.txt does not contain"],
    ["{{#include a.md}}", "warning: {{#include a.md}} includes itself: src/a.md → src/a.md"],
    ["{{#playground ../src}}", "warning: {{#playground ../src}} points to a missing file: src"],
  ])("%s", async (directive, message) => {
    const { html, problems } = await readChapter(`text\n\n${directive}\n`, {
      "src/n.txt": "x",
    });
    expect(problems).toEqual([`src/a.md:3: ${message}`]);
    expect(html).toBe(message.startsWith("error") ? undefined : "<p>text</p>\n");
  });

  test("a cycle is reported where it closes", async () => {
    const { problems } = await readChapter("{{#include b.md}}", {
      "src/b.md": "b\n{{#include c.md}}",
      "src/c.md": "{{#include b.md}}",
    });
    expect(problems).toEqual([
      "src/c.md:1: warning: {{#include b.md}} includes itself: src/a.md → src/b.md → src/c.md → src/b.md",
    ]);
  });

  test("nested includes stop at the tenth level", async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`src/f${index}.txt`, `{{#include f${index + 1}.txt}}`]),
    );
    const { problems } = await readChapter("{{#include f0.txt}}", chain);
    expect(problems.filter((problem) => problem.includes("{{#"))).toEqual([
      "src/f9.txt:1: warning: {{#include f10.txt}} is skipped: includes can be nested at most 10 deep",
    ]);
  });

  test.each([
    ["of text", "x".repeat(100_000)],
    ["of nothing", ""],
  ])("bomb %s is one error", async (_of, leaf) => {
    const twenty = (name: string): string => `{{#include ${name}.txt}}\n`.repeat(20);
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`src/f${index}.txt`, twenty(`f${index + 1}`)]),
    );
    const { problems } = await readChapter(twenty("f0"), { ...files, "src/f8.txt": leaf });
    expect(errorsOf(problems)).toHaveLength(1);
    expect(problems[0]).toMatch(/^src\/f\d\.txt:\d+: error: \{\{#include f\d\.txt\}\} makes the text too large: /);
  });
});

describe("repeated includes of missing files", () => {
  const include = (name: string, count: number): string => `{{#include ${name}}}\n`.repeat(count);
  const nested = (leaf: string): Record<string, string> => ({
    "src/b.txt": include("c.txt", 200),
    "src/c.txt": include("d.txt", 200),
    "src/d.txt": leaf,
  });
  const leaves: [what: string, leaf: string, more?: Record<string, string | Uint8Array>][] = [
    ["missing files", include("gone.txt", 200)],
    ["folders", include("../src", 200)],
    ["hidden files", include("../.git/config", 200), { ".git/config": "x" }],
    ["files outside", include("../../gone.txt", 200)],
    ["absolute paths", include("/etc/passwd", 200)],
    ["itself", include("b.txt", 200)],
    ["missing anchors", include("e.txt:gone", 200), { "src/e.txt": "x" }],
    ["titles", "{{#title A}}\n".repeat(200)],
    ["escaped directives", "\\{{#a}}\n".repeat(200)],
  ];
  test.each(leaves)("are tried up to the limit of a course: %s", async (_, leaf, more = {}) => {
    const chapter = include("b.txt", 200);
    const { problems } = await readChapter(chapter, { ...nested(leaf), ...more });
    expect(problems.length).toBeLessThanOrEqual(20_002);
    expect(problems.filter((problem) => problem.includes("makes the text too large: "))).toHaveLength(1);
    expect(errorsOf(problems).at(-1)).toContain("makes the text too large: ");
  });

  test("are tried up to the limit of all books in a source", async () => {
    const books = Array.from({ length: 7 }, (_, n) => [
      [`b${n}/book.toml`, `[book]\ntitle = 'T${n}'`],
      [`b${n}/src/SUMMARY.md`, "- [A](a.md)\n"],
      [`b${n}/src/a.md`, include("b.txt", 95)],
      [`b${n}/src/b.txt`, "{{#title A}}\n".repeat(199)],
    ]);
    const { problems } = await read(Object.fromEntries(books.flat()) as Files);
    expect(
      errorsOf(problems).map((problem) => problem.replace(/:.*the books of a source/, ": the books of a source")),
    ).toEqual(
      [5, 6].map(
        (n) =>
          `b${n}/src/a.md: the books of a source are limited to 100,000 directives and 256 MiB of included files; import them in parts, each with its own --source`,
      ),
    );
  });

  test("an unreadable file is tried once", async () => {
    const broken = new Uint8Array(1000).fill(0x81);
    const { problems } = await readChapter(include("e.txt", 300), { "src/e.txt": broken });
    expect(errorsOf(problems)).toEqual([
      "src/e.txt:1: error: is neither UTF-8 nor Windows-1252; save the file as UTF-8",
    ]);
  });
});

describe("other preprocessors' syntax", () => {
  test("is removed from text but not from code, and reported once per kind", async () => {
    const { html, problems } = await readChapter(
      "# A\n\n{{%course outline}}\n\n{{#quiz ../q.toml}} and {{#quiz ../r.toml}}\n\n```hbs\n{{#if x}}{{/if}}\n```\n\n`{{#each}}` { 1 }\n",
    );
    expect(html).not.toContain("{{%");
    expect(html).not.toContain("{{#quiz");
    expect(html).toContain("<p>and</p>");
    expect(html).toContain("{{#if x}}{{/if}}\n");
    expect(html).toContain("<p><code>{{#each}}</code> { 1 }</p>");
    expect(problems).toEqual([
      "src/a.md:3: warning: directive {{%course …}} is dropped: it needs a preprocessor",
      "src/a.md:5: warning: directive {{#quiz …}} is dropped: it needs a preprocessor (2 times in this file)",
    ]);
  });

  test("listings of the Rust book become figures with captions", async () => {
    const html = await chapterOf(
      'Text.\n\n<Listing number="3-1" file-name="src/main.rs" caption="A `Vec<T>` of tea">\n\n```rust\nfn main() {}\n```\n\n</Listing>\n\n<Listing>\n\n    x\n\n</Listing>\n',
    );
    expect(html).toMatch(
      /^<p>Text\.<\/p>\n<figure class="listing"><p class="file-name">src\/main\.rs<\/p>\n<pre><code[^>]*>fn main\(\) \{\}\n<\/code><\/pre>\n<figcaption>Listing 3-1: A <code>Vec&lt;T&gt;<\/code> of tea<\/figcaption><\/figure>\n<figure class="listing">\n/,
    );
  });
});

test("mdbook-admonish blocks become callouts", async () => {
  expect(
    await chapterOf(
      'a\n\n````admonish warning title="Hot **water**"\nMind.\n\n```rust\n# hidden\nb();\n```\n````\n\n```admonish\nc\n```\nd `\\{{#include e}}`\n',
    ),
  ).toBe(
    '<p>a</p>\n<aside class="callout" data-callout="warning">\n<p class="callout-title">Hot <strong>water</strong></p>\n<p>Mind.</p>\n<pre><code class="language-rust">b();\n</code></pre>\n</aside>\n<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<p>c</p>\n</aside>\n<p>d <code>{{#include e}}</code></p>\n',
  );
});

test("an mdbook-admonish block inside other code stays code, and lines may end with CRLF", async () => {
  expect(
    await chapterOf("````md\n```admonish tip\na\n```\n````\n\n- b\n  ~~~admonish\n  ```\n  c\n  ```\n  ~~~\n\nd\n"),
  ).toBe(
    '<pre><code class="language-md">```admonish tip\na\n```\n</code></pre>\n<ul>\n<li>b\n<aside class="callout" data-callout="note">\n<p class="callout-title">Note</p>\n<pre><code>c\n</code></pre>\n</aside>\n</li>\n</ul>\n<p>d</p>\n',
  );
  expect(await chapterOf('```admonish tip "Hot"\r\na\r\n```\r\n\r\nb\r\n')).toBe(
    '<aside class="callout" data-callout="tip">\n<p class="callout-title">Hot</p>\n<p>a</p>\n</aside>\n<p>b</p>\n',
  );
});

test("definition lists are rendered, and hidden lines of Rust stay hidden inside them", async () => {
  expect(await chapterOf("Tea\n: A leaf\n\n    ```rust\n    # x();\n    y();\n    ```\n")).toBe(
    '<dl>\n<dt>Tea</dt>\n<dd>\n<p>A leaf</p>\n<pre><code class="language-rust">y();\n</code></pre>\n</dd>\n</dl>\n',
  );
});

test("an indented fence does not end code, and lists and quotations end the code inside them", async () => {
  const { html, problems } = await readChapter(
    '```python\n"""\n    ```\n    {{#a b}}\n"""\n```\n\n    ```\n    c\n\n{{#d e}}\n\n- ```\n  f\n\nx{{#d g}}\n\n> ~~~\n> h\n{{#d i}}\n',
  );
  expect(html).toBe(
    '<pre><code class="language-python">&quot;&quot;&quot;\n    ```\n    {{#a b}}\n&quot;&quot;&quot;\n</code></pre>\n<pre><code>```\nc\n</code></pre>\n<ul>\n<li>\n<pre><code>f\n\n</code></pre>\n</li>\n</ul>\n<p>x</p>\n<blockquote>\n<pre><code>h\n</code></pre>\n</blockquote>\n',
  );
  expect(problems).toEqual([
    "src/a.md:11: warning: directive {{#d …}} is dropped: it needs a preprocessor (3 times in this file)",
  ]);
});

describe("hidden lines of a book", () => {
  const shownOf = async (code: string, toml = ""): Promise<string> => {
    const html = (await chapterOf(code, { "book.toml": toml })) ?? "";
    return /<pre><code[^>]*>([^<]*)<\/code>/.exec(html)?.[1] ?? "";
  };

  test("are Rust lines that begin with #, except attributes and ##", async () => {
    const code = "```rust,editable\n# use a;\n#\n  # b();\n#[derive(X)]\n#![y]\n## c\n  ## d\nlet e = 1;\n```\n";
    expect(await shownOf(code)).toBe("#[derive(X)]\n#![y]\n# c\n  # d\nlet e = 1;\n");
  });

  test("are set by book.toml or the block; other languages have none", async () => {
    const toml = '[output.html.code.hidelines]\npython = "~"\n';
    expect(await shownOf("```python\n~a\n  ~b\nc\n```\n", toml)).toBe("c\n");
    expect(await shownOf("```python,hidelines=!!!\n~a\n!!!b\nc\n```\n", toml)).toBe("~a\nc\n");
    expect(await shownOf("```sh\n# a\nb\n```\n", toml)).toBe("# a\nb\n");
  });

  test("stay visible if the course is not a book", async () => {
    const { courses } = await read({ "01-a/01-b.md": "```rust\n# use a;\n```\n" });
    expect(courses[0]?.chapters[0]?.lessons[0]?.additionalText).toContain("# use a;");
  });
});

test("a book.toml identifies a book, whatever folders are beside it", async () => {
  const { courses } = await read({
    "book.toml": "[book]\ntitle = 'The book'\n",
    "src/SUMMARY.md": "- [A](a.md)\n",
    "src/a.md": "x",
    "2018-edition/01-a.md": "old",
    "listings/ch01/README.md": "x",
    "site/course.yaml": "name: Other\nchapters: []",
  });
  expect(courses.map((course) => [course.name, ...outlineOf(course)])).toEqual([["The book", ["A", "A"]]]);
});

test("an import ends with counts of the book's skipped content", async () => {
  const root = writeFolder({
    "SUMMARY.md": "- [A](a.md)\n- [Later]()\n- [Later too]()\n",
    "a.md": "{{#title X}}\n\n{{#quiz a}} {{#quiz b}}\n",
  });
  const { stderr } = await runCommand(["check", root]);
  expect(stderr).toContain("not shown: 2 directives {{#quiz …}}, 2 drafts, 1 page title of {{#title}}\n");
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
  const [a, b, page] = found[0]?.course.chapters.map(({ lessons }) => lessons[0]) ?? [];
  const targetsOf = (lesson: typeof a) => lesson?.links?.map(({ target }) => [target.sourcePath, target.fragment]);
  expect(targetsOf(a)).toEqual([
    ["src/new/page.md", "part"],
    ["src/a.md", "here"],
    ["src/b.md", ""],
  ]);
  expect(a?.additionalText).toContain('<a href="https://x.example/y">4</a>');
  expect(targetsOf(page)).toEqual([["src/a.md", "here"]]);
  expect(targetsOf(b)).toEqual([["src/new/page.md", ""]]);
  expect(problems).toEqual(['src/a.md:1: warning: link "gone.html" points to a missing file: src/gone.html']);
});
