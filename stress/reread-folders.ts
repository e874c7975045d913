// A folder that is read repeatedly gives the results of a first reading.
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../src/content/readers/folder.ts";
import { openKeptFolder } from "../src/content/readers/kept-folder.ts";
import { formatProblem, type ContentSource, type SourceFile, type SourceOptions } from "../src/content/source.ts";
import { readRandomSettings } from "../test/support/random.ts";
import { writeFolder } from "../test/support/written-folder.ts";

const { seed, rounds: numRuns } = readRandomSettings(2);

/** Links within a course, to other courses, to headings and images that may be there or not. */
const TEXTS = [
  "green",
  "# Water\n\n[leaves](../a/01-x.md#top) ![i](i.png)",
  "[other](../b/1-part/02-y.md) [none](../c/gone.md)",
  "---\nid: x\nname: X\n---\n[c](../c/) ![i](../b/i.png)",
  "---\nname: [\n---\n",
  "<script>1</script>\n\n## Top",
  "---\ndate: 9999-01-01\ndraft: n\n---\nx",
];
const OUTLINES = [
  "name: A\n",
  "name: A\nchapters:\n  - name: One\n    lessons: [01-x, 02-y]\n",
  "name: B\npublished: false\nlanguage: de\n",
  "nme: B\n",
  "_id: same\nname: C\n",
];
const FILES = ["01-x.md", "02-y.md", "1-part/02-y.md", "1-part/01-z.md", "3-c.md", "d.md", "i.png", "course.yaml"];
const PATHS = [
  ...["a", "b", "c"].flatMap((course) => FILES.map((file) => `${course}/${file}`)),
  "hugo.yaml",
  ".lecternignore",
];

const pick = (...paths: string[]) => fc.constantFrom(...paths);
const TARGETS = ["b", "c", "d", "c/1-part", "a/02-y.md", ".x", "b/.x", "b/i.png"];
const sources = pick("a", "b", "a/01-x.md", "b/1-part", ".x", "b/.x", "a/i.png");
const edit = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: pick("write"), path: pick(...PATHS), text: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ kind: pick("remove"), path: pick(...PATHS, "a", "b/1-part") }) },
  { weight: 2, arbitrary: fc.record({ kind: pick("move", "link"), path: sources, to: pick(...TARGETS) }) },
);
type Edit = { kind: string; path: string; text?: number; to?: string };
const write = (path: string, text = path.length): Edit => ({ kind: "write", path, text });

/** Ignores an impossible edit, such as a file in a file. */
function apply(root: string, change: Edit): void {
  try {
    make(root, change);
  } catch (error) {
    if (!["ENOTDIR", "EEXIST", "EISDIR", "ENOENT", "EINVAL", "ELOOP"].includes((error as { code?: string }).code ?? ""))
      throw error;
  }
}

function make(root: string, { kind, path, text = 0, to = "" }: Edit): void {
  const [file, target] = [join(root, path), join(root, to)];
  if (kind === "remove") return rmSync(file, { recursive: true, force: true });
  if (kind === "write") {
    if (existsSync(dirname(file))) rmSync(file, { recursive: true, force: true });
    const choices = { yaml: OUTLINES, md: TEXTS }[path.split(".").at(-1) ?? ""] ?? ["b/\n", "02-y.md\n", "# none\n"];
    mkdirSync(dirname(file), { recursive: true });
    return writeFileSync(file, choices[text % choices.length] ?? "");
  }
  if (!existsSync(file) || existsSync(target) || `${target}/`.startsWith(`${file}/`)) return;
  mkdirSync(dirname(target), { recursive: true });
  if (kind === "move") renameSync(file, target);
  else symlinkSync(file, target);
}

function createOptions(files: Map<string, SourceFile>): SourceOptions {
  const take = (file: SourceFile): string => {
    files.set(file.digest, file);
    return `https://files.example/${file.digest}/${file.fileName}`;
  };
  return { assetBase: undefined, files: { maxBytes: 1000, take }, inspection: { onCourse: () => undefined } };
}

async function readAll(source: ContentSource, files: Map<string, SourceFile>) {
  files.clear();
  const problems: string[] = [];
  const courses: unknown[] = [];
  for await (const { key, course, format } of source.read((problem) => problems.push(formatProblem(problem)))) {
    courses.push({ key, format, course: structuredClone(course) });
  }
  return { courses, problems, files: [...files.keys()].sort() };
}

test(`a folder that is reread gives what a first reading gives, after any edits, seed ${seed}`, async () => {
  const edits = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 });
  const holds = async (batches: Edit[][]): Promise<void> => {
    const root = writeFolder({});
    const files = new Map<string, SourceFile>();
    const kept = openKeptFolder(root, createOptions(files));
    let before: string | undefined;
    for (const path of PATHS.slice(0, 12)) apply(root, write(path));
    for (const batch of [[], ...batches]) {
      for (const each of batch) apply(root, each);
      const hadChanged = await kept.hasChanged();
      const whole = await readAll(openFolderSource(root, createOptions(files)), files);
      if (JSON.stringify(whole) !== before) expect(hadChanged).toBe(true);
      before = JSON.stringify(whole);
      const again = await readAll(kept, files);
      // It may hold files, too, that lessons have shown before.
      expect(again.files).toEqual(expect.arrayContaining(whole.files));
      expect({ ...again, files: whole.files }).toEqual(whole);
    }
  };
  await fc.assert(fc.asyncProperty(edits, holds), { seed, numRuns });
});
