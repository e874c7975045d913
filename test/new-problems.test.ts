// What a check shows when only some problems are asked for: those of changed files, those that are not known.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, runProcess } from "./support/command.ts";
import { removeWrittenFolders, writeFolder } from "./written-folder.ts";

afterAll(removeWrittenFolders);

async function check(cwd: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await runCommand(["check", ...args], { cwd });
  return { exitCode, lines: stdout.split("\n").slice(0, -1), notes: stderr.split("\n").slice(0, -1) };
}

function git(cwd: string, ...args: string[]): void {
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
  const { success, stderr } = Bun.spawnSync(["git", ...author, ...args], { cwd });
  if (!success) throw new Error(stderr.toString());
}

const gone = (file: string, line = 1): string =>
  `${file}:${line}: warning: link "gone.md" leads to nothing: there is no file ${join(file, "../gone.md")}`;

describe("with --changed-since", () => {
  let root: string;

  beforeAll(() => {
    root = writeFolder({
      "courses/tea/01-old.md": "[x](gone.md)",
      "courses/tea/02-edited.md": "[x](gone.md)",
      "courses/tea/03-ả.md": "fine",
      "courses/broken/course.yaml": "name: Broken\nchapters: [{name: A, lessons: [gone]}]\n",
      "courses/notes/a.md": "x",
      "other/a.txt": "x",
      ".gitignore": "ignored*\n",
    });
    git(root, "init", "-q");
    git(root, "add", ".");
    git(root, "commit", "-q", "-m", "first");
    git(root, "tag", "first");
    writeFileSync(join(root, "courses/tea/02-edited.md"), "Edited.\n\n[x](gone.md)");
    writeFileSync(join(root, "courses/tea/03-ả.md"), "[x](gone.md)");
    git(root, "commit", "-q", "-a", "-m", "second");
    writeFileSync(join(root, "courses/tea/04-new.md"), "[x](gone.md)");
    mkdirSync(join(root, "courses/new"));
    writeFileSync(join(root, "courses/new/a.md"), "x");
  });

  const CHANGED = (folder: string): string[] => [
    gone(`${folder}tea/02-edited.md`, 3),
    gone(`${folder}tea/03-ả.md`),
    gone(`${folder}tea/04-new.md`),
  ];

  test("only problems of changed and untracked files are shown, and the others counted", async () => {
    const { exitCode, lines, notes } = await check(root, "courses", "--changed-since", "first");
    expect(lines.filter((line) => line.includes("gone.md"))).toEqual(CHANGED("courses/"));
    // Of a folder that is no course, the one in which something changed.
    expect(lines.filter((line) => line.includes("is not read")).map((line) => line.split(":")[0])).toEqual([
      "courses/new",
    ]);
    expect(exitCode).toBe(0);
    expect(notes.slice(-2)).toEqual([
      "Not shown: 1 error, 2 warnings in what did not change since first. An import is refused because of the errors all the same.",
      "0 errors, 4 warnings in 2 courses, 4 lessons",
    ]);
  });

  test("it does not matter where the command runs, and how the folder is given", async () => {
    const inFolder = await check(join(root, "courses"), ".", "--changed-since", "HEAD~1");
    expect(inFolder.lines.filter((line) => line.includes("gone.md"))).toEqual(CHANGED(""));
    symlinkSync(join(root, "courses"), join(root, "link"));
    const whole = join(root, "link");
    const linked = await check(join(root, "other"), whole, "--changed-since", "first");
    expect(linked.lines.filter((line) => line.includes("gone.md"))).toEqual(CHANGED(`${whole}/`));
    const file = await check(root, "courses/tea", "--changed-since", "HEAD");
    expect(file.lines).toEqual([gone("courses/tea/04-new.md")]);
  });

  test("what git cannot tell is an error that says what to do", async () => {
    const failure = async (cwd: string, ...args: string[]) => {
      const { exitCode, notes } = await check(cwd, ...args);
      return [exitCode, notes.at(-1)];
    };
    expect(await failure(root, "courses", "--changed-since", "origin/main")).toEqual([
      1,
      "lectern: git knows no commit origin/main here. If it is one of the remote, fetch it first; actions/checkout needs fetch-depth: 0.",
    ]);
    expect(await failure(root, "courses", "--changed-since=--output=x")).toEqual([
      2,
      "lectern: --changed-since needs a commit, branch or tag.",
    ]);
    expect((await failure(root, "-", "--changed-since", "first"))[0]).toBe(2);
    const alone = writeFolder({ "01-a.md": "x" });
    const [exitCode, message] = await failure(alone, ".", "--changed-since", "first");
    expect(exitCode).toBe(1);
    expect(message).toStartWith(
      "lectern: --changed-since needs a git repository around .: fatal: not a git repository",
    );
    const without = await runProcess(["check", root, "--changed-since", "first"], { env: { PATH: alone } });
    expect(without.stderr).toBe(
      "lectern: --changed-since asks git which files changed, and there is no git on this machine.\n",
    );
  });
});

