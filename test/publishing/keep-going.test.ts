// Imports that continue after errors in a course, and courses that keep their published format.
import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { useTestStore } from "../support/store.ts";
import { writeFiles, writeFolder, type Files } from "../support/written-folder.ts";

const BROKEN = "---\nname: never closed\n";

describe("an import", () => {
  const database = useTestStore();
  let projects = 0;
  /** A project that is imported from a folder, at first without a problem. */
  async function createProject(files: Files) {
    const root = writeFolder(files);
    const to = ["--project", `p${++projects}`, "--database", database.url];
    const project = {
      write: (path: string, text: string): void => writeFiles(root, { [path]: text }),
      remove: (path: string): void => rmSync(join(root, path), { recursive: true }),
      import: (...options: string[]) => runCommand(["import", root, "--allow-removals", ...to, ...options]),
      read: async (path = ""): Promise<string> => (await runCommand(["get", `/api/v1/courses${path}`, ...to])).stdout,
      list: async () => (await project.read()).match(/(?<="name":")\w+/g)?.sort(),
    };
    expect((await project.import()).exitCode).toBe(0);
    return project;
  }

  const COURSES: Files = {
    "coffee/course.yaml": "name: Coffee\nid: coffee-1",
    "coffee/01-beans.md": "brown",
    "tea/01-leaves.md": "green",
    "water/01-wet.md": "clear",
  };

  test("with --keep-going publishes courses without errors, and keeps the published state of the others", async () => {
    const { write, ...project } = await createProject(COURSES);
    write("coffee/01-beans.md", BROKEN);
    write("tea/01-leaves.md", "black");
    project.remove("water");
    const refused = await project.import();
    expect([refused.exitCode, refused.stderr.match(/: error: /g)]).toEqual([3, [": error: "]]);
    const { exitCode, stderr } = await project.import("--keep-going");
    expect(exitCode).toBe(4);
    expect(stderr).toContain("coffee/01-beans.md:1: error: the front matter");
    expect(stderr).toEndWith(
      "lectern: 1 course with errors kept its previous version. Fix the errors, and import again.\n",
    );
    expect(await project.list()).toEqual(["Coffee", "Tea"]);
    expect(await project.read("/coffee/lessons/nowhere")).toContain('"code":404');
    expect(await project.read("/coffee-1?include=lessons")).toContain("brown");
    expect(await project.read("/tea?include=lessons")).toContain("black");
    expect(await project.import("--keep-going")).toMatchObject({ exitCode: 4 });
    write("coffee/01-beans.md", "light");
    expect((await project.import("--keep-going")).exitCode).toBe(0);
  });

  test("removes nothing if the broken course cannot be identified", async () => {
    const { write, ...project } = await createProject(COURSES);
    project.remove("coffee");
    write("cacao/01-beans.md", BROKEN);
    expect((await project.import("--keep-going")).exitCode).toBe(4);
    expect(await project.list()).toEqual(["Coffee", "Tea", "Water"]);
  });

  test("with --keep-going publishes nothing if .lecternignore cannot be read", async () => {
    const { write, ...project } = await createProject({ ...COURSES, "secret/01-a.md": "hidden" });
    write(".lecternignore", `${"x\n".repeat(1001)}secret\n`);
    const { exitCode, stderr } = await project.import("--keep-going");
    expect([exitCode, stderr.match(/: error: /g)]).toEqual([3, [": error: "]]);
    expect(stderr).toMatch(/limited to 1000 patterns[^]*Nothing was imported/);
  });

  test("with --keep-going publishes nothing if a course takes the id of a broken one, or no course is left", async () => {
    const { write, ...project } = await createProject(COURSES);
    write("coffee/01-beans.md", BROKEN);
    write("water/course.yaml", "name: Water\nslug: coffee-1");
    const { exitCode, stderr } = await project.import("--keep-going");
    expect(exitCode).toBe(3);
    expect(stderr).toContain('clashes with the course "coffee-1" (slug "coffee"), which has errors in the source');
    for (const path of ["coffee/01-beans.md", "tea/01-leaves.md", "water/01-wet.md"]) write(path, BROKEN);
    expect((await project.import("--keep-going")).exitCode).toBe(3);
  });

  test("with --strict publishes nothing after a warning, including one about links between courses", async () => {
    const { write, ...project } = await createProject(COURSES);
    write("tea/01-leaves.md", "[x](../water/01-wet.md#gone)");
    expect((await project.import("--strict")).exitCode).toBe(3);
    write("tea/01-leaves.md", "green");
    expect((await project.import("--strict")).exitCode).toBe(0);
  });

  test("continues to read a course in its published format", async () => {
    const { write, ...project } = await createProject({ "a.md": "x", "b.md": "x", "c/d.md": "x" });
    write("SUMMARY.md", "- [B](b.md)\n");
    const kept = await project.import();
    expect(kept.exitCode).toBe(0);
    const other = "it also contains a SUMMARY.md: --format mdbook reads it as mdbook";
    expect(kept.stderr).toContain(`is read as plain, the format in which it was published, although ${other}`);
    expect((await project.import("--format", "mdbook")).exitCode).toBe(0);
    expect((await project.import()).stderr).not.toContain("is read as");
    project.remove("SUMMARY.md");
    const lost = await project.import();
    expect(lost.exitCode).toBe(3);
    const now = "it now contains Markdown files: --format plain publishes it as plain";
    expect(lost.stderr).toContain(`is published as mdbook, but the folder no longer has that format; ${now}`);
    expect((await project.import("--format", "plain")).exitCode).toBe(0);
  });
});
