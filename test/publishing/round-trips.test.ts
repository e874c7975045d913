// Courses of every format: what an export writes gives the same documents again. One engine is enough: rows are not what differs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSource } from "../../src/cli/write/open-source.ts";
import { exportCatalog } from "../../src/publishing/export-catalog.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { writeCatalogFolder } from "../../src/publishing/write-catalog-folder.ts";
import type { Release } from "../../src/catalog/store.ts";
import type { Store } from "../../src/store/open-store.ts";
import { makeTarGz, makeZip } from "../support/archives.ts";
import { createTestFolder, engines, openTestStore, type TestStore } from "../support/store.ts";
import { writeFolder, type Files } from "../support/written-folder.ts";

const inProject = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const NUMBERED: Files = {
  "README.md": "# Tea, *all* of it\n",
  "01-leaves/01-green.md": "# Green\n\nSee [black](02-black.md#heat) and $$a\\_b$$ `{{x}}`.\n",
  "01-leaves/02-black.md":
    "---\npublished: true\n---\n## Heat\n\n> [!NOTE]\n> Hot.\n\n```rust,editable\nfn main() {}\n```\n",
  "02-water/01-soft.html": '<!-- kept --><p onclick="x">S&oacute;ft</p>\r\n',
};

const FIXTURES: [format: string, files: Files][] = [
  ["numbered folders", NUMBERED],
  [
    "course.yaml",
    {
      "course.yaml": `_id: tea\nname: "Tea: all"\npublished: false\ntags: [a, "b, c"]\nlanguage: vi\ndurationMinutes: 0
chapters:\n  - name: Cà phê\n    lessons: [{file: a.md, id: "l 1", url: "https://v.example/a.mp4", quizHtml: "<form>\\n</form>"}]\n`,
      "a.md": '---\nname: "---"\n---\nText\n\n---\n\nname: none\n',
    },
  ],
  [
    "toctree",
    {
      "_toctree.yml": "- title: Part\n  sections:\n    - {local: a, title: A}\n    - {local: b, title: B}\n",
      "a.mdx":
        '# A[[a]]\n\n<Youtube id="x1"/>\n\n<Question choices={[{ text: "a", correct: true }, { text: "b" }]} />\n\n<Tip>T</Tip>\n',
      "b.mdx": "Back to [A](a).\n",
    },
  ],
  [
    "mdBook",
    {
      "book.toml": '[book]\ntitle = "Tea"\n',
      "src/SUMMARY.md": "# Summary\n\n[Preface](pre.md)\n\n# Part\n\n- [`Leaves`](a.md)\n  - [Deep](b.md)\n",
      "src/pre.md": "Hello\n",
      "src/a.md": "```rust\n# hidden\nlet a = 1;\n```\n",
      "src/b.md": "[up](a.md)\n",
    },
  ],
  [
    "Carpentries",
    {
      "config.yaml": "carpentry: 'swc'\ntitle: 'Tea'\ncreated: 2020-01-02\nepisodes:\n- a.md\n",
      "episodes/a.md":
        "---\ntitle: A\nteaching: 5\nexercises: 2\n---\n\n:::: challenge\n\n## Do\n\n::: solution\nDone\n:::\n::::\n",
    },
  ],
  [
    "LiaScript",
    {
      "README.md":
        "<!--\nauthor: A\nlanguage: en\n-->\n\n# Tea\n\nText\n\n## Leaves\n\n[[green]]\n\n    [( )] a\n    [(X)] b\n",
    },
  ],
];

let stores: { first: TestStore; lines: TestStore; folder: TestStore };
const work = createTestFolder();
beforeAll(async () => {
  const [sqlite] = engines;
  if (sqlite === undefined) throw new Error("there is no engine");
  const [first, lines, folder] = await Promise.all([
    openTestStore(sqlite),
    openTestStore(sqlite),
    openTestStore(sqlite),
  ]);
  stores = { first, lines, folder };
});
afterAll(async () => {
  for (const store of Object.values(stores)) await store.drop();
  work.remove();
});

async function importFrom(store: Store, path: string, project: string): Promise<Release> {
  const source = await openSource(path, { assetBase: new URL("https://files.example/") });
  const errors: string[] = [];
  const outcome = await importCatalog({
    project,
    channel: "live",
    source,
    store: store.publishing,
    now: () => new Date("2026-03-01T12:00:00.000Z"),
    report: ({ severity, message }) => void (severity === "error" && errors.push(message)),
  });
  await source.close?.();
  expect([outcome.status, errors]).toEqual(["published", []]);
  if (outcome.status !== "published") throw new Error(path);
  return outcome.release;
}

/** All documents of a release under their ETags' digests, drafts too. */
async function readAll({ catalog, publishing }: Store, release: Release): Promise<unknown[]> {
  const versions = await publishing.listVersions(release);
  const all: unknown[] = [];
  for (const { versionId, courseId, slug, published } of versions.sort((a, b) => (a.courseId < b.courseId ? -1 : 1))) {
    const ids = [...(await publishing.listLessonRecords(versionId)).keys()].sort();
    const lessons = await Promise.all(ids.map((id) => catalog.findLesson(release, courseId, id, true)));
    const digests = lessons.map((lesson) => (typeof lesson === "string" ? lesson : lesson.digest));
    const course = await catalog.findCourse(release, courseId, true);
    const texts = await publishing.readVersion(versionId, ids);
    // A lesson that had no file has one in a folder.
    for (const lesson of texts.lessons.values()) lesson.translationKey = undefined;
    all.push({ courseId, slug, published, course: course?.digest, digests, texts });
  }
  return all;
}

async function expectRoundTrip(path: string, project: string): Promise<void> {
  const { first, lines, folder } = stores;
  const release = await importFrom(first.store, path, project);
  const expected = await readAll(first.store, release);
  expect(JSON.stringify(expected)).not.toContain("no lesson");
  const texts: string[] = [];
  for await (const { course } of exportCatalog(first.store.publishing, release))
    texts.push(`${JSON.stringify(course)}\n`);
  const file = join(work.path, `${project}.ndjson`);
  writeFileSync(file, texts.join(""));
  expect(await readAll(lines.store, await importFrom(lines.store, file, project))).toEqual(expected);
  const written = join(work.path, project);
  await writeCatalogFolder(written, exportCatalog(first.store.publishing, release), first.store.assets);
  expect(await readAll(folder.store, await importFrom(folder.store, written, project))).toEqual(expected);
}

test.each(FIXTURES)("a course as %s is unchanged after an export", async (format, files) => {
  await expectRoundTrip(writeFolder(files), format.replace(/\W/g, "-"));
});

// Not those with notebooks: images in them have an address in a store alone.
const SAMPLES = ["common-cartridge", "mkdocs", "olx", "plain", "zensical"];

test.each([
  "examples/catalog",
  "test/stored/1.0.0/courses",
  "test/stored/1.0.0/lines.ndjson",
  ...SAMPLES.map((name) => `test/samples/${name}/source`),
])("and so is %s", async (path) => {
  await expectRoundTrip(inProject(path), path.replace(/\W/g, "-"));
});

test.each([
  ["zip", makeZip],
  ["tar.gz", makeTarGz],
] as const)("so is a course in a %s", async (ending, pack) => {
  const path = join(work.path, `tea.${ending}`);
  writeFileSync(path, pack(Object.entries(NUMBERED).map(([name, content]) => ({ path: name, content }))));
  await expectRoundTrip(path, ending);
});
