// Definitions hold blocks of every kind, in every format that has definitions.
import { describe, expect, test } from "bun:test";
import { read, type Files } from "../support/written-folder.ts";

const FORMATS: [format: string, toFiles: (text: string) => Files][] = [
  ["plain folders", (text) => ({ "a.md": text })],
  ["mdBook", (text) => ({ "SUMMARY.md": "- [A](a.md)\n", "a.md": text })],
  ["The Carpentries", (text) => ({ "config.yaml": "carpentry: swc\n", "episodes/a.md": text })],
];

async function render(toFiles: (text: string) => Files, text: string): Promise<string | undefined> {
  const { courses, problems } = await read(toFiles(text));
  expect(problems).toEqual([]);
  return courses[0]?.chapters[0]?.lessons[0]?.additionalText;
}

const inList = (definition: string): string => `<dl>\n<dt>Tea</dt>\n<dd>${definition}</dd>\n</dl>\n`;
const LIST = "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n";
const CODE = '<pre><code class="language-sh">boil\n  wait\n</code></pre>\n';

describe.each(FORMATS)("%s: a definition contains", (_format, toFiles) => {
  const blocks: Record<string, [text: string, html: string]> = {
    "a list alone": ["Tea\n:   - a\n    - b\n", inList(`\n${LIST}`)],
    "a list directly below its text": ["Tea\n:   x\n    - a\n    - b\n", inList(`\n<p>x</p>\n${LIST}`)],
    "a list below a blank line": ["Tea\n: x\n\n    - a\n    - b\n", inList(`\n<p>x</p>\n${LIST}`)],
    "a list indented like its text": ["Tea\n: x\n  - a\n  - b\n", inList(`\n<p>x</p>\n${LIST}`)],
    "an ordered list, indented by tabs": [
      "Tea\n:\tx\n\n\t1. a\n\t2. b\n",
      inList("\n<p>x</p>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
    ],
    "fenced code alone": ["Tea\n:   ```sh\n    boil\n      wait\n    ```\n", inList(`\n${CODE}`)],
    "fenced code below its text": [
      "Tea\n:   x\n    ~~~ sh\n    boil\n      wait\n    ~~~\n",
      inList(`\n<p>x</p>\n${CODE}`),
    ],
    "indented code": ["Tea\n:   x\n\n        boil\n", inList("\n<p>x</p>\n<pre><code>boil\n</code></pre>\n")],
    "a quotation": ["Tea\n:   x\n    > y\n", inList("\n<p>x</p>\n<blockquote>\n<p>y</p>\n</blockquote>\n")],
    "one paragraph, over lines": ["Tea\n: x\ny\n", inList("x\ny")],
    definitions: ["Tea\n:   x\n\n    Pot\n    :   y\n", inList("\n<p>x</p>\n<dl>\n<dt>Pot</dt>\n<dd>y</dd>\n</dl>\n")],
  };
  test.each(Object.entries(blocks))("%s", async (_what, [text, html]) => {
    expect(await render(toFiles, `${text}\nend\n`)).toBe(`${html}<p>end</p>\n`);
  });

  test("its content, also in lists and quotations", async () => {
    expect(await render(toFiles, "- Tea\n  :   - a\n      - b\n\nend\n")).toBe(
      `<ul>\n<li>\n${inList(`\n${LIST}`)}</li>\n</ul>\n<p>end</p>\n`,
    );
    expect(await render(toFiles, "> Tea\n> :   - a\n>     - b\n\nend\n")).toBe(
      `<blockquote>\n${inList(`\n${LIST}`)}</blockquote>\n<p>end</p>\n`,
    );
  });

  test("nothing more", async () => {
    expect(await render(toFiles, "Tea\n: a\n: b\nPot\n: c\n\nCup\n\n: d\n\n## H\n: no\n\n    code\n")).toBe(
      "<dl>\n<dt>Tea</dt>\n<dd>a</dd>\n<dd>b</dd>\n<dt>Pot</dt>\n<dd>c</dd>\n<dt>Cup</dt>\n<dd>d</dd>\n</dl>\n" +
        '<h2 id="h">H</h2>\n<p>: no</p>\n<pre><code>code\n</code></pre>\n',
    );
  });
});
