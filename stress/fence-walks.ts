// Trees of chance, whose files include, show and link each other through links: what is hidden or ignored comes out of none.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { appendFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import { runProcess } from "../test/support/command.ts";
import { readTree, TOKEN, type Tree } from "../test/support/link-trees.ts";
import { createRandom, readRandomSettings, type Random } from "../test/support/random.ts";
import { writeFolder } from "../test/support/written-folder.ts";

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
