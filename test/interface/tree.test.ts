// The tree of a course, and members that locate lessons: `include=tree`, and `slug`, `section`, `source`, `editUrl`.
import { beforeEach, describe, expect, test } from "bun:test";
import { importCourses, publish, toNdjson, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const lesson = (id: string, name = `Lesson ${id}`): AuthoredCourse => ({ id, name });
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
const TREE = ["a", { name: "One", parts: [{ name: "Deep", parts: ["b"] }] }, { name: "Two", parts: ["c"] }];
const summary = (id: string): object => ({ id, name: `Lesson ${id}` });
const ANSWERED = [
  summary("a"),
  { name: "One", parts: [{ name: "Deep", parts: [summary("b")] }] },
  { name: "Two", parts: [summary("c")] },
];
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
  const database = useTestStore();
  const ask = createAsk(database);
  let project = "";
  let key = "";
  let count = 0;
  beforeEach(async () => {
    project = `tree-${++count}`;
    key = await createKey(database.store, project);
  });

  // oxlint-disable-next-line typescript/no-explicit-any
  const read = async (path: string): Promise<any> => {
    const { status, headers, text } = await ask(path, key);
    expect(status).toBe(200);
    return { ...(JSON.parse(text) as object), etag: headers.get("etag"), text };
  };
  const importFolder = async (files: Files | string, ...options: string[]): Promise<string> => {
    const path = typeof files === "string" ? files : writeFolder(files);
    const { exitCode, stdout, stderr } = await runCommand(
      ["import", path, "--project", project, "--database", database.url, ...options],
      {},
    );
    expect([exitCode, stderr.includes("error:")]).toEqual([0, false]);
    return stdout;
  };

  test("lists its chapters if it has no other sections, and comes last", async () => {
    await publish(database.store, project, [tea(), { _id: "empty", name: "Empty" }]);
    const plain = (await read("/courses/tea")).data;
    const chapters = plain.chapters.map(({ name, lessons: parts }: { name: string; lessons: [] }) => ({ name, parts }));
    const course = (await read("/courses/tea?include=tree")).data;
    expect(Object.entries(course)).toEqual([...Object.entries(plain), ["tree", chapters]]);
    for (const include of ["lessons,meta", "meta", "lessons"]) {
      const without = (await read(`/courses/tea?include=${include}`)).data;
      const entries = Object.entries((await read(`/courses/tea?include=tree,${include}`)).data);
      expect(entries).toEqual([...Object.entries(without), ["tree", chapters]]);
    }
    expect((await read("/courses/empty?include=tree")).data.tree).toEqual([]);
  });

  test("has sections of any depth, without changing answers of version 1", async () => {
    await publish(database.store, project, [tea()]);
    const paths = [
      "/courses",
      "/courses/tea",
      "/courses/tea/lessons",
      "/courses/tea/lessons/b",
      "/courses/tea?include=lessons",
    ];
    const texts = async (): Promise<string[]> => Promise.all(paths.map(async (path) => (await read(path)).text));
    const before = await texts();
    const [digest, tag] = [await read("/courses?include=digest"), (await read("/courses/tea?include=tree")).etag];
    await publish(database.store, project, [tea({ tree: TREE })], "2027-01-01T00:00:00.000Z");
    expect(await texts()).toEqual(before);
    const { data, etag } = await read("/courses/tea?include=tree");
    expect(data.tree).toEqual(ANSWERED);
    expect(etag).not.toBe(tag);
    expect((await read("/courses?include=digest")).data.results[0].digest).not.toBe(digest.data.results[0].digest);
    expect((await read("/changes?since=1")).data.results).toMatchObject([
      { _id: "tea", change: "changed", fields: ["tree"], lessons: [{ id: "b", change: "changed" }] },
    ]);
    const sections = (await read("/courses/tea/lessons?include=meta")).data.results;
    expect(sections.map(({ section }: { section: string[] }) => section)).toEqual([[], ["Deep"], []]);
  });

  test("with a mistake is an error", async () => {
    let deep: unknown = "a";
    for (let depth = 0; depth < 21; depth++) deep = { name: "Deeper", parts: [deep] };
    for (const [tree, message] of [
      [["a", "b"], "tree: must name every lesson by its id"],
      [["a", "b", "c", "a"], 'tree: names "a", which is repeated or not the id of a lesson'],
      [["a", "b", "x"], 'tree: names "x", which is repeated or not the id of a lesson'],
      [
        "a",
        "tree: must be a list of lesson ids and sections; a section has the fields name and parts, and sections can be nested at most 20 deep",
      ],
      [[deep, "b", "c"], "tree: must be a list of lesson ids"],
      [[{ name: " ", parts: [] }], "tree: must be a list of lesson ids"],
    ] as const) {
      const { outcome, problems } = await importCourses(database.store, project, [tea({ tree })]);
      expect([outcome.status, problems.length]).toEqual(["invalid", 1]);
      expect(problems[0]).toContain(message);
    }
  });

  test("is part of an export, and removing it changes the course", async () => {
    await publish(database.store, project, [tea({ tree: TREE })]);
    const { stdout } = await runCommand(["export", "-", "--project", project, "--database", database.url]);
    expect(JSON.parse(stdout).tree).toEqual(TREE);
    const folder = writeFolder({ "courses.ndjson": stdout });
    expect(await importFolder(`${folder}/courses.ndjson`)).toStartWith("Nothing changed");
    const plan = await importFolder(
      `${writeFolder({ "courses.ndjson": toNdjson([tea()]) })}/courses.ndjson`,
      "--dry-run",
      "--json",
    );
    expect(JSON.parse(plan)).toMatchObject({
      changes: { coursesChanged: 1, lessonsChanged: 0 },
      courses: [{ id: "tea", fields: ["tree"], lessonsChanged: [] }],
    });
  });

  test("of a folder lists its published lessons; source files appear only if the import adds them", async () => {
    await importFolder(FOLDERS);
    const course = (await read("/courses/book?include=tree,meta")).data;
    const [start, b, c, d] = (await read("/courses/book/lessons")).data.results;
    expect(course.tree).toEqual([start, { name: "Tea", parts: [b, { name: "Green", parts: [c, d] }] }]);
    const list = (await read("/courses/book/lessons?include=meta")).data.results;
    const suffix = (id: string): string => Bun.SHA256.hash(id, "hex").slice(0, 8);
    expect(list.map((each: object) => Object.values(each).slice(2, 7))).toEqual([
      [null, "start", [], "", ""],
      [null, `introduction-${suffix(b.id)}`, [], "", ""],
      [null, `introduction-${suffix(c.id)}`, [], "", ""],
      [null, "où-ça", [], "", ""],
    ]);
    const lessonC = (await read(`/courses/book/lessons/${c.id}?include=meta,nav`)).data;
    expect(Object.keys(lessonC).slice(7, 16)).toEqual(
      "durationMinutes slug section source editUrl description readingMinutes translations course".split(" "),
    );
  });

  test("has sections that are pages: each starts with its own lesson", async () => {
    await importFolder(BOOK);
    const { data } = await read("/courses/book?include=lessons,meta,tree");
    const [{ lessons }] = data.chapters;
    const [b, c, d, e] = lessons.map(({ id, name }: Record<string, string>) => ({ id, name }));
    expect(data.tree).toEqual([{ name: "B", parts: [b, { name: "C", parts: [c, d] }, e] }]);
    expect(lessons.map(({ section }: { section: string[] }) => section)).toEqual([[], ["C"], ["C"], []]);
  });

  test("has the source and edit URL if the import adds them, which changes no date", async () => {
    const folder = writeFolder(FOLDERS);
    await importFolder(folder);
    const before = (await read("/courses/book?include=lessons")).text;
    await importFolder(folder, "--source-meta", "--edit-url", "https://git.example/x/edit/main/{path}?plain=1");
    const list = (await read("/courses/book/lessons?include=meta")).data.results;
    expect(list.map(({ source, editUrl }: Record<string, string>) => [source, editUrl])).toEqual([
      ["a.md", "https://git.example/x/edit/main/a.md?plain=1"],
      ["tea/b.md", "https://git.example/x/edit/main/tea/b.md?plain=1"],
      ["tea/green/c.md", "https://git.example/x/edit/main/tea/green/c.md?plain=1"],
      ["tea/green/d #1.md", "https://git.example/x/edit/main/tea/green/d%20%231.md?plain=1"],
    ]);
    expect((await read("/courses/book?include=lessons")).text).toBe(before);
    await importFolder(folder, "--edit-url", "https://git.example/{path}");
    const [first] = (await read("/courses/book/lessons?include=meta")).data.results;
    expect([first.source, first.editUrl]).toEqual(["", "https://git.example/a.md"]);
    await importFolder(folder);
    expect((await read("/courses/book/lessons?include=meta")).data.results[0].editUrl).toBe("");
  });
});

test.each([
  "ftp://example.org/{path}",
  "javascript:alert(1)//{path}",
  "https://example.org/",
  "https://example.org/{path}/{slug}",
  "https://user:secret@example.org/{path}",
  "https://example.org/ {path}",
  "https://{path}",
])("--edit-url %s is refused", async (template) => {
  const { exitCode, stderr } = await runCommand(["import", ".", "--project", "p", "--edit-url", template]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("The template");
});
