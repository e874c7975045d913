// Pages that their front matter holds back are no lessons: drafts in every spelling of a boolean, and pages of later days.
import { expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { outlineOf, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const AT = "2026-06-15T12:00:00.000Z";
const yaml = (...lines: string[]): string => `---\n${lines.join("\n")}\n---\nx`;
const toml = (...lines: string[]): string => `+++\n${lines.join("\n")}\n+++\nx`;

/** The names of the lessons on a day, and what is reported. */
async function readAt(files: Files, at = AT) {
  const read = await readFolder(writeFolder(files), undefined, { now: () => new Date(at) });
  return { names: read.courses.flatMap(outlineOf).flatMap(([, ...names]) => names), ...read };
}

const inEachCase = (words: string[]): string[] =>
  words.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]);
const YES = [...new Set(inEachCase(["y", "yes", "true", "on"]))];
const NO = [...new Set(inEachCase(["n", "no", "false", "off"]))];
const quoted = (words: string[]): string[] => words.flatMap((word) => [word, `"${word}"`, `'${word}'`]);

test.each<[field: string, held: string[], shown: string[]]>([
  ["draft", YES, NO],
  ["unlisted", YES, NO],
  ["published", NO, YES],
])("a boolean field is %s in every spelling and case, with and without quotes", async (field, held, shown) => {
  const files: Files = { "a.md": "x", "native.md": toml(`${field} = ${field !== "published"}`) };
  for (const [index, value] of quoted(held).entries()) files[`held-${index}.md`] = yaml(`${field}: ${value}`);
  for (const [index, value] of quoted(shown).entries()) files[`shown-${index}.md`] = yaml(`${field}: ${value} # why`);
  for (const [index, value] of held.entries()) files[`toml-${index}.md`] = toml(`${field} = "${value}"`);
  const { names, problems } = await readAt(files);
  expect(names.filter((name) => /held|toml|native/i.test(name))).toEqual([]);
  expect(names.filter((name) => /shown/i.test(name))).toHaveLength(quoted(shown).length);
  expect(problems).toEqual([`.: note: ${held.length * 4 + 1} drafts are left out`]);
});

test.each(["", "Null", "~"])("a boolean field is not written %j", async (value) => {
  const { names, problems } = await readAt({ "a.md": "x", "b.md": yaml(`draft: ${value}`, `published: ${value}`) });
  expect([names, problems]).toEqual([["A", "B"], []]);
});

test.each(['"maybe"', "1", "[true]", '""', '"null"', "2026-01-01"])(
  "the field %j is an error at its line",
  async (value) => {
    for (const [field, name] of Object.entries({ draft: "a", published: "a", unlisted: "01-a", Draft: "a" })) {
      const { problems, courses } = await readAt({ [`${name}.md`]: yaml("title: A", `${field}: ${value}`) });
      expect([problems, courses]).toEqual([[`${name}.md:3:1: error: ${field}: must be true or false`], []]);
    }
    const { problems } = await readAt({ "a.md": toml('title = "A"', "", `draft = ${value}`) });
    expect(problems).toEqual(["a.md:4: error: draft: must be true or false"]);
  },
);

test("a boolean field in every spelling sets the draft state in course.yaml", async () => {
  const publishedOf = async (value: string) => {
    const yamlText = `name: T\npublished: ${value}\nchapters: [{name: A, lessons: [a]}]`;
    const { courses, problems } = await readAt({ "course.yaml": yamlText, "a.md": "x" });
    return courses[0]?.published ?? problems;
  };
  for (const value of [...quoted(YES), "", "~", "Null"]) expect(await publishedOf(value)).toBe(true);
  for (const value of quoted(NO)) expect(await publishedOf(value)).toBe(false);
  for (const value of ["maybe", "0", "[no]", '""'])
    expect(await publishedOf(value)).toEqual(["course.yaml:2:1: error: published: must be true or false"]);
});

const HUGO: Files = { "hugo.toml": "title = 'T'\n" };
const JEKYLL: Files = { "_config.yml": "title: T\n", Gemfile: "" };
const later = (file: string, until: string, builder: string): string =>
  `${file} warning: this page is left out until ${until}, when ${builder} publishes it; import the course again then`;

test("a page with a future date is left out by Hugo's rules until then, with a warning that names it", async () => {
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
  expect(names.join("")).toBe("AEG");
  expect(problems).toEqual([
    later("content/b.md:3:1:", "2026-06-16T00:00:00.000Z", "Hugo"),
    later("content/c.md:2:", "2026-06-15T12:00:01.000Z", "Hugo"),
    later("content/d.md:2:", "2027-01-01T00:00:00.000Z", "Hugo"),
    later("content/f.md:2:1:", "2027-01-02T00:00:00.000Z", "Hugo"),
    later("content/h.md:2:1:", "2027-02-03T00:00:00.000Z", "Hugo"),
    "content: note: 1 draft is left out",
  ]);
  const { names: all, courses } = await readAt(pages, "2028-01-01T00:00:00.000Z");
  expect(all.join("")).toBe("ABCDEFGH");
  expect(courses[0]?.chapters[0]?.lessons[1]?.createdAt).toBe("2026-06-16T00:00:00.000Z");
});

