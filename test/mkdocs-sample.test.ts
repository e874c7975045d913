// A site as its authors write it from the manuals of MkDocs, Material and PyMdown, and what becomes of it.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { readFolder } from "./written-folder.ts";

const FOLDER = join(import.meta.dir, "mkdocs");

test("the site in test/mkdocs is the document beside it", async () => {
  const { courses, problems } = await readFolder(join(FOLDER, "site"));
  const document = courses.flatMap(({ name, description, chapters }) => [
    `<!-- ${name}: ${description} -->\n`,
    ...chapters.flatMap(({ name: chapter, lessons }) =>
      lessons.map((lesson) => `<!-- ${chapter} / ${lesson.name} -->\n${lesson.additionalText}`),
    ),
  ]);
  expect(document.join("")).toBe(await Bun.file(join(FOLDER, "golden.txt")).text());
  expect(problems).toEqual([expect.stringContaining("docs/index.md:5: note: icon :material-leaf: is left out")]);
});
