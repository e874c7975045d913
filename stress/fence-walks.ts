// Trees of chance, whose files include, show and link each other through links: what is hidden or ignored comes out of none.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { appendFileSync, realpathSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import type { SourceFile } from "../src/content/source.ts";
import { runProcess } from "../test/support/command.ts";
import { readTree, TOKEN, type Tree } from "../test/support/link-trees.ts";
import { readFolder, writeFiles, writeFolder } from "../test/support/written-folder.ts";
import { createRandom, readRandomSettings, type Random } from "../test/support/random.ts";

const { seed, rounds } = readRandomSettings(5);

const FOLDERS = ["w", "w/a", "w/.b", "w/node_modules", "w/a/c", ".git", "w/Keep"];
const NAMES = ["x.md", "y.md", "z.png", "secret.md", ".e.md", "f.txt"];
const IGNORED = "Secret.*\n/w/a/c/\n";

/** By the path that a file really has. */
function isHidden(path: string): boolean {
  return /(?:^|\/)(?:\.|node_modules\/|secret\.)/.test(path) || path.startsWith("w/a/c/");
}

function createTree(random: Random): Tree {
  const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)).filter(() => !random.oneIn(3));
  const linked = ["l.md", "m.png", "n", "a/l", ".o", "a/p.md"].map((name) => `w/${name}`);
  const anywhere = [...paths, ...FOLDERS, ...linked, ...linked];
  // Some lead on through others.
  const anyPath = (): string =>
    random.oneIn(3) ? `${random.pick(linked)}/${random.pick(NAMES)}` : random.pick(anywhere);
  const from = (path: string, target: string): string => relative(dirname(path), target) || ".";
  const textOf = (path: string): string => {
    const include = random.oneIn(4) ? `{{#include ${from(path, anyPath())}}}` : "";
    const words = isHidden(path) ? TOKEN : path;
    return `${words}\n\n${include}\n\n![i](${from(path, anyPath())}) [l](${from(path, anyPath())})\n`;
  };
  // A course with an error in it is no course.
  const courses = Array.from({ length: 12 }, (_, n): Tree => {
    const path = `k${n}/src/a.md`;
    const named = n % 2 === 0 ? `- [B](${from(path, anyPath())})\n` : "";
    const text = `![i](${from(path, anyPath())}) {{#include ${from(path, anyPath())}}}`;
    return { [`k${n}/book.toml`]: "", [`k${n}/src/SUMMARY.md`]: `- [A](a.md)\n${named}`, [path]: text };
  });
  return Object.assign(
    { ".lecternignore": IGNORED },
    ...courses,
    Object.fromEntries(paths.map((path) => [path, textOf(path)])),
    Object.fromEntries(linked.map((path) => [path, { to: from(path, anyPath()) }])),
  ) as Tree;
}

test(`hidden and ignored files stay hidden in ${rounds} random trees, equal in folders and archives, seed ${seed}`, async () => {
  let lessons = 0;
  for (let round = 0; round < rounds; round++) {
    const tree = createTree(createRandom(seed + round));
    const folder = await readTree(tree, "folder");
    const at = `seed ${seed + round}`;
    expect([at, folder.text.includes(TOKEN)]).toEqual([at, false]);
    for (const lesson of folder.lessons) {
      const real = relative(realpathSync(folder.path), realpathSync(join(folder.path, lesson)));
      expect([at, real, isHidden(real)]).toEqual([at, real, false]);
    }
    for (const kind of ["a.zip", "a.tar"]) {
      const { text, lessons: packed, problems } = await readTree(tree, kind);
      // The root of an archive is called as its file.
      const told = problems.map((problem) => problem.replace(new RegExp(`: ${kind}$`), ": ."));
      expect([at, packed, text, told]).toEqual([at, folder.lessons, folder.text, folder.problems]);
    }
    lessons += folder.lessons.length;
  }
  expect(lessons).toBeGreaterThan(rounds);
});

