import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { completeCourse } from "../src/catalog/complete-course.ts";
import type { CourseInput, LessonInput } from "../src/catalog/course.ts";
import { openFolderSource } from "../src/content/folder.ts";
import { read, readFolder, readOnly, writeFolder, type Files } from "./written-folder.ts";

const outlineOf = ({ chapters }: CourseInput) =>
  chapters.map(({ name, lessons }) => [name, ...lessons.map((lesson: LessonInput) => lesson.name)]);

const problemsOf = async (files: Files): Promise<string[]> => (await read(files)).problems;

describe("finding courses", () => {
  test("a root with a course.yaml is one course", async () => {
    const course = await readOnly({ "course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]", "a.md": "x" });
    expect(course).toMatchObject({ name: "Tea", published: true, thumbnail: "", sourcePath: "." });
  });

  test("a root without courses of its own holds one per folder, in the order of their names", async () => {
    const { courses, problems } = await read({
      "tea/01-a.md": "x",
      "Coffee/course.yml": "name: Coffee\nchapters: [{name: A, lessons: [a]}]",
      "Coffee/a.md": "x",
      "water/_toctree.yml": "- title: Part\n  sections:\n  - local: a\n    title: A",
      "water/a.mdx": "x",
      "README.md": "about this repository",
      ".git/01-a.md": "x",
      "node_modules/01-a.md": "x",
    });
    expect(problems).toEqual([]);
    expect(courses.map(({ name, sourcePath }) => [name, sourcePath])).toEqual([
      ["Coffee", "Coffee"],
      ["Tea", "tea"],
      ["Water", "water"],
    ]);
  });

  test("courses may be numbered folders themselves", async () => {
    const { courses } = await read({
      "01-tea/course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]",
      "01-tea/a.md": "x",
      "02-deep-learning/01-part/01-a.md": "x",
    });
    expect(courses.map(({ name }) => name)).toEqual(["Tea", "Deep learning"]);
  });

  test("a folder that is no course is a warning that says why", async () => {
    const { problems, courses } = await read({ "tea/01-a.md": "x", "img/a.png": "" });
    expect(courses).toHaveLength(1);
    expect(problems).toEqual([
      "img: warning: is not read as a course: a course folder has a course.yaml, a _toctree.yml, or folders and lessons whose names begin with numbers, such as 01-start.md",
    ]);
  });

  test("a source without any course is an error that says what a course folder looks like", async () => {
    const { problems, courses } = await read({ "notes.txt": "" });
    expect(courses).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\.: error: holds no course: a course folder has a course\.yaml, /);
  });

  test("a root that is missing or a file is an Error for people", async () => {
    const root = writeFolder({ "file.txt": "" });
    expect(readFolder(join(root, "nowhere"))).rejects.toThrow(`there is no folder ${root}/nowhere`);
    expect(readFolder(join(root, "file.txt"))).rejects.toThrow(`${root}/file.txt is not a folder`);
  });

  test("problems name files as the operator typed the folder", async () => {
    const root = writeFolder({ "course.yaml": "slug: tea" });
    const files: string[] = [];
    const typed = join(".", root).replace(/^/, "/").replace("//", "/");
    for await (const _ of openFolderSource(`${typed}/`, { assetBase: undefined }).read(({ file }) => files.push(file)));
    expect(files).toEqual([join(root, "course.yaml")]);
  });

  test("the label names the folder without the way to it", () => {
    expect(openFolderSource("/srv/my/courses/", { assetBase: undefined }).label).toBe("folder courses");
  });
});

