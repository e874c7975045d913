// The tree of a course, and members that locate lessons: `include=tree`, and `slug`, `section`, `source`, `editUrl`.
import { describe, expect, test } from "bun:test";
import type { AuthoredCourse } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const lesson = (id: string): { id: string; name: string } => ({ id, name: `Lesson ${id}` });
const tea = (more: AuthoredCourse = {}): AuthoredCourse => ({
  _id: "tea",
  name: "Tea",
  chapters: [
    { id: "one", name: "One", lessons: [lesson("a"), lesson("b")] },
    { id: "none", name: "None", lessons: [] },
    { id: "two", name: "Two", lessons: [lesson("c")] },
  ],
  ...more,
});
const EMPTY = { _id: "empty", name: "Empty" };
const TREE = ["a", { name: "One", parts: [{ name: "Deep", parts: ["b"] }] }, { name: "Two", parts: ["c"] }];
const FOLDERS: Files = {
  "course.yaml": "_id: book\nformat: plain\nname: Book\n",
  "a.md": "# Start\n",
  "tea/b.md": "# Introduction\n",
  "tea/green/c.md": "# Introduction\n",
  "tea/green/d #1.md": "# Où ça?\n",
  "zen/held.md": "---\ndraft: true\n---\n# Held\n",
};

const BOOK: Files = {
  "book.toml": '[book]\ntitle = "Book"\n',
  "src/SUMMARY.md": "- [B](b.md)\n  - [C](c.md)\n    - [D](d.md)\n  - [E](e.md)\n",
  ...Object.fromEntries(["b", "c", "d", "e"].map((name) => [`src/${name}.md`, "Text\n"])),
};

