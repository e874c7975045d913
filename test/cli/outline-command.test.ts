import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const SOURCES: Record<string, Files> = {
  mdbook: {
    "book.toml": "[book]\ntitle = 'Tea: a book'\nlanguage = 'de'\ndescription = 'D'\n",
    "src/SUMMARY.md": "[Start](index.md)\n\n# Part\n\n- [`A`](a.md)\n  - [B](deep/b.md)\n",
    "src/index.md": "{{#include ../note.txt}}",
    "src/a.md": "```rust\n# hidden\nshown\n```\n",
    "src/deep/b.md": "b",
    "note.txt": "from a note",
  },
  numbered: { "01-one/01-a.md": "a", "01-one/README.md": "r", "02-two/3-b.html": "<p>b</p>", "00-first.md": "f" },
  liascript: {
    "README.md":
      "<!--\nauthor: A\nlanguage: en\n-->\n# Tea\n\nHello.\n\n## Water\n\n### Hard\n\nh\n\n### Hard\n\nagain\n",
  },
  plain: { "a.md": "---\nweight: 2\n---\na", "b.md": "---\nweight: 1\ntitle: Bee\n---\nb", "deep/er/c.md": "c" },
};

describe("lectern outline writes the outline that an import reads", () => {
  test.each(Object.entries(SOURCES))("of %s, and it gives the same course", async (format, files) => {
    const root = writeFolder(files);
    const before = await readFolder(root);
    expect(before.courses).toHaveLength(1);
    const { stdout, exitCode } = await runCommand(["outline", root]);
    expect(exitCode).toBe(0);
    expect(stdout.includes(`format: ${format}\n`)).toBe(format !== "numbered");
    writeFileSync(join(root, "course.yaml"), stdout);
    const after = await readFolder(root);
    expect(after.courses).toEqual(before.courses);
    expect(after.problems.filter((problem) => problem.includes(" error: "))).toEqual([]);
    // Once more, of what was written down.
    expect((await runCommand(["outline", root])).stdout).toBe(stdout);
  });

  test("a format that does not fit the folder is an error at its line", async () => {
    const yaml = "name: T\nformat: mdbook\nchapters: [{name: A, lessons: [01-a]}]";
    const { problems } = await readFolder(writeFolder({ "course.yaml": yaml, "01-a.md": "x" }));
    expect(problems).toEqual(["course.yaml:2:1: error: format: the folder cannot be read as mdbook"]);
  });

  test("a folder with several courses or with errors has no outline", async () => {
    const several = await runCommand(["outline", writeFolder({ "x/01-a.md": "x", "y/01-a.md": "x" })]);
    expect([several.exitCode, several.stderr]).toEqual([1, expect.stringContaining("contains 2 courses. Give the ")]);
    const broken = await runCommand(["outline", writeFolder({ "SUMMARY.md": "- [A](/gone.md)" })]);
    expect([broken.exitCode, broken.stdout]).toEqual([3, ""]);
  });
});
