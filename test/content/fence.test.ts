// What has a hidden or ignored name, or is reached through one, does not exist: in folders and archives, for every way to a
// file's content.
import { describe, expect, test } from "bun:test";
import { realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makeTar, makeZip } from "../support/archives.ts";
import { readSource, readTree, TOKEN, type Tree } from "../support/link-trees.ts";
import { writeFolder } from "../support/written-folder.ts";

const seen: Tree = { "01-a.md": "One.", "01-b/01-c.md": "Two." };

const ignoring = (pattern: string): Tree => ({ ".lecternignore": `${pattern}\n` });
const including = (name: string): Tree => ({
  "book.toml": "",
  "src/SUMMARY.md": "- [A](a.md)\n",
  "src/a.md": `Text.\n\n{{#include ${name}}} {{#playground ${name}}}\n`,
});

// A tar becomes the same tree as a ZIP; its own links are below.
describe.each(["folder", "a.zip"])("in a %s", (kind) => {
  test.each<[what: string, tree: Tree]>([
    ["a link to a hidden file", { "02-b.md": { to: ".git/config" }, ".git/config": TOKEN }],
    ["a file behind a link to a folder", { "02-b.md": { to: "x/01-a.md" }, x: { to: ".git" }, ".git/01-a.md": TOKEN }],
    ["a path in and out of a hidden folder", { "02-b.md": { to: ".git/../x" }, x: TOKEN, ".git/config": "" }],
    ["a folder of modules", { "02-b.md": { to: "Node_Modules/a" }, "Node_Modules/a": TOKEN }],
    ["a link in an ignored folder", { ...ignoring("x"), "02-b.md": { to: "x/l" }, "x/l": { to: "../y" }, y: TOKEN }],
    ["an ignored file in a linked folder", { ...ignoring("/x/02-*"), "02-b": { to: "x" }, "x/02-a.md": TOKEN }],
    ["an ignored name in another case", { ...ignoring("secrets"), "02-b.md": { to: "Secrets" }, Secrets: TOKEN }],
  ])("%s is not a lesson", async (_, tree) => {
    const { text, problems, lessons } = await readTree({ ...seen, ...tree }, kind);
    expect(lessons).toEqual(["01-a.md", "01-b/01-c.md"]);
    expect(text).not.toContain(TOKEN);
    for (const problem of problems) expect(problem).toContain(": warning: ");
  });

  test.each<[name: string, more: Tree]>([
    ["../.cargo/credentials.toml", { ".cargo/credentials.toml": TOKEN }],
    ["b.md", { "src/b.md": { to: "../.git/config" }, ".git/config": TOKEN }],
    ["b.txt", { ...ignoring("*.key"), "src/b.txt": { to: "a.key" }, "src/a.key": TOKEN }],
    ["c.txt", { "src/c.txt": "{{#include ../.env}}", ".env": TOKEN }],
  ])("nothing is included from %s", async (name, more) => {
    const { text, problems } = await readTree({ ...including(name), ...more }, kind);
    expect(text).not.toContain(TOKEN);
    expect(text).toContain("<p>Text.</p>");
    expect(problems).toContainEqual(expect.stringContaining("is left out: it points to a hidden"));
  });

  test.each<[url: string, more: Tree]>([
    ["%2eenv", { ".env": TOKEN }],
    ["a.png", { "a.png": { to: ".env" }, ".env": TOKEN }],
    ["img/a.png", { img: { to: ".img" }, ".img/a.png": TOKEN }],
    ["a.pdf", { ...ignoring("*.pdf"), "a.pdf": TOKEN }],
    ["NODE_MODULES/a.js", { "NODE_MODULES/a.js": TOKEN }],
  ])("no asset is stored from %s", async (url, more) => {
    const page = `One.\n\n![a](${url}) [b](${url})\n\n<img srcset="${url} 2x">\n`;
    const { text, problems } = await readTree({ ...seen, ...more, "01-a.md": page }, kind);
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain("https://catalog.example");
    expect(problems.filter((problem) => /01-a\.md:[35]: warning: /.test(problem))).toHaveLength(3);
  });

  test.each([
    ["course.yaml", "name: A\nchapters: [{name: B, lessons: [a, .x/b, c, drafts/d]}]"],
    ["course.yaml", "name: A\nchapters: [{name: B, lessons: [a]}, {name: C, folder: .x}, {name: D, folder: drafts}]"],
    ["SUMMARY.md", "- [A](a.md)\n- [B](.x/b.md)\n- [C](c.md)\n- [D](drafts/d.md)\n"],
    ["_toctree.yml", "- title: A\n  sections: [{local: a}, {local: .x/b}, {local: c}, {local: drafts/d}]\n"],
    ["mkdocs.yml", "nav: [a.md, .x/b.md, c.md, drafts/d.md]\ndocs_dir: .\n"],
  ])("a lesson named by %s is left out: %s", async (file, outline) => {
    const tree: Tree = { ".x/b.md": TOKEN, "c.md": { to: ".x/b.md" }, "drafts/d.md": TOKEN, "drafts/01-e.md": TOKEN };
    const page = "[d](drafts/d.md) [e](drafts/d)";
    const found = await readTree({ ...tree, ...ignoring("drafts"), "a.md": page, [file]: outline }, kind);
    expect(found.lessons).toEqual(["a.md"]);
    expect(found.text).not.toContain(TOKEN);
    expect(found.text).not.toContain("data-lesson-id");
    for (const problem of found.problems) expect(problem).toContain(": warning: ");
  });

  test.each(["a/.order", ".lecternignore"])(
    "a %s that is a link is an error, since its settings would apply",
    async (name) => {
      const pages = { ...seen, "a/b.md": "B.", "a/c.md": "C.", ".x/.order": "c\n", "list.txt": "01-b\n" };
      const up = name.replace(/[^/]+$/, "").replace("a/", "../");
      for (const to of [`${up}.x/.order`, `${up}list.txt`, `${up}gone.txt`, name.replace("a/", "")]) {
        const { problems } = await readTree({ ...pages, [name]: { to } }, kind);
        expect(problems).toEqual([`${name}: error: is a link, which is not followed here; replace it with the file`]);
      }
    },
  );

  test("links to visible files and folders are followed, even in a cycle", async () => {
    const links = { "03-c.md": { to: "01-b/01-c.md" }, "04-d": { to: "01-b" }, "01-b/back": { to: ".." } };
    const { problems, lessons } = await readTree({ ...seen, ...links }, kind);
    const skipped = "warning: these links to folders with lessons are not followed: ";
    expect(problems).toEqual([expect.stringContaining(`${skipped}01-b/back, 04-d/back`)]);
    expect(lessons).toEqual(["01-a.md", "03-c.md", "01-b/01-c.md", "04-d/01-c.md"]);
    const plain = await readTree({ "a.md": "A.", "b/c.md": "C.", "b/d": { to: "../_e" }, "_e/f.md": "F." }, kind);
    expect(plain.problems.join()).toContain(`${skipped}b/d`);
  });

  const OUTSIDE = "is a link that points outside the source folder, and is skipped";
  const NOTHING = "is a link that points to nothing, and is skipped";
  // Whose lesson or outline would be gone without a word is an error; what no lesson needs is a warning.
  const dead: Record<string, [to: string, problem: string]> = {
    "02-b.md": [`${"../".repeat(20)}etc/passwd`, `error: ${OUTSIDE}`],
    "04-d.md": ["gone.md", `error: ${NOTHING}`],
    "06-f": ["/etc", `error: ${OUTSIDE}`],
    "07-g": ["gone", `error: ${NOTHING}`],
    img: ["/etc", `error: ${OUTSIDE}`],
    "course.yaml": ["/etc/passwd", `error: ${OUTSIDE}`],
    "01-b/img.png": ["/etc/passwd", `warning: ${OUTSIDE}`],
    "old.png": ["gone.png", `warning: ${NOTHING}`],
  };
  test.each(Object.entries(dead))(
    "link %s outside the source or to a missing target is skipped and reported: %j",
    async (name, [to, problem]) => {
      const { lessons, problems } = await readTree({ ...seen, [name]: { to } }, kind);
      expect(problems).toEqual([`${name}: ${problem}`]);
      expect(lessons).toEqual(problem.startsWith("error") ? [] : ["01-a.md", "01-b/01-c.md"]);
    },
  );
});

