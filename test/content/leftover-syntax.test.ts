// Syntax of other programs that readers would see: reported for every source of texts.
import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { readLesson } from "../support/written-folder.ts";

/** The reported messages, without the place. */
const told = async (name: string, text: string): Promise<string[]> =>
  (await readLesson(name, text)).problems
    .map((problem) => problem.replace(`01-part/${name}:`, ""))
    .filter((problem) => !problem.includes("<script> runs in the reader's page"));

/** What is written, what it is called, and how much of it is told where that is not all. */
const SEEN: [text: string, what: string, seen?: string][] = [
  ["{{#include a.rs}}", "an mdBook or Handlebars directive"],
  ["Text {{< figure src=a >}}", "a Hugo shortcode", "{{< figure src=a >}}"],
  ["{{% notice tip %}}", "a Hugo shortcode"],
  ["{{1}}", "a LiaScript animation"],
  ["{{ site.url }}", "a template placeholder"],
  ["{% include a.html %}", "a Liquid or Jinja tag"],
  ["{#if fw === 'pt'}", "a Svelte or MDX control line"],
  ["{/* a comment */}", "an MDX comment"],
  ["{leaves.map((leaf) => leaf.name)}", "an MDX expression", "{leaves.map((leaf) => leaf.name)}"],
  ["Text {props.name}", "an MDX expression", "{props.name}"],
  ["![a](https://e.org/a.png){alt='A tree'}", "a Pandoc or kramdown attribute list", "{alt='A tree'}"],
  ["Text {: .class}", "a Pandoc or kramdown attribute list", "{: .class}"],
  ["Text {.class}", "a Pandoc or kramdown attribute list", "{.class}"],
  ['Text {data-a="b"}', "a Pandoc or kramdown attribute list", '{data-a="b"}'],
  ["Text { .class }", "a Pandoc or kramdown attribute list", "{ .class }"],
  ["Text :material-leaf:", "an MkDocs icon", ":material-leaf:"],
  ["Text^[a note]", "a Pandoc note", "^[a note]"],
  ["::: note", "a container"],
  ["!!! note", "an MkDocs admonition"],
  ['=== "Tab"', "an MkDocs tab"],
  ["/// details | Title", "a PyMdown block"],
  ['--8<-- "a.md"', "an MkDocs snippet"],
  [".. note:: Text", "a reStructuredText directive"],
  ["[[X]] Right", "a LiaScript quiz", "[[X]]"],
  ["[( )] Wrong", "a LiaScript quiz", "[( )]"],
  ["[TOC]", "a table of contents"],
  ["see [[Other page]]", "a wiki link", "[[Other page]]"],
  ["so it is[^1]", "a footnote without text", "[^1]"],
  ["> [!EXAMPLE] a", "a callout marker", "[!EXAMPLE]"],
  ["see {ref}`a`", "a MyST role", "{ref}"],
  ["```rust\n{{#rustdoc_include a.rs:here}}\n```", "code that mdBook includes", "{{#rustdoc_include a.rs:here}}"],
];

describe("leftover syntax", () => {
  test.each(SEEN.map(([text, what, seen = text]) => ({ text, what, seen })))("$text", async ({ text, what, seen }) => {
    expect(await told("1.md", `First.\n\n${text}\n`)).toEqual([
      `${text.startsWith("```") ? 4 : 3}: warning: readers see "${seen}": ${what} is not supported here`,
    ]);
  });

  test.each([
    [
      "see [text](an address with blanks) here",
      1,
      "[text](an address with blanks)",
      "a link",
      "write spaces in its URL as %20",
    ],
    ["so ==marked== it is", 1, "==marked==", "a highlight", "write <mark>"],
    ["<div>\n# Heading\n</div>", 2, "# Heading", "a heading", "inside HTML, leave an empty line above the heading"],
    ["+---+---+\n| a | b |\n", 1, "+---+---+", "a grid table", "write a table with | and -"],
  ])("what stays raw in %j", async (text, line, seen, what, advice) => {
    expect(await told("1.md", text)).toEqual([
      `${line}: warning: readers see "${seen}": ${what} is not supported here: ${advice}`,
    ]);
  });

  test.each([
    "the [[Prototype]] of an object",
    "a == b and c == d",
    '[a](https://e.org "b c")',
    "f[0](a b)",
    "#1 of #2",
    "`==a==` `# b`",
  ])("%j is not reported", async (text) => expect(await told("1.md", `${text}\n`)).toEqual([]));

  test("TOML front matter that does not begin the file is reported", async () => {
    expect(await told("1.md", '+++\ntitle = "A"\n+++\nText')).toEqual([]);
    expect(await told("1.md", '\n+++\ntitle = "A"\n+++\nText')).toEqual([
      "2: warning: readers see the front matter between the +++ lines: move it to the start of the file",
    ]);
  });
});

const IMAGE = "an image is not supported here: write spaces in its URL as %20, and set a size with <img width>";
const LINK = "a link is not supported here: write spaces in its URL as %20";

test("links and images that Markdown does not parse because of their URLs are reported", async () => {
  const text = `First.

![a](img/a b.png) \`![a](b c.png)\`

![b](https://e.org/b.png =100x200)

[Slides](the slides.pdf), [\`x\`](a b.md), [s]({{ site.url }}/a), [1](see below no file)
`;
  expect((await told("1.md", text)).filter((problem) => !problem.includes("a template placeholder"))).toEqual([
    `3: warning: readers see "![a](img/a b.png)": ${IMAGE} (2 times in this lesson)`,
    `7: warning: readers see "[Slides](the slides.pdf)": ${LINK} (3 times in this lesson)`,
  ]);
});

