import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { readFolder, writeFiles, writeFolder, type Files } from "../support/written-folder.ts";

/** A repository in which commits are made at given times. */
function createRepository() {
  const root = writeFolder({});
  const git = (args: string[], at = "2020-01-01"): void => {
    const dates = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: "2030-01-01T00:00:00Z" };
    const env = { ...process.env, ...dates, GIT_CONFIG_GLOBAL: "/dev/null" };
    const identity = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
    const done = Bun.spawnSync(["git", "-C", root, ...identity, ...args], { env });
    if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  };
  const commit = (at: string, files: Files = {}): void => {
    writeFiles(root, files);
    git(["add", "-A"]);
    git(["commit", "-q", "-m", "x"], at.includes("T") ? at : `${at}T00:00:00Z`);
  };
  git(["init", "-q"]);
  return { root, git, commit };
}

const TEXT = Array.from({ length: 30 }, (_, index) => `Line ${index} of a text that moves.`).join("\n");

/** Of each lesson, and of its course: the first and the last date; without a time, that is midnight. */
const datesOf = async (root: string) => {
  const { courses, lessons, problems } = await readFolder(root, undefined, { dates: "git" });
  expect(problems).toEqual([]);
  const dates = lessons.map(({ name, createdAt, updatedAt }) => [name, `${createdAt} ${updatedAt}`]);
  const all = JSON.stringify({ course: courses[0]?.createdAt, ...Object.fromEntries(dates) });
  return JSON.parse(all.replaceAll("T00:00:00.000Z", "")) as object;
};

test("--dates git dates files without authored dates by their first and last commit", async () => {
  const { root, commit } = createRepository();
  const dated = "---\ncreatedAt: 2001-02-03\n---\nb";
  commit("2020-05-01T10:00:00+02:00", { "01-a.md": "a", "02-b ü.md": dated });
  commit("2021-06-01", { "01-a.md": "a, changed", "03-c.md": "c" });
  writeFiles(root, { "04-new.md": "not committed" });
  expect(await datesOf(root)).toEqual({
    course: "2020-05-01T08:00:00.000Z",
    A: "2020-05-01T08:00:00.000Z 2021-06-01",
    "B ü": "2001-02-03 2020-05-01T08:00:00.000Z",
    C: "2021-06-01 2021-06-01",
    New: "undefined undefined",
  });
});

test("--dates git follows renames, and is not misled by a new file with an old name", async () => {
  const { root, commit } = createRepository();
  commit("2019-01-01", { "old/01-a.md": TEXT });
  mkdirSync(join(root, "01-part"));
  renameSync(join(root, "old/01-a.md"), join(root, "01-part/01-moved.md"));
  commit("2020-01-01");
  rmSync(join(root, "old"), { recursive: true, force: true });
  renameSync(join(root, "01-part/01-moved.md"), join(root, "01-part/02-again.md"));
  commit("2021-01-01");
  commit("2022-01-01", { "01-part/01-moved.md": "Another one." });
  expect(await datesOf(root)).toMatchObject({ Again: "2019-01-01 2021-01-01", Moved: "2022-01-01 2022-01-01" });
});

test("--dates git reports a missing repository, missing commits and a shallow clone", async () => {
  const folder = writeFolder({});
  const to = ["--project", "acme", "--database", `sqlite:${folder}/a.db`];
  const importFrom = (path: string) => runCommand(["import", path, "--dates", "git", ...to]);
  const plain = await importFrom(writeFolder({ "01-a.md": "x" }));
  expect(plain.exitCode).toBe(1);
  expect(plain.stderr).toContain("to be in a git repository with commits: ");
  const { root, commit, git } = createRepository();
  for (const year of [2018, 2019]) commit(`${year}-01-01`, { "01-a.md": `${year}` });
  const shallow = join(folder, "shallow");
  git(["clone", "-q", "--depth", "1", `file://${root}`, shallow]);
  expect((await importFrom(shallow)).stderr).toContain("the clone is shallow. Fetch the rest: git fetch --unshallow");
  expect((await importFrom(root)).exitCode).toBe(0);
});