describe("course.yaml", () => {
  const COMPLETE = `id: 007
slug: tea
name: 2024
published: false
thumbnail: https://example.org/tea.jpg
createdAt: 2026-01-31
updatedAt: 2026-02-01T10:00:00+02:00
chapters:
  - id: one
    name: First
    folder: one
    lessons:
      - 01-leaf
      - file: 02-water.md
        id: "42"
        name: Hot water
        url: https://example.org/water.mp4
        quizHtml: <b>?</b>
        createdAt: 2026-03-01
      - name: Only a video
        url: https://example.org/only.mp4
  - name: Second
    folder: two
`;

  test("gives every field, and scalars stay the text that was typed", async () => {
    const course = await readOnly({
      "course.yaml": COMPLETE,
      "one/01-leaf.md": "# Leaf\n",
      "one/02-water.md": "Boil it.",
      "two/10-last.md": "x",
      "two/9-first.html": "<p>x</p>",
    });
    expect(course).toMatchObject({
      _id: "007",
      slug: "tea",
      name: "2024",
      published: false,
      thumbnail: "https://example.org/tea.jpg",
      createdAt: "2026-01-31T00:00:00.000Z",
      updatedAt: "2026-02-01T08:00:00.000Z",
    });
    expect(course.chapters[0]).toMatchObject({ id: "one", name: "First", sourcePath: "one" });
    expect(course.chapters[0]?.lessons).toMatchObject([
      { name: "Leaf", sourcePath: "one/01-leaf.md", url: "" },
      {
        id: "42",
        name: "Hot water",
        url: "https://example.org/water.mp4",
        quizHtml: "<b>?</b>",
        additionalText: "<p>Boil it.</p>\n",
        createdAt: "2026-03-01T00:00:00.000Z",
      },
      { name: "Only a video", url: "https://example.org/only.mp4", additionalText: "" },
    ]);
    expect(course.chapters[0]?.lessons[2]?.sourcePath).toBeUndefined();
    expect(course.chapters[1]?.lessons.map(({ sourcePath }) => sourcePath)).toEqual([
      "two/9-first.html",
      "two/10-last.md",
    ]);
  });

  test("a lesson without a file is reported with chapter, name and place", async () => {
    const yaml = "name: Intro\nchapters:\n  - name: Basics\n    lessons:\n      - 01-start\n\n      - 02-types\n";
    const { problems, courses } = await read({ "intro/course.yaml": yaml, "intro/01-start.md": "x" });
    expect(courses).toEqual([]);
    expect(problems).toEqual([
      'intro/course.yaml:7:9: error: chapter "Basics" names lesson "02-types", but there is no file 02-types.md',
    ]);
  });

  test("every problem is reported, each at its line and column", async () => {
    const yaml = `slug: a/b
published: yes
createdAt: yesterday
colour: green
thumbnail: img/tea.png
chapters:
  - name: One
    icon: leaf
    lessons:
      - {name: Two, file: gone.md}
      - name: Three
        url: https://example.org
        id: "a/b"
  - title: Four
  - just text
`;
    expect(await problemsOf({ "course.yaml": yaml })).toEqual(
      [
        "course.yaml:2:1: error: published: must be true or false",
        "course.yaml:15:5: error: a chapter must have fields such as name: Title",
        'course.yaml:10:21: error: chapter "One" names lesson "gone.md", but there is no file gone.md',
        'course.yaml:14:5: warning: chapter "" has no lessons',
        "course.yaml:1:1: error: slug: must be 1 to 255 characters without control characters and without /",
        "course.yaml:1:1: error: name is missing",
        "course.yaml:5:1: error: thumbnail: must be an absolute http or https URL, or empty; relative paths need --asset-base URL",
        "course.yaml:3:1: error: createdAt: must be a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z",
        "course.yaml:13:9: error: chapters[0].lessons[0].id: must be 1 to 255 characters without control characters and without /",
        "course.yaml:14:5: error: chapters[1].name is missing",
      ].toSorted(inOrderOf(await problemsOf({ "course.yaml": yaml }))),
    );
  });

  test("unknown fields are warnings at their line", async () => {
    const { problems, courses } = await read({
      "course.yaml":
        "name: Tea\ncolour: green\nchapters:\n  - name: A\n    icon: leaf\n    lessons:\n      - {file: a.md, length: 3}",
      "a.md": "---\ntitle: A\n---\nx",
    });
    expect(courses).toHaveLength(1);
    expect(problems).toEqual([
      "course.yaml:2:1: warning: unknown field colour is ignored",
      "course.yaml:5:5: warning: unknown field chapters[0].icon is ignored",
      "course.yaml:7:22: warning: unknown field chapters[0].lessons[0].length is ignored",
      "a.md:2:1: warning: unknown field chapters[0].lessons[0].title is ignored",
    ]);
  });

  test("YAML that does not parse is an error at its line and column", async () => {
    expect(await problemsOf({ "course.yaml": "name: Tea\nslug: a: b\n" })).toEqual([
      "course.yaml:2:7: error: Nested mappings are not allowed in compact mappings",
    ]);
    expect(await problemsOf({ "course.yaml": "name: Tea\nname: Coffee\n" })).toEqual([
      "course.yaml:2:1: error: Map keys must be unique",
    ]);
    expect(await problemsOf({ "course.yaml": "- name: Tea\n" })).toEqual([
      "course.yaml:1:1: error: course.yaml must be fields such as name: Title",
    ]);
  });

  test("aliases that multiply, or that hold themselves, are refused", async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`);
    const message = "course.yaml:1: error: the YAML has more than 100 aliases";
    expect(await problemsOf({ "course.yaml": `l0: &l0 x\n${levels.join("\n")}` })).toEqual([message]);
    expect(await problemsOf({ "course.yaml": "name: &a [*a, x]" })).toEqual([message]);
  });

  test("an empty value counts as absent, an empty text as a value", async () => {
    const course = await readOnly({
      "course.yaml": 'name: Tea\n_id:\nslug: ~\nthumbnail: ""\ncreatedAt: null\nchapters: [{name: A, lessons: [a]}]',
      "a.md": "---\nurl:\nname:\n---\nx",
    });
    expect(course).toMatchObject({ name: "Tea", thumbnail: "" });
    expect([course._id, course.slug, course.createdAt]).toEqual([undefined, undefined, undefined]);
    expect(course.chapters[0]?.lessons[0]).toMatchObject({ url: "", name: "A" });
  });

  test("paths that are absolute or lead outside are errors and are never read", async () => {
    const secret = basename(writeFolder({ "secret.md": "s" }));
    const files = ["/etc/hosts.md", `../${secret}/secret.md`, "C:\\x.md"];
    const yaml = `name: Tea\nchapters:\n${files.map((file) => `  - {name: A, lessons: ['${file}']}\n`).join("")}  - {name: B, folder: ../}\n`;
    expect(await problemsOf({ "course.yaml": yaml })).toEqual(
      [
        `course.yaml:3:25: error: chapter "A" names lesson "/etc/hosts.md", and the path is absolute; paths are relative to the course's folder`,
        `course.yaml:4:25: error: chapter "A" names lesson "../${secret}/secret.md", which leads outside the source folder, and is not read`,
        `course.yaml:5:25: error: chapter "A" names lesson "C:\\x.md", and the path is absolute; paths are relative to the course's folder`,
        'course.yaml:6:15: error: chapter "B" names folder "../", which leads outside the source folder, and is not read',
      ].toSorted(inOrderOf(await problemsOf({ "course.yaml": yaml }))),
    );
  });

  test("a file that is two lessons is an error at the second", async () => {
    const yaml = "name: Tea\nchapters:\n  - name: A\n    lessons:\n      - a\n      - ./a.md\n";
    expect(await problemsOf({ "course.yaml": yaml, "a.md": "x" })).toEqual([
      "course.yaml:6:9: error: the file a.md is already a lesson of this course",
    ]);
  });

  test("lesson files that the outline does not name are warnings; the README of the repository is none", async () => {
    const yaml = "name: Tea\nchapters: [{name: A, lessons: [a]}]";
    const files = { "course.yaml": yaml, "a.md": "x", "README.md": "x", "old/b.html": "x", "img/c.png": "" };
    expect(await problemsOf(files)).toEqual(["old/b.html: warning: is not in the outline, so it is not a lesson"]);
  });

  test("an empty lesson and a chapter without lessons are warnings", async () => {
    const yaml = "name: Tea\nchapters:\n  - name: A\n    lessons: [a, {name: B}]\n  - name: C";
    const { problems, courses } = await read({ "course.yaml": yaml, "a.md": "\n" });
    expect(courses).toHaveLength(1);
    expect(problems).toEqual([
      "a.md:1: warning: the lesson is empty: it has no text, no url and no quizHtml",
      "course.yaml:4:18: warning: the lesson is empty: it has no text, no url and no quizHtml",
      'course.yaml:5:5: warning: chapter "C" has no lessons',
    ]);
  });

  test("chapters that share a folder do not share an id", async () => {
    const yaml =
      "name: Tea\nchapters:\n  - {name: A, folder: all, lessons: [a]}\n  - {name: B, folder: all, lessons: [b]}";
    const input = await readOnly({ "course.yaml": yaml, "all/a.md": "x", "all/b.md": "x" });
    const { chapters } = completeCourse("p", input);
    expect(new Set(chapters.map(({ id }) => id)).size).toBe(2);
  });

  test("without chapters the _toctree.yml is the outline, or else the numbers are", async () => {
    const toctree = "- title: Part\n  sections:\n  - local: a\n    title: A";
    const course = await readOnly({ "course.yaml": "name: Tea", "_toctree.yml": toctree, "a.md": "x" });
    expect([course.name, ...outlineOf(course)]).toEqual(["Tea", ["Part", "A"]]);
    const numbered = await readOnly({ "course.yaml": "name: Tea", "01-part/01-a.md": "x" });
    expect([numbered.name, ...outlineOf(numbered)]).toEqual(["Tea", ["Part", "A"]]);
  });

  test("an error in one course does not keep the others from being read and reported", async () => {
    const { courses, problems } = await read({
      "a/course.yaml": "slug: a",
      "b/01-b.md": "x",
      "c/course.yaml": "slug: c",
    });
    expect(courses.map(({ name }) => name)).toEqual(["B"]);
    expect(problems.filter((problem) => problem.includes("error"))).toHaveLength(2);
  });

  test("what the import finds later can still be located", async () => {
    const { found } = await read({
      "course.yaml":
        "name: Tea\nchapters:\n  - name: A\n    id: one\n    lessons: [a, {name: B, id: b, url: 'https://b.example'}]",
      "a.md": "---\nid: a\n---\nx",
    });
    const locate = (...part: (string | number)[]): string => {
      const { file = "", line, column } = found[0]?.locate(part) ?? {};
      return [basename(file), line, column].join(":");
    };
    expect(locate("slug")).toBe("course.yaml:1:1");
    expect(locate("chapters", 0, "id")).toBe("course.yaml:4:5");
    expect(locate("chapters", 0, "lessons", 0, "id")).toBe("a.md:2:1");
    expect(locate("chapters", 0, "lessons", 0, "url")).toBe("a.md:1:");
    expect(locate("chapters", 0, "lessons", 1, "id")).toBe("course.yaml:5:28");
  });
});