test("MDX imports outside MDX files are reported", async () => {
  expect(await told("1.md", 'x\n\nimport Tabs from "@theme/Tabs";\n')).toEqual([
    expect.stringMatching(
      /^3: warning: readers see "import Tabs from .*: an MDX import is not supported here: give MDX files the extension \.mdx/,
    ),
  ]);
  const texts = ["import tea from China\n", "```js\nimport a from 'b';\n```\n", "We import “tea” from 'China'.\n"];
  expect(await Promise.all(texts.map((text) => told("1.md", text)))).toEqual(texts.map(() => []));
});

test("cells beyond the table's header are reported, since readers never see them", async () => {
  const text = "| a | b |\n|---|---|\n| `x|y` | z |\n| c \\| d | e | |\n| f |\n\n> a | b\n> --|--\n> 1 | 2 | 3\n";
  expect(await told("1.md", text)).toEqual([
    "3: warning: cells are dropped (2 times in this file): the row has more cells than the table's header; write a | in a cell as \\|",
  ]);
});

test("tables that Markdown does not parse are reported", async () => {
  const advice = "the header row above must follow an empty line and have as many cells as this line";
  const seen = (line: number, row: string): string =>
    `${line}: warning: readers see "${row}": a table is not supported here: ${advice}`;
  expect(await told("1.md", "First.\n\n| Leaf |\nTime |\n| :--- | ---: |\n| `a` | b |\n")).toEqual([
    seen(5, "| :--- | ---: |"),
  ]);
  expect(await told("1.md", "Leaf | Time\n--|:---:|--\na | b | c\n")).toEqual([seen(2, "--|:---:|--")]);
  const tables = ["Leaf | Time\n--|--\na | b\n", "```\na | b | c\n--|--\n```\n", "a -- | b\n", "| a |\n\nb\n\n---\n"];
  expect(await Promise.all(tables.map((text) => told("1.md", text)))).toEqual(tables.map(() => []));
});

test("unknown tags, which readers do not see, are reported", async () => {
  const advice = "HTML has no such element. Put it in backticks, or write &lt; for <";
  const text = `<center>A</center> <my-element>b</my-element> <svg><circle r="1"/></svg> \`<Code>\`

A Vec<String> of Option<T>, and
a Box<String>.

<ChapterIntroduction name="x">

b

</ChapterIntroduction>

<!-- <Hidden> --> <script>"<Inner>"</script>
`;
  expect(await told("1.md", text)).toEqual([
    `3: warning: readers do not see "<String>": ${advice} (2 times in this lesson)`,
    `3: warning: readers do not see "<T>": ${advice}`,
    `6: warning: readers do not see "<ChapterIntroduction>": ${advice}`,
  ]);
  expect(await told("1.html", "<p>a</p>\n<Card>b</Card>")).toEqual([
    `2: warning: readers do not see "<Card>": ${advice}`,
  ]);
});

test("each kind is reported once per lesson, at its first use outside code", async () => {
  const text = `Write \`{{#include a}}\`:

\`\`\`md
{{<  figure >}}
::: note
\`\`\`

::: note
Text {{#include a}} and {{#include b}}
:::

<p>{{#include c}}</p>
`;
  expect(await told("1.md", text)).toEqual([
    '8: warning: readers see "::: note": a container is not supported here (2 times in this lesson)',
    '9: warning: readers see "{{#include a}}": an mdBook or Handlebars directive is not supported here (3 times in this lesson)',
  ]);
});

test("code, formulas, scripts and similar-looking text are not reported", async () => {
  const html = `<pre><code>{% raw %} {{ a.b }}</code></pre> <kbd>[[X]]</kbd> <span class="math inline">{{ x }} {a="b"}</span>
<div class="math display">{{% <span>{/* </span> {% x</div> <script>"{{#if}}"</script><svg><text>{#if a}</text></svg><svg/>
<p title="{% x %}">{1, 2} f{x} {{}} a::b ::1 [1] [^a-z] [[1, 2], [3]] {x} == 1 :: !!! === 3 {a: 1} C++ ... 50% {%}</p>
<!-- ::: note -->`;
  expect(await told("1.html", html)).toEqual([]);
  expect(await told("1.html", `${html}\n<p>{% x %}</p>`)).toHaveLength(1);
});

test("texts without their own lines are reported at their location", async () => {
  const lesson = {
    name: "L",
    additionalText: "<p>::: note</p>",
    quizHtml: "<p>{{< quiz >}}</p>",
    url: "https://e.org/{%a",
  };
  const line = JSON.stringify({ name: "A", chapters: [{ name: "C", lessons: [lesson] }] });
  const { stdout } = await runCommand(["check", "-"], { stdin: line });
  expect(stdout.split("\n").filter((each) => each.includes(": warning: "))).toEqual([
    'standard input:1: warning: lesson "L": quizHtml: readers see "{{< quiz >}}": a Hugo shortcode is not supported here',
    'standard input:1: warning: lesson "L": readers see "::: note": a container is not supported here',
  ]);
  expect(await told("1.md", '---\nname: A\nquizHtml: "<p>{{&lt; quiz >}}</p>"\n---\nx')).toEqual([
    '3:1: warning: quizHtml: readers see "{{< quiz >}}": a Hugo shortcode is not supported here',
  ]);
});
