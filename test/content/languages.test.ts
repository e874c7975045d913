// One course in several languages: folders and suffixes become courses that say of which one they are translations.
import { afterEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SourceOptions } from "../../src/content/source.ts";
import { runCommand } from "../support/command.ts";
import { makeFolder, readFolder, writeFiles } from "../support/written-folder.ts";

const folder = makeFolder();
const root = join(folder, "site");

afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (files: Record<string, string>): void => writeFiles(root, files);

/** Lessons that are alike but for their titles. */
function pages(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, `# ${path}\n\nText.\n`]));
}

const TOCTREE = "- title: A\n  sections:\n  - local: a/1\n    title: One\n";
const chapterIn = (language: string) => {
  return { ...pages(`chapters/${language}/a/1.md`), [`chapters/${language}/_toctree.yml`]: TOCTREE };
};

async function read(options: Partial<SourceOptions> = {}) {
  const { found: all, lessons, problems } = await readFolder(root, undefined, options);
  const courses = all.map(({ key, course: { found, name, slug, chapters } }) => {
    const paths = chapters.flatMap((chapter) => chapter.lessons.map(({ sourcePath }) => sourcePath ?? ""));
    return [key, { found, name, slug, lessons: paths }] as const;
  });
  return { courses: Object.fromEntries(courses), names: lessons.map(({ name }) => name), problems };
}

describe("a language", () => {
  test("can be a suffix of a README beside the original", async () => {
    write(
      pages("README.md", "sort/README.md", "sort/README.pt-BR.md", "README.pt-BR.md", "tree/README.md", "tree/a.md"),
    );
    const { courses } = await read();
    expect(Object.keys(courses)).toEqual([".", ".#pt-BR"]);
    expect(courses["."]?.lessons).toEqual(["README.md", "sort/README.md", "tree/README.md", "tree/a.md"]);
    expect(courses[".#pt-BR"]).toEqual({
      found: { language: "pt-BR", original: "." },
      name: "README.pt-BR.md",
      slug: "site-pt-br",
      lessons: ["README.pt-BR.md", "sort/README.pt-BR.md"],
    });
  });

  test.each([
    [["part3/a.md", "part3/b.md"], ["part3/ptbr/a.md", "part3/ptbr/b.md"], "pt-BR"],
    [["1/README.md", "2/README.md"], ["1/translations/README.ja.md", "2/translations/README.ja.md"], "ja"],
    [["a.md", "b.md"], ["Chinese/a.md", "Chinese/b.md"], "zh"],
  ])("is found at any depth: %p is %p", async (original, translation, language) => {
    write(pages(...original, ...translation));
    const { courses } = await read();
    const keys = Object.keys(courses);
    expect(keys).toHaveLength(2);
    const [main = "", other = ""] = keys;
    expect(courses[main]?.lessons).toEqual(original);
    expect(courses[other]?.lessons).toEqual(translation);
    expect(courses[other]?.found).toEqual({ language, original: main });
  });

  test("can be a folder beside the original's; without an unmarked folder the original is English", async () => {
    for (const language of ["de", "en", "fr"]) write(chapterIn(language));
    const { courses } = await read();
    expect(Object.entries(courses).map(([key, { found }]) => [key, found?.language, found?.original])).toEqual([
      ["chapters/en", "en", undefined],
      ["chapters/de", "de", "chapters/en"],
      ["chapters/fr", "fr", "chapters/en"],
    ]);
  });

  test("is not part of the names of lessons without a heading", async () => {
    write({ "a/task.md": "x", "b/task.md": "x", "a/task.fr.md": "x", "b/task_fr.md": "x" });
    expect((await read()).names).toEqual(["Task", "Task", "Task", "Task"]);
  });

  const THREE = pages("a.md", "b.md", "fr/a.md", "fr/b.md", "de/a.md", "de/b.md");
  const MATCHING = pages("01-a.md", "02-b.md", "fr/01-a.md", "fr/02-b.md");
  const IDO = pages(...["a_first_io/x", "b/x", "c/x"].flatMap((name) => [`${name}.md`, `${name}.fr.md`]));
  const LIKE_LANGUAGES = pages("a.md", "b.md", "cs/c.md", "ml/d.md", "os/b.md", "os/e.md", "os/f.md");
  const FEW = pages("01-a.md", "02-b.md", "fr/01-a.md", "fr/07.md", "fr/08.md");
  test.each<[what: string, files: Record<string, string>, courses: string, languages?: string[]]>([
    ["is not inferred from a similar ending: a_first_io is not in Ido", IDO, ". 3, .#fr 3"],
    ["is not detected if fewer than half of its lessons match", LIKE_LANGUAGES, ". 7"],
    ["can be added by course.yaml", { ...FEW, "course.yaml": "name: Tea\nlanguages: [fr]\n" }, ". 2, .#fr 3"],
    ["can be disabled by course.yaml", { ...MATCHING, "course.yaml": "name: Tea\nlanguages: []\n" }, ". 4"],
    ["follows --languages", THREE, ". 4, .#fr 2", ["fr"]],
  ])("%s", async (_, files, expected, languages = []) => {
    write(files);
    const { courses, problems } = await read(languages.length > 0 ? { languages } : {});
    const counts = Object.entries(courses).map(([key, { lessons }]) => `${key} ${lessons.length}`);
    expect(counts.join(", ")).toBe(expected);
    expect(problems.filter((problem) => problem.includes("unknown field"))).toEqual([]);
  });

  test("names the course after the original if it has no README, with one warning; it may have lessons of its own", async () => {
    write(pages("a.md", "b.md", "a.fr.md", "b.fr.md", "c.fr.md"));
    const { courses, problems } = await read();
    expect(courses[".#fr"]).toMatchObject({ name: "Site (Français)", lessons: ["a.fr.md", "b.fr.md", "c.fr.md"] });
    expect(problems).toEqual([expect.stringContaining("the course in fr has no README with a heading: its name is")]);
  });
});

