// Jupyter Book and MyST: outlines of both versions, the directives that teach, and answers that stay withheld.
import { expect, test } from "bun:test";
import { markdown, notebook } from "../support/notebooks.ts";
import { outlinesOf, pages, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const withHeading = (heading: string, ...names: string[]): Files =>
  Object.fromEntries(names.map((name) => [`${name}.md`, `# ${heading}\n\nText.\n`]));

async function readBook(files: Files, options: Parameters<typeof readFolder>[2] = {}) {
  const book = await readFolder(writeFolder(files), undefined, options);
  return { outline: outlinesOf(book.courses), ...book };
}

test("the outline of a Jupyter Book has a chapter per part, with the root page first", async () => {
  const { outline, courses, problems } = await readBook({
    "_config.yml": "title: Tea for scientists\nauthor: A\n",
    "_toc.yml":
      "format: jb-book\nroot: intro\nparts:\n  - caption: Leaves\n    chapters:\n      - file: leaves/green\n      - file: leaves/black\n" +
      "        title: Black, named here\n        sections:\n          - file: leaves/assam\n  - chapters:\n      - glob: water/*\n" +
      "      - url: https://example.org\n        title: Elsewhere\n",
    "leaves/green.ipynb": notebook([markdown("# Green leaves"), markdown("x")]),
    "water/a.ipynb": notebook([markdown("# A")]),
    ...withHeading("Welcome", "intro"),
    ...pages("leaves/black.md", "leaves/assam.md", "water/b.md"),
  });
  expect(courses[0]?.name).toBe("Tea for scientists");
  expect(outline).toBe("Introduction > Welcome; Leaves > Green leaves, Black, named here, Assam; Part 2 > A, B");
  expect(problems).toEqual(['_toc.yml:13:9: warning: "https://example.org" points to another site and is skipped']);
});

test("the outline of a Jupyter Book without parts has a chapter per page with subpages, named after its heading", async () => {
  const { outline, problems } = await readBook({
    "_toc.yml": "format: jb-book\nroot: intro\nchapters:\n- file: a\n  sections:\n  - file: b\n- file: c\n- file: d\n",
    "a.md": "---\ntitle: x\n---\n# The *first*\n",
    ...pages("intro.md", "b.md", "c.md", "d.md"),
  });
  expect(problems).toEqual([]);
  expect(outline).toBe("Introduction > Intro; The first > x, B; C > C, D");
});

test("the outline of a Jupyter Book qualifies equal lesson names in a chapter by section", async () => {
  const section = (title: string, folder: string, more = ""): string =>
    `    - {title: ${title}, children: [{file: ${folder}/index.md}, {file: ${folder}/solution.md}${more}]}\n`;
  const deep = ", {title: Solution, children: [{file: fizz/deep/solution.md}]}";
  const { outline, problems } = await readBook({
    "myst.yml": `project:\n  toc:\n  - title: Exercises\n    children:\n${section("Hello", "hello")}${section("z".repeat(600), "fizz", deep)}`,
    ...pages("hello/index.md", "fizz/index.md"),
    ...withHeading("Solution", "hello/solution", "fizz/solution", "fizz/deep/solution"),
  });
  expect(problems).toEqual([]);
  const long = `${"z".repeat(499)}…`;
  expect(outline).toBe(
    `Exercises > Hello: Introduction, Hello: Solution, ${long}: Introduction, ${long}: Solution, ${long}: Solution: Solution`,
  );
});

test("the outline of a Jupyter Book of version 2 comes from the toc in myst.yml", async () => {
  const { outline, courses, problems } = await readBook({
    "myst.yml":
      "version: 1\nproject:\n  title: Tea\n  description: All of it.\n  toc:\n    - file: index.md\n    - title: Basics\n      children:\n" +
      "        - file: water.md\n        - file: gone.md\n        - pattern: more/*.md\n    - file: end.md\n      hidden: true\n",
    ...pages("index.md", "water.md", "more/x.md", "end.md"),
  });
  expect(courses[0]).toMatchObject({ name: "Tea", description: "All of it." });
  expect(outline).toBe("Introduction > Introduction; Basics > Water, X");
  expect(problems).toEqual([
    'myst.yml:10:11: warning: chapter "Basics" names lesson "gone.md", but there is no file gone.md',
    ".: warning: 1 file is not in myst.yml, so it is not a lesson: end.md",
  ]);
});

const BOOK = { "_toc.yml": "root: a\nchapters:\n- file: b\n", "b.md": "x" };
const start = "```{solution-start} e\n:class: dropdown\n```\n";
const end = "```{solution-end}\n```\n";
const secret = "SECRET\n\n- SECRET\n\n```python\nSECRET\n```\n\n";
const exercise = ":::{exercise}\n:label: e\nWhat?\n:::\n\n:::{solution} e\nSECRET\n:::\n";
const asked = '<aside class="callout" data-callout="exercise" id="e">';

test.each<[file: string, text: string, shows: string]>([
  ["a.md", exercise, asked],
  ["a.ipynb", notebook([markdown(exercise)]), asked],
  ["a.md", `${start}\n${secret}${end}\nAfter.\n`, "After."],
  ["a.md", `Before.\n\n${start}\n${secret}\n## SECRET\n`, "Before."],
  ["a.md", `- item\n\n  ${start.replaceAll("\n", "\n  ")}\n  SECRET\n\nAfter.\n`, "After."],
  ["a.md", `${start}\n${start}\nSECRET\n\n${end}\nSECRET\n\n${end}\nAfter.\n`, "After."],
])("a solution is withheld in %s: %j", async (file, text, shows) => {
  const files = { ...BOOK, [file]: text };
  const { lessons } = await readBook(files);
  expect(lessons[0]?.additionalText).toContain(shows);
  expect(JSON.stringify(lessons)).not.toContain("SECRET");
  const { lessons: all } = await readBook(files, { answers: "all" });
  expect(all[0]?.additionalText).toContain("SECRET");
  if (shows === asked) expect(all[0]?.additionalText).toContain("<summary>Solution</summary>\n<p>SECRET</p>");
});
