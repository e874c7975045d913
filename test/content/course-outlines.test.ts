import { describe, expect, test } from "bun:test";
import { outlinesOf, pages, problemsOf, read } from "../support/written-folder.ts";

describe("courses without an outline", () => {
  test("treat a name such as a hash as unnumbered, but a number followed by letters as a number", async () => {
    const hashes = "3f9a2c1e 0a1b2c3d 5d41402abc4b2a76b9719d911017c592 4f0a81c2-9b1d-4e5f-8a7b 4fKz81xQ_a".split(" ");
    const numbered = "1 02intro 03b 3d-maps 4.1-Notes 05_part2 006part2 2024-01-31-news 2025dec".split(" ");
    const { lessons, problems } = await read(pages(...[...hashes, ...numbered].map((name) => `01-part/${name}.md`)));
    const names = lessons.map(({ sourcePath }) => sourcePath?.slice("01-part/".length, -".md".length));
    expect(names.slice(0, numbered.length)).toEqual(numbered);
    expect(new Set(names.slice(numbered.length))).toEqual(new Set(hashes));
    const told = ".: warning: 5 files and folders have no number and follow the numbered parts: 01-part/";
    expect(problems).toEqual([expect.stringContaining(told)]);
    // Folders with such names make no course of a folder.
    expect((await read(pages("3f9a2c1e/a.md", "tea/01-a.md"))).courses.map(({ name }) => name)).toEqual(["Tea"]);
  });
});

describe("_toctree.yml", () => {
  test("has parts as chapters and sections as lessons, even with CRLF; nested sections join their chapter", async () => {
    const toctree = `- title: 1. Models
  subtitle: Sub
  sections:
  - {local: chapter1/1, title: Introduction, quiz: 1}
  - title: Deeper
    sections:
    - {local: chapter1/2, title: Usage, colors: 2}
`;
    const { courses, problems } = await read({
      "_toctree.yml": toctree.replaceAll("\n", "\r\n"),
      "chapter1/1.mdx": "# Hi\r\n",
      "chapter1/2.md": "x\r\n",
    });
    expect(outlinesOf(courses)).toBe("1. Models > Introduction, Usage");
    expect(courses[0]?.chapters[0]).toMatchObject({
      lessons: [{ sourcePath: "chapter1/1.mdx" }, { sourcePath: "chapter1/2.md" }],
    });
    expect(courses[0]?.chapters[0]?.sourcePath).toBeUndefined();
    expect(problems).toEqual([
      '_toctree.yml:6:5: warning: the sections of "Deeper" become lessons of chapter "1. Models": chapters have one level',
      "_toctree.yml:7:41: warning: unknown field colors of a section is ignored",
    ]);
  });

  test("reports malformed entries as errors at their location", async () => {
    const toctree = "- title: One\n  color: red\n  sections:\n  - title: B\n  - c\n- text\n";
    expect(await problemsOf({ "_toctree.yml": toctree })).toEqual([
      "_toctree.yml:2:3: warning: unknown field color of a part is ignored",
      "_toctree.yml:4:5: error: local is missing: name the lesson's file without its extension",
      "_toctree.yml:5:5: error: a section must have the fields local and title",
      "_toctree.yml:6:3: error: a part must have the fields title and sections",
    ]);
    expect(await problemsOf({ "_toctree.yml": "title: One" })).toEqual([
      "_toctree.yml:1:1: error: _toctree.yml must be a list of parts, each with the fields title and sections",
    ]);
  });
});
