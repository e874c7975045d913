// One course in several languages: folders and suffixes become courses that say of which one they are translations.
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CourseInput } from "../../src/catalog/course.ts";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import type { Problem, SourceOptions } from "../../src/content/source.ts";
import { runCommand } from "../support/command.ts";
import { createTestFolder } from "../support/store.ts";

const folder = createTestFolder();
const root = join(folder.path, "site");

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Lessons that are alike but for their titles. */
function pages(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, `# ${path}\n\nText.\n`]));
}

interface Read {
  courses: Record<string, { found: CourseInput["found"]; name: string; slug?: string | undefined; lessons: string[] }>;
  problems: Problem[];
}

async function read(options: Partial<SourceOptions> = {}): Promise<Read> {
  const problems: Problem[] = [];
  const source = openFolderSource(root, { assetBase: undefined, ...options });
  const courses: Read["courses"] = {};
  for await (const { key, course } of source.read((problem) => problems.push(problem))) {
    const { found, name, slug } = course;
    const lessons = course.chapters.flatMap((chapter) => chapter.lessons.map(({ sourcePath = "" }) => sourcePath));
    courses[key] = { found, name, slug, lessons };
  }
  return { courses, problems };
}

describe("a language", () => {
  test("can be a suffix of a README beside the original", async () => {
    write(
      pages("README.md", "sort/README.md", "sort/README.pt-BR.md", "README.pt-BR.md", "tree/README.md", "tree/leaf.md"),
    );
    const { courses } = await read();
    expect(Object.keys(courses)).toEqual([".", ".#pt-BR"]);
    expect(courses["."]?.lessons).toEqual(["README.md", "sort/README.md", "tree/README.md", "tree/leaf.md"]);
    expect(courses[".#pt-BR"]).toEqual({
      found: { language: "pt-BR", original: "." },
      name: "README.pt-BR.md",
      slug: "site-pt-br",
      lessons: ["README.pt-BR.md", "sort/README.pt-BR.md"],
    });
  });

  test.each([
    [["part3/a.md", "part3/b.md"], ["part3/ptbr/a.md", "part3/ptbr/b.md"], "pt-BR"],
    [["a.md", "b.md"], ["translations/fr/a.md", "translations/fr/b.md"], "fr"],
    [["1/README.md", "2/README.md"], ["1/translations/README.ja.md", "2/translations/README.ja.md"], "ja"],
    [["a.md", "b.md"], ["Chinese/a.md", "Chinese/b.md"], "zh"],
    [["a.md", "b.md"], ["a.de.md", "b.de.md"], "de"],
    [["16_start.md", "17_loops.md"], ["16_开始_cn.md", "17_循环_cn.md"], "zh-CN"],
    [["docs/a.md", "docs/b.md"], ["docs/ja/a.md", "docs/ja/b.md"], "ja"],
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
    const toctree = "- title: A\n  sections:\n  - local: a/1\n    title: One\n";
    write({ ...pages("chapters/de/a/1.md", "chapters/en/a/1.md", "chapters/fr/a/1.md") });
    write({ "chapters/de/_toctree.yml": toctree, "chapters/en/_toctree.yml": toctree });
    write({ "chapters/fr/_toctree.yml": toctree });
    const { courses } = await read();
    expect(Object.entries(courses).map(([key, { found }]) => [key, found?.language, found?.original])).toEqual([
      ["chapters/en", "en", undefined],
      ["chapters/de", "de", "chapters/en"],
      ["chapters/fr", "fr", "chapters/en"],
    ]);
  });

  test("is not inferred from a similar ending: a_first_io is not in Ido and may have translations", async () => {
    const names = ["a_first_io/x", "b/x", "c/x"];
    write(pages(...names.flatMap((name) => [`${name}.md`, `${name}.fr.md`])));
    const { courses } = await read();
    expect(courses["."]?.lessons).toEqual(names.map((name) => `${name}.md`));
    expect(courses[".#fr"]?.lessons).toEqual(names.map((name) => `${name}.fr.md`));
  });

  test("is not part of the names of lessons without a heading", async () => {
    write({ "a/task.md": "x", "b/task.md": "x", "a/task.fr.md": "x", "b/task_fr.md": "x" });
    const names: string[] = [];
    for await (const { course } of openFolderSource(root, { assetBase: undefined }).read(() => undefined))
      names.push(...course.chapters.flatMap(({ lessons }) => lessons.map(({ name }) => name)));
    expect(names).toEqual(["Task", "Task", "Task", "Task"]);
  });

  test("is not detected if fewer than half of its lessons match the original's", async () => {
    write(pages("a.md", "b.md", "cs/pointers.md", "cs/heap.md", "ml/trees.md", "os/b.md", "os/c.md", "os/d.md"));
    const { courses } = await read();
    expect(Object.keys(courses)).toEqual(["."]);
    expect(courses["."]?.lessons).toHaveLength(8);
  });

  test("follows course.yaml, which can add a language with fewer matches or disable all", async () => {
    write(pages("01-a.md", "02-b.md", "fr/01-a.md", "fr/07.md", "fr/08.md"));
    write({ "course.yaml": "name: Tea\nlanguages: [fr]\n" });
    expect(Object.keys((await read()).courses)).toEqual([".", ".#fr"]);
    write(pages("fr/02-b.md"));
    write({ "course.yaml": "name: Tea\nlanguages: []\n" });
    const { courses, problems } = await read();
    expect(Object.keys(courses)).toEqual(["."]);
    expect(problems.filter(({ kind }) => kind === "unknown-field")).toEqual([]);
  });

  test("follows --languages", async () => {
    write(pages("a.md", "b.md", "fr/a.md", "fr/b.md", "de/a.md", "de/b.md"));
    expect(Object.keys((await read()).courses)).toEqual([".", ".#de", ".#fr"]);
    expect(Object.keys((await read({ languages: ["fr"] })).courses)).toEqual([".", ".#fr"]);
    expect(Object.keys((await read({ languages: ["none"] })).courses)).toEqual(["."]);
  });

  test("names the course after the original if it has no README, with one warning", async () => {
    write(pages("a.md", "b.md", "a.fr.md", "b.fr.md"));
    const { courses, problems } = await read();
    expect(courses[".#fr"]?.name).toBe("Site (Français)");
    expect(problems.filter(({ kind }) => kind === "no-name").map(({ message }) => message)).toEqual([
      'the course in fr has no README with a heading: its name is "Site (Français)"',
    ]);
  });

  test("keeps lessons that exist only in a translation", async () => {
    write(pages("a.md", "b.md", "fr/a.md", "fr/b.md", "fr/c.md"));
    const { courses } = await read();
    expect(courses[".#fr"]?.lessons).toEqual(["fr/a.md", "fr/b.md", "fr/c.md"]);
  });
});

