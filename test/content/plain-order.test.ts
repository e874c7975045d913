// In which order plain folders are read, what they are called, and which folders are left out.
import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { outlinesOf, pages, read, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const outlinesIn = async (files: Files) => outlinesOf((await read(files)).courses);

describe("the order of plain folders", () => {
  test("follows the root's README, in lists, tables and HTML, for files and folders at every depth", async () => {
    const { courses, problems, alphabetical } = await read({
      ...pages("setup.md", "about.md", "zoo/lion.md", "zoo/ape.md", "art/README.md", "art/oil/README.md"),
      ...pages("art/ink/README.md", "art/ink/assignment.md"),
      "README.md": `# Things to draw
See [the last one](zoo/ape.md#top) when you are done.

1. [Set up](./setup.md)
2. [About](/about.md?plain=1)
3. [Not here](gone.md), [elsewhere](https://example.com/zoo/ape.md), [code](art/ink/code.py)

| Lesson | Text |
|---|---|
| 1 | [Lion](zoo/lion.md) |

<table><tr><td><a href="zoo/ape.md">Ape</a></td></tr></table>

* [Oil](art/oil/)
* [Ink](art/ink/README.md)
`,
    });
    expect(outlinesOf(courses)).toBe(
      "Introduction > Things to draw, Setup, About; Zoo > Lion, Ape; Art > Introduction; Art: Oil > Introduction; " +
        "Art: Ink > Introduction, Assignment",
    );
    expect([problems.filter((problem) => !problem.includes("link")), alphabetical]).toEqual([[], []]);
  });

  test("follows numbers or names if a README links to at most half of the lessons, and one line says so", async () => {
    const files = pages("d.md", "c.md", "b.md", "a.md", "week 10/a.md", "week 9/a.md");
    const { courses, alphabetical } = await read({ ...files, "README.md": "- [D](d.md)\n- [C](c.md)\n- [A](a.md)" });
    expect(outlinesOf(courses)).toBe("Introduction > Introduction, A, B, C, D; Week 9 > A; Week 10 > A");
    const told = ".: warning: the order is alphabetical in .: number the names, or link to most lessons from a README";
    expect(alphabetical).toEqual([told]);
  });

  test.each<[what: string, files: Files, outline: string]>([
    [
      "follows a section's README if the root's does not mention the section",
      {
        ...pages("docs/b/one.md", "docs/b/two.md", "docs/a/x.md", "docs/a/y.md", "docs/c.md", "intro.md"),
        "README.md": "[Docs](docs/README.md)",
        "docs/README.md": "[C](c.md) [B](b/README.md) [A](a)",
        "docs/b/README.md": "- [2](two.md)\n- [1](one.md)",
        "docs/a/README.md": "[Up](../README.md)",
      },
      "> Introduction, Intro; Docs > Introduction, C; Docs: B > Introduction, Two, One; Docs: A > Introduction, X, Y",
    ],
    [
      "follows an index beside a README without links",
      { ...pages("a.md", "b.md", "README.md"), "index.md": "- [B](b.md)\n- [A](a.md)\n" },
      ", B, A",
    ],
  ])("%s", async (_, files, outline) => {
    expect(await outlinesIn(files)).toContain(outline);
  });

  test("follows .pages before any README, but never through a link", async () => {
    const readme = { "README.md": "- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n" };
    const files = { ...pages("a.md", "b.md", "c.md", "d/x.md", "e/x.md"), ...readme };
    const nav = "nav:\n  - e\n  - c.md\n  - ...\n  - Last: a.md\n  - d\n";
    expect(await outlinesIn({ ...files, ".pages": nav })).toBe("Introduction > Introduction, C, B, Last; E > X; D > X");
    const named = { ...files, ".pages": "nav: [First: a.md, ..., Parts: d/]", "d/.pages": "title: Other" };
    expect(await outlinesIn(named)).toBe("Introduction > Introduction, First, B, C; E > X; Parts > X");
    const titled = { ...files, ".pages": nav, "e/.pages": "title: The end" };
    expect(await outlinesIn(titled)).toContain("; The end > X; ");
    const { courses, problems } = await read({ ...files, ".pages": "nav: {" });
    expect(outlinesOf(courses)).toStartWith("Introduction > Introduction, A, B, C");
    expect(problems).toEqual([expect.stringMatching(/^\.pages:1:\d+: warning: /)]);
    const linked = writeFolder({ ...files, nav });
    symlinkSync("nav", join(linked, ".pages"));
    const problem = ".pages: error: is a link, which is not followed here; replace it with the file";
    expect((await readFolder(linked)).problems).toEqual([problem]);
  });
});

test("numbers yield to a README that lists most lessons in another order, which also covers unnumbered lessons", async () => {
  const text = "- [S](setup)\n- [T](2-types/)\n- [R](1-intro/2-run.md)\n- [H](1-intro/1-hello.md)\n- [E](10-end)\n";
  const { courses, problems } = await read({
    ...pages("1-intro/README.md", "1-intro/1-hello.md", "1-intro/2-run.md", "2-types/README.md", "10-end/README.md"),
    ...pages("setup/README.md", "notes.md"),
    "README.md": text,
  });
  expect(outlinesOf(courses)).toBe(
    "Introduction > Introduction; Setup > Introduction; Types > Introduction; Intro > Introduction, Run, Hello; " +
      "End > Introduction; More > Notes",
  );
  expect(problems).toEqual([".: warning: notes.md has no number and follows the numbered parts"]);
});

test("the name of a plain course is that of mkdocs.yml, or the first heading with text in its README; the slug is the folder's", async () => {
  const name = async (files: Files) => (await read(files)).courses.map((course) => `${course.name} ${course.slug}`);
  const head = "[![badge](b.svg)](x)\n\n<h1 align='center'><img src='l.png'></h1>\n\n## Tea *for* `all`\n\n# No\n";
  const courses = pages("tea/a/b.md", "ink/a/b.md");
  expect(await name({ ...courses, "tea/README.md": head })).toEqual(["Ink undefined", "Tea for all tea"]);
  const welcome = { ...courses, "tea/index.md": "# Welcome", "tea/README.md": "no heading" };
  expect(await name(welcome)).toContain("Tea undefined");
  const site = { ...pages("docs/a.md"), "docs/README.md": "# Read me", "mkdocs.yml": "site_name: Site" };
  expect(await name(site)).toEqual(["Site undefined"]);
});

describe("folders named after packages, builds and test data", () => {
  const files = {
    ...pages("a.md", "test/a.md", "templates/a.md", "build/a.md", "data/a.md", "Vendor/a.md"),
    ...pages("vendor/p/README.md", "x/dist/a.md", "fixtures/a.md", "testdata/code.py"),
  };
  const told = "folders with these names are skipped unless a README links to them";

  test("are left out and reported in one line with their names; other folders are chapters", async () => {
    const { courses, problems } = await read(files);
    expect(outlinesOf(courses)).toBe("Introduction > A; Build > A; Data > A; Templates > A; Test > A; Vendor > A");
    expect(problems).toEqual([`.: warning: ${told}: fixtures, vendor, x/dist`]);
    const numbered = await read(pages("1-a.md", "2-b.md", "3-c/1-d.md", "3-c/vendor/x.md"));
    expect(outlinesOf(numbered.courses)).toEndWith(" > A, B; C > D");
    expect(numbered.problems).toEqual([`.: warning: ${told}: 3-c/vendor`]);
  });

  test("are read if a README links to a page in them or the outline names them", async () => {
    const links = { "README.md": "[p](fixtures/a.md)", "x/README.md": "[d](dist/a.md)" };
    const { courses, problems } = await read({ ...files, ...links });
    expect(outlinesOf(courses)).toMatch(/; Fixtures > A; .*; X: Dist > A/);
    expect(problems).toEqual([`.: warning: ${told}: vendor`]);
    const site = { "docs/dist/a.md": "x", "docs/b.md": "x", "mkdocs.yml": "nav: [b.md, dist/a.md]" };
    expect(await outlinesIn(site)).toBe("Introduction > B, A");
  });

  test("stay in a published course that new courses would leave out", async () => {
    const root = writeFolder({ ...pages("01.md", "dist/1.md"), "README.md": "[p](dist/1.md)" });
    const to = ["--project", "kept", "--database", `sqlite:${root}/.x.db`];
    const importIt = () => runCommand(["import", root, "--format", "plain", ...to]);
    expect((await importIt()).stdout).toContain("1 course, 3 lessons");
    writeFileSync(join(root, "README.md"), "no link");
    expect((await importIt()).stdout).toContain("lessons: 0 added, 1 changed, 0 removed");
  });
});
