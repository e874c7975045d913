import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "../support/command.ts";
import { readFolder, writeFolder } from "../support/written-folder.ts";

/** A repository in which commits are made at given times. */
function createRepository() {
  const root = writeFolder({});
  const git = (args: string[], at = "2020-01-01T00:00:00Z"): void => {
    const dates = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: "2030-01-01T00:00:00Z" };
    const env = { ...process.env, ...dates, GIT_CONFIG_GLOBAL: "/dev/null" };
    const identity = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
    const done = Bun.spawnSync(["git", "-C", root, ...identity, ...args], { env });
    if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  };
  git(["init", "-q"]);
  return {
    root,
    git,
    write: (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    commit: (at: string): void => {
      git(["add", "-A"]);
      git(["commit", "-q", "-m", "x"], at);
    },
  };
}

const TEXT = Array.from({ length: 30 }, (_, index) => `Line ${index} of a text that moves.`).join("\n");

const datesOf = async (root: string) => {
  const { courses, problems } = await readFolder(root, undefined, { dates: "git" });
  expect(problems).toEqual([]);
  const lessons = courses[0]?.chapters.flatMap((chapter) => chapter.lessons) ?? [];
  return {
    course: courses[0]?.createdAt,
    lessons: Object.fromEntries(lessons.map(({ name, createdAt, updatedAt }) => [name, [createdAt, updatedAt]])),
  };
};

describe("--dates git", () => {
  test("dates files without authored dates by their first and last commit", async () => {
    const { root, write, commit } = createRepository();
    write("01-a.md", "a");
    write("02-b ü.md", "---\ncreatedAt: 2001-02-03\n---\nb");
    commit("2020-05-01T10:00:00+02:00");
    write("01-a.md", "a, changed");
    write("03-c.md", "c");
    commit("2021-06-01T00:00:00Z");
    write("04-new.md", "not committed");
    expect(await datesOf(root)).toEqual({
      course: "2020-05-01T08:00:00.000Z",
      lessons: {
        A: ["2020-05-01T08:00:00.000Z", "2021-06-01T00:00:00.000Z"],
        "B ü": ["2001-02-03T00:00:00.000Z", "2020-05-01T08:00:00.000Z"],
        C: ["2021-06-01T00:00:00.000Z", "2021-06-01T00:00:00.000Z"],
        New: [undefined, undefined],
      },
    });
  });

  test("follows renames, and is not misled by a new file with an old name", async () => {
    const { root, write, commit } = createRepository();
    write("old/01-a.md", TEXT);
    commit("2019-01-01T00:00:00Z");
    mkdirSync(join(root, "01-part"));
    renameSync(join(root, "old/01-a.md"), join(root, "01-part/01-moved.md"));
    commit("2020-01-01T00:00:00Z");
    rmSync(join(root, "old"), { recursive: true, force: true });
    renameSync(join(root, "01-part/01-moved.md"), join(root, "01-part/02-again.md"));
    commit("2021-01-01T00:00:00Z");
    write("01-part/01-moved.md", "Another one.");
    commit("2022-01-01T00:00:00Z");
    expect((await datesOf(root)).lessons).toEqual({
      Again: ["2019-01-01T00:00:00.000Z", "2021-01-01T00:00:00.000Z"],
      Moved: ["2022-01-01T00:00:00.000Z", "2022-01-01T00:00:00.000Z"],
    });
  });

  test("resolves paths from the imported folder, and dates each part of a file", async () => {
    const { root, write, commit } = createRepository();
    write("docs/tea/README.md", "<!--\nauthor: A\nnarrator: B\n-->\n# Tea\n\nx\n\n## Water\n\ny\n");
    write("other.md", "x");
    commit("2018-01-01T00:00:00Z");
    expect((await datesOf(join(root, "docs/tea"))).lessons).toEqual({
      Tea: ["2018-01-01T00:00:00.000Z", "2018-01-01T00:00:00.000Z"],
      Water: ["2018-01-01T00:00:00.000Z", "2018-01-01T00:00:00.000Z"],
    });
  });

  test("reports a missing repository, missing commits and a shallow clone", async () => {
    const folder = writeFolder({});
    const to = ["--project", "acme", "--database", `sqlite:${folder}/a.db`];
    const importFrom = (path: string) => runCommand(["import", path, "--dates", "git", ...to]);
    const plain = await importFrom(writeFolder({ "01-a.md": "x" }));
    expect([plain.exitCode, plain.stderr]).toEqual([
      1,
      expect.stringContaining("to be in a git repository with commits: "),
    ]);
    const { root, write, commit, git } = createRepository();
    write("01-a.md", "x");
    commit("2018-01-01T00:00:00Z");
    write("01-a.md", "y");
    commit("2019-01-01T00:00:00Z");
    const shallow = join(folder, "shallow");
    git(["clone", "-q", "--depth", "1", `file://${root}`, shallow]);
    expect((await importFrom(shallow)).stderr).toContain("the clone is shallow. Fetch the rest: git fetch --unshallow");
    expect((await importFrom(root)).exitCode).toBe(0);
  });
});