describe("a published course", () => {
  test("keeps its ids and dates when its path marks it as a translation", async () => {
    const database = `sqlite:${join(folder.path, "dates.db")}`;
    const run = async (...more: string[]) => runCommand([...more, "--database", database, "--project", "tea"]);
    const readCourses = async () => {
      const { stdout } = await run("get", "/api/v1/courses?include=meta");
      const { data } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as {
        data: { results: Record<"_id" | "updatedAt" | "name" | "translationOf" | "language", string>[] };
      };
      return data.results.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    };
    write(pages("en/01-a.md", "en/02-b.md", "fr/01-x.md", "fr/02-b.md"));
    await run("import", root, "--languages", "none");
    const before = await readCourses();
    expect((await run("import", root)).stdout).toContain("Published release 2");
    const [en, fr] = await readCourses();
    expect(before.map(({ language }) => language)).toEqual(["", ""]);
    const link = (to: "en" | "fr", { _id: courseId = "" } = {}) => ({
      translations: [{ language: to, courseId, slug: to }],
    });
    const { _id: translationOf = "" } = en ?? {};
    expect(fr).toEqual({ ...before[1], language: "fr", translationOf, ...link("en", en) } as never);
    expect(en).toEqual({ ...before[0], language: "en", ...link("fr", fr) } as never);
  });

  const database = `sqlite:${join(folder.path, "known.db")}`;
  const importIt = async (...more: string[]) =>
    runCommand(["import", root, "--database", database, "--project", "tea", ...more]);

  test("keeps its lessons and courses until the command says otherwise", async () => {
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
    rmSync(join(root, "b.md"));
    rmSync(join(root, "a.md"));
    write(pages("c.md", "d.md"));
    const last = await importIt("--allow-removals");
    expect(last.stdout).toContain("3 courses, 6 lessons");
    expect(last.stderr).toContain(
      ": warning: de, fr stay translations, as published, though fewer than half of their files match",
    );
  });

  test("stays a translation in its own folder until course.yaml says otherwise", async () => {
    const store = `sqlite:${join(folder.path, "folders.db")}`;
    const to = ["--database", store, "--project", "tea"];
    const readOriginals = async (): Promise<string[]> => {
      const { stdout } = await runCommand(["get", "/api/v1/courses?include=meta&sort=name", ...to]);
      const { data } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as {
        data: { results: { translationOf: string }[] };
      };
      return data.results.map(({ translationOf }) => (translationOf === "" ? "original" : "translation"));
    };
    write(pages("en/01-a.md", "en/02-b.md", "fr/01-x.md", "fr/02-b.md"));
    await runCommand(["import", root, ...to]);
    expect(await readOriginals()).toEqual(["original", "translation"]);
    write(pages("fr/03-c.md", "fr/04-d.md", "fr/05-e.md"));
    const again = await runCommand(["import", root, ...to]);
    expect(await readOriginals()).toEqual(["original", "translation"]);
    expect(
      again.stderr.match(/fr stays a translation, as published, though fewer than half of its files match/g),
    ).toHaveLength(1);
    write({ "en/course.yaml": "name: En\nlanguages: []\n" });
    const last = await runCommand(["import", root, ...to]);
    expect(last.stderr).not.toContain("stays a translation");
    expect(await readOriginals()).toEqual(["original", "original"]);
  });
});

