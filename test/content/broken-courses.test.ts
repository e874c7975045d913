// Small broken books, lessons and courses: each is imported with both of its lessons, and a warning at the line of its flaw.
import { describe, expect, test } from "bun:test";
import { read, type Files } from "../support/written-folder.ts";

type Text = string | Uint8Array;

/** A course with one text, and a lesson that is not to be lost. */
interface Format {
  /** The file of the text, and that of the outline. */
  file: string;
  outline: string;
  files: Files;
}

const FORMATS = {
  mdbook: {
    file: "src/a.md",
    outline: "src/SUMMARY.md",
    files: {
      "book.toml": "",
      "src/SUMMARY.md": "- [A](a.md)\n- [B](b.md)\n",
      "src/b.md": "Last.",
    },
  },
  carpentries: {
    file: "episodes/a.md",
    outline: "config.yaml",
    files: {
      "config.yaml": "carpentry: swc\ntitle: T\nepisodes: [a.md, b.md]\n",
      "episodes/b.md": "Last.",
    },
  },
  toctree: {
    file: "a.mdx",
    outline: "_toctree.yml",
    files: {
      "_toctree.yml": "- title: T\n  sections:\n  - {local: a, title: A}\n  - {local: b, title: B}\n",
      "b.mdx": "Last.",
    },
  },
} satisfies Record<string, Format>;

type FormatName = keyof typeof FORMATS;

interface Case {
  flaw: string;
  format: FormatName;
  /** The text of the first lesson. */
  text: Text;
  outline?: string;
  /** What readers see of it. */
  seen: string[];
  /** The line with the flaw, and the beginning of what is told; of the outline where that has it. */
  warning: string;
}

const latin1 = (text: string): Text => new Uint8Array(Buffer.from(text, "latin1"));

const inText = (flaw: string, text: Text, seen: string[], warning: string, ...formats: FormatName[]): Case[] =>
  formats.map((format) => ({ flaw, format, text, seen, warning }));

const inOutline = (flaw: string, format: FormatName, outline: string, warning: string): Case => {
  return { flaw, format, text: "First.\n", outline, seen: ["First."], warning };
};

const every = Object.keys(FORMATS) as FormatName[];
const LEVELS = 110;
const DEEP_LIST = Array.from({ length: LEVELS }, (_, level) => `${"  ".repeat(level)}- level ${level + 1}\n`).join("");
const TOO_DEEP = "lists and quotations are nested too deeply: the deepest levels are flattened";
const NOT_THERE = 'link "gone.md" points to a missing file';

const CASES: Case[] = [
  inOutline(
    "a duplicate entry",
    "carpentries",
    "carpentry: swc\nepisodes:\n- a.md\n- b.md\n- a.md\n",
    "5:3: warning: the file episodes/a.md is already a lesson in this course; the first entry counts",
  ),
  inOutline(
    "an entry without a name",
    "mdbook",
    "# S\n\n# P\n\n- [A](a.md)\n- [](b.md)\n",
    "6: warning: the lesson has no name",
  ),
  ...inText("an empty heading", "## \n\nFirst.\n\n[x](gone.md)\n", ["First."], `5: warning: ${NOT_THERE}`, ...every),
  ...inText(
    "an unclosed tag",
    "First.\n\n<Tip>\n\nAfter.\n",
    ["First.", "After."],
    '3: warning: readers do not see "<Tip>": HTML has no such element',
    "mdbook",
    "carpentries",
  ),
  ...inText(
    "an unclosed tag",
    "First.\n\n<Tip>\n\nAfter.\n",
    ["First.", "After."],
    "3: warning: component <Tip> is dropped",
    "toctree",
  ),
  ...inText(
    "an unclosed comment",
    "First.\n\n<div>\n<!-- one --> <!-- two\n\nAfter.\n",
    ["First."],
    '4: warning: readers do not see the text after "<!--": no --> closes the comment',
    ...every,
  ),
  ...inText(
    "lines that end in CRLF",
    "First.\r\n\r\n[x](gone.md)\r\n",
    ["First."],
    `3: warning: ${NOT_THERE}`,
    ...every,
  ),
  ...inText("a byte order mark", "\uFEFFFirst.\n\n[x](gone.md)\n", ["<p>First."], `3: warning: ${NOT_THERE}`, ...every),
  ...inText(
    "Latin-1",
    latin1("First.\n\nCaf\xe9.\n"),
    ["First.", "Café."],
    "3: warning: is not UTF-8, and is read as Windows-1252",
    ...every,
  ),
  ...inText(
    "a list of 110 levels",
    `First.\n\n${DEEP_LIST}`,
    ["First.", ...[50, 51, LEVELS].map((level) => `<p>level ${level}</p>`)],
    `53: warning: ${TOO_DEEP}`,
    ...every,
  ),
  ...inText(
    "quotations of 110 levels",
    `First.\n\n${"> ".repeat(LEVELS)}After.\n`,
    ["First.", "<p>After.</p>"],
    `3: warning: ${TOO_DEEP}`,
    ...every,
  ),
  ...inText(
    "code in a list of 60 levels",
    `${"- ".repeat(60)}First.\n\n${"  ".repeat(60)}~~~\n${"  ".repeat(61)}- code\n${"  ".repeat(60)}~~~\n`,
    ["<p>First.</p>", "<pre><code>  - code\n</code></pre>"],
    `1: warning: ${TOO_DEEP}`,
    "mdbook",
  ),
];

describe("importing a course", () => {
  test.each(CASES)("with $flaw, in $format", async ({ format, text, outline, seen, warning }) => {
    const { file, outline: outlineFile, files }: Format = FORMATS[format];
    const { lessons, problems } = await read({ ...files, [file]: text, ...(outline && { [outlineFile]: outline }) });
    expect(lessons.map(({ name }) => name)).toEqual(["A", "B"]);
    for (const each of seen) expect(lessons[0]?.additionalText).toContain(each);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(`${outline === undefined ? file : outlineFile}:${warning}`);
  });
});
