import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  outlineOf,
  outlinesOf,
  problemsOf,
  read,
  readFolder,
  readOnly,
  writeFolder,
} from "../support/written-folder.ts";

describe("an mdBook book", () => {
  test("has top-level items as chapters, nested items as lessons, and names from SUMMARY.md", async () => {
    const course = await readOnly(
      {
        "book.toml": '[book]\nauthors = ["A"]\ntitle = "Rust & tea"\n',
        "src/SUMMARY.md": `# Summary

[Before the tea](index.md)

- [Water](water.md)
    - [\`hot\` and *cold*](water/hot%20and%20cold.md)
        - [Deeper](./water/deep.md#steam)
- [Leaves](leaves.md)

---

[Thanks](thanks.md)
`,
        "src/index.md": "# Something else\n",
        "src/water.md": "[hot](water/hot%20and%20cold.md)",
        "src/water/hot and cold.md": "    code\n",
        "src/water/deep.md": "# Deep[[d]]\n",
        "src/leaves.md": "Green.",
        "src/thanks.md": "You.",
        "README.md": "about the repository",
      },
      "https://a.example/",
    );
    const { chapters, ...rest } = course;
    expect(rest).toEqual({ name: "Rust & tea", published: true, thumbnail: "", sourcePath: "." });
    expect(outlinesOf([course])).toBe(
      "Introduction > Before the tea; Water > Water, hot and cold, Deeper; Leaves > Leaves; Thanks > Thanks",
    );
    expect(chapters.map(({ sourcePath }) => sourcePath)).toEqual([undefined, undefined, undefined, undefined]);
    expect(chapters.flatMap(({ lessons }) => lessons)).toEqual([
      lesson("Before the tea", "src/index.md", '<h1 id="something-else">Something else</h1>\n'),
      lesson("Water", "src/water.md", '<p><a href="water/hot%20and%20cold.md">hot</a></p>\n'),
      lesson("hot and cold", "src/water/hot and cold.md", "<pre><code>code\n</code></pre>\n"),
      lesson("Deeper", "src/water/deep.md", '<h1 id="deepd">Deep[[d]]</h1>\n'),
      lesson("Leaves", "src/leaves.md", "<p>Green.</p>\n"),
      lesson("Thanks", "src/thanks.md", "<p>You.</p>\n"),
    ]);
  });

  test("has its parts as chapters, with an introduction for pages above the first part", async () => {
    const summary =
      "# Contents\r\n\r\n[A](a.md)\r\n\r\n- [B](b.md)\r\n\r\n# `Part` *one*\r\n\r\n* [C](c.md)\r\n  1. [D](d.md)\r\n\r\n# Part two\r\n\r\n# Part three\r\n\r\n[E](e.md)\r\n[F](f.md)\r\n";
    const { courses, problems } = await read({
      "guide/text/SUMMARY.md": summary,
      "guide/book.toml": 'book.src = "text"',
      ...Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`guide/text/${name}.md`, name])),
    });
    expect(courses.map(({ name, sourcePath }) => [name, sourcePath])).toEqual([["Guide", "guide"]]);
    expect(outlinesOf(courses)).toBe("Introduction > A, B; Part one > C, D; Part two; Part three > E, F");
    expect(problems).toEqual(['guide/text/SUMMARY.md:12: warning: chapter "Part two" has no lessons']);
  });

  test("without a book.toml is named after its folder, wherever SUMMARY.md is", async () => {
    const files = { "a.md": "x", "SUMMARY.md": "- [A](a.md)" };
    const inSrc = Object.fromEntries(Object.entries(files).map(([path, text]) => [`tea-time/src/${path}`, text]));
    const beside = Object.fromEntries(Object.entries(files).map(([path, text]) => [`water/${path}`, text]));
    const { courses, problems } = await read({ ...inSrc, ...beside });
    expect(problems).toEqual([]);
    expect(courses.map(({ name, chapters }) => [name, chapters[0]?.lessons[0]?.sourcePath])).toEqual([
      ["Tea time", "tea-time/src/a.md"],
      ["Water", "water/a.md"],
    ]);
  });

  test("can be described by a course.yaml without chapters", async () => {
    const course = await readOnly({
      "course.yaml": "name: Tea\nslug: tea\npublished: false",
      "src/SUMMARY.md": "- [A](a.md)",
      "src/a.md": "x",
    });
    expect(course).toMatchObject({ name: "Tea", slug: "tea", published: false, chapters: [{ name: "A" }] });
  });
});

function lesson(name: string, sourcePath: string, additionalText: string) {
  const translationKey = sourcePath.replace(/\.md$/, "");
  return { name, url: "", quizHtml: "", additionalText, sourcePath, translationKey };
}

