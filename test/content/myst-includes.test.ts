// Files that pages of MyST include, and substitutions.
import { expect, test } from "bun:test";
import { MIB } from "../../src/content/limits.ts";
import { callout } from "../support/mkdocs.ts";
import { readFolder, testTexts, writeFolder } from "../support/written-folder.ts";

const PROGRAM = "import tea\n# START\ndef brew():\n    return 1\n# END\ntea.stop()\n";
const FILES = {
  "_toc.yml": "root: a\nchapters:\n- file: b\n",
  "_config.yml": "title: Tea\nparse:\n  myst_substitutions:\n    leaf: green\n    rich: '**bold**'\n",
  "parts/box.md": "---\nx: 1\n---\n```{note}\nA *box*.\n```\n\n```{include} deep.md\n```\n",
  "parts/deep.md": "Deep\n<!-- a -->\nmiddle\n<!-- b -->\nend\n",
  "parts/loop.md": "Loop\n\n```{include} loop.md\n```\n",
  "parts/links.md": "---\nx: 1\n---\nA\n[b](b1.md)\n\nC\n\n[d](d1.md)\n",
  "parts/q.md": "Ask\n\n```{solution} e\nSECRET\n```\n",
  "brew.py": PROGRAM,
  "answers.py": "a = 1\n### BEGIN SOLUTION\nSECRET\n### END SOLUTION\n",
  "b.py": "SECRET",
  "b.ipynb": JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] }),
};
const NOTE = callout("note", "Note", "<p>A <em>box</em>.</p>\n");
const code = (text: string, language = "py"): string =>
  `<pre><code class="language-${language}">${text}\n</code></pre>\n`;

const PYTHON = code("import tea\ndef brew():\n    return 1", "python");
const MIDDLE = callout("tip", "Tip", "<p>middle</p>\n");

/** The HTML, with what is reported. */
async function show(text: string) {
  const { lessons, problems } = await readFolder(writeFolder({ ...FILES, "a.md": text, ".env": "SECRET" }));
  expect(JSON.stringify(lessons)).not.toContain("SECRET");
  const left = problems.filter((each) => !/note:|not in _toc|is empty/.test(each));
  const told = left.map((each) => each.replace(/^a\.md:\d+: warning: /, ""));
  return told.length === 0 ? lessons[0]?.additionalText : [lessons[0]?.additionalText, ...told];
}

testTexts("a page", show, {
  "```{include} parts/box.md\n```\n": `${NOTE}<p>Deep</p>\n<p>middle</p>\n<p>end</p>\n`,
  "::::{tip}\n:::{include} /parts/deep.md\n:start-after: <!-- a -->\n:end-before: <!-- b -->\n:::\n::::\n": MIDDLE,
  "```{literalinclude} brew.py\n:language: python\n:lines: 1,3-4\n```\n": PYTHON,
  "```{literalinclude} brew.py\n:start-after: START\n:end-before: END\n:name: c\n```\n": `<a id="c"></a>\n${code("def brew():\n    return 1")}`,
  "```{literalinclude} brew.py\n:start-at: return\n:end-at: return\n:dedent: 4\n```\n": code("return 1"),
  "```{include} parts/deep.md\n:literal:\n:lines: 1\n```\n": "<pre><code>Deep\n</code></pre>\n",
  "```{include} parts/loop.md\n```\n": [
    "<p>Loop</p>\n",
    'parts/loop.md:3: warning: {include} "loop.md" includes itself: a.md → parts/loop.md → parts/loop.md',
  ],
  "```{include} parts/links.md\n:lines: 2,6\n```\n": [
    '<p><a href="b1.md" data-unresolved="">b</a>\n<a href="d1.md" data-unresolved="">d</a></p>\n',
    'parts/links.md:5: warning: link "b1.md" points to a missing file: b1.md',
    'parts/links.md:9: warning: link "d1.md" points to a missing file: d1.md',
  ],
  "```{include} parts/q.md\n```\n": "<p>Ask</p>\n",
  "```{literalinclude} parts/q.md\n```\n": ["", '{literalinclude} "parts/q.md" is left out: it might contain answers'],
  "```{literalinclude} answers.py\n```\n": code("a = 1"),
  "```{literalinclude} b.py\n```\n": [
    "",
    '{literalinclude} "b.py" is left out: it is a notebook, which might contain answers',
  ],
  "```{include} ../gone.md\n```\n": ["", '{include} "../gone.md" points outside the source folder'],
  "```{include} .env\n```\n": ["", '{include} ".env" points to a hidden or ignored path'],
  "```{include} gone.md\n```\n": ["", '{include} "gone.md" points to a missing file'],
  "---\nmyst:\n  substitutions:\n    cup: small\n---\nA {{ cup }}, {{leaf}} cup, `{{ leaf }}`\n":
    "<p>A small, green cup, <code>{{ leaf }}</code></p>\n",
});

test("includes count by their text, and those of files that are missing or in a circle count, too", async () => {
  const include = (name: string, count: number): string => `\`\`\`{include} ${name}\n\`\`\`\n`.repeat(count);
  const names = Array.from({ length: 40 }, (_, n) => `p${n}`);
  const parts = {
    "_toc.yml": `root: a\nchapters:\n${names.map((name) => `- file: ${name}\n`).join("")}`,
    "a.md": "# A",
    "b.txt": include("c.txt", 30),
    "c.txt": include("gone.md", 40) + include("b.txt", 30),
    "big.txt": "x".repeat(4 * MIB),
  };
  for (const [page, error] of [
    [`# A\n\n${include("big.txt", 1)}`, /^p14\.md:3: error: {include} "big\.txt" makes the text too large: /],
    [`# A\n\n${include("b.txt", 1)}`, /^c\.txt:61: error: {include} "gone\.md" is skipped: /],
    [Array.from({ length: 510 }, (_, n) => include(`n${n}`, 1)).join(""), /^p39\.md:221: error: include "n110" makes /],
  ] as const) {
    const pages = Object.fromEntries(names.map((name) => [`${name}.md`, page]));
    const { problems } = await readFolder(writeFolder({ ...parts, ...pages }));
    expect(problems.filter((each) => each.includes(": error: "))).toEqual([expect.stringMatching(error)]);
  }
});
