// Digits alone never decide what a folder is: a course has the order of its numbers when most of it is numbered.
import { describe, expect, test } from "bun:test";
import { outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const LESSONS = pages("leaves.md", "water.md", "cups.md");
const GUIDE = pages("guide/leaves.md", "guide/water.md", "guide/cups.md");
const SITE: Files = { "_config.yml": "title: T\n", "index.md": "# Home\n\nx", ...GUIDE };

test.each<[what: string, files: Files, names: string]>([
  ["an error page of a site", { ...SITE, "404.html": "<p>gone" }, "Cups Home Leaves Water"],
  ["a lesson whose name begins with a digit", { ...LESSONS, ...pages("3d-maps.md") }, "3d maps Cups Leaves Water"],
  ["a folder with a year", { ...LESSONS, ...pages("2024-archive/old.md") }, "Cups Leaves Old Water"],
  ["a year of numbered files", { ...GUIDE, ...pages("2024/01-news.md") }, "Cups Leaves News Water"],
  ["deeply nested numbered files", { ...LESSONS, ...pages("a/b/01-news.md") }, "Cups Leaves News Water"],
])("every lesson remains beside %s", async (_what, files, names) => {
  const { courses, lessons, problems } = await read(files);
  const found = lessons.map(({ name }) => name).sort();
  expect([courses.length, found.join(" ")]).toEqual([1, names]);
  expect(problems.filter((problem) => !/404\.|no number/.test(problem))).toEqual([]);
});

test("an error page is reported and never a lesson", async () => {
  for (const files of [{ ...LESSONS, "404.html": "x" }, pages("01-a.md", "404.md")]) {
    const { lessons, problems } = await read(files);
    expect(lessons.filter(({ name }) => name.includes("404"))).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/404\.\w+: warning: is the error page of a site, so/)]);
  }
});

describe("a course beside a folder named after a year stays a course", () => {
  const tea: Files = { "tea/course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]", "tea/a.md": "x" };
  test.each<[what: string, beside: string[]]>([
    ["of pictures", ["2024/a.png"]],
    ["in names of files, which are reported", ["2023-notes.md", "2024-notes.md", "README.md"]],
    ["several of them", ["2023/notes.md", "2024/notes.md", "2025/notes.md"]],
  ])("%s", async (_what, beside) => {
    const { courses, problems } = await read({ ...tea, ...pages(...beside) });
    expect(courses.map(({ name, chapters }) => [name, chapters.length])).toEqual([["Tea", 1]]);
    const told = ".: warning: 2 files are beside the courses, so they are not lessons: 2023-notes.md, 2024-notes.md";
    expect(problems.includes(told)).toBe(beside.includes("README.md"));
  });

  test("a year folder of numbered lessons is a course beside it", async () => {
    const { courses } = await read({ ...tea, ...pages("2024/01-a.md", "2024/02-b.md") });
    expect(courses.map(({ name }) => name)).toEqual(["2024", "Tea"]);
  });
});

describe("numbers that most parts have define the order", () => {
  test("but README and folders without lessons do not count", async () => {
    const { courses } = await read(pages("README.md", "01-a.md", "img/a.png", "data/b.csv", "code/c.py"));
    expect(outlinesOf(courses)).toBe("Introduction > Introduction, A");
  });

  test("with --format, one number is enough", async () => {
    const root = writeFolder({ ...LESSONS, ...pages("01-a.md") });
    const { courses } = await readFolder(root, undefined, { format: "numbered" });
    expect(outlinesOf(courses)).toBe("Introduction > A, Cups, Leaves, Water");
  });
});

test("a name such as a hash is unnumbered, but a number followed by letters is a number", async () => {
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
