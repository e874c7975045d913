// A preview rereads a changed folder. That any edits give what a first reading gives: stress/reread-folders.ts.
import { expect, test } from "bun:test";
import { openKeptFolder } from "../../src/content/readers/kept-folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { writeFiles, writeFolder } from "../support/written-folder.ts";

test("a folder that is reread reads only the changed course", async () => {
  const link = "[other](../b/02-y.md)";
  const root = writeFolder({ "a/01-x.md": link, "b/01-x.md": link, "c/01-x.md": link });
  let read = 0;
  let problems: string[] = [];
  const kept = openKeptFolder(root, { assetBase: undefined, inspection: { onCourse: () => read++ } });
  const readAll = async (): Promise<void> => {
    problems = [];
    for await (const _ of kept.read((problem) => problems.push(formatProblem(problem))));
  };
  const countRead = async (): Promise<number> => {
    read = 0;
    await readAll();
    const count = read;
    // What was written a moment ago may be written again without another time.
    while (await kept.hasChanged()) await readAll();
    return count;
  };
  expect(await countRead()).toBe(3);
  writeFiles(root, { "b/01-x.md": "# Water\n\n[leaves](../a/01-x.md#top)" });
  expect([await countRead(), await countRead()]).toEqual([1, 0]);
  // A lesson to which others link: what they say of it changes.
  writeFiles(root, { "b/02-y.md": "---\ndraft: true\n---\n" });
  expect(await countRead()).toBe(3);
  // A misnamed ignore file stops everything.
  writeFiles(root, { ".LecternIgnore": "x\n" });
  expect(await countRead()).toBe(0);
  expect(problems).toEqual([`${root}/.LecternIgnore: error: must be named .lecternignore; rename it`]);
});
