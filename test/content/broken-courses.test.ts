// Small broken books, lessons and courses: each is imported with both of its lessons, and a warning at the line of its flaw.
import { expect, test } from "bun:test";
import { outlinesOf, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const LEVELS = 110;
const DEEP_LIST = Array.from({ length: LEVELS }, (_, level) => `${"  ".repeat(level)}- level ${level + 1}\n`).join("");
const CODE = `${"- ".repeat(60)}First.\n\n${"  ".repeat(60)}~~~\n${"  ".repeat(61)}- code\n${"  ".repeat(60)}~~~\n`;
const TOO_DEEP = "warning: lists and quotations are nested too deeply: the deepest levels are flattened";
const COMMENT = 'warning: readers do not see the text after "<!--": no --> closes the comment';
const LATIN_1 = new Uint8Array(Buffer.from("First.\n\nCaf\xe9.\n", "latin1"));
const SHOWN_LEVELS = [50, 51, LEVELS].map((level) => `<p>level ${level}</p>`);

test.each<[flaw: string, text: string | Uint8Array, seen: string[], warning: string]>([
  ["an unclosed comment", "First.\n\n<div>\n<!-- one --> <!-- two\n\nAfter.\n", ["First."], `4: ${COMMENT}`],
  ["Latin-1", LATIN_1, ["First.", "Café."], "3: warning: is not UTF-8, and is read as Windows-1252"],
  ["a list of 110 levels", `First.\n\n${DEEP_LIST}`, ["First.", ...SHOWN_LEVELS], `53: ${TOO_DEEP}`],
  ["quotations of 110 levels", `First.\n\n${"> ".repeat(LEVELS)}After.\n`, ["<p>After.</p>"], `3: ${TOO_DEEP}`],
  ["code in a deep list", CODE, ["<p>First.</p>", "<pre><code>  - code\n</code></pre>"], `1: ${TOO_DEEP}`],
])("a course with %s in its text is imported", async (_, text, seen, warning) => {
  const book = { "book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n- [B](b.md)\n", "src/b.md": "Last." };
  const { lessons, problems } = await read({ ...book, "src/a.md": text });
  expect(lessons.map(({ name }) => name)).toEqual(["A", "B"]);
  for (const each of seen) expect(lessons[0]?.additionalText).toContain(each);
  expect(problems).toEqual([expect.stringContaining(`src/a.md:${warning}`)]);
});

// What a format's own tool builds is imported, with a warning at its place; `--strict` makes it an error.
const toctree = (...sections: string[]): Files => ({
  "_toctree.yml": `- title: Basics\n  sections:\n${sections.map((section) => `  - {${section}}\n`).join("")}`,
  "a.mdx": "# Leaves\n\nx",
  "b.mdx": "# Water\n\nx",
});
const deep = (levels: number, first: string, between = "/"): string =>
  Array.from({ length: levels }, (_, level) => `${first}${level + 1}`).join(between);

const FLAWS: [what: string, files: Files, outline: string, problems: string[]][] = [
  [
    "a missing anchor",
    { "SUMMARY.md": "- [A](a.md)\n", "a.md": "one\n\n{{#include n.txt:gone}}\n", "n.txt": "x" },
    "A > A",
    ["a.md:3: warning: {{#include n.txt:gone}} names an anchor that n.txt does not contain"],
  ],
  [
    "a page that does not exist",
    { "SUMMARY.md": "- [A](a.md)\n- [Gone](gone.md)\n- [B](b.md)\n", "a.md": "x", "b.md": "x" },
    "A > A; Gone; B > B",
    ['SUMMARY.md:2: warning: chapter "Gone" names lesson "gone.md", but there is no file gone.md'],
  ],
  [
    "a duplicate entry",
    toctree("local: a, title: Leaves", "local: b, title: Water", "local: a, title: Again"),
    "Basics > Leaves, Water",
    ["_toctree.yml:5:5: warning: the file a.mdx is already a lesson in this course; the first entry counts"],
  ],
  [
    "an entry without a title",
    toctree("local: a, title: ''", "local: b, title: Water"),
    "Basics > Leaves, Water",
    ['_toctree.yml:3:16: warning: the lesson has no name and is called "Leaves"'],
  ],
  [
    "a heading without a name",
    {
      "README.md": "<!--\nauthor: A\nlanguage: en\n-->\n# Tea\n\n## Leaves\n\nGreen.\n\n## <!-- x -->\n\nBoil *it*.\n",
    },
    "Leaves > Leaves; Boil it. > Boil it.",
    [
      'README.md:11: warning: the lesson has no name and is called "Boil it."',
      'README.md:11: warning: the chapter has no name and is called "Boil it.", like its first lesson',
    ],
  ],
  [
    "folders of pages in more than twenty folders",
    { "a.md": "x", [`${deep(23, "f")}/b.md`]: "x", [`${deep(24, "f")}/c.md`]: "x" },
    `Introduction > A; ${deep(20, "F", ": ")} > B; ${deep(20, "F", ": ")} > C`,
    [],
  ],
];

test.each(FLAWS)("a flaw that the format's own tool tolerates is imported: %s", async (_, files, outline, problems) => {
  const found = await read(files);
  expect(found.problems).toEqual(problems);
  expect(outlinesOf(found.courses)).toBe(outline);
  if (problems.length === 0) return;
  const strict = await readFolder(writeFolder(files), undefined, { strict: true });
  expect(strict.found).toEqual([]);
  expect(strict.problems.every((problem) => problem.includes(": error: "))).toBe(true);
});
