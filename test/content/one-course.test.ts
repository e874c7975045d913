// One course of a source, read again by itself.
import { describe, expect, test } from "bun:test";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "../../src/cli/write/open-source.ts";
import { formatProblem, type ContentSource, type SourceCourse } from "../../src/content/source.ts";
import { writeFolder } from "../support/written-folder.ts";

async function readAll(source: ContentSource): Promise<SourceCourse[]> {
  const courses: SourceCourse[] = [];
  for await (const course of source.read(() => undefined)) courses.push(course);
  return courses;
}

async function readAgain(source: ContentSource, key: string) {
  const problems: string[] = [];
  const found = await source.readCourse(key, (problem) => problems.push(formatProblem(problem)));
  return { course: found?.course, key: found?.key, problems };
}

describe("rereading one course of a source by its key", () => {
  test("in a folder reads its current state and reports only its own problems", async () => {
    const root = writeFolder({ "tea/01-leaves.md": "green", "coffee/01-beans.md": "![](gone.png)", "img/a.png": "" });
    const source = await openSource(root, { assetBase: undefined });
    const courses = await readAll(source);
    expect(courses.map(({ key }) => key)).toEqual(["coffee", "tea"]);
    const before = await readAgain(source, "tea");
    expect(before).toEqual({ course: courses[1]?.course, key: "tea", problems: [] });

    writeFileSync(join(root, "tea/01-leaves.md"), "black");
    writeFileSync(join(root, "coffee/01-beans.md"), Buffer.from([0x81]));
    const after = await readAgain(source, "tea");
    expect(after.course?.chapters[0]?.lessons[0]?.additionalText).toBe("<p>black</p>\n");
    expect(after.problems).toEqual([]);
    expect(await readAgain(source, "coffee")).toEqual({
      course: undefined,
      key: undefined,
      problems: [`${root}/coffee/01-beans.md:1: error: is neither UTF-8 nor Windows-1252; save the file as UTF-8`],
    });
  });

  test("works for a folder that is one course", async () => {
    const root = writeFolder({ "course.yaml": "name: Tea", "01-leaves.md": "green" });
    const { course } = await readAgain(await openSource(root, { assetBase: undefined }), ".");
    expect(course).toMatchObject({ name: "Tea", sourcePath: ".", chapters: [{ lessons: [{ name: "Leaves" }] }] });
  });

  test.each(["gone", "img", ".", "..", "/", "tea/01-part", "tea/../../etc"])("finds no course at %s", async (key) => {
    const files = { "tea/01-part/01-leaves.md": "green", "img/a.png": "", "gone/01-a.md": "x" };
    const root = writeFolder(files);
    rmSync(join(root, "gone"), { recursive: true });
    expect(await readAgain(await openSource(root, { assetBase: undefined }), key)).toEqual({
      course: undefined,
      key: undefined,
      problems: [],
    });
  });

  test("in NDJSON reads its line, even if earlier lines have changed", async () => {
    const root = writeFolder({ "a.ndjson": '{"name":"A"}\n\n{"name":"B","slug":"b"}\n' });
    const file = join(root, "a.ndjson");
    const source = await openSource(file, { assetBase: undefined });
    const courses = await readAll(source);
    expect(courses.map(({ key }) => key)).toEqual(["1", "3"]);
    writeFileSync(file, 'no JSON\n\n{"name":"B","slug":"c"}\n');
    expect(await readAgain(source, "3")).toMatchObject({ course: { name: "B", slug: "c" }, problems: [] });
    appendFileSync(file, '{"slug":"d"}\n');
    expect((await readAgain(source, "4")).problems).toEqual([`${file}:4: error: name is missing`]);
    expect((await readAgain(source, "9")).course).toBeUndefined();
  });
});
