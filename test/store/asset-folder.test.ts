// `--assets dir:FOLDER` through the command line: a folder that outlives databases, failed imports, lost files.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listAssetPaths } from "../support/asset-paths.ts";
import { runCommand, type CommandResult } from "../support/command.ts";
import { createTestFolder, engines, type TestDatabase } from "../support/store.ts";

const PUBLIC_URL = "https://catalog.example";

const folder = createTestFolder();
afterAll(() => folder.remove());

/** Returns the path of a new folder of courses; each shows an image with its name as content. */
function writeCourses(names: string[]): string {
  const path = join(folder.path, crypto.randomUUID());
  for (const name of names) {
    mkdirSync(join(path, name), { recursive: true });
    writeFileSync(join(path, name, "1-l.md"), `---\nid: l\n---\n\n![x](${name}.png)\n`);
    writeFileSync(join(path, name, `${name}.png`), name);
  }
  return path;
}

const listFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();

describe.each(engines)("a folder of assets on $name", (engine) => {
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });
  const open = async (assets: string) => {
    const database = await engine.createStoreDatabase();
    databases.push(database);
    const env = { LECTERN_DATABASE: database.url, LECTERN_ASSETS: assets, LECTERN_PUBLIC_URL: PUBLIC_URL };
    const run = (...args: string[]): Promise<CommandResult> => runCommand([...args, "--project", "acme"], { env });
    /** Returns the content of a course's image. */
    const show = async (course: string): Promise<string> => {
      const { stdout } = await run("get", `/api/v1/courses/${course}/lessons/l`);
      const got = await run("get", listAssetPaths(stdout)[0] ?? "");
      return got.stdout.trimEnd().split("\n").at(-1) ?? "";
    };
    const count = async (table: string): Promise<number> =>
      ((await database.execute(`select count(*) as n from ${table}`)) as { n: number }[])[0]?.n ?? 0;
    return { run, show, count };
  };

  test("keeps the files of an earlier database when a new one imports, prunes or fails", async () => {
    const path = join(folder.path, crypto.randomUUID());
    const courses = writeCourses(["a", "b", "c", "d"]);
    const earlier = await open(`dir:${path}`);
    expect(await earlier.run("import", courses)).toMatchObject({ exitCode: 0, stderr: "" });
    const files = listFiles(path);
    for (const stored of [8, 12]) {
      const later = await open(`dir:${path}`);
      expect(await later.run("import", courses)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await later.show("a")).toBe("a");
      expect((await later.run("import", writeCourses(["d", "e"]))).exitCode).toBe(1);
      expect((await later.run("prune", "--keep", "1")).exitCode).toBe(0);
      expect(listFiles(path)).toHaveLength(stored);
    }
    expect(listFiles(path)).toEqual(expect.arrayContaining(files));
    expect(await earlier.show("b")).toBe("b");
  });

  test.each(["folder", "database"])("a refused import leaves no new file in the %s", async (storage) => {
    const path = join(folder.path, crypto.randomUUID());
    const { run, count } = await open(storage === "folder" ? `dir:${path}` : "database");
    expect((await run("import", writeCourses(["a", "b", "c", "d"]))).exitCode).toBe(0);
    const files = storage === "folder" ? listFiles(path) : [];
    for (let time = 0; time < 2; time++) {
      const { exitCode, stderr } = await run("import", writeCourses(["d", "e"]));
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("it would remove 3 of 4 courses")]);
      expect([await count("assets"), await count("asset_names"), await count("asset_uploads")]).toEqual([4, 4, 0]);
      expect(storage === "folder" ? listFiles(path) : await count("asset_chunks")).toEqual(
        storage === "folder" ? files : 4,
      );
    }
    expect((await run("prune")).stdout).toBe("Nothing to prune in acme.\n");
  });

  test("is filled again by an import of unchanged courses", async () => {
    const path = join(folder.path, crypto.randomUUID());
    const { run, show } = await open(`dir:${path}`);
    const courses = writeCourses(["a", "b"]);
    expect((await run("import", courses)).exitCode).toBe(0);
    const [lost = ""] = listFiles(path);
    rmSync(lost);
    const planned = await run("import", courses, "--dry-run");
    expect(planned.stdout).toBe(
      "Nothing would change in acme: 2 courses, 2 lessons.\n  files: 1 to store again, 1 byte\n",
    );
    const same = "Nothing changed. Release 1 of acme stays on live.\n";
    for (const more of ["  files: 1 stored again, 1 byte\n", ""]) {
      expect(await run("import", courses)).toMatchObject({ exitCode: 0, stdout: same + more, stderr: "" });
      expect([await show("a"), await show("b")]).toEqual(["a", "b"]);
    }
    // Without its folder, nothing is stored in the database.
    expect((await run("import", courses, "--assets", "database")).stdout).toBe(same);
  });
});
