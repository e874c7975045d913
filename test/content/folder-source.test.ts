import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { outlinesOf, readFolder, writeFolder } from "../support/written-folder.ts";

describe("finding courses", () => {
  test("a missing root and a root that is a file are Errors with a message for users", async () => {
    const root = writeFolder({ "file.txt": "" });
    const file = openFolderSource(join(root, "file.txt"), { assetBase: undefined });
    const failures = [readFolder(join(root, "nowhere")), Array.fromAsync(file.read(() => {}))];
    expect(await Promise.all(failures.map((failure) => failure.catch(String)))).toEqual([
      `Error: there is no folder ${root}/nowhere`,
      `Error: ${root}/file.txt is not a folder`,
    ]);
  });
});

describe("safety", () => {
  test("an image behind a link out of the source is a warning in the lesson that shows it", async () => {
    const outside = writeFolder({ "logo.png": "png" });
    const root = writeFolder({ "01-part/01-a.md": "![](logo.png)" });
    symlinkSync(join(outside, "logo.png"), join(root, "01-part/logo.png"));
    const { problems, courses } = await readFolder(root);
    expect(outlinesOf(courses)).toBe("Part > A");
    expect(problems.toSorted()).toEqual([
      '01-part/01-a.md:1: warning: image "logo.png" points outside the source folder',
      "01-part/logo.png: warning: is a link that points outside the source folder, and is skipped",
    ]);
  });
});
