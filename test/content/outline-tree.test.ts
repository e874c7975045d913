// The tree of a course as its format has it, beside the chapters and lessons that it becomes.
import { expect, test } from "bun:test";
import type { CoursePart } from "../../src/content/source.ts";
import { outlinesOf, read, type Files } from "../support/written-folder.ts";

const write = ({ name, sourcePath, parts }: CoursePart): string =>
  parts === undefined ? (sourcePath ?? "?") : `${name} (${parts.map(write).join(", ")})`;

const TREES: Record<string, { files: Files; tree: string; chapters: string }> = {
  "course.yaml": {
    files: { "course.yaml": "name: T\nchapters:\n- {name: A, lessons: [a, b]}\n", "a.md": "x", "b.md": "x" },
    tree: "A (a.md, b.md)",
    chapters: "A > A, B",
  },
  numbered: {
    files: { "1-a.md": "x", "2-tea/1-b.md": "x", "2-tea/2-green/1-c.md": "x", "d.md": "x", "3-none/x.png": "" },
    tree: "1-a.md, Tea (2-tea/1-b.md, Green (2-tea/2-green/1-c.md)), None (), d.md",
    chapters: "Introduction > A; Tea > B; Tea: Green > C; None; More > D",
  },
  "plain folders": {
    files: { "a.md": "x", "tea/b.md": "x", "tea/green/c.md": "x", "water/deep/d.md": "x" },
    tree: "a.md, Tea (tea/b.md, Green (tea/green/c.md)), Water (Deep (water/deep/d.md))",
    chapters: "Introduction > A; Tea > B; Tea: Green > C; Water: Deep > D",
  },
  "nav of MkDocs": {
    files: {
      "mkdocs.yml": "nav: [a.md, {Tea: [b.md, {Green: [c.md]}, d.md]}, {Last: e.md}]",
      ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`docs/${name}.md`, "x"])),
    },
    tree: "docs/a.md, Tea (docs/b.md, Green (docs/c.md), docs/d.md), docs/e.md",
    chapters: "Introduction > A; Tea > B; Tea: Green > C; Tea > D; Last > Last",
  },
  mdBook: {
    files: {
      "SUMMARY.md": "[A](a.md)\n\n- [B](b.md)\n  - [C](c.md)\n    - [D](d.md)\n  - [E](e.md)\n",
      ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.md`, "x"])),
    },
    tree: "Introduction (a.md), B (b.md, C (c.md, d.md), e.md)",
    chapters: "Introduction > A; B > B, C, D, E",
  },
  "_toctree.yml": {
    files: {
      "_toctree.yml":
        "- title: Tea\n  sections:\n  - title: Green\n    local: a\n    sections:\n    - {title: B, local: b}\n  - {title: C, local: c}\n",
      "a.mdx": "x",
      "b.mdx": "x",
      "c.mdx": "x",
    },
    tree: "Tea (Green (a.mdx, b.mdx), c.mdx)",
    chapters: "Tea > Green, B, C",
  },
  LiaScript: {
    files: {
      "README.md": "<!--\nauthor: A\nlanguage: en\n-->\n# T\n\nx\n\n## A\n\nx\n\n### B\n\n#### C\n\nx\n\n### D\n\nx\n",
    },
    tree: "Introduction (README.md#t), A (README.md#a, B (README.md#c), README.md#d)",
    chapters: "Introduction > T; A > A, C, D",
  },
  "Open edX": {
    files: {
      "course.xml":
        '<course url_name="r" org="o" course="c"><chapter url_name="a" display_name="Tea"><sequential url_name="s" display_name="Green">' +
        '<vertical url_name="u" display_name="One"><html>x</html></vertical><vertical url_name="v" display_name="Two"><html>y</html></vertical>' +
        "</sequential></chapter></course>",
    },
    tree: "Tea (Green (course.xml#u, course.xml#v))",
    chapters: "Tea > Green: One, Green: Two",
  },
};

test.each(Object.entries(TREES))("a tree of %s becomes chapters and lessons", async (_, { files, tree, chapters }) => {
  const { found, courses } = await read(files);
  expect(found.map((course) => (course.tree ?? []).map(write).join(", "))).toEqual([tree]);
  expect(outlinesOf(courses)).toBe(chapters);
});
