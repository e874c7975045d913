// Digits alone never decide what a folder is: a course has the order of its numbers when most of it is numbered.
import { describe, expect, test } from "bun:test";
import { outlineOf, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const LESSONS: Files = { "leaves.md": "x", "water.md": "x", "cups.md": "x" };
const within = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

/** The names of all lessons, and what is reported. */
async function lessonsOf(files: Files): Promise<{ names: string[]; problems: string[]; courses: number }> {
  const { courses, problems } = await read(files);
  const names = courses.flatMap(({ chapters }) => chapters.flatMap(({ lessons }) => lessons.map(({ name }) => name)));
  return { names, problems, courses: courses.length };
}

describe("every lesson remains beside", () => {
  const site = { "_config.yml": "title: T\n", "index.md": "# Home\n\nx", ...within("guide", LESSONS) };

  test.each<[what: string, files: Files, names: string[]]>([
    ["an error page of a site", { ...site, "404.html": "<p>gone" }, ["Home", "Cups", "Leaves", "Water"]],
    ["an error page in Markdown", { ...LESSONS, "404.md": "gone" }, ["Cups", "Leaves", "Water"]],
    [
      "error pages of several languages",
      { ...site, "404.en.html": "x", "404.HTML": "x", "guide/404.html": "x" },
      ["Home", "Cups", "Leaves", "Water"],
    ],
    [
      "a lesson whose name begins with a digit",
      { ...LESSONS, "3d-printing.md": "x" },
      ["3d printing", "Cups", "Leaves", "Water"],
    ],
    ["a folder with a year", { ...LESSONS, "2024-archive/old.md": "x" }, ["Cups", "Leaves", "Water", "Old"]],
    [
      "a year of numbered files",
      { ...within("guide", LESSONS), "2024/01-news.md": "x" },
      ["News", "Cups", "Leaves", "Water"],
    ],
    [
      "a folder of numbered files",
      { ...within("guide", LESSONS), "news/2024-05-01-tea.md": "x" },
      ["Cups", "Leaves", "Water", "05 01 tea"],
    ],
    ["deeply nested numbered files", { ...LESSONS, "a/b/01-news.md": "x" }, ["Cups", "Leaves", "Water", "News"]],
    [
      "as many numbered files as others",
      { "01-a.md": "x", "02-b.md": "x", "leaves.md": "x", "water.md": "x" },
      ["A", "B", "Leaves", "Water"],
    ],
    [
      "a folder that holds most of them",
      { ...within("guide", LESSONS), "3d-printing.md": "x", "2024/old.md": "x" },
      ["3d printing", "Cups", "Leaves", "Water", "Old"],
    ],
    ["pages of HTML", { "01-a.html": "<p>x", "leaves.html": "<p>x", "water.html": "<p>x" }, ["A", "Leaves", "Water"]],
  ])("%s", async (_what, files, names) => {
    const { names: found, problems, courses } = await lessonsOf(files);
    expect([found.sort(), courses]).toEqual([names.sort(), 1]);
    expect(problems.filter((problem) => !/404\.|no number/.test(problem))).toEqual([]);
  });

  test("an error page is reported and never a lesson, even if all other files have numbers", async () => {
    for (const files of [
      { ...LESSONS, "404.html": "x" },
      { "01-a.md": "x", "404.html": "x" },
      { "course.yaml": "name: T", "01-a.md": "x", "404.md": "x" },
    ]) {
      const { names, problems } = await lessonsOf(files);
      expect(names.filter((name) => name.includes("404"))).toEqual([]);
      const message = "is the error page of a site, so it is not a lesson";
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^404\\.[a-z]+: warning: ${message}$`))]);
    }
  });
});

describe("a course beside a folder named after a year stays a course", () => {
  const tea: Files = { "tea/course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]", "tea/a.md": "x" };
  test.each<[what: string, files: Files]>([
    ["of pictures", { ...tea, "2024/a.png": "" }],
    ["of texts", { ...tea, "2024/notes.md": "x" }],
    ["in names of files", { ...tea, "2023-notes.md": "x", "2024-notes.md": "x" }],
    ["several of them", { ...tea, "2023/notes.md": "x", "2024/notes.md": "x", "2025/notes.md": "x" }],
  ])("%s", async (_what, files) => {
    const { courses } = await read(files);
    expect(courses.map(({ name, chapters }) => [name, chapters.length])).toEqual([["Tea", 1]]);
  });

  test("with lesson files beside it, which are reported", async () => {
    const { problems } = await read({ ...tea, "2024-notes.md": "x", "README.md": "x" });
    expect(problems).toEqual([".: warning: 1 file is beside the courses, so it is not a lesson: 2024-notes.md"]);
  });

  test("a year folder of numbered lessons is a course beside it", async () => {
    const { courses } = await read({ ...tea, "2024/01-a.md": "x", "2024/02-b.md": "x" });
    expect(courses.map(({ name }) => name)).toEqual(["2024", "Tea"]);
  });
});

describe("numbers that most parts have define the order", () => {
  test("and unnumbered parts follow, reported in one line", async () => {
    const { courses, problems } = await read({
      "README.md": "# Welcome\n\nx",
      "LICENSE.md": "x",
      "01-first/02-b.md": "x",
      "01-first/01-a.md": "x",
      "01-first/glossary.md": "x",
      "01-first/extra/01-deep.md": "x",
      "02-second/01-c.md": "x",
      "03-third/01-d.md": "x",
      "03-third/02-e.md": "x",
      "appendix.md": "x",
      "workshop/step 10.md": "x",
      "workshop/step 9.md": "x",
      "workshop/more/last.md": "x",
      "img/a.png": "",
      "_layouts/a.html": "x",
    });
    expect(courses.flatMap(outlineOf)).toEqual([
      ["Introduction", "Welcome"],
      ["First", "A", "B", "Glossary"],
      ["First: Extra", "Deep"],
      ["Second", "C"],
      ["Third", "D", "E"],
      ["More", "Appendix"],
      ["Workshop", "Step 9", "Step 10"],
      ["Workshop: More", "Last"],
    ]);
    expect(problems).toEqual([
      ".: warning: 3 files and folders have no number and follow the numbered parts: appendix.md, workshop, 01-first/glossary.md",
      "LICENSE.md: warning: has the name of a repository file, so it is not a lesson",
      ".: warning: 1 file is either reserved for a site builder by a leading _ or beside another introduction, so it is not a lesson: _layouts/a.html",
    ]);
  });

  test("but README and folders without lessons do not count", async () => {
    const { courses, problems } = await read({
      "README.md": "x",
      "01-a.md": "x",
      "img/a.png": "",
      "data/b.csv": "",
      "code/c.py": "",
    });
    expect([courses.flatMap(outlineOf), problems]).toEqual([[["Introduction", "Introduction", "A"]], []]);
  });

  test("a described course keeps unnumbered parts if any part has a number", async () => {
    const { courses } = await read({ "course.yaml": "name: Tea", ...LESSONS, "3d-printing.md": "x" });
    expect(courses.flatMap(outlineOf)).toEqual([["Introduction", "3d printing", "Cups", "Leaves", "Water"]]);
  });

  test("one folder in a chapter does not turn the course into a catalog", async () => {
    const { courses } = await read({
      "01-a/01-x.md": "x",
      "01-a/02-y.md": "x",
      "01-a/2024/old.md": "x",
      "02-b/01-z.md": "x",
    });
    expect(courses.flatMap(outlineOf)).toEqual([
      ["A", "X", "Y"],
      ["A: 2024", "Old"],
      ["B", "Z"],
    ]);
  });

  test("courses with numbered chapters stay courses beside one without", async () => {
    const { courses } = await read({
      "01-python/01-a/01-x.md": "x",
      "02-go/01-a/01-x.md": "x",
      "03-rust/01-x.md": "x",
    });
    expect(courses.map(({ name }) => name)).toEqual(["Python", "Go", "Rust"]);
  });

  test("with --format, one number is enough", async () => {
    const { courses } = await readFolder(writeFolder({ ...LESSONS, "01-a.md": "x" }), undefined, {
      format: "numbered",
    });
    expect(courses.flatMap(outlineOf)).toEqual([["Introduction", "A", "Cups", "Leaves", "Water"]]);
  });
});
