// Pages that their front matter holds back are no lessons: drafts in every spelling of a boolean, and pages of later days.
import { describe, expect, test } from "bun:test";
import type { SourceOptions } from "../../src/content/source.ts";
import { runCommand } from "../support/command.ts";
import { outlineOf, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const AT = "2026-06-15T12:00:00.000Z";
const yaml = (...lines: string[]): string => `---\n${lines.join("\n")}\n---\nx`;
const toml = (...lines: string[]): string => `+++\n${lines.join("\n")}\n+++\nx`;

/** The names of the lessons on a day, and what is reported. */
async function readAt(files: Files, at = AT, options: Partial<SourceOptions> = {}) {
  const { courses, problems } = await readFolder(writeFolder(files), undefined, {
    now: () => new Date(at),
    ...options,
  });
  return { names: courses.flatMap(outlineOf).flatMap(([, ...names]) => names), problems, courses };
}

const inEachCase = (words: string[]): string[] =>
  words.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]);
const YES = [...new Set(inEachCase(["y", "yes", "true", "on"]))];
const NO = [...new Set(inEachCase(["n", "no", "false", "off"]))];
const quoted = (words: string[]): string[] => words.flatMap((word) => [word, `"${word}"`, `'${word}'`]);

describe("a boolean field", () => {
  test.each<[field: string, held: string[], shown: string[]]>([
    ["draft", YES, NO],
    ["unlisted", YES, NO],
    ["published", NO, YES],
  ])("is %s in every spelling and case, with and without quotes", async (field, held, shown) => {
    const files: Files = { "a.md": "x" };
    for (const [index, value] of quoted(held).entries()) files[`held-${index}.md`] = yaml(`${field}: ${value}`);
    for (const [index, value] of quoted(shown).entries()) files[`shown-${index}.md`] = yaml(`${field}: ${value} # why`);
    for (const [index, value] of held.entries()) files[`toml-${index}.md`] = toml(`${field} = "${value}"`);
    files["native.md"] = toml(`${field} = ${field !== "published"}`);
    const { names, problems } = await readAt(files);
    expect(names.filter((name) => /held|toml|native/i.test(name))).toEqual([]);
    expect(names.filter((name) => /shown/i.test(name))).toHaveLength(quoted(shown).length);
    expect(problems).toEqual([`.: note: ${held.length * 4 + 1} drafts are left out`]);
  });

  test.each(["", "null", "Null", "NULL", "~"])("is not written %j", async (value) => {
    const { names, problems } = await readAt({ "a.md": "x", "b.md": yaml(`draft: ${value}`, `published: ${value}`) });
    expect([names, problems]).toEqual([["A", "B"], []]);
  });

  test.each(["maybe", "1", "0", "yess", "[true]", "{a: b}", '""', '"null"', "2026-01-01", "tru"])(
    "with the value %j is an error at its line",
    async (value) => {
      for (const [field, name] of [
        ["draft", "a.md"],
        ["published", "a.md"],
        ["unlisted", "01-a.md"],
        ["Draft", "a.md"],
      ]) {
        const { problems, courses } = await readAt({ [`${name}`]: yaml("title: A", `${field}: ${value}`) });
        expect([problems, courses]).toEqual([[`${name}:3:1: error: ${field}: must be true or false`], []]);
      }
    },
  );

  test("is an error at its line in TOML too", async () => {
    for (const value of ['"maybe"', "1", "[true]", "2026-01-01"]) {
      const { problems } = await readAt({
        "a.md": toml('title = "A"', "", `draft = ${value}`),
      });
      expect(problems).toEqual(["a.md:4: error: draft: must be true or false"]);
    }
  });

  test("holds pages back in numbered courses, in a site's nav, and in such a course described by course.yaml", async () => {
    const numbered = await readAt({
      "01-a.md": yaml("draft: no"),
      "02-b.md": yaml("draft: Yes"),
      "03-c/01-d.md": yaml("published: off"),
    });
    expect([numbered.names, numbered.problems]).toEqual([["A"], [".: note: 2 drafts are left out"]]);
    const nav = await readAt({ "mkdocs.yml": "nav: [a.md, b.md]\n", "docs/a.md": "x", "docs/b.md": yaml("draft: On") });
    expect(nav.names).toEqual(["A"]);
    const listed = await readAt({
      "course.yaml": "name: Tea\nformat: plain\nchapters: [{name: A, lessons: [a, b]}]",
      "a.md": "x",
      "b.md": yaml("draft: TRUE"),
    });
    expect([listed.names, listed.problems]).toEqual([["A"], [".: note: 1 draft is left out"]]);
    const own = await readAt({
      "course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a, b]}, {name: B, folder: c}]",
      "a.md": yaml("draft: no"),
      "b.md": yaml("published: No"),
      "c/01-d.md": toml('draft = "On"'),
    });
    expect([own.courses.map(outlineOf), own.problems]).toEqual([[[["A", "A"]]], [".: note: 2 drafts are left out"]]);
  });

  test("in every spelling sets the draft state in course.yaml", async () => {
    const publishedOf = async (value: string) => {
      const { courses, problems } = await readAt({
        "course.yaml": `name: T\npublished: ${value}\nchapters: [{name: A, lessons: [a]}]`,
        "a.md": "x",
      });
      return courses[0]?.published ?? problems;
    };
    for (const value of quoted(YES)) expect(await publishedOf(value)).toBe(true);
    for (const value of quoted(NO)) expect(await publishedOf(value)).toBe(false);
    for (const value of ["", "~", "Null"]) expect(await publishedOf(value)).toBe(true);
    for (const value of ["maybe", "0", "[no]", '""'])
      expect(await publishedOf(value)).toEqual(["course.yaml:2:1: error: published: must be true or false"]);
  });

  test("in JSON must be a JSON boolean", async () => {
    const root = writeFolder({ "a.ndjson": '{"name":"A","published":"no"}\n' });
    const { exitCode, stdout } = await runCommand(["check", `${root}/a.ndjson`]);
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining("a.ndjson:1: error: published: ")]);
  });
});