describe("a published course", () => {
  const start = (name: string) => {
    const to = ["--database", `sqlite:${join(folder, name)}.db`, "--project", "tea"];
    const run = (...args: string[]) => runCommand([...args, ...to]);
    const readCourses = async () => {
      const { stdout } = await run("get", "/api/v1/courses?include=meta&sort=name");
      return JSON.parse(stdout.slice(stdout.indexOf("{"))).data.results as Record<string, unknown>[];
    };
    return { importIt: (...args: string[]) => run("import", root, ...args), readCourses };
  };

  test("keeps its ids and dates when its path marks it as a translation", async () => {
    const { importIt, readCourses } = start("dates");
    write(pages("en/01-a.md", "en/02-b.md", "fr/01-x.md", "fr/02-b.md"));
    await importIt("--languages", "none");
    const before = await readCourses();
    expect(before.map(({ language }) => language)).toEqual(["", ""]);
    expect((await importIt()).stdout).toContain("Published release 2");
    const [en, fr] = await readCourses();
    const link = (to: "en" | "fr", { _id: courseId = "" } = {}) => [{ language: to, courseId, slug: to }];
    const french = { language: "fr", translationOf: en?.["_id"], translations: link("en", en) };
    expect(fr).toEqual({ ...before[1], ...french });
    expect(en).toEqual({ ...before[0], language: "en", translations: link("fr", fr) });
  });

  test("keeps its lessons and courses until the command says otherwise", async () => {
    const { importIt } = start("known");
    write(pages("a.md", "b.md", "fr/a.md", "fr/b.md"));
    expect((await importIt("--languages", "none")).stdout).toContain("1 course, 4 lessons");
    const again = await importIt();
    expect(again.stdout).toContain("Nothing changed");
    expect(again.stderr).toContain("lessons in fr stay in this published course");
    // A language that is new is no lesson yet.
    write(pages("de/a.md", "de/b.md"));
    expect((await importIt()).stdout).toContain("2 courses, 6 lessons");
    expect((await importIt("--languages", "de,fr", "--allow-removals")).stdout).toContain("3 courses, 6 lessons");
    // What is shown as a translation stays one when most of it has no original any more.
    for (const name of ["a.md", "b.md"]) rmSync(join(root, name));
    write(pages("c.md", "d.md"));
    const last = await importIt("--allow-removals");
    expect(last.stdout).toContain("3 courses, 6 lessons");
    expect(last.stderr).toContain(": warning: de, fr stay translations, as published, though fewer than half of");
  });

  test("--only reads one course, with paths relative to the whole source, and leaves the others unchanged", async () => {
    const { importIt, readCourses } = start("only");
    for (const language of ["en", "fr", "de"]) write(chapterIn(language));
    write({ "chapters/en/course.yaml": "name: Main\n_id: main\n" });
    expect((await importIt()).stdout).toContain("courses: 3 added");
    const readAll = async () => (await readCourses()).map((each) => ({ ...each, updatedAt: "" }));
    const before = await readAll();
    rmSync(join(root, "chapters/de"), { recursive: true });
    write({ "chapters/fr/a/1.md": "# One\n\nAnother text.\n" });
    const only = await importIt("--only", "./chapters/fr/");
    expect(only.stdout).toContain("courses: 0 added, 1 changed, 0 removed");
    expect(await readAll()).toEqual(before);
    expect((await importIt("--only", "chapters/fe")).stderr).toMatch(
      /chapters\/fe: error: is not a course of this source.*Did you mean chapters\/fr\?/s,
    );
  });
});
