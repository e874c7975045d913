import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { outlinesOf, pages, problemsOf, read, readFolder, readOnly, writeFolder } from "../support/written-folder.ts";

const BOOK = { "src/SUMMARY.md": "- [A](a.md)", "src/a.md": "x" };

test("an mdBook book has top-level items as chapters, nested items as lessons, and names from SUMMARY.md", async () => {
  const course = await readOnly(
    {
      "book.toml": '[book]\nauthors = ["A"]\ntitle = "Rust & tea"\n',
      "src/SUMMARY.md":
        "# Summary\n\n[Before the tea](index.md)\n\n- [Water](water.md)\n    - [`hot` and *cold*](water/hot%20and%20cold.md)\n        - [Deeper](./water/deep.md#steam)\n" +
        "- [Leaves](leaves.md)\n\n---\n\n[Thanks](thanks.md)\n",
      "src/index.md": "# Something else\n",
      "src/water.md": "[hot](water/hot%20and%20cold.md)",
      "src/water/deep.md": "# Deep[[d]]\n",
      ...pages("src/water/hot and cold.md", "src/leaves.md", "src/thanks.md", "README.md"),
    },
    "https://a.example/",
  );
  const { chapters, ...rest } = course;
  expect(rest).toEqual({ name: "Rust & tea", published: true, thumbnail: "", sourcePath: "." });
  expect(outlinesOf([course])).toBe(
    "Introduction > Before the tea; Water > Water, hot and cold, Deeper; Leaves > Leaves; Thanks > Thanks",
  );
  const lessons = chapters.flatMap((chapter) => chapter.lessons);
  const first = { name: "Before the tea", sourcePath: "src/index.md", translationKey: "src/index" };
  expect(lessons[0]).toMatchObject({ ...first, additionalText: '<h1 id="something-else">Something else</h1>\n' });
  expect(lessons[1]?.additionalText).toBe('<p><a href="water/hot%20and%20cold.md">hot</a></p>\n');
  expect(lessons[2]?.sourcePath).toBe("src/water/hot and cold.md");
  expect(lessons[3]?.additionalText).toBe('<h1 id="deepd">Deep[[d]]</h1>\n');
});

test("an mdBook book has its parts as chapters, with an introduction for pages above the first part", async () => {
  const summary =
    "# Contents\r\n\r\n[A](a.md)\r\n\r\n- [B](b.md)\r\n\r\n# `Part` *one*\r\n\r\n* [C](c.md)\r\n  1. [D](d.md)\r\n\r\n# Part two\r\n\r\n# Part three\r\n\r\n[E](e.md)\r\n[F](f.md)\r\n";
  const { courses, problems } = await read({
    "guide/text/SUMMARY.md": summary,
    "guide/book.toml": 'book.src = "text"',
    ...pages(...["a", "b", "c", "d", "e", "f"].map((name) => `guide/text/${name}.md`)),
  });
  expect(courses.map(({ name, sourcePath }) => [name, sourcePath])).toEqual([["Guide", "guide"]]);
  expect(outlinesOf(courses)).toBe("Introduction > A, B; Part one > C, D; Part two; Part three > E, F");
  expect(problems).toEqual(['guide/text/SUMMARY.md:12: warning: chapter "Part two" has no lessons']);
});

test("a faulty book reports entries that are not lessons at their lines", async () => {
  const summary =
    "[Draft]()\n\n- [A](a.md)\n- [Draft two]( )\n  - [B](b.md)\n- just text\n- [Site](https://example.org/a.md)\n- ![i](i.png)\n\n## Small heading\n";
  const { courses, problems } = await read({ "SUMMARY.md": summary, ...pages("a.md", "b.md", "forgotten.md") });
  expect(outlinesOf(courses)).toBe("A > A, B");
  expect(problems).toEqual([
    'SUMMARY.md:1: warning: "Draft" is a draft without a file and is skipped',
    'SUMMARY.md:4: warning: "Draft two" is a draft without a file and is skipped',
    'SUMMARY.md:6: warning: "just text" is not a link to a file and is skipped',
    'SUMMARY.md:7: warning: "Site" points to another site and is skipped',
    'SUMMARY.md:8: warning: "i" is not a link to a file and is skipped',
    ".: warning: 1 file is not in SUMMARY.md, so it is not a lesson: forgotten.md",
  ]);
});

test("a faulty book reports missing, outside and repeated files, and is read despite missing or repeated ones", async () => {
  const summary =
    "- [A](a.md)\n- [Gone](gone.md)\n- [Up](../../secret.md)\n- [Root](/etc/passwd.md)\n- [A again](./a.md)\n- [Image](i.png)\n";
  expect(await problemsOf({ ...BOOK, "src/SUMMARY.md": summary, "src/i.png": "" })).toEqual([
    'src/SUMMARY.md:2: warning: chapter "Gone" names lesson "gone.md", but there is no file src/gone.md',
    'src/SUMMARY.md:3: error: chapter "Up" names lesson "../../secret.md", which is outside the source folder and is skipped',
    'src/SUMMARY.md:4: error: chapter "Root" names lesson "/etc/passwd.md", but the path is absolute; write it relative to the course\'s folder',
    'src/SUMMARY.md:6: error: chapter "Image" names lesson "i.png", which is not a lesson file: its name must end with .md, .mdx, .html, .ipynb, .Rmd, .markdown or .mkd',
    "src/SUMMARY.md:5: warning: the file src/a.md is already a lesson in this course; the first entry counts",
  ]);
});

test.each([
  ["book.title = 3", /^book\.title: must be text$/],
  ["book.src = ['a']", /^book\.src: must be the name of a folder$/],
  [`# ${"x".repeat(65_536)}`, /^too large: a book\.toml is limited to 64 KiB$/],
  [`a = ${"[".repeat(65_000)}`, /^(the TOML is nested too deeply|TOML Parse error)/],
])("a faulty book book.toml %#", async (toml, fault) => {
  const [problem = "", ...more] = await problemsOf({ ...BOOK, "book.toml": toml });
  expect([problem.replace("book.toml: error: ", ""), more]).toEqual([expect.stringMatching(fault), []]);
});

test("a faulty book never reads outside the source", async () => {
  const outside = writeFolder({ "SUMMARY.md": "- [Secret](secret.md)", "secret.md": "secret" });
  const linked = writeFolder({ "book.toml": "", "src/a.md": "x" });
  symlinkSync(join(outside, "SUMMARY.md"), join(linked, "src/SUMMARY.md"));
  for (const root of [writeFolder({ "book.toml": "book.src = '../outside'" }), linked]) {
    const { courses, problems } = await readFolder(root);
    const told = expect.stringMatching(/SUMMARY\.md.*: error: is outside the source folder, and is skipped$/);
    expect([courses, problems]).toEqual([[], [told]]);
  }
});