describe("the tree of a course", () => {
  const project = useProject(useTestStore());
  const { read } = project;

  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await project.run(...args);
    expect([exitCode, stderr.includes("error:")]).toEqual([0, false]);
    return stdout;
  };
  const listMeta = async () => (await read("/courses/book/lessons?include=meta")).data.results;

  test("has sections of any depth, without changing answers of version 1", async () => {
    await project.publish([tea(), EMPTY]);
    const paths = ["", "/tea", "/tea/lessons", "/tea/lessons/b", "/tea?include=lessons"];
    const texts = () => Promise.all(paths.map(async (path) => (await read(`/courses${path}`)).text));
    const [before, digest] = [await texts(), (await read("/courses?include=digest")).text];
    const tag = (await read("/courses/tea?include=tree")).etag;
    await project.import([tea({ tree: TREE }), EMPTY], undefined, "2027-01-01T00:00:00.000Z");
    expect(await texts()).toEqual(before);
    const { data, etag } = await read("/courses/tea?include=tree");
    expect(data.tree).toEqual([
      lesson("a"),
      { name: "One", parts: [{ name: "Deep", parts: [lesson("b")] }] },
      { name: "Two", parts: [lesson("c")] },
    ]);
    expect(etag).not.toBe(tag);
    expect((await read("/courses?include=digest")).text).not.toBe(digest);
    expect((await read("/changes?since=1")).data.results).toMatchObject([
      { _id: "tea", change: "changed", fields: ["tree"], lessons: [{ id: "b", change: "changed" }] },
    ]);
    expect((await read("/courses/empty?include=tree")).data.tree).toEqual([]);
    const sections = (await read("/courses/tea/lessons?include=meta")).data.results;
    expect(sections.map(({ section }: { section: string[] }) => section)).toEqual([[], ["Deep"], []]);
  });

  let deep: unknown = "a";
  for (let depth = 0; depth < 21; depth++) deep = { name: "Deeper", parts: [deep] };
  test.each<[unknown, string]>([
    [["a", "b"], "must name every lesson by its id"],
    [["a", "b", "c", "a"], 'names "a", which is repeated or not the id of a lesson'],
    ["a", "must be a list of lesson ids and sections; a section has the fields name and parts, and sections can"],
    [[deep, "b", "c"], "must be a list of lesson ids"],
    [[{ name: " ", parts: [] }], "must be a list of lesson ids"],
  ])("with a mistake is an error: %j", async (tree, message) => {
    const { outcome, problems } = await project.import([tea({ tree })]);
    expect([outcome.status, problems]).toEqual(["invalid", [expect.stringContaining(`tree: ${message}`) as never]]);
  });

  test("is part of an export, and removing it changes the course", async () => {
    await project.publish([tea({ tree: TREE })]);
    const exported = JSON.parse(await run("export", "-")) as AuthoredCourse;
    expect(exported["tree"]).toEqual(TREE);
    expect((await project.runImport([exported])).stdout).toStartWith("Nothing changed");
    expect(JSON.parse((await project.runImport([tea()], "--dry-run", "--json")).stdout)).toMatchObject({
      changes: { coursesChanged: 1, lessonsChanged: 0 },
      courses: [{ id: "tea", fields: ["tree"], lessonsChanged: [] }],
    });
  });

  test("of a folder lists its published lessons; source files appear only if the import adds them", async () => {
    await run("import", writeFolder(FOLDERS));
    const course = (await read("/courses/book?include=tree,meta")).data;
    const [start, b, c, d] = (await read("/courses/book/lessons")).data.results;
    expect(course.tree).toEqual([start, { name: "Tea", parts: [b, { name: "Green", parts: [c, d] }] }]);
    const suffix = (id: string): string => Bun.SHA256.hash(id, "hex").slice(0, 8);
    expect((await listMeta()).map((each: object) => Object.values(each).slice(2, 7))).toEqual([
      [null, "start", [], "", ""],
      [null, `introduction-${suffix(b.id)}`, [], "", ""],
      [null, `introduction-${suffix(c.id)}`, [], "", ""],
      [null, "où-ça", [], "", ""],
    ]);
  });

  test("has sections that are pages: each starts with its own lesson", async () => {
    await run("import", writeFolder(BOOK));
    const { data } = await read("/courses/book?include=lessons,meta,tree");
    const [{ lessons }] = data.chapters;
    const [b, c, d, e] = lessons.map(({ id, name }: Record<string, string>) => ({ id, name }));
    expect(data.tree).toEqual([{ name: "B", parts: [b, { name: "C", parts: [c, d] }, e] }]);
    expect(lessons.map(({ section }: { section: string[] }) => section)).toEqual([[], ["C"], ["C"], []]);
  });

  test("has the source and edit URL if the import adds them, which changes no date", async () => {
    const folder = writeFolder(FOLDERS);
    await run("import", folder);
    const before = (await read("/courses/book?include=lessons")).text;
    const places = async () =>
      (await listMeta()).map(({ source, editUrl }: Record<string, string>) => `${source} ${editUrl}`);
    await run("import", folder, "--source-meta", "--edit-url", "https://git.example/{path}?plain=1");
    expect(await places()).toEqual([
      "a.md https://git.example/a.md?plain=1",
      "tea/b.md https://git.example/tea/b.md?plain=1",
      "tea/green/c.md https://git.example/tea/green/c.md?plain=1",
      "tea/green/d #1.md https://git.example/tea/green/d%20%231.md?plain=1",
    ]);
    expect((await read("/courses/book?include=lessons")).text).toBe(before);
    await run("import", folder, "--edit-url", "https://git.example/{path}");
    expect((await places())[0]).toBe(" https://git.example/a.md");
    await run("import", folder);
    expect((await places())[0]).toBe(" ");
  });
});

test.each([
  "javascript:alert(1)//{path}",
  "https://example.org/",
  "https://example.org/{path}/{slug}",
  "https://user:secret@example.org/{path}",
  "https://{path}",
])("--edit-url %s is refused", async (template) => {
  const { exitCode, stderr } = await runCommand(["import", ".", "--project", "p", "--edit-url", template]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("The template")]);
});
