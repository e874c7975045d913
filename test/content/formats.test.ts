// Which format a folder has, what happens to a second match, and a format more.
import { describe, expect, test } from "bun:test";
import { completeCourse } from "../../src/catalog/complete-course.ts";
import { FORMATS } from "../../src/content/formats/registry.ts";
import type { CoursePart } from "../../src/content/source.ts";
import { gatsby } from "../gatsby/gatsby.ts";
import { outlinesOf, pages, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const MANIFEST = `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><metadata><schema>IMS Common Cartridge</schema>
<schemaversion>1.1.0</schemaversion></metadata><organizations><organization structure="rooted-hierarchy"><item>
<item identifier="m"><title>Basics</title><item identifier="i" identifierref="r"><title>Leaves</title></item></item></item>
</organization></organizations><resources><resource identifier="r" type="webcontent" href="a.html"><file href="a.html"/>
</resource></resources></manifest>`;

const EDX = `<course url_name="r" org="o" course="c"><chapter url_name="a" display_name="Tea">
<sequential url_name="s" display_name="Green"><vertical url_name="u" display_name="One"><html>x</html></vertical>
<vertical url_name="v" display_name="Two"><html>y</html></vertical></sequential></chapter></course>`;
const LIASCRIPT = "<!--\nauthor: A\nlanguage: en\n-->\n# T\n\nx\n\n## A\n\nx\n\n### B\n\n#### C\n\nx\n\n### D\n\nx\n";
const TOCTREE =
  "- title: Tea\n  sections:\n  - {title: Green, local: a, sections: [{title: B, local: b}]}\n  - {title: C, local: c}\n";
const SUMMARY = "[A](a.md)\n\n- [B](b.md)\n  - [C](c.md)\n    - [D](d.md)\n  - [E](e.md)\n";
const NAV = "nav: [a.md, {Tea: [b.md, {Green: [c.md]}, d.md]}, {Last: e.md}]";
const FIVE = ["a.md", "b.md", "c.md", "d.md", "e.md"];

/** A folder of each format, the tree that the format gives it, and the course that it becomes. */
const FOLDERS: [format: string | undefined, tree: string, chapters: string, files: Files][] = [
  [
    undefined,
    "Basics (a.md, b.md)",
    "Basics > A, B",
    { "course.yaml": "name: Tea\nchapters: [{name: Basics, lessons: [a, b]}]", ...pages("a.md", "b.md") },
  ],
  [
    "toctree",
    "Tea (Green (a.mdx, b.mdx), c.mdx)",
    "Tea > Green, B, C",
    { "_toctree.yml": TOCTREE, ...pages("a.mdx", "b.mdx", "c.mdx") },
  ],
  ["olx", "Tea (Green (course.xml#u, course.xml#v))", "Tea > Green: One, Green: Two", { "course.xml": EDX }],
  [
    "common-cartridge",
    "Basics (a.html)",
    "Basics > Leaves",
    { "imsmanifest.xml": MANIFEST, "a.html": "<body>x</body>" },
  ],
  [
    "mdbook",
    "Introduction (src/a.md), B (src/b.md, C (src/c.md, src/d.md), src/e.md)",
    "Introduction > A; B > B, C, D, E",
    { "book.toml": "", "src/SUMMARY.md": SUMMARY, ...pages(...FIVE.map((name) => `src/${name}`)) },
  ],
  [
    "carpentries",
    "Episodes (episodes/a.md)",
    "Episodes > A",
    { "config.yaml": "carpentry: swc\ntitle: Tea\nepisodes: [a.md]", ...pages("episodes/a.md") },
  ],
  [
    "numbered",
    "1-a.md, 3-d.md, Tea (2-tea/1-b.md, Green (2-tea/2-green/1-c.md))",
    "Introduction > A, D; Tea > B; Tea: Green > C",
    pages("1-a.md", "2-tea/1-b.md", "2-tea/2-green/1-c.md", "3-d.md"),
  ],
  [
    "liascript",
    "Introduction (README.md#t), A (README.md#a, B (README.md#c), README.md#d)",
    "Introduction > T; A > A, C, D",
    { "README.md": LIASCRIPT },
  ],
  [
    "plain",
    "a.md, Tea (tea/b.md, Green (tea/green/c.md)), Water (Deep (water/deep/d.md))",
    "Introduction > A; Tea > B; Tea: Green > C; Water: Deep > D",
    pages("a.md", "tea/b.md", "tea/green/c.md", "water/deep/d.md"),
  ],
  [
    "plain",
    "docs/a.md, Tea (docs/b.md, Green (docs/c.md), docs/d.md), docs/e.md",
    "Introduction > A; Tea > B; Tea: Green > C; Tea > D; Last > Last",
    { "mkdocs.yml": NAV, ...pages(...FIVE.map((name) => `docs/${name}`)) },
  ],
];
const write = ({ name, sourcePath, parts }: CoursePart): string =>
  parts === undefined ? (sourcePath ?? "?") : `${name} (${parts.map(write).join(", ")})`;

async function readOne(files: Files, options: Parameters<typeof readFolder>[2] = {}) {
  const { found, problems } = await readFolder(writeFolder(files), undefined, options);
  return { course: found[0]?.course, format: found[0]?.format, problems };
}

describe("a folder", () => {
  test.each(FOLDERS)(
    "of format %s is read as %j and keeps its tree and ids: %s",
    async (format, tree, chapters, files) => {
      const { found, problems } = await readFolder(writeFolder(files));
      const told = problems.filter((problem) => !problem.includes("chapters have one level"));
      expect({ format: found[0]?.format, problems: told }).toEqual({ format, problems: [] });
      expect(found.map(({ tree: parts = [] }) => parts.map(write).join(", "))).toEqual([tree]);
      expect(outlinesOf(found.map(({ course }) => course))).toBe(chapters);
    },
  );

  test("of two formats is read as the first, with one warning that names the second", async () => {
    const { format, problems } = await readOne({
      ...pages("src/a.md", "episodes/a.md"),
      "book.toml": "",
      "src/SUMMARY.md": "- [A](a.md)",
      "config.yaml": "carpentry: swc",
    });
    const message =
      ".: warning: is read as mdbook; it also contains a Carpentries config.yaml: --format carpentries reads it as carpentries";
    expect({ format, problems }).toEqual({ format: "mdbook", problems: [message] });
  });
});

test("a new format needs a folder and a line in the registry", async () => {
  const holds = /^gatsby-config\.js$/;
  FORMATS.unshift({ name: "gatsby", sign: "a gatsby-config.js", claim: "outline", holds, load: async () => gatsby });
  const page = (part: number, letter: string): string =>
    `---\npart: ${part}\nletter: ${letter}\nlang: en\n---\n\n# X\n`;
  const { course, format, problems } = await readOne({
    "gatsby-config.js": "",
    "src/content/3/en/part3b.md": page(3, "b"),
    "src/content/3/en/part3a.md": page(3, "a"),
    "src/content/3/fi/osa3a.md": "x",
    "src/content/4/en/part4a.md": page(4, "a"),
  }).finally(() => FORMATS.shift());
  expect({ format, problems }).toEqual({ format: "gatsby", problems: [] });
  expect(course && outlinesOf([course])).toBe("Part 3 > Part 3a, Part 3b; Part 4 > Part 4a");
  expect(course && completeCourse("acme", course).chapters[0]?.lessons[0]?.sourcePath).toBe(
    "src/content/3/en/part3a.md",
  );
});
