// The tree of a course as its format has it, beside the chapters and lessons that it becomes.
import { expect, test } from "bun:test";
import type { CoursePart } from "../../src/content/source.ts";
import { outlinesOf, pages, read, type Files } from "../support/written-folder.ts";

const write = ({ name, sourcePath, parts }: CoursePart): string =>
  parts === undefined ? (sourcePath ?? "?") : `${name} (${parts.map(write).join(", ")})`;

const EDX = `<course url_name="r" org="o" course="c"><chapter url_name="a" display_name="Tea">
<sequential url_name="s" display_name="Green"><vertical url_name="u" display_name="One"><html>x</html></vertical>
<vertical url_name="v" display_name="Two"><html>y</html></vertical></sequential></chapter></course>`;
const LIASCRIPT = "<!--\nauthor: A\nlanguage: en\n-->\n# T\n\nx\n\n## A\n\nx\n\n### B\n\n#### C\n\nx\n\n### D\n\nx\n";

test.each<[format: string, files: Files, tree: string, chapters: string]>([
  [
    "course.yaml",
    { "course.yaml": "name: T\nchapters:\n- {name: A, lessons: [a, b]}\n", ...pages("a.md", "b.md") },
    "A (a.md, b.md)",
    "A > A, B",
  ],
  [
    "numbered folders",
    pages("1-a.md", "2-tea/1-b.md", "2-tea/2-green/1-c.md", "d.md", "3-none/x.png"),
    "1-a.md, Tea (2-tea/1-b.md, Green (2-tea/2-green/1-c.md)), None (), d.md",
    "Introduction > A; Tea > B; Tea: Green > C; None; More > D",
  ],
  [
    "plain folders",
    pages("a.md", "tea/b.md", "tea/green/c.md", "water/deep/d.md"),
    "a.md, Tea (tea/b.md, Green (tea/green/c.md)), Water (Deep (water/deep/d.md))",
    "Introduction > A; Tea > B; Tea: Green > C; Water: Deep > D",
  ],
  [
    "nav of MkDocs",
    {
      "mkdocs.yml": "nav: [a.md, {Tea: [b.md, {Green: [c.md]}, d.md]}, {Last: e.md}]",
      ...pages(...["a", "b", "c", "d", "e"].map((name) => `docs/${name}.md`)),
    },
    "docs/a.md, Tea (docs/b.md, Green (docs/c.md), docs/d.md), docs/e.md",
    "Introduction > A; Tea > B; Tea: Green > C; Tea > D; Last > Last",
  ],
  [
    "mdBook",
    {
      "SUMMARY.md": "[A](a.md)\n\n- [B](b.md)\n  - [C](c.md)\n    - [D](d.md)\n  - [E](e.md)\n",
      ...pages("a.md", "b.md", "c.md", "d.md", "e.md"),
    },
    "Introduction (a.md), B (b.md, C (c.md, d.md), e.md)",
    "Introduction > A; B > B, C, D, E",
  ],
  [
    "_toctree.yml",
    {
      "_toctree.yml":
        "- title: Tea\n  sections:\n  - {title: Green, local: a, sections: [{title: B, local: b}]}\n  - {title: C, local: c}\n",
      ...pages("a.mdx", "b.mdx", "c.mdx"),
    },
    "Tea (Green (a.mdx, b.mdx), c.mdx)",
    "Tea > Green, B, C",
  ],
  [
    "LiaScript",
    { "README.md": LIASCRIPT },
    "Introduction (README.md#t), A (README.md#a, B (README.md#c), README.md#d)",
    "Introduction > T; A > A, C, D",
  ],
  ["Open edX", { "course.xml": EDX }, "Tea (Green (course.xml#u, course.xml#v))", "Tea > Green: One, Green: Two"],
])("a tree of %s becomes chapters and lessons", async (_, files, tree, chapters) => {
  const { found, courses } = await read(files);
  expect(found.map((course) => (course.tree ?? []).map(write).join(", "))).toEqual([tree]);
  expect(outlinesOf(courses)).toBe(chapters);
});
