// The error for a folder or file without a course: what it resembles, and what to do.
import { describe, expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { read, writeFolder, type Files } from "../support/written-folder.ts";

/** The lines below the error, of which there must be four at most. */
async function hintsAt(files: Files): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runCommand(["check", "src"], {
    cwd: writeFolder(Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text]))),
  });
  expect([exitCode, stderr]).toEqual([3, "lectern: 1 error, 0 warnings in 0 courses, 0 lessons\n"]);
  const [error, ...hints] = stdout.trimEnd().split("\n");
  expect(error).toStartWith("src: error: contains no course: a course folder contains a course.yaml, ");
  expect(hints.length).toBeLessThanOrEqual(4);
  return hints;
}

const TOCTREE = "- title: A\n  sections: []\n";

describe("a folder without courses", () => {
  test("with courses in deeper folders names those folders", async () => {
    const hints = await hintsAt({
      "chapters/de/_toctree.yml": TOCTREE,
      "chapters/en/_toctree.yml": TOCTREE,
      "chapters/es/_toctree.yml": TOCTREE,
      "chapters/fr/_toctree.yml": TOCTREE,
      "docs/more/book/SUMMARY.md": "# Summary",
      "README.md": "# Courses",
    });
    expect(hints).toEqual([
      "  src/chapters contains 4 courses (de, en, es, …): import that folder",
      "  src/docs/more/book is a course: import that folder",
    ]);
  });

  test("beside a course gets the same advice", async () => {
    const cwd = writeFolder({ "tea/01-a.md": "x", "more/de/_toctree.yml": TOCTREE, "more/en/_toctree.yml": TOCTREE });
    const { exitCode, stdout } = await runCommand(["check", "."], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^more: warning: is not read as a course: a course folder contains /),
      "  more contains 2 courses (de, en): import that folder",
      "",
    ]);
  });

  test("has a line for each of three locations and counts the others", async () => {
    const places = Array.from({ length: 5 }, (_, n) => [`a${n}/b/SUMMARY.md`, "# Summary"]);
    expect((await hintsAt(Object.fromEntries(places) as Files)).slice(2)).toEqual([
      "  src/a2/b is a course: import that folder",
      "  2 more folders contain courses",
    ]);
  });

  test.each<[string, Files, string]>([
    ["book.toml", {}, "an mdBook without its outline"],
    ["docusaurus.config.ts", { "docs/a.html": "x" }, "a Docusaurus site"],
    ["hugo.toml", { "content/a.html": "x" }, "a Hugo site"],
    ["config.toml", { "content/a.html": "x" }, "a Hugo site"],
    ["_config.yml", { "_posts/a.md": "x" }, "a Jekyll site"],
    ["_toc.yml", { "_config.yml": "x" }, "a Jupyter Book"],
    ["config.yaml", { "episodes/a.html": "x" }, "a Carpentries lesson"],
    ["mkdocs.yml", { "docs/a.html": "x" }, "an MkDocs site"],
    ["docs/conf.py", { "docs/index.rst": "x" }, "a Sphinx site"],
    ["_quarto.yml", { "a.qmd": "x" }, "a Quarto site"],
    ["imsmanifest.xml", { "a/b.html": "x" }, "a course package (SCORM or Common Cartridge)"],
  ])("with %s is identified as its builder's site", async (sign, besides, label) => {
    const hints = await hintsAt({ [sign]: "", ...besides });
    expect(hints[0]).toBe(`  this looks like ${label}: there is src/${sign}`);
    expect(hints.length).toBeGreaterThan(1);
  });

  test("of a site builder gets advice on its pages and how to name them", async () => {
    const pages = { "docs/intro.html": "x", "docs/more/cups.html": "x", "README.md": "x" };
    expect((await hintsAt({ "mkdocs.yml": "", ...pages })).slice(1)).toEqual([
      "  there are 2 lesson files in 2 folders of src/docs in unknown order, since no name begins with a number",
      "  number folders and files, as in 01-intro.md, or write src/docs/course.yaml, such as",
      "    {name: Docs, chapters: [{name: Start, lessons: [intro, more/cups]}]}",
    ]);
  });

  test("of unnumbered pages gets a course.yaml that makes it a course", async () => {
    const pages = { "guide/leaves.html": "x", "guide/water.html": "x" };
    const hints = await hintsAt({ ...pages, "LICENSE.md": "x" });
    expect(hints).toEqual([
      "  there are 2 lesson files in src/guide in unknown order, since no name begins with a number",
      "  number the names, as in 01-leaves.md, or write src/guide/course.yaml, such as",
      "    {name: Guide, chapters: [{name: Start, lessons: [leaves, water]}]}",
    ]);
    const cwd = writeFolder({ ...pages, "guide/course.yaml": hints[2]?.trim() ?? "" });
    expect((await runCommand(["check", "."], { cwd })).stderr).toBe("0 errors, 0 warnings in 1 course, 2 lessons\n");
  });

  test("has its other files named", async () => {
    expect(await hintsAt({ "a.zip": "", "b.rst": "", "c.jpg": "" })).toEqual([
      "  src/a.zip is an archive: import that file",
      "  src/b.rst is reStructuredText, which is not supported: convert it to Markdown with pandoc",
    ]);
    expect(await hintsAt({ ".hidden": "" })).toEqual([
      "  the folder is empty: a course needs lessons, such as .md, .mdx or .html files",
    ]);
  });

  test("is one GitHub annotation", async () => {
    const cwd = writeFolder({ "a/b/SUMMARY.md": "# Summary", "c/d/SUMMARY.md": "# Summary" });
    const { stdout } = await runCommand(["check", ".", "--format", "github"], { cwd, env: { GITHUB_WORKSPACE: "" } });
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toEndWith("%0Aa/b is a course: import that folder%0Ac/d is a course: import that folder\n");
  });
});