test("a page with a future date is left out by Jekyll's rules until then, unless the configuration shows future pages", async () => {
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
  const namesWith = async (config: string) => (await readAt({ ...pages, "_config.yml": config })).names.join("");
  for (const future of ["true", "Yes", '"on"']) expect(await namesWith(`future: ${future}\n`)).toBe("ABCD");
  for (const future of ["off", "["]) expect(await namesWith(`future: ${future}\n`)).toBe("ACD");
});

test("a page that its site no longer shows or excludes is left out", async () => {
  const site = "title: T\nexclude: [b.md, private/, '*.tmp.md', vendor]\n";
  const excluded = { "b.md": "x", "private/c/d.md": "x", "e/f.tmp.md": "x" };
  const jekyll = await readAt({ ...JEKYLL, "_config.yml": site, "a.md": "x", "e/b.md": "x", ...excluded });
  expect(jekyll.names).toEqual(["A", "B"]);
  expect(jekyll.problems).toEqual([".: note: 3 pages that their site excludes are left out"]);
  const ending = { "content/a.md": yaml("expiryDate: 2026-07-01"), "content/b.md": toml("expirydate = 2026-06-15") };
  const hugo = await readAt({ ...HUGO, ...ending });
  expect(hugo.names).toEqual(["A"]);
  expect(hugo.problems).toEqual(["content: note: 1 page that its site excludes is left out"]);
});

const FUTURE = yaml("date: 2030-01-01");
test.each([
  ["config.toml", "buildFuture = true\n"],
  ["config/_default/hugo.yaml", "buildFuture: true\n"],
])("a page with a future date is detected with %s", async (config, showsFuture) => {
  const files = { "content/a.md": "x", "content/b.md": FUTURE };
  expect((await readAt({ ...files, [config]: "" })).names).toEqual(["A"]);
  expect((await readAt({ ...files, [config]: showsFuture })).names).toContain("B");
});

test.each<[folder: string, files: Files]>([
  ["", {}],
  ["docs/", { "docusaurus.config.js": "", "site/hugo.toml": "", "site/content/c.md": "x" }],
])("such a page is ordinary in other sites: %j %j", async (folder, files) => {
  const future = { [`${folder}a.md`]: FUTURE, [`${folder}b.md`]: yaml("publishDate: 2030-01-01") };
  const { lessons } = await readAt({ ...files, ...future });
  const dates = lessons.slice(0, 2).map(({ name, createdAt }) => `${name} ${createdAt}`);
  expect(dates).toEqual(["A 2030-01-01T00:00:00.000Z", "B undefined"]);
});

test("a page with a future date with an unreadable date is an error at its line, as in the builder", async () => {
  const dates = { "content/a.md": yaml("title: A", "publishDate: soon"), "content/b.md": toml("date = [1]") };
  const { problems, courses } = await readAt({ ...HUGO, ...dates });
  expect(courses).toEqual([]);
  expect(problems).toEqual([
    "content/a.md:3:1: error: publishDate: must be a date, such as 2026-01-31",
    "content/b.md:2: error: date: must be a date, such as 2026-01-31",
  ]);
});

test("a link to a held-back page is reported, and leads to no file", async () => {
  const urls = ["b.md", "b", "b.html#x", "/b/", "sub/c.md", "sub/", "../site/sub/c"];
  const root = writeFolder({
    ...JEKYLL,
    "a.md": urls.map((url) => `[x](${url})`).join(" "),
    "b.md": yaml("date: 9999-01-01"),
    "sub/c.md": yaml("draft: Yes"),
  });
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const bases = ["--public-url", "https://api.example", "--asset-base", "https://cdn.example/"];
  const { stderr } = await runCommand(["import", root, "--verbose", ...to, ...bases]);
  const { stdout: exported } = await runCommand(["export", "-", ...to]);
  expect(stderr.match(/b\.md:2:1: warning: this page is left out until 9999-01-01T00:00:00\.000Z/g)).toHaveLength(1);
  expect(
    stderr.match(/a\.md:1: warning: link "[^"]*" points to \S*(?:b|c)\.md, which is left out for now/g),
  ).toHaveLength(5);
  expect(stderr).toContain("not shown: 1 draft, 1 page that Jekyll publishes later");
  for (const url of urls.slice(0, 5)) expect(exported).toContain(String.raw`href=\"${url}\"`);
  expect(exported).not.toMatch(/cdn\.example\/[bs][^"]*\.md|assets\/|data-lesson-id/);
});
