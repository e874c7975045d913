// One course of a source, read again by itself.
import { describe, expect, test } from "bun:test";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "../../src/cli/write/open-source.ts";
import { formatProblem, type ContentSource } from "../../src/content/source.ts";
import { pages, writeFolder } from "../support/written-folder.ts";

const NOTHING = { course: undefined, key: undefined, problems: [] as string[] };
const readAll = (source: ContentSource) => Array.fromAsync(source.read(() => undefined));

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
    expect(await readAgain(source, "tea")).toEqual({ course: courses[1]?.course, key: "tea", problems: [] });

    writeFileSync(join(root, "tea/01-leaves.md"), "black");
    writeFileSync(join(root, "coffee/01-beans.md"), Buffer.from([0x81]));
    const { course, problems } = await readAgain(source, "tea");
    expect([course?.chapters[0]?.lessons[0]?.additionalText, problems]).toEqual(["<p>black</p>\n", []]);
    const problem = "is neither UTF-8 nor Windows-1252; save the file as UTF-8";
    expect(await readAgain(source, "coffee")).toEqual({
      ...NOTHING,
      problems: [`${root}/coffee/01-beans.md:1: error: ${problem}`],
    });
  });

  test("works for a folder that is one course", async () => {
    const root = writeFolder({ "course.yaml": "name: Tea", "01-leaves.md": "green" });
    const { course } = await readAgain(await openSource(root, { assetBase: undefined }), ".");
    expect(course).toMatchObject({ name: "Tea", sourcePath: ".", chapters: [{ lessons: [{ name: "Leaves" }] }] });
  });

  test.each(["gone", "img", ".", "..", "/", "tea/01-part", "tea/../../etc"])("finds no course at %s", async (key) => {
    const root = writeFolder(pages("tea/01-part/01-leaves.md", "img/a.png", "gone/01-a.md"));
    rmSync(join(root, "gone"), { recursive: true });
    expect(await readAgain(await openSource(root, { assetBase: undefined }), key)).toEqual(NOTHING);
  });

  test("in NDJSON reads its line, even if earlier lines have changed", async () => {
    const file = join(writeFolder({ "a.ndjson": '{"name":"A"}\n\n{"name":"B","slug":"b"}\n' }), "a.ndjson");
    const source = await openSource(file, { assetBase: undefined });
    expect((await readAll(source)).map(({ key }) => key)).toEqual(["1", "3"]);
    writeFileSync(file, 'no JSON\n\n{"name":"B","slug":"c"}\n');
    expect(await readAgain(source, "3")).toMatchObject({ course: { name: "B", slug: "c" }, problems: [] });
    appendFileSync(file, '{"slug":"d"}\n');
    expect((await readAgain(source, "4")).problems).toEqual([`${file}:4: error: name is missing`]);
    expect((await readAgain(source, "9")).course).toBeUndefined();
  });
});
