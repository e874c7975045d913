// Syntax of other programs that readers would see: reported for every source of texts.
import { expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { readLesson, testTexts } from "../support/written-folder.ts";

/** The reported messages, without the place. */
const told = async (name: string, text: string): Promise<string[]> =>
  (await readLesson(name, text)).problems
    .map((problem) => problem.replace(`01-part/${name}:`, ""))
    .filter((problem) => !problem.includes("<script> runs in the reader's page"));

/** What is written, what it is called, and how much of it is told where that is not all. */
const SEEN: [text: string, what: string, seen?: string][] = [
  ["{{#include a.rs}}", "an mdBook or Handlebars directive"],
  ["Text {{< figure src=a >}}", "a Hugo shortcode", "{{< figure src=a >}}"],
  ["{{1}}", "a LiaScript animation"],
  ["{{ site.url }}", "a template placeholder"],
  ["{% include a.html %}", "a Liquid or Jinja tag"],
  ["{#if fw === 'pt'}", "a Svelte or MDX control line"],
  ["{/* a comment */}", "an MDX comment"],
  ["{leaves.map((leaf) => leaf.name)}", "an MDX expression", "{leaves.map((leaf) => leaf.name)}"],
  ["![a](https://e.org/a.png){alt='A tree'}", "a Pandoc or kramdown attribute list", "{alt='A tree'}"],
  ['Text {data-a="b"}', "a Pandoc or kramdown attribute list", '{data-a="b"}'],
  ["Text :material-leaf:", "an MkDocs icon", ":material-leaf:"],
  ["Text^[a note]", "a Pandoc note", "^[a note]"],
  ["::: note", "a container"],
  ["!!! note", "an MkDocs admonition"],
  ['=== "Tab"', "an MkDocs tab"],
  ["/// details | Title", "a PyMdown block"],
  ['--8<-- "a.md"', "an MkDocs snippet"],
  [".. note:: Text", "a reStructuredText directive"],
  ["[[X]] Right", "a LiaScript quiz", "[[X]]"],
  ["[TOC]", "a table of contents"],
  ["see [[Other page]]", "a wiki link", "[[Other page]]"],
  ["so it is[^1]", "a footnote without text", "[^1]"],
  ["> [!EXAMPLE] a", "a callout marker", "[!EXAMPLE]"],
  ["see {ref}`a`", "a MyST role", "{ref}"],
  ["{!a.md!}", "a Python-Markdown include"],
  ["```rust\n{{#rustdoc_include a.rs:here}}\n```", "code that mdBook includes", "{{#rustdoc_include a.rs:here}}"],
];

test.each(SEEN)("%s is reported as %s", async (text, what, seen = text) => {
  expect(await told("1.md", `First.\n\n${text}\n`)).toEqual([
    `${text.startsWith("```") ? 4 : 3}: warning: readers see "${seen}": ${what} is not supported here`,
  ]);
});

const toldOf = (text: string) => told("1.md", text);
/** A message of what readers see. */
const sees = (line: number, text: string, what: string, advice?: string, times = ""): string =>
  `${line}: warning: readers see "${text}": ${what} is not supported here${advice === undefined ? "" : `: ${advice}`}${times}`;

const URL_ADVICE = "write spaces in its URL as %20";
const CONTENT = "inside HTML, leave an empty line above the heading";
const TABLE = "the header row above must follow an empty line and have as many cells as this line";

testTexts("what Markdown does not parse", toldOf, {
  "<div>\n# Heading\n</div>": [sees(2, "# Heading", "a heading", CONTENT)],
  "+---+---+\n| a | b |\n": [sees(1, "+---+---+", "a grid table", "write a table with | and -")],
  "First.\n\n[Slides](the slides.pdf), [`x`](a b.md), [s]({{ site.url }}/a), [1](see below no file)\n": [
    sees(3, "[Slides](the slides.pdf)", "a link", URL_ADVICE, " (3 times in this lesson)"),
    sees(3, "{{ site.url }}", "a template placeholder"),
  ],
  "First.\n\n| Leaf |\nTime |\n| :--- | ---: |\n| `a` | b |\n": [sees(5, "| :--- | ---: |", "a table", TABLE)],
  "Leaf | Time\n--|:---:|--\na | b | c\n": [sees(2, "--|:---:|--", "a table", TABLE)],
  'x\n\nimport Tabs from "@theme/Tabs";\n': [
    expect.stringMatching(/^3: .* "import Tabs from .*: an MDX import is .* here: give MDX files the extension \.mdx/),
  ],
  '\n+++\ntitle = "A"\n+++\nText': [
    "2: warning: readers see the front matter between the +++ lines: move it to the start of the file",
  ],
  // Readers never see cells beyond the table's header.
  "| a | b |\n|---|---|\n| `x|y` | z |\n| c \\| d | e | |\n| f |\n\n> a | b\n> --|--\n> 1 | 2 | 3\n": [
    "3: warning: cells are dropped (2 times in this file): the row has more cells than the table's header; write a | in a cell as \\|",
  ],
  // Each kind is reported once, at its first use outside code.
  "`{{#include a}}`:\n\n```md\n::: note\n```\n\n::: note\nText {{#include a}} and {{#include b}}\n:::\n\n<p>{{#include c}}</p>\n":
    [
      sees(7, "::: note", "a container", undefined, " (2 times in this lesson)"),
      sees(8, "{{#include a}}", "an mdBook or Handlebars directive", undefined, " (3 times in this lesson)"),
    ],
});

test.each([
  "the [[Prototype]] of an object",
  "a == b and c == d",
  "f[0](a b)",
  "#1 of #2",
  "import tea from China\n\nWe import “tea” from 'China'.\n",
])("%j is not reported", async (text) => expect(await toldOf(text)).toEqual([]));

test("unknown tags, which readers do not see, are reported", async () => {
  const unseen = (line: number, tag: string): string =>
    `${line}: warning: readers do not see "${tag}": HTML has no such element. Put it in backticks, or write &lt; for <`;
  const text =
    '<center>A</center> <my-element>b</my-element> <svg><circle r="1"/></svg> `<Code>`\n\nA Vec<String> of Option<T>, and\na Box<String>.\n\n' +
    '<ChapterIntroduction name="x">\n\nb\n\n</ChapterIntroduction>\n\n<!-- <Hidden> --> <script>"<Inner>"</script>\n';
  expect(await toldOf(text)).toEqual([
    `${unseen(3, "<String>")} (2 times in this lesson)`,
    unseen(3, "<T>"),
    unseen(6, "<ChapterIntroduction>"),
  ]);
  expect(await told("1.html", "<p>a</p>\n<Card>b</Card>")).toEqual([unseen(2, "<Card>")]);
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
  const texts = { additionalText: "<p>::: note</p>", quizHtml: "<p>{{< quiz >}}</p>", url: "https://e.org/{%a" };
  const line = JSON.stringify({ name: "A", chapters: [{ name: "C", lessons: [{ name: "L", ...texts }] }] });
  const { stdout } = await runCommand(["check", "-"], { stdin: line });
  expect(stdout.split("\n").filter((each) => each.includes(": warning: "))).toEqual([
    'standard input:1: warning: lesson "L": quizHtml: readers see "{{< quiz >}}": a Hugo shortcode is not supported here',
    'standard input:1: warning: lesson "L": readers see "::: note": a container is not supported here',
  ]);
  expect(await toldOf('---\nname: A\nquizHtml: "<p>{{&lt; quiz >}}</p>"\n---\nx')).toEqual([
    '3:1: warning: quizHtml: readers see "{{< quiz >}}": a Hugo shortcode is not supported here',
  ]);
});