test("links to folders lead to 100,000 lessons and folders at most, and links to files to 512 MiB", async () => {
  const lessons = Object.fromEntries(Array.from({ length: 330 }, (_, n) => [`01-a/${n}-b.md`, ""]));
  const links = Object.fromEntries(Array.from({ length: 330 }, (_, n) => [`${n + 2}-c`, { to: "01-a" }]));
  const refused = readTree({ ...lessons, ...links }, "folder").catch(String);
  expect(await refused).toContain("is one of too many links to folders: together, they may lead to at most 100,000");
  const same = Object.fromEntries(Array.from({ length: 35 }, (_, n) => [`01-a/${n + 2}-b.md`, { to: "1-b.md" }]));
  const large = readTree({ "01-a/1-b.md": "\0".repeat(15 * 1024 * 1024), ...same }, "folder").catch(String);
  expect(await large).toContain("is one of too many shared or linked files");
});

test("hidden names of the source's folder and its parents do not count", async () => {
  const root = writeFolder({ ".home/node_modules/.tea/01-a.md": "One.", ".home/node_modules/.tea/.env": TOKEN });
  const path = join(root, ".home/node_modules/.tea");
  symlinkSync(join(realpathSync(path), "01-a.md"), join(path, "02-b.md"));
  symlinkSync(join(realpathSync(path), ".env"), join(path, "03-c.md"));
  symlinkSync(".home/node_modules/.tea", join(root, "link"));
  symlinkSync(".", join(root, ".home/again"));
  for (const typed of [path, join(root, "link"), join(root, ".home/again/node_modules/.tea")]) {
    const { text, lessons } = await readSource(typed);
    expect(lessons).toEqual(["01-a.md", "02-b.md"]);
    expect(text).not.toContain(TOKEN);
  }
});

