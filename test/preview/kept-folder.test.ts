// A folder that is read repeatedly gives the results of a first reading.
import { afterAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { openKeptFolder, type KeptFolder } from "../../src/content/readers/kept-folder.ts";
import { formatProblem, type ContentSource, type SourceFile, type SourceOptions } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { publishingAt } from "../support/in-process.ts";
import { readRandomSettings } from "../support/random.ts";
import { createTestFolder, engines, openTestStore, type TestStore } from "../support/store.ts";

// The stress run makes more.
const { seed, rounds: numRuns } = readRandomSettings(2);

/** Links within a course, to other courses, to headings and images that may be there or not. */
const TEXTS = [
  "green",
  "# Water\n\n[leaves](../a/01-x.md#top) ![i](i.png)",
  "[other](../b/1-part/02-y.md) [none](../c/gone.md)",
  "---\nid: x\nname: X\n---\n[c](../c/) ![i](../b/i.png)",
  "---\nname: [\n---\n",
  "<script>1</script>\n\n## Top",
  "---\ndraft: Yes\n---\nx",
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

const edit = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("write"), path: fc.constantFrom(...PATHS), text: fc.nat(99) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove"), path: fc.constantFrom(...PATHS, "a", "b/1-part") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("move", "link"),
      path: fc.constantFrom("a", "b", "a/01-x.md", "b/1-part", ".x", "b/.x", "a/i.png"),
      to: fc.constantFrom("b", "c", "d", "c/1-part", "a/02-y.md", ".x", "b/.x", "b/i.png"),
    }),
  },
);
type Edit = { kind: string; path: string; text?: number; to?: string };

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
    const choices = path.endsWith(".yaml")
      ? OUTLINES
      : path.endsWith(".md")
        ? TEXTS
        : ["b/\n", "02-y.md\n", "# none\n"];
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

describe("a folder that is reread", () => {
  const folders: { remove: () => void }[] = [];
  afterAll(() => folders.forEach(({ remove }) => remove()));

  test(`gives what a first reading gives, after any edits, seed ${seed}`, async () => {
    const edits = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 });
    const holds = async (batches: Edit[][]): Promise<void> => {
      const folder = createTestFolder();
      folders.push(folder);
      const files = new Map<string, SourceFile>();
      const kept: KeptFolder = openKeptFolder(folder.path, createOptions(files));
      let before: string | undefined;
      for (const path of PATHS.slice(0, 12)) apply(folder.path, { kind: "write", path, text: path.length });
      for (const batch of [[], ...batches]) {
        for (const each of batch) apply(folder.path, each);
        const hadChanged = await kept.hasChanged();
        const whole = await readAll(openFolderSource(folder.path, createOptions(files)), files);
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

  test("reads only the changed course", async () => {
    const folder = createTestFolder();
    folders.push(folder);
    for (const course of ["a", "b", "c"]) {
      apply(folder.path, { kind: "write", path: `${course}/01-x.md`, text: 0 });
      apply(folder.path, { kind: "write", path: `${course}/02-y.md`, text: 2 });
    }
    let read = 0;
    const kept = openKeptFolder(folder.path, { assetBase: undefined, inspection: { onCourse: () => read++ } });
    const readTimes = async (): Promise<number> => {
      read = 0;
      for await (const _ of kept.read(() => undefined));
      return read;
    };
    // What was written a moment ago may be written again without another time.
    const settle = async (): Promise<void> => {
      while (await kept.hasChanged()) await readTimes();
    };
    expect(await readTimes()).toBe(3);
    await settle();
    apply(folder.path, { kind: "write", path: "b/01-x.md", text: 1 });
    expect(await readTimes()).toBe(1);
    await settle();
    expect(await readTimes()).toBe(0);
    // A lesson to which others may link.
    apply(folder.path, { kind: "write", path: "b/1-part/02-y.md", text: 0 });
    expect(await readTimes()).toBe(3);
    // A misnamed ignore file stops everything.
    await settle();
    apply(folder.path, { kind: "write", path: ".LecternIgnore", text: 0 });
    expect(await kept.hasChanged()).toBe(true);
    expect(await readAll(kept, new Map())).toMatchObject({
      courses: [],
      problems: [`${folder.path}/.LecternIgnore: error: must be named .lecternignore; rename it`],
    });
  });
});

describe.each(engines)("releases of a folder that is reread, on $name", (engine) => {
  const stores: TestStore[] = [];
  const folder = createTestFolder();
  afterAll(async () => {
    for (const store of stores) await store.drop();
    folder.remove();
  });

  test("have the same documents as full imports", async () => {
    const edits: Edit[][] = [
      PATHS.slice(0, 11).map((path) => ({ kind: "write", path, text: path.length })),
      [{ kind: "write", path: "a/01-x.md", text: 1 }],
      [{ kind: "move", path: "a/02-y.md", to: "b/1-part/03-y.md" }],
      [{ kind: "write", path: "b/course.yaml", text: 2 }],
      [{ kind: "remove", path: "b/1-part" }],
      [{ kind: "write", path: "c/01-x.md", text: 2 }],
      [{ kind: "move", path: "a", to: "d" }],
    ];
    const [one, other] = [await openTestStore(engine), await openTestStore(engine)];
    stores.push(one, other);
    const kept = openKeptFolder(folder.path, { assetBase: undefined });
    for (const [index, batch] of edits.entries()) {
      for (const each of batch) apply(folder.path, each);
      const at = new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
      const whole = openFolderSource(folder.path, { assetBase: undefined });
      expect(await importInto(one, kept, at)).toEqual(await importInto(other, whole, at));
    }
  });
});

/** Imports, and returns everything in the release. */
async function importInto({ store }: TestStore, source: ContentSource, at: string) {
  const problems: string[] = [];
  const { status } = await importCatalog({
    ...publishingAt(store, "acme", at),
    channel: "live",
    source,
    report: (problem) => problems.push(formatProblem(problem)),
  });
  const release = await store.publishing.findCurrentRelease("acme", "live");
  const versions = release === undefined ? [] : await store.publishing.listVersions(release);
  const courses = await Promise.all(
    versions.map(async ({ versionId, source: _source, ...version }) => {
      const records = await store.publishing.listLessonRecords(versionId);
      const documents = await store.publishing.readVersion(versionId, [...records.keys()]);
      return { ...version, versionId: undefined, records: [...records], ...documents, lessons: [...documents.lessons] };
    }),
  );
  return { status, problems, number: release?.number, courses };
}
