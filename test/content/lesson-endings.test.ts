// Lessons are found by any ending that their files, their outlines and links to them have.
import { expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlinesOf, readOnly, writeFolder } from "../support/written-folder.ts";

const FILES = ["stats.Rmd", "table.RMD", "plan.rmd", "old.markdown", "older.mkd", "loud.MD", "page.mdx", "plain.html"];
const STEMS = FILES.map((file) => file.replace(/\..*/, ""));

test("an outline may name lessons without extensions, in any spelling", async () => {
  const course = await readOnly({
    "course.yaml": `name: Tea\nchapters: [{name: A, lessons: [${STEMS.join(", ")}]}]`,
    ...Object.fromEntries(FILES.map((file) => [file, "<i>x</i>"])),
  });
  expect(course.chapters[0]?.lessons.map(({ sourcePath }) => sourcePath)).toEqual(FILES);
});

test(".markdown and .mkd are Markdown", async () => {
  const text = "---\nname: N\n---\n# T\n\n**a**";
  const files = {
    "README.markdown": "# Welcome\n\nx",
    "01-a.markdown": text,
    "02-b/01-c.mkd": text,
    "02-b/index.MKD": "x",
  };
  const course = await readOnly(files);
  expect(outlinesOf([course])).toBe("Introduction > Welcome, N; B > Introduction, N");
  for (const { lessons } of course.chapters)
    expect(lessons[1]?.additionalText).toEndWith("<p><strong>a</strong></p>\n");
  const plain = await readOnly({
    "a.markdown": "A.",
    "in/b.mkd": "B.",
    "in/_index.mkd": "---\ntitle: Inside\n---\nI.",
  });
  expect(outlinesOf([plain])).toBe("Introduction > A; Inside > Inside, B");
  const book = await readOnly({ "SUMMARY.md": "- [A](a.markdown)\n- [B](b.mkd)\n", "a.markdown": "A.", "b.mkd": "B." });
  expect(outlinesOf([book])).toBe("A > A; B > B");
});

test("a link to a lesson may have any extension or none", async () => {
  const endings = ["", ".html", ".htm", ".md", ".mdx", ".Rmd", ".rmd", ".markdown", ".mkd", "/"];
  const links = STEMS.flatMap((stem) => endings.map((ending) => `[${stem}${ending}](${stem}${ending}#x)`));
  const elsewhere = links.map((link) => link.replace("](", "](../tea/"));
  const chapters = (name: string, names: string[]): string =>
    `name: ${name}\nchapters: [{name: A, lessons: [${names.join(", ")}]}]`;
  const root = writeFolder({
    "tea/course.yaml": chapters("tea", ["start", ...STEMS]),
    "tea/start.md": links.join("\n"),
    ...Object.fromEntries(FILES.map((file) => [`tea/${file}`, '<i id="x">x</i>'])),
    "milk/course.yaml": chapters("milk", ["start"]),
    "milk/start.md": elsewhere.join("\n"),
  });
  const env = { LECTERN_DATABASE: `sqlite:${root}/x.db`, LECTERN_PROJECT: "acme" };
  const imported = await runCommand(["import", root], { env });
  expect(imported.exitCode).toBe(0);
  expect(imported.stderr).not.toContain("no lesson");
  const ids = new Set<string>();
  for (const course of ["tea", "milk"]) {
    const { stdout } = await runCommand(["get", `/api/v1/courses/${course}/lessons`], { env });
    const [, id = ""] = /"results":\s*\[\s*\{\s*"id":\s*"([^"]+)"/.exec(stdout) ?? [];
    const { stdout: lesson } = await runCommand(["get", `/api/v1/courses/${course}/lessons/${id}`], { env });
    const found = [...lesson.matchAll(/data-lesson-id=\\"(\w+)\\" href=\\"([^"\\]*)\\"/g)];
    expect(found.map(([, , href = ""]) => href.replace("../tea/", ""))).toEqual(
      STEMS.flatMap((stem) => endings.map((ending) => `${stem}${ending}#x`)),
    );
    for (const [, lessonId = "", href = ""] of found)
      ids.add(`${lessonId} ${href.replace("../tea/", "").split(/[./#]/)[0]}`);
  }
  expect(ids.size).toBe(STEMS.length);
});