test("--only reads one course, with paths relative to the whole source, and leaves the others unchanged", async () => {
  const database = `sqlite:${join(folder.path, "only.db")}`;
  const run = async (...more: string[]) => runCommand([...more, "--database", database, "--project", "tea"]);
  const toctree = "- title: A\n  sections:\n  - local: a/1\n    title: One\n";
  for (const language of ["en", "fr", "de"]) {
    write({ [`chapters/${language}/_toctree.yml`]: toctree, ...pages(`chapters/${language}/a/1.md`) });
  }
  write({ "chapters/en/course.yaml": "name: Main\n_id: main\n" });
  expect((await run("import", root)).stdout).toContain("courses: 3 added");
  const readCourses = async () => {
    const { stdout } = await run("get", "/api/v1/courses?include=meta&sort=name");
    return JSON.parse(stdout.slice(stdout.indexOf("{"))).data.results as Record<string, unknown>[];
  };
  const before = await readCourses();
  rmSync(join(root, "chapters/de"), { recursive: true });
  write(pages("chapters/en/a/1.md"));
  write({ "chapters/fr/a/1.md": "# One\n\nAnother text.\n" });
  const only = await run("import", root, "--only", "./chapters/fr/");
  expect(only.stdout).toContain("courses: 0 added, 1 changed, 0 removed");
  const fixed = (courses: Record<string, unknown>[]) => courses.map((each) => ({ ...each, updatedAt: "" }));
  expect(fixed(await readCourses())).toEqual(fixed(before));
  const slip = await run("import", root, "--only", "chapters/fe");
  expect([slip.exitCode, slip.stderr]).toEqual([
    3,
    expect.stringContaining("chapters/fe: error: is not a course of this source"),
  ]);
  expect(slip.stderr).toContain("Did you mean chapters/fr?");
  const other = await run("import", join(root, "chapters/fr"), "--dry-run");
  expect(other.stderr).toContain("Courses from folder fr replace those from folder site, the source of release 2");
});

test("check, outline and preview accept --languages", async () => {
  write(pages("a.md", "b.md", "fr/a.md", "fr/b.md"));
  expect((await runCommand(["check", root])).stderr).toContain("2 courses, 4 lessons");
  expect((await runCommand(["check", root, "--languages", "none"])).stderr).toContain("1 course, 4 lessons");
  expect((await runCommand(["outline", root])).stdout).not.toContain("fr/");
  expect((await runCommand(["outline", root, "--languages", "none"])).stdout).toContain("fr");
  expect((await runCommand(["preview", "--help"])).stdout).toContain("--languages");
});