/** Sorts like `actual` does, so that a test compares what is reported and not in which order. */
function inOrderOf(actual: string[]): (a: string, b: string) => number {
  return (a, b) => actual.indexOf(a) - actual.indexOf(b);
}

describe("courses without an outline", () => {
  test("numbers give chapters and lessons their order, the introduction comes first", async () => {
    const course = await readOnly({
      "README.md": "# Welcome\n",
      "1-about.md": "x",
      "10-late/1.md": "x",
      "2-getting_started/02-then.md": "# Then what?",
      "2-getting_started/01-first.html": "<h1>No name in HTML</h1>",
      "2-getting_started/index.MD": "x",
      "2-getting_started/03-last.mdx": "x",
      "2-getting_started/picture.png": "",
    });
    expect(outlineOf(course)).toEqual([
      ["Introduction", "Welcome", "About"],
      ["Getting started", "Introduction", "First", "Then what?", "Last"],
      ["Late", "1"],
    ]);
    expect(course.chapters.map(({ sourcePath }) => sourcePath)).toEqual([undefined, "2-getting_started", "10-late"]);
    expect(course.chapters[2]?.lessons[0]?.sourcePath).toBe("10-late/1.md");
  });

  test("lesson files without a number are warnings", async () => {
    const { problems } = await read({ "01-a.md": "x", "draft.md": "x", "notes/b.md": "x" });
    const message =
      "is not a lesson: without an outline only numbered files, README and index in a course or its numbered folders are";
    expect(problems).toEqual([`draft.md: warning: ${message}`, `notes/b.md: warning: ${message}`]);
  });

  test("a numbered folder without lessons is a warning", async () => {
    expect(await problemsOf({ "01-a/01-a.md": "x", "02-later/plan.txt": "" })).toEqual([
      '02-later: warning: chapter "Later" has no lessons',
    ]);
  });
});