const HUGO: Files = { "hugo.toml": "title = 'T'\n" };
const JEKYLL: Files = { "_config.yml": "title: T\n", Gemfile: "" };
const later = (file: string, until: string, builder: string): string =>
  `${file} warning: this page is left out until ${until}, when ${builder} publishes it; import the course again then`;

describe("a page with a future date", () => {
  test("is left out by Hugo's rules until then, with a warning that names it", async () => {
    const pages: Files = {
      ...HUGO,
      "content/a.md": yaml("date: 2026-06-15"),
      "content/b.md": yaml("title: B", "date: 2026-06-16"),
      "content/c.md": toml("date = 2026-06-15T14:00:01+02:00"),
      "content/d.md": toml('publishDate = "2027-01-01"', "date = 2020-01-01"),
      "content/e.md": yaml("date: 2030-01-01", "publishDate: 2026-01-01"),
      "content/f.md": yaml("PUBLISHDATE: Jan 2, 2027"),
      "content/g.md": toml("publishdate = 2026-06-15T12:00:00"),
      "content/h.md": yaml("published: 2027-02-03"),
      "content/i.md": yaml("draft: yes", "date: 2027-02-03"),
    };
    const { names, problems } = await readAt(pages);
    expect(names).toEqual(["A", "E", "G"]);
    expect(problems).toEqual([
      later("content/b.md:3:1:", "2026-06-16T00:00:00.000Z", "Hugo"),
      later("content/c.md:2:", "2026-06-15T12:00:01.000Z", "Hugo"),
      later("content/d.md:2:", "2027-01-01T00:00:00.000Z", "Hugo"),
      later("content/f.md:2:1:", "2027-01-02T00:00:00.000Z", "Hugo"),
      later("content/h.md:2:1:", "2027-02-03T00:00:00.000Z", "Hugo"),
      "content: note: 1 draft is left out",
    ]);
    const { names: all, courses } = await readAt(pages, "2028-01-01T00:00:00.000Z");
    expect(all).toEqual(["A", "B", "C", "D", "E", "F", "G", "H"]);
    expect(courses[0]?.chapters[0]?.lessons[1]?.createdAt).toBe("2026-06-16T00:00:00.000Z");
  });

  test("is left out by Jekyll's rules until then, unless the configuration shows future pages", async () => {
    const pages: Files = {
      ...JEKYLL,
      "a.md": "x",
      "b.md": yaml("date: 2026-06-15 15:00:00 +0200"),
      "c.md": yaml("date: 2026-06-15 13:00:00 +0200"),
      "d.md": yaml("publishDate: 2030-01-01"),
    };
    const { names, problems } = await readAt(pages);
    expect(names).toEqual(["A", "C", "D"]);
    expect(problems).toEqual([later("b.md:2:1:", "2026-06-15T13:00:00.000Z", "Jekyll")]);
    for (const future of ["true", "Yes", '"on"']) {
      expect((await readAt({ ...pages, "_config.yml": `title: T\nfuture: ${future}\n` })).names).toEqual([
        "A",
        "B",
        "C",
        "D",
      ]);
    }
    expect((await readAt({ ...pages, "_config.yml": "future: off\n" })).names).toEqual(["A", "C", "D"]);
    expect((await readAt({ ...pages, "_config.yml": "future: [\n" })).names).toEqual(["A", "C", "D"]);
  });

  const sites: Record<string, Files> = {
    "config.toml beside content": { "config.toml": "", "content/a.md": "x", "content/b.md": yaml("date: 2030-01-01") },
    "config/_default/hugo.yaml": {
      "config/_default/hugo.yaml": "title: T\n",
      "content/a.md": "x",
      "content/b.md": yaml("date: 2030-01-01"),
    },
    "a site of one folder": {
      "README.md": "x",
      "site/content/a.md": "x",
      "site/hugo.yaml": "",
      "site/content/b.md": yaml("date: 2030-01-01"),
    },
    "numbered pages": {
      ...HUGO,
      "content/01-a.md": "x",
      "content/02-b.md": yaml("date: 2030-01-01"),
      "content/03-c/01-d.md": yaml("publishDate: 2030-01-01"),
    },
  };
  test.each(Object.entries(sites))("is detected with %s", async (_what, files) => {
    expect((await readAt(files)).names).toEqual(["A"]);
    const showsFuture = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        /hugo\.|config\.toml/.test(path)
          ? path.endsWith(".toml")
            ? "buildFuture = true\n"
            : "buildFuture: true\n"
          : text,
      ]),
    );
    expect((await readAt(showsFuture)).names).toContain("B");
  });

  test("is an ordinary page without such a site in its folder or above", async () => {
    for (const files of [
      {},
      { "mkdocs.yml": "site_name: T\n" },
      { "docusaurus.config.js": "" },
      { "_toc.yml": "", "_config.yml": "" },
    ] as Files[]) {
      const folder = "mkdocs.yml" in files || "docusaurus.config.js" in files ? "docs/" : "";
      const { courses } = await readAt(
        { ...files, [`${folder}a.md`]: yaml("date: 2030-01-01"), [`${folder}b.md`]: yaml("publishDate: 2030-01-01") },
        AT,
        "_toc.yml" in files ? { format: "plain" } : {},
      );
      const lessons = courses.flatMap(({ chapters }) => chapters.flatMap((chapter) => chapter.lessons));
      expect(lessons.map(({ name, createdAt }) => [name, createdAt]).slice(0, 2)).toEqual([
        ["A", "2030-01-01T00:00:00.000Z"],
        ["B", undefined],
      ]);
    }
  });

  test("is not affected by a site beside it", async () => {
    const { names } = await readAt({
      "01-a.md": yaml("date: 2030-01-01"),
      "02-b.md": "x",
      "02-b/hugo.toml": "",
      "02-b/01-c.md": yaml("date: 2030-01-01"),
    });
    expect(names).toEqual(["A", "B"]);
  });

  test("with an unreadable date is an error at its line, as in the builder", async () => {
    const { problems, courses } = await readAt({
      ...HUGO,
      "content/a.md": yaml("title: A", "publishDate: soon"),
      "content/b.md": toml("date = [1]"),
    });
    expect([problems, courses]).toEqual([
      [
        "content/a.md:3:1: error: publishDate: must be a date, such as 2026-01-31",
        "content/b.md:2: error: date: must be a date, such as 2026-01-31",
      ],
      [],
    ]);
  });
});