test("an archive with an ignore file in its root, even beside only one folder, is read like its folder", async () => {
  const tree = { ...ignoring("/tea/secret/"), "tea/x.md": "One.", "tea/secret/y.md": TOKEN };
  for (const kind of ["folder", "a.zip", "a.tar"]) {
    const { text, lessons } = await readTree(tree, kind);
    expect([lessons, text.includes(TOKEN)]).toEqual([["tea/x.md"], false]);
  }
});

const readPacked = (name: string, bytes: Uint8Array) => readSource(join(writeFolder({ [name]: bytes }), name));

test("ZIP names with backslashes are hidden by the same rules", async () => {
  const members = [
    { path: "01-a.md", content: "![a](.git/config) ![b](b.png) ![c](x/node_modules/c.png)" },
    { path: ".git\\config", content: TOKEN },
    { path: "x\\node_modules\\c.png", content: TOKEN },
    { path: "b.png", content: ".git/config", mode: 0o120777 },
    { path: "02-b.md", content: ".git\\config", mode: 0o120777 },
  ];
  const { text, lessons } = await readPacked("a.zip", makeZip(members));
  expect([text.includes(TOKEN), lessons]).toEqual([false, []]);
  expect((await readPacked("a.zip", makeZip(members.slice(0, -1)))).lessons).toEqual(["01-a.md"]);
});

test("a hard link in a tar behaves like a symbolic link", async () => {
  const link = (path: string, target: string) => ({ path: `tea/${path}`, type: "1", target: `tea/${target}` });
  const bytes = makeTar([
    { path: "tea/.git/config", content: TOKEN },
    { path: "tea/x/secret.md", content: TOKEN },
    { path: "tea/.lecternignore", content: "secret.md\n" },
    { path: "tea/01-a.md", content: "One. ![b](b.png)" },
    link("02-b.md", ".git/config"),
    link("03-c.md", "02-b.md"),
    link("04-d.md", "x/secret.md"),
    link("b.png", ".git/config"),
    link("05-e.md", "01-a.md"),
    link("06-part/01-f.md", "05-e.md"),
  ]);
  const { text, lessons, problems } = await readPacked("a.tar", bytes);
  expect(text).not.toContain(TOKEN);
  expect(problems.filter((problem) => problem.includes("is a link that points to a hidden"))).toHaveLength(4);
  expect(lessons).toEqual(["01-a.md", "05-e.md", "06-part/01-f.md"]);
});

test("a hard link behind a symbolic link and `..` leads to the file that the system would name", async () => {
  const bytes = makeTar([
    { path: "tea/one/deep/01-x.md", content: "x" },
    { path: "tea/one/z.txt", content: "RIGHT" },
    { path: "tea/z.txt", content: "WRONG" },
    { path: "tea/02-to", type: "2", target: "one/deep" },
    { path: "tea/03-b.md", type: "1", target: "tea/02-to/../z.txt" },
  ]);
  expect((await readPacked("a.tar", bytes)).text).toMatch(/^(?!.*WRONG).*RIGHT/s);
});
