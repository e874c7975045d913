// Definitions hold blocks of every kind.
import { expect, test } from "bun:test";
import { read, testTexts, type Files } from "../support/written-folder.ts";

const toHtml = async (text: string, toFiles: (text: string) => Files = (page) => ({ "a.md": page })) => {
  const { lessons, problems } = await read(toFiles(`${text}\nend\n`));
  expect(problems).toEqual([]);
  return lessons[0]?.additionalText.replace("<p>end</p>\n", "");
};

const inList = (definition: string): string => `<dl>\n<dt>Tea</dt>\n<dd>${definition}</dd>\n</dl>\n`;
const LIST = "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n";
const BELOW = inList(`\n<p>x</p>\n${LIST}`);
const CODE = '<pre><code class="language-sh">boil\n  wait\n</code></pre>\n';

testTexts("a definition", (text) => toHtml(text), {
  "Tea\n:   - a\n    - b\n": inList(`\n${LIST}`),
  "Tea\n:   x\n    - a\n    - b\n": BELOW,
  "Tea\n: x\n\n    - a\n    - b\n": BELOW,
  "Tea\n: x\n  - a\n  - b\n": BELOW,
  "Tea\n:\tx\n\n\t1. a\n\t2. b\n": inList("\n<p>x</p>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
  "Tea\n:   ```sh\n    boil\n      wait\n    ```\n": inList(`\n${CODE}`),
  "Tea\n:   x\n    ~~~ sh\n    boil\n      wait\n    ~~~\n": inList(`\n<p>x</p>\n${CODE}`),
  "Tea\n:   x\n\n        boil\n": inList("\n<p>x</p>\n<pre><code>boil\n</code></pre>\n"),
  "Tea\n:   x\n    > y\n": inList("\n<p>x</p>\n<blockquote>\n<p>y</p>\n</blockquote>\n"),
  "Tea\n: x\ny\n": inList("x\ny"),
  "Tea\n:   x\n\n    Pot\n    :   y\n": inList("\n<p>x</p>\n<dl>\n<dt>Pot</dt>\n<dd>y</dd>\n</dl>\n"),
  "- Tea\n  :   - a\n      - b\n": `<ul>\n<li>\n${inList(`\n${LIST}`)}</li>\n</ul>\n`,
  "> Tea\n> :   - a\n>     - b\n": `<blockquote>\n${inList(`\n${LIST}`)}</blockquote>\n`,
  "Tea\n: a\n: b\nPot\n: c\n\nCup\n\n: d\n\n## H\n: no\n\n    code\n":
    "<dl>\n<dt>Tea</dt>\n<dd>a</dd>\n<dd>b</dd>\n<dt>Pot</dt>\n<dd>c</dd>\n<dt>Cup</dt>\n<dd>d</dd>\n</dl>\n" +
    '<h2 id="h">H</h2>\n<p>: no</p>\n<pre><code>code\n</code></pre>\n',
});

test("a definition is one in The Carpentries, too", async () => {
  const inLesson = (text: string): Files => ({ "config.yaml": "carpentry: swc\n", "episodes/a.md": text });
  expect(await toHtml("Tea\n: x\n", inLesson)).toBe(inList("x"));
});