/** The arguments of an import, of which those in `to` lead other commands to what it published. */
function toImport(root: string): { to: string[]; args: string[] } {
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const bases = ["--public-url", "https://api.example", "--asset-base", "https://cdn.example/"];
  return { to, args: ["import", root, "--verbose", ...to, ...bases] };
}

describe("a link to a held-back page", () => {
  test("in a numbered course stays as written and is reported", async () => {
    const root = writeFolder({
      "01-a.md": "[x](02-b.md) [y](02-b.html#z) [c](03-c.md)",
      "02-b.md": yaml("draft: Yes"),
      "03-c.md": "x",
      "04-d/01-e.md": yaml("draft: Yes"),
    });
    const { to, args } = toImport(root);
    const { exitCode, stderr, stdout: outcome } = await runCommand(args);
    expect([exitCode, outcome]).toEqual([0, expect.stringContaining("1 course, 2 lessons")]);
    expect(
      stderr.match(/01-a\.md:1: warning: link "02-b\.[^"]*" points to 02-b\.md, which is left out for now/g),
    ).toHaveLength(2);
    expect((await runCommand(["check", root])).stderr).toContain("in 1 course, 2 lessons");
    const { stdout } = await runCommand(["export", "-", ...to]);
    const [, ...hrefs] = stdout.split('href=\\"').map((part) => part.split('\\"')[0]);
    expect(hrefs).toEqual(["02-b.md", "02-b.html#z", "03-c.md"]);
    expect(stdout.match(/data-lesson-id/g)).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ chapters: [{ name: "Introduction" }] });
  });

  test("stays as written and is reported", async () => {
    const links = ["b.md", "b", "b.html#x", "/b/", "sub/c.md", "sub/", "../site/sub/c"]
      .map((url) => `[x](${url})`)
      .join(" ");
    const root = writeFolder({
      ...JEKYLL,
      "a.md": links,
      "b.md": yaml("date: 9999-01-01"),
      "sub/c.md": yaml("draft: Yes"),
    });
    const { to, args } = toImport(root);
    const { exitCode, stderr } = await runCommand(args);
    expect(exitCode).toBe(0);
    expect(stderr.match(/b\.md:2:1: warning: this page is left out until 9999-01-01T00:00:00\.000Z/g)).toHaveLength(1);
    expect(
      stderr.match(/a\.md:1: warning: link "[^"]*" points to \S*(?:b|c)\.md, which is left out for now/g),
    ).toHaveLength(5);
    expect(stderr).toContain("not shown: 1 draft, 1 page that Jekyll publishes later");
    const { stdout } = await runCommand(["export", "-", ...to]);
    const [, ...hrefs] = stdout.split('href=\\"').map((part) => part.split('\\"')[0]);
    expect(hrefs.slice(0, 5)).toEqual(["b.md", "b", "b.html#x", "/b/", "sub/c.md"]);
    expect(stdout).not.toMatch(/cdn\.example\/[bs][^"]*\.md|assets\/|data-lesson-id/);
  });
});
