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

const TEXT = "---\nname: N\n---\n# T\n\n**a**";
test.each([
  [
    { "README.markdown": "# Welcome\n\nx", "01-a.markdown": TEXT, "02-b/01-c.mkd": TEXT, "02-b/index.MKD": "x" },
    "Introduction > Welcome, N; B > Introduction, N",
  ],
  [
    { "a.markdown": TEXT, "in/b.mkd": "B.", "in/_index.mkd": "---\ntitle: In\n---\nI." },
    "Introduction > N; In > In, B",
  ],
  [{ "SUMMARY.md": "- [A](a.markdown)\n- [B](b.mkd)\n", "a.markdown": TEXT, "b.mkd": "B." }, "A > N; B > B"],
])(".markdown and .mkd are Markdown: %j", async (files, outline) => {
  const course = await readOnly(files);
  expect(outlinesOf([course])).toBe(outline);
  expect(JSON.stringify(course)).toContain("<p><strong>a</strong></p>");
});

test("a link to a lesson may have any extension or none", async () => {
  const endings = ["", ".html", ".htm", ".md", ".mdx", ".Rmd", ".rmd", ".markdown", ".mkd", "/"];
  const hrefs = STEMS.flatMap((stem) => endings.map((ending) => `${stem}${ending}#x`));
  const links = hrefs.map((href) => `[x](${href})`).join("\n");
  const outline = (name: string, names: string[]) =>
    `name: ${name}\nchapters: [{name: A, lessons: [${names.join(", ")}]}]`;
  const root = writeFolder({
    "tea/course.yaml": outline("tea", ["start", ...STEMS]),
    "tea/start.md": links,
    ...Object.fromEntries(FILES.map((file) => [`tea/${file}`, '<i id="x">x</i>'])),
    "milk/course.yaml": outline("milk", ["start"]),
    "milk/start.md": links.replaceAll("](", "](../tea/"),
  });
  const env = { LECTERN_DATABASE: `sqlite:${root}/x.db`, LECTERN_PROJECT: "acme" };
  const imported = await runCommand(["import", root], { env });
  expect(imported.exitCode).toBe(0);
  expect(imported.stderr).not.toContain("no lesson");
  const targets = new Set<string>();
  for (const course of ["tea", "milk"]) {
    const { stdout } = await runCommand(["get", `/api/v1/courses/${course}?include=lessons`], { env });
    const found = [...stdout.matchAll(/data-lesson-id=\\"(\w+)\\" href=\\"(?:\.\.\/tea\/)?([^"\\]*)\\"/g)];
    expect(found.map(([, , href = ""]) => href)).toEqual(hrefs);
    for (const [, id = "", href = ""] of found) targets.add(`${id} ${href.split(/[./#]/)[0]}`);
  }
  expect(targets.size).toBe(STEMS.length);
});