test.each(["sqlite:data/lectern.db", "sqlite:link.db"])(
  "an import publishes nothing of its database, %s",
  async (url) => {
    const names = ["data/lectern.db", "data/lectern.db.acme.lock.json", "to-data/lectern.db", "x.pdf"];
    const links = names.map((name) => `[a](${name}) ![a](${name})`);
    const folder = writeFolder({
      "01-a.md": links.join("\n\n"),
      "data/lectern.dbx": "Any file.",
      "02-b.md": "[a](data/lectern.dbx)",
    });
    for (const [to, name] of [
      ["data", "to-data"],
      ["data/lectern.db", "x.pdf"],
      ["data/lectern.db", "link.db"],
    ] as const) {
      symlinkSync(to, join(folder, name));
    }
    // The second import finds the database of the first.
    for (const more of ["", "More."]) {
      appendFileSync(join(folder, "01-a.md"), more);
      const args = ["import", ".", "--project", "acme", "--public-url", "https://catalog.example", "--database", url];
      expect((await runProcess(args, { cwd: folder })).exitCode).toBe(0);
    }
    const database = new Database(join(folder, "data/lectern.db"));
    expect(database.query("select name from asset_names").all()).toEqual([{ name: "lectern.dbx" }]);
    database.close();
  },
);

test.skipIf(process.platform !== "linux")(
  "a folder that a link replaces during the import leads to nothing",
  async () => {
    for (const secret of ["elsewhere", "tea/.git", "tea/node_modules"]) {
      const root = writeFolder({ "tea/img/a.txt": "A", "tea/img/b.txt": "B", [`${secret}/b.txt`]: TOKEN });
      const path = join(root, "tea");
      writeFiles(path, { "01-a.md": "![a](img/a.txt) ![b](img/b.txt)", "02-b.md": "![b](img/b.txt)" });
      const contents: Promise<string>[] = [];
      const readAll = async (file: SourceFile): Promise<string> =>
        (await Array.fromAsync(file.read(), (part) => Buffer.from(part).toString())).join("");
      const take = (file: SourceFile): string => {
        if (contents.length === 0) {
          renameSync(join(path, "img"), join(path, "old"));
          symlinkSync(join(root, secret), join(path, "img"));
        }
        contents.push(readAll(file).catch(String));
        return "https://catalog.example/a";
      };
      await readFolder(path, undefined, { files: { maxBytes: 1000, take } }, async () => Promise.all(contents));
      expect(contents.length).toBeGreaterThan(0);
      expect((await Promise.all(contents)).join()).not.toContain(TOKEN);
    }
  },
);

const oneLesson = "name: A\nchapters: [{name: B, lessons: [a]}]";
test("an ignore file that a link to the root shows again is no error", async () => {
  const root = writeFolder({
    ".lecternignore": "x/\n",
    "01-a.md": "A.",
    "03-b.md": "![a](02-root/t.txt)",
    "t.txt": "T",
  });
  symlinkSync(".", join(root, "02-root"));
  const { problems } = await readFolder(root);
  expect(problems.filter((problem) => problem.includes("error"))).toEqual([]);
});

test.each<[what: string, tree: Tree]>([
  [
    "a folder beside courses",
    { "tea/course.yaml": oneLesson, "tea/a.md": "![a](../x/t.txt)", "milk/course.yaml": oneLesson, "milk/a.md": "A." },
  ],
  [
    "what a book includes",
    { "book.toml": "", "src/SUMMARY.md": "- [A](a.md)\n", "src/a.md": "{{#include ../x/t.txt}}" },
  ],
  ["snippets", { "mkdocs.yml": "markdown_extensions: [pymdownx.snippets]", "docs/a.md": '--8<-- "x/t.txt"\n' }],
  [
    "a translation",
    {
      "README.md": "A.",
      "a.md": "A.",
      "b.md": "B.",
      "translations/de/README.md": "A.",
      "translations/de/a.md": "![a](../../x/t.txt)",
    },
  ],
])("an ignore file around %s, which no list meets, is an error", async (_, tree) => {
  for (const kind of ["folder", "a.zip"]) {
    const { text, problems } = await readTree({ ...tree, "x/t.txt": TOKEN, "x/.lecternignore": "t.txt\n" }, kind);
    expect(text).not.toContain(TOKEN);
    expect(problems).toContainEqual(
      expect.stringMatching(/: error: .*x\/\.lecternignore hides nothing here|x\/\.lecternignore: error: hides/),
    );
  }
});