describe("_toctree.yml", () => {
  test("parts are chapters and sections lessons, also with CRLF", async () => {
    const toctree =
      "- title: 1. Models\r\n  sections:\r\n  - local: chapter1/1\r\n    title: Introduction\r\n  - local: chapter1/2\r\n    title: Usage\r\n";
    const course = await readOnly({ "_toctree.yml": toctree, "chapter1/1.mdx": "# Hi\r\n", "chapter1/2.md": "x\r\n" });
    expect(outlineOf(course)).toEqual([["1. Models", "Introduction", "Usage"]]);
    expect(course.chapters[0]?.sourcePath).toBeUndefined();
    expect(course.chapters[0]?.lessons.map(({ sourcePath }) => sourcePath)).toEqual([
      "chapter1/1.mdx",
      "chapter1/2.md",
    ]);
  });

  test("other keys are one warning each, nested sections become lessons of the chapter", async () => {
    const toctree = `- title: One
  subtitle: Sub
  sections:
  - local: a
    title: A
    quiz: 1
  - title: Deeper
    sections:
    - local: b
      title: B
      quiz: 2
`;
    const { courses, problems } = await read({ "_toctree.yml": toctree, "a.md": "x", "b.mdx": "x" });
    expect(courses.flatMap(outlineOf)).toEqual([["One", "A", "B"]]);
    expect(problems).toEqual([
      '_toctree.yml:8:5: warning: the sections of "Deeper" become lessons of chapter "One": chapters have one level',
      "_toctree.yml:2:3: warning: unknown field subtitle is ignored",
      "_toctree.yml:6:5: warning: unknown field quiz is ignored (2 times in this file)",
    ]);
  });

  test("missing files and entries of another form are errors at their place", async () => {
    const toctree = "- title: One\n  sections:\n  - local: gone/1\n    title: A\n  - title: B\n  - c\n- text\n";
    expect(await problemsOf({ "_toctree.yml": toctree })).toEqual([
      '_toctree.yml:3:5: error: chapter "One" names lesson "gone/1", but there is no file gone/1.mdx',
      "_toctree.yml:5:5: error: local is missing: the lesson's file without its ending",
      "_toctree.yml:6:5: error: a section must have local and title",
      "_toctree.yml:7:3: error: a part must have title and sections",
    ]);
    expect(await problemsOf({ "_toctree.yml": "title: One" })).toEqual([
      "_toctree.yml:1:1: error: _toctree.yml must be a list of parts, each with title and sections",
    ]);
  });
});

