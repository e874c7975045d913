import { describe, expect, test } from "bun:test";
import { basename } from "node:path";
import { outlinesOf, pages, problemsOf, read, readOnly, writeFolder } from "../support/written-folder.ts";

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
      - {file: 02-water.md, id: "42", name: Hot water, url: https://x.example/a.mp4, createdAt: 2026-03-01, quizHtml: "?"}
      - {name: Only a video, url: https://x.example/only.mp4}
  - {name: Second, folder: two}
`;

  const WATER = { additionalText: "<p>Boil it.</p>\n", createdAt: "2026-03-01T00:00:00.000Z" };

  test("supplies every field, and scalars stay text as typed", async () => {
    const texts = {
      "one/01-leaf.md": "# Leaf",
      "one/02-water.md": "Boil it.",
      ...pages("two/10-b.md", "two/9-a.html"),
    };
    const course = await readOnly({ "course.yaml": COMPLETE, ...texts });
    expect(course).toMatchObject({
      _id: "007",
      slug: "tea",
      name: "2024",
      published: false,
      thumbnail: "https://example.org/tea.jpg",
      createdAt: "2026-01-31T00:00:00.000Z",
      updatedAt: "2026-02-01T08:00:00.000Z",
      chapters: [
        {
          id: "one",
          name: "First",
          sourcePath: "one",
          lessons: [
            { name: "Leaf", sourcePath: "one/01-leaf.md", url: "" },
            { id: "42", name: "Hot water", url: "https://x.example/a.mp4", quizHtml: "?", ...WATER },
            { name: "Only a video", url: "https://x.example/only.mp4", additionalText: "" },
          ],
        },
        { name: "Second", lessons: [{ sourcePath: "two/9-a.html" }, { sourcePath: "two/10-b.md" }] },
      ],
    });
    expect(course.chapters[0]?.lessons[2]?.sourcePath).toBeUndefined();
  });

  test.each([
    ["equal keys", "name: Tea\nname: Coffee\n", "2:1: error: Map keys must be unique"],
    ["a list", "- name: Tea\n", "1:1: error: course.yaml must contain fields such as name: Title"],
    ["cyclic aliases", "name: &a [*a, x]", "1: error: the YAML is nested too deeply to be read"],
  ])("with %s is refused at its place", async (_, yaml, problem) => {
    expect(await problemsOf({ "course.yaml": yaml })).toEqual([expect.stringContaining(`course.yaml:${problem}`)]);
  });

  test("treats an empty value as absent, but an empty text as a value", async () => {
    const course = await readOnly({
      "course.yaml": 'name: Tea\n_id:\nslug: ~\nthumbnail: ""\ncreatedAt: null\nchapters: [{name: A, lessons: [a]}]',
      "a.md": "---\nurl:\nname:\n---\nx",
    });
    expect(course).toMatchObject({ name: "Tea", thumbnail: "" });
    expect([course._id, course.slug, course.createdAt]).toEqual([undefined, undefined, undefined]);
    expect(course.chapters[0]?.lessons[0]).toMatchObject({ url: "", name: "A" });
  });

  test("rejects absolute paths and paths outside the source without reading them", async () => {
    const secret = `../${basename(writeFolder({ "secret.md": "s" }))}/secret.md`;
    const lessons = ["/etc/hosts.md", secret, "C:\\x.md"].map((file) => `  - {name: A, lessons: ['${file}']}\n`);
    const yaml = `name: Tea\nchapters:\n${lessons.join("")}  - {name: B, folder: ../}\n`;
    const absolute = "but the path is absolute; write it relative to the course's folder";
    const outside = "which is outside the source folder and is skipped";
    expect((await problemsOf({ "course.yaml": yaml })).toSorted()).toEqual([
      `course.yaml:3:25: error: chapter "A" names lesson "/etc/hosts.md", ${absolute}`,
      `course.yaml:4:25: error: chapter "A" names lesson "${secret}", ${outside}`,
      `course.yaml:5:25: error: chapter "A" names lesson "C:\\x.md", ${absolute}`,
      `course.yaml:6:15: error: chapter "B" names folder "../", ${outside}`,
    ]);
  });

  test("reports lesson files missing from the outline as warnings, except the repository's README", async () => {
    const yaml = "name: Tea\nchapters: [{name: A, lessons: [a]}]";
    const files = { "course.yaml": yaml, "a.md": "x", "README.md": "x", "old/b.html": "x", "img/c.png": "" };
    expect(await problemsOf(files)).toEqual(["old/b.html: warning: is not in the outline, so it is not a lesson"]);
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