test("a source whose only course is in a subfolder reads that course, with a warning that names it", async () => {
  const files = { "notes.md": "x", "chapters/en/_toctree.yml": "- title: T\n  sections: [{local: a, title: A}]" };
  const { problems, found } = await read({ ...files, "chapters/en/a.md": "x" });
  expect(problems).toEqual([".: warning: contains one course, which is read from chapters/en"]);
  expect(found.map(({ key }) => key)).toEqual(["chapters/en"]);
});

describe("a single file", () => {
  const single: Record<string, [text: string, message: string]> = {
    "lesson.md": ["x", "is a single lesson. Import its folder, .; numbers in names"],
    "tea/course.yaml": ["name: A", "is the outline of a course. Import the folder around it: tea."],
    "SUMMARY.md": ["x", "is the outline of a course."],
    "course.7z": ["x", "is an unsupported archive. Unpack it and import the folder, or use .zip, .tar or .tar.gz."],
    "course.mbz": ["x", "is a Moodle backup. Export the course as a Common Cartridge (.imscc)."],
    "a.ipynb": ["{}", "is not a source. Give a folder of courses, an archive of it, or an NDJSON file"],
    "a.json": [' [\n{"name":"A"}\n]', "is JSON, not NDJSON with one course per line."],
    "b.json": ['{\n "name": "A"\n}', "Convert it: jq -c '.' FILE > courses.ndjson"],
  };
  test.each(Object.entries(single))("%s is described", async (name, [text, message]) => {
    const { exitCode, stderr } = await runCommand(["check", name], { cwd: writeFolder({ [name]: text }) });
    expect([exitCode, stderr.split("\n").length]).toEqual([1, 2]);
    expect(stderr).toStartWith(`lectern: ${name} is `);
    expect(stderr).toContain(message);
  });

  test("with any other name is read as NDJSON", async () => {
    const cwd = writeFolder({ "a.json": '{"name":"A"}', b: '{"name":"A"}\n' });
    for (const name of ["a.json", "b"]) expect((await runCommand(["check", name], { cwd })).exitCode).toBe(0);
  });
});