describe("safety", () => {
  test("links that lead outside the source are errors and are not read", async () => {
    const outside = writeFolder({ "secret.md": "secret", "01-part/01-a.md": "secret" });
    const root = writeFolder({ "01-part/01-a.md": "x" });
    symlinkSync(join(outside, "secret.md"), join(root, "01-part/02-b.md"));
    symlinkSync(join(outside, "01-part"), join(root, "02-part"));
    const { problems, courses } = await readFolder(root);
    expect(courses).toEqual([]);
    expect(problems.toSorted()).toEqual([
      "01-part/02-b.md: error: is a link that leads outside the source folder, and is not read",
      "02-part: error: is a link that leads outside the source folder, and is not read",
    ]);
  });

  test("a link that an outline names may not lead outside either", async () => {
    const outside = writeFolder({ "secret.md": "secret" });
    const root = writeFolder({
      "course.yaml": "name: Tea\nchapters: [{name: A, lessons: [deep/a]}]",
      "deep/b.md": "x",
    });
    symlinkSync(join(outside, "secret.md"), join(root, "deep/a.md"));
    const { problems, courses } = await readFolder(root);
    expect(courses).toEqual([]);
    expect(problems).toEqual([
      'course.yaml:2:32: error: chapter "A" names lesson "deep/a", which leads outside the source folder, and is not read',
    ]);
  });

  test("links inside the source are followed, also those that lead in a circle", async () => {
    const root = writeFolder({ "01-part/01-a.md": "x" });
    symlinkSync("01-a.md", join(root, "01-part/02-b.md"));
    symlinkSync("..", join(root, "01-part/back"));
    const { problems, courses } = await readFolder(root);
    expect(problems).toEqual([]);
    expect(courses.flatMap(outlineOf)).toEqual([["Part", "A", "B"]]);
  });
});

test("the example catalog is three courses without any problem, one of them a draft", async () => {
  const { courses, problems } = await readFolder("examples/catalog");
  expect(problems).toEqual([]);
  expect(courses.map(({ published }) => published)).toEqual([true, true, false]);
  for (const { chapters } of courses) {
    const count = chapters.flatMap(({ lessons }) => lessons).length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(count).toBeLessThanOrEqual(6);
  }
});