describe("with --baseline", () => {
  const FILES = {
    "tea/01-a.md": "[x](gone.md)\n\n[x](gone.md)",
    "tea/02-b.md": "---\ncolour: red\n---\n<script></script>",
    "broken/course.yaml": "name: Broken\nchapters: [{name: A, lessons: [gone]}]\n",
  };
  const KNOWN = "known.json";

  async function writeKnown(): Promise<string> {
    const root = writeFolder(FILES);
    expect(await check(root, ".", "--write-baseline", KNOWN)).toEqual({
      exitCode: 0,
      lines: [],
      notes: ["Wrote known.json: 1 error, 4 warnings. With --baseline known.json a check shows what is new."],
    });
    return root;
  }

  test("nothing that is known is shown, and the exit code is that of what is", async () => {
    const root = await writeKnown();
    expect(await check(root, ".", "--baseline", KNOWN)).toEqual({
      exitCode: 0,
      lines: [],
      notes: [
        "Not shown: 1 error, 4 warnings that known.json knows. An import is refused because of the errors all the same.",
        "0 errors, 0 warnings in 2 courses, 2 lessons",
      ],
    });
  });

  test("a problem whose line moved is known, one more of the same is new", async () => {
    const root = await writeKnown();
    writeFileSync(join(root, "tea/01-a.md"), "More.\n\n[x](gone.md)\n\n[x](gone.md)\n");
    const moved = await check(root, join(root, "."), "--baseline", KNOWN);
    expect(moved.lines).toEqual([]);
    writeFileSync(join(root, "tea/01-a.md"), "[x](gone.md) [x](gone.md)\n\n[x](gone.md)\n");
    const more = await check(root, ".", "--baseline", KNOWN);
    expect(more.lines).toEqual([gone("tea/01-a.md", 3)]);
    writeFileSync(join(root, "broken/course.yaml"), "name: Broken\nchapters: [{name: A, lessons: [gone, lost]}]\n");
    const error = await check(root, ".", "--baseline", KNOWN);
    expect([error.exitCode, error.lines.length]).toEqual([3, 2]);
  });

  test("it does not matter how the folder is given", async () => {
    const root = writeFolder({ "courses/tea/01-a.md": "[x](../gone.md) [y](gone.md)" });
    expect((await check(join(root, "courses"), ".", "--write-baseline", "../known.json")).exitCode).toBe(0);
    for (const source of ["courses", "./courses/", join(root, "courses")]) {
      expect((await check(root, source, "--baseline", KNOWN)).lines).toEqual([]);
    }
  });

  test("places in messages do not count either", async () => {
    const course = (slug: string): string => `{"name":"A","slug":"${slug}"}\n`;
    const root = writeFolder({ "c.ndjson": course("a") + course("a") });
    await check(root, "c.ndjson", "--write-baseline", KNOWN);
    writeFileSync(join(root, "c.ndjson"), course("b") + course("a") + course("a"));
    expect((await check(root, "c.ndjson", "--baseline", KNOWN)).lines).toEqual([]);
  });

  test("it says what did not come again", async () => {
    const root = await writeKnown();
    writeFileSync(join(root, "tea/01-a.md"), "Fine.");
    expect((await check(root, ".", "--baseline", KNOWN)).notes).toContain(
      "2 problems of known.json did not come again; --write-baseline known.json forgets them.",
    );
  });

  test("the file has a line for each problem, in the order of files", async () => {
    const root = await writeKnown();
    const lines = readFileSync(join(root, KNOWN), "utf8").split("\n");
    expect(lines[2]).toBe(
      '{"kind":"link-to-nothing","file":"tea/01-a.md","message":"link \\"gone.md\\" leads to nothing: there is no file tea/gone.md","count":2},',
    );
    expect(lines).toHaveLength(7);
  });

  test("a file that is no baseline is named", async () => {
    const root = writeFolder({ "01-a.md": "x", "a.json": "{}", "b.json": "x" });
    const messageOf = async (...args: string[]) => (await check(root, ".", ...args)).notes.at(-1);
    expect(await messageOf("--baseline", "none.json")).toBe(
      "lectern: There is no baseline none.json; --write-baseline none.json makes it.",
    );
    expect(await messageOf("--baseline", "a.json")).toStartWith("lectern: a.json is no baseline: it lacks version 1");
    expect(await messageOf("--baseline", "b.json")).toStartWith("lectern: b.json is no baseline: it is not JSON.");
    expect((await check(root, ".", "--baseline", "a.json", "--write-baseline", "c.json")).exitCode).toBe(2);
  });
});
