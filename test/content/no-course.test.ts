// The error for a folder or file without a course: what it resembles, and what to do.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { runCommand } from "../support/command.ts";
import { pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

/** The lines below the error, of which there must be four at most. */
async function hintsAt(files: Files): Promise<string[]> {
  const below = Object.entries(files).map(([path, text]) => [`src/${path}`, text]);
  const cwd = writeFolder(Object.fromEntries(below));
  const { exitCode, stdout, stderr } = await runCommand(["check", "src"], { cwd });
  expect([exitCode, stderr]).toEqual([3, "lectern: 1 error, 0 warnings in 0 courses, 0 lessons\n"]);
  const [error, ...hints] = stdout.trimEnd().split("\n");
  expect(error).toStartWith("src: error: contains no course: a course folder contains a course.yaml, ");
  expect(hints.length).toBeLessThanOrEqual(4);
  return hints;
}

const TOCTREE = "- title: A\n  sections: []\n";
const toctreesIn = (...folders: string[]): Files =>
  Object.fromEntries(folders.map((folder) => [`${folder}/_toctree.yml`, TOCTREE]));

describe("a folder without courses", () => {
  test.each<[what: string, files: Files, hints: string[]]>([
    [
      "with courses in deeper folders names those folders",
      { ...toctreesIn(..."de en es fr".split(" ").map((name) => `all/${name}`)), ...pages("docs/a/b/SUMMARY.md") },
      [
        "src/all contains 4 courses (de, en, es, …): import that folder",
        "src/docs/a/b is a course: import that folder",
      ],
    ],
    ["is empty", { ".hidden": "" }, ["the folder is empty: a course needs lessons, such as .md, .mdx or .html files"]],
  ])("%s", async (_, files, hints) => {
    expect(await hintsAt(files)).toEqual(hints.map((hint) => `  ${hint}`));
  });

  test.each<[sign: string, besides: string, label: string]>([
    ["book.toml", "", "an mdBook without its outline"],
    ["docusaurus.config.ts", "docs/a.html", "a Docusaurus site"],
    ["config.yaml", "episodes/a.html", "a Carpentries lesson"],
    ["imsmanifest.xml", "a/b.html", "a course package (SCORM or Common Cartridge)"],
  ])("with %s is identified as its builder's site", async (sign, besides, label) => {
    const hints = await hintsAt({ [sign]: "", ...(besides !== "" && { [besides]: "x" }) });
    expect(hints[0]).toBe(`  this looks like ${label}: there is src/${sign}`);
    expect(hints.length).toBeGreaterThan(1);
  });

  test("of unnumbered pages gets a course.yaml that makes it a course", async () => {
    const files = pages("guide/leaves.html", "guide/water.html");
    const hints = await hintsAt({ ...files, "LICENSE.md": "x" });
    expect(hints).toEqual([
      "  there are 2 lesson files in src/guide in unknown order, since no name begins with a number",
      "  number the names, as in 01-leaves.md, or write src/guide/course.yaml, such as",
      "    {name: Guide, chapters: [{name: Start, lessons: [leaves, water]}]}",
    ]);
    const cwd = writeFolder({ ...files, "guide/course.yaml": hints[2]?.trim() ?? "" });
    expect((await runCommand(["check", "."], { cwd })).stderr).toBe("0 errors, 0 warnings in 1 course, 2 lessons\n");
  });
});

test("a source whose only course is in a subfolder reads that course, with a warning that names it", async () => {
  const toctree = "- title: T\n  sections: [{local: a, title: A}]";
  const { problems, found } = await read({ ...pages("notes.md", "all/en/a.md"), "all/en/_toctree.yml": toctree });
  expect(problems).toEqual([".: warning: contains one course, which is read from all/en"]);
  expect(found.map(({ key }) => key)).toEqual(["all/en"]);
});

describe("a single file", () => {
  test.each([
    ["lesson.md", "x", "is a single lesson. Import its folder, .; numbers in names"],
    ["tea/course.yaml", "name: A", "is the outline of a course. Import the folder around it: tea."],
    ["course.7z", "x", "is an unsupported archive. Unpack it and import the folder, or use .zip, .tar or .tar.gz."],
    ["course.mbz", "x", "is a Moodle backup. Export the course as a Common Cartridge (.imscc)."],
    ["a.json", ' [\n{"name":"A"}\n]', "is JSON, not NDJSON with one course per line."],
    ["b.json", '{\n "name": "A"\n}', "Convert it: jq -c '.' FILE > courses.ndjson"],
  ])("%s is described", async (name, text, message) => {
    const { exitCode, stderr } = await runCommand(["check", name], { cwd: writeFolder({ [name]: text }) });
    expect([exitCode, stderr.split("\n").length]).toEqual([1, 2]);
    expect(stderr).toStartWith(`lectern: ${name} is `);
    expect(stderr).toContain(message);
  });

  test.each(["a.json", "b"])("with any other name is read as NDJSON: %s", async (name) => {
    const cwd = writeFolder({ [name]: '{"name":"A"}\n' });
    expect((await runCommand(["check", name], { cwd })).exitCode).toBe(0);
  });
});

test("a missing root and a root that is a file are errors with a message for users", async () => {
  const root = writeFolder({ "file.txt": "" });
  const file = openFolderSource(join(root, "file.txt"), { assetBase: undefined });
  const failures = [readFolder(join(root, "nowhere")), Array.fromAsync(file.read(() => {}))];
  expect(await Promise.all(failures.map((failure) => failure.catch(String)))).toEqual([
    `Error: there is no folder ${root}/nowhere`,
    `Error: ${root}/file.txt is not a folder`,
  ]);
});
