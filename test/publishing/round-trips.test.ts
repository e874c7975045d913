// What an export writes gives the same documents again, whatever format they came from. One engine is enough: rows are not
// what differs.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "../../src/cli/write/open-source.ts";
import { exportCatalog } from "../../src/publishing/export-catalog.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { writeCatalogFolder } from "../../src/publishing/write-catalog-folder.ts";
import type { Release } from "../../src/catalog/store.ts";
import type { Store } from "../../src/store/open-store.ts";
import { makeTarGz, makeZip } from "../support/archives.ts";
import { useTestStore } from "../support/store.ts";
import { makeFolder } from "../support/written-folder.ts";

const inProject = (path: string): string => join(import.meta.dir, "../..", path);

const NUMBERED = {
  "README.md": "# Tea, *all* of it\n",
  "01-leaves/01-green.md": "# Green\n\nSee [black](02-black.md#heat) and $$a\\_b$$ `{{x}}`.\n",
  "01-leaves/02-black.md":
    "---\npublished: true\n---\n## Heat\n\n> [!NOTE]\n> Hot.\n\n```rust,editable\nfn main() {}\n```\n",
  "02-water/01-soft.html": '<!-- kept --><p onclick="x">S&oacute;ft</p>\r\n',
};
/** As only NDJSON can have them. */
const ODD_LESSONS = [
  { id: "l", name: "'", additionalText: "---\nname: none\n---\r\n\ufeff\u0000<p>…</p> ", durationMinutes: 7 },
  { id: "m", name: "yes", url: "https://example.org/v.mp4", quizHtml: "<form>\n  'x': \"y\" </form>\n" },
  { id: "n", name: "2026-01-01", updatedAt: "2026-02-03T04:05:06.789Z" },
];
const ODD = { _id: "odd", slug: "odd slug: #1", name: 'Odd "names": - [x] # and\nbreaks', description: "Two\nlines" };

const stores = [useTestStore(), useTestStore(), useTestStore()];
const work = makeFolder();

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

async function expectRoundTrip(path: string, name: string): Promise<void> {
  const project = name.replace(/\W/g, "-");
  const [first, lines, folder] = stores.map(({ store }) => store) as [Store, Store, Store];
  const release = await importFrom(first, path, project);
  const expected = await readAll(first, release);
  expect(JSON.stringify(expected)).not.toContain("no lesson");
  const texts: string[] = [];
  for await (const { course } of exportCatalog(first.publishing, release)) texts.push(`${JSON.stringify(course)}\n`);
  const file = join(work, `${project}.ndjson`);
  writeFileSync(file, texts.join(""));
  expect(await readAll(lines, await importFrom(lines, file, project))).toEqual(expected);
  const written = join(work, project);
  await writeCatalogFolder(written, exportCatalog(first.publishing, release), first.assets);
  expect(await readAll(folder, await importFrom(folder, written, project))).toEqual(expected);
}

test.each([
  "examples/catalog",
  "test/stored/1.0.0/courses",
  "test/stored/1.0.0/lines.ndjson",
  // Not those with notebooks: images in them have an address in a store alone.
  ...["common-cartridge", "mkdocs", "olx", "plain", "zensical"].map((name) => `test/samples/${name}/source`),
])("%s is unchanged after an export", async (path) => {
  await expectRoundTrip(inProject(path), path);
});

test("so are odd values, and a course in an archive", async () => {
  const chapters = [{ id: "c 1", name: "---", lessons: ODD_LESSONS }, { name: "Empty" }];
  const odd = join(work, "odd.ndjson");
  writeFileSync(odd, JSON.stringify({ ...ODD, language: "pt-BR", tags: ["a: b", "#c"], chapters }));
  await expectRoundTrip(odd, "odd lines");
  const members = Object.entries(NUMBERED).map(([path, content]) => ({ path, content }));
  for (const [ending, pack] of [["zip", makeZip] as const, ["tar.gz", makeTarGz] as const]) {
    const path = join(work, `tea.${ending}`);
    writeFileSync(path, pack(members));
    await expectRoundTrip(path, ending);
  }
});
