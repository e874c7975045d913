// `--assets dir:FOLDER` through the command line: a folder that outlives databases, failed imports, lost files.
import { describe, expect, onTestFinished, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand, type CommandResult } from "../support/command.ts";
import { renewFolder } from "../support/shared-store.ts";
import { anyEngine } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";

/** Writes courses, each of which shows an image with its name as content. */
const writeCourses = (names: string): string =>
  writeFolder(
    Object.fromEntries(
      [...names].flatMap((name) => [
        [`${name}/1-l.md`, `---\nid: l\n---\n\n![x](${name}.png)\n`],
        [`${name}/${name}.png`, name],
      ]),
    ),
  );

describe("a folder of assets", () => {
  const folder = renewFolder();
  const listFiles = (): string[] => {
    const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const open = async () => {
    const database = await anyEngine.createStoreDatabase();
    onTestFinished(() => database.drop());
    const LECTERN_PUBLIC_URL = "https://catalog.example";
    const env = { LECTERN_DATABASE: database.url, LECTERN_ASSETS: `dir:${folder.path}`, LECTERN_PUBLIC_URL };
    const run = (...args: string[]): Promise<CommandResult> => runCommand([...args, "--project", "acme"], { env });
    /** Returns the content of a course's image. */
    const show = async (course: string): Promise<string> => {
      const { stdout } = await run("get", `/api/v1/courses/${course}/lessons/l`);
      const got = await run("get", /\/assets\/[0-9a-f]{32}\/[\w.~%-]+/.exec(stdout)?.[0] ?? "");
      return got.stdout.trimEnd().split("\n").at(-1) ?? "";
    };
    return { run, show };
  };

  test("keeps the files of an earlier database when a new one imports, prunes or fails", async () => {
    const courses = writeCourses("abcd");
    const earlier = await open();
    expect(await earlier.run("import", courses)).toMatchObject({ exitCode: 0, stderr: "" });
    const files = listFiles();
    for (const stored of [8, 12]) {
      const later = await open();
      expect(await later.run("import", courses)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await later.show("a")).toBe("a");
      expect((await later.run("import", writeCourses("de"))).exitCode).toBe(1);
      expect((await later.run("prune", "--keep", "1")).exitCode).toBe(0);
      expect(listFiles()).toHaveLength(stored);
    }
    expect(listFiles()).toEqual(expect.arrayContaining(files));
    expect(await earlier.show("b")).toBe("b");
  });

  test("is filled again by an import of unchanged courses", async () => {
    const { run, show } = await open();
    const courses = writeCourses("ab");
    expect((await run("import", courses)).exitCode).toBe(0);
    rmSync(listFiles()[0] ?? "");
    expect((await run("import", courses, "--dry-run")).stdout).toContain("  files: 1 to store again, 1 byte\n");
    const same = "Nothing changed. Release 1 of acme stays on live.\n";
    for (const more of ["  files: 1 stored again, 1 byte\n", ""]) {
      expect(await run("import", courses)).toMatchObject({ exitCode: 0, stdout: same + more, stderr: "" });
      expect([await show("a"), await show("b")]).toEqual(["a", "b"]);
    }
    // Without its folder, nothing is stored in the database.
    expect((await run("import", courses, "--assets", "database")).stdout).toBe(same);
  });
});
