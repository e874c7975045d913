import { describe, expect, test } from "bun:test";
import { basename } from "node:path";
import { completeCourse } from "../../src/catalog/complete-course.ts";
import { outlineOf, problemsOf, read, readOnly, writeFolder } from "../support/written-folder.ts";

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

  test("supplies every field, and scalars stay text as typed", async () => {
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

  test("with invalid YAML is an error at its line and column", async () => {
    expect(await problemsOf({ "course.yaml": "name: Tea\nslug: a: b\n" })).toEqual([
      'course.yaml:2:7: error: Nested mappings are not allowed in compact mappings; quote a text that contains ": "',
    ]);
    expect(await problemsOf({ "course.yaml": "name: Tea\nname: Coffee\n" })).toEqual([
      "course.yaml:2:1: error: Map keys must be unique",
    ]);
    expect(await problemsOf({ "course.yaml": "- name: Tea\n" })).toEqual([
      "course.yaml:1:1: error: course.yaml must contain fields such as name: Title",
    ]);
  });

  test("with multiplying or cyclic aliases is refused", async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`);
    expect(await problemsOf({ "course.yaml": `l0: &l0 x\n${levels.join("\n")}` })).toEqual([
      "course.yaml:1: error: too large: the YAML, with its aliases expanded, has more than 1,000,000 nodes (--max-nodes)",
    ]);
    expect(await problemsOf({ "course.yaml": "name: &a [*a, x]" })).toEqual([
      "course.yaml:1: error: the YAML is nested too deeply to be read",
    ]);
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
    const secret = basename(writeFolder({ "secret.md": "s" }));
    const files = ["/etc/hosts.md", `../${secret}/secret.md`, "C:\\x.md"];
    const yaml = `name: Tea\nchapters:\n${files.map((file) => `  - {name: A, lessons: ['${file}']}\n`).join("")}  - {name: B, folder: ../}\n`;
    const problems = await problemsOf({ "course.yaml": yaml });
    expect(problems.toSorted()).toEqual(
      [
        `course.yaml:3:25: error: chapter "A" names lesson "/etc/hosts.md", but the path is absolute; write it relative to the course's folder`,
        `course.yaml:4:25: error: chapter "A" names lesson "../${secret}/secret.md", which is outside the source folder and is skipped`,
        `course.yaml:5:25: error: chapter "A" names lesson "C:\\x.md", but the path is absolute; write it relative to the course's folder`,
        'course.yaml:6:15: error: chapter "B" names folder "../", which is outside the source folder and is skipped',
      ].toSorted(),
    );
  });

  test("reports lesson files missing from the outline as warnings, except the repository's README", async () => {
    const yaml = "name: Tea\nchapters: [{name: A, lessons: [a]}]";
    const files = { "course.yaml": yaml, "a.md": "x", "README.md": "x", "old/b.html": "x", "img/c.png": "" };
    expect(await problemsOf(files)).toEqual(["old/b.html: warning: is not in the outline, so it is not a lesson"]);
  });

  test("gives chapters that share a folder different ids", async () => {
    const yaml =
      "name: Tea\nchapters:\n  - {name: A, folder: all, lessons: [a]}\n  - {name: B, folder: all, lessons: [b]}";
    const input = await readOnly({ "course.yaml": yaml, "all/a.md": "x", "all/b.md": "x" });
    const { chapters } = completeCourse("p", input);
    expect(new Set(chapters.map(({ id }) => id)).size).toBe(2);
  });

  test("without chapters describes a course whose outline is _toctree.yml or else the numbers", async () => {
    const toctree = "- title: Part\n  sections:\n  - local: a\n    title: A";
    const course = await readOnly({ "course.yaml": "name: Tea", "_toctree.yml": toctree, "a.md": "x" });
    expect([course.name, ...outlineOf(course)]).toEqual(["Tea", ["Part", "A"]]);
    const numbered = await readOnly({ "course.yaml": "name: Tea", "01-part/01-a.md": "x" });
    expect([numbered.name, ...outlineOf(numbered)]).toEqual(["Tea", ["Part", "A"]]);
  });

  test("with an error does not prevent other courses from being read and reported", async () => {
    const { courses, problems } = await read({
      "a/course.yaml": "slug: a",
      "b/01-b.md": "x",
      "c/course.yaml": "slug: c",
    });
    expect(courses.map(({ name }) => name)).toEqual(["B"]);
    expect(problems.filter((problem) => problem.includes("error"))).toHaveLength(2);
  });

  test("records locations for problems that the import finds later", async () => {
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