describe("a faulty book", () => {
  test("reports entries that are not lessons at their lines", async () => {
    const { courses, problems } = await read({
      "SUMMARY.md":
        "[Draft]()\n\n- [A](a.md)\n- [Draft two]( )\n  - [B](b.md)\n- just text\n- [Site](https://example.org/a.md)\n- ![i](i.png)\n\n## Small heading\n",
      "a.md": "x",
      "b.md": "x",
      "forgotten.md": "x",
    });
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

  test("reports missing, outside and repeated files, and is read despite missing or repeated ones", async () => {
    expect(
      await problemsOf({
        "book.toml": "[book]\ntitle = 'T'",
        "src/SUMMARY.md":
          "- [A](a.md)\n- [Gone](gone.md)\n- [Up](../../secret.md)\n- [Root](/etc/passwd.md)\n- [A again](./a.md)\n- [Image](i.png)\n",
        "src/a.md": "x",
        "src/i.png": "",
      }),
    ).toEqual([
      'src/SUMMARY.md:2: warning: chapter "Gone" names lesson "gone.md", but there is no file src/gone.md',
      'src/SUMMARY.md:3: error: chapter "Up" names lesson "../../secret.md", which is outside the source folder and is skipped',
      'src/SUMMARY.md:4: error: chapter "Root" names lesson "/etc/passwd.md", but the path is absolute; write it relative to the course\'s folder',
      'src/SUMMARY.md:6: error: chapter "Image" names lesson "i.png", which is not a lesson file: its name must end with .md, .mdx, .html, .ipynb, .Rmd, .markdown or .mkd',
      "src/SUMMARY.md:5: warning: the file src/a.md is already a lesson in this course; the first entry counts",
    ]);
  });

  test.each([
    ["[book\ntitle", "book.toml: error: TOML Parse error: Expected ']' to close a table header but found (0x0A)"],
    ["book.title = 3", "book.toml: error: book.title: must be text"],
    ["book.src = ['a']", "book.toml: error: book.src: must be the name of a folder"],
    [`# ${"x".repeat(65_536)}`, "book.toml: error: too large: a book.toml is limited to 64 KiB"],
  ])("book.toml %#", async (toml, problem) => {
    expect(await problemsOf({ "book.toml": toml, "src/SUMMARY.md": "- [A](a.md)", "src/a.md": "x" })).toEqual([
      problem,
    ]);
  });

  test("reports a deeply nested book.toml once", async () => {
    const files = { "book.toml": `a = ${"[".repeat(65_000)}`, "src/SUMMARY.md": "- [A](a.md)", "src/a.md": "x" };
    const problems = await problemsOf(files);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^book\.toml: error: (the TOML is nested too deeply|TOML Parse error)/);
  });

  test("never reads outside the source", async () => {
    const outside = writeFolder({ "SUMMARY.md": "- [Secret](secret.md)", "secret.md": "secret" });
    const root = writeFolder({ "book.toml": "book.src = '../outside'" });
    const linked = writeFolder({ "book.toml": "", "src/a.md": "x" });
    symlinkSync(join(outside, "SUMMARY.md"), join(linked, "src/SUMMARY.md"));
    for (const [path, file] of [
      [root, "../outside/SUMMARY.md"],
      [linked, "src/SUMMARY.md"],
    ] as const) {
      const { courses, problems } = await readFolder(path);
      expect(courses).toEqual([]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toEndWith(": error: is outside the source folder, and is skipped");
      expect(problems[0]).toContain(file.slice(-10));
    }
  });
});

describe("other outlines take precedence:", () => {
  const book = { "SUMMARY.md": "- [A](a.md)", "a.md": "x" };
  const first = async (files: Record<string, string>) => (await read(files)).courses.flatMap(outlineOf);

  test.each([
    ["course.yaml", { ...book, "course.yaml": "name: T\nchapters: [{name: Own, lessons: [a]}]" }, [["Own", "A"]]],
    ["_toctree.yml", { ...book, "_toctree.yml": "- title: Own\n  sections: [{local: a, title: T}]" }, [["Own", "T"]]],
    [
      "numbers, where most have some",
      { ...book, "01-own/01-b.md": "x", "02-last/01-c.md": "x" },
      [
        ["Own", "B"],
        ["Last", "C"],
        ["More", "A"],
      ],
    ],
    ["no number beside other files", { ...book, "01-own/01-b.md": "x" }, [["A", "A"]]],
    [
      "a course.yaml with a README",
      { ...book, "course.yaml": "name: T", "README.md": "x" },
      [["Introduction", "Introduction"]],
    ],
    [
      "numbers in the folder of the book's text",
      { "src/SUMMARY.md": "- [A](01-a.md)", "src/01-a.md": "x" },
      [["Introduction", "A"]],
    ],
    ["a course in a folder", { ...book, "tea/01-a.md": "x" }, [["Introduction", "A"]]],
  ])("%s", async (_what, files, outline) => {
    expect(await first(files)).toEqual(outline);
  });
});
