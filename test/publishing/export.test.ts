// Exports: complete, with files and dates, and nothing of one that fails. Imported again, they give the same documents.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OWNER, PLACE } from "../../src/catalog/file-owner.ts";
import { openSource } from "../../src/cli/write/open-source.ts";
import { exportCatalog } from "../../src/publishing/export-catalog.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { writeCatalogFolder } from "../../src/publishing/write-catalog-folder.ts";
import type { Release } from "../../src/catalog/store.ts";
import type { Store } from "../../src/store/open-store.ts";
import { makeTarGz, makeZip } from "../support/archives.ts";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { publish } from "../support/catalog.ts";
import { LAUNCHER, runCommand, startCommand } from "../support/command.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, engines, openTestStore, type TestStore, useTestStore } from "../support/store.ts";
import { makeFolder, writeFiles, writeFolder } from "../support/written-folder.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.each(engines)("an export on $name", (engine) => {
  let second: TestStore;
  const folder = makeFolder();
  const first = useTestStore(engine, async () => {
    second = await openTestStore(engine);
    await publish(first.store, "acme", [{ _id: "bare", name: "Bare" }], "2026-03-01T12:00:00.000Z");
    await publish(first.store, "acme", [{ _id: "bare", name: "Edited" }], "2026-03-02T12:00:00.000Z");
    return () => second.drop();
  });

  const run = async (command: string, what: string, { url }: TestStore, project: string, ...more: string[]) => {
    const args = [command, what, "--database", url, "--project", project, ...more];
    const result = await runCommand(args);
    if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: ${result.stderr}`);
    return result;
  };

  test("omits dates set by imports, so that later imports can set others", async () => {
    const { stdout } = await run("export", "-", first, "acme");
    expect(JSON.parse(stdout)).toMatchObject({
      derived: ["createdAt", "updatedAt"],
      updatedAt: "2026-03-02T12:00:00.000Z",
    });
    const lines = join(folder, "bare.ndjson");
    for (const name of ["Edited", "Edited again"]) {
      writeFileSync(lines, stdout.replace("Edited", name));
      await run("import", lines, second, "dates");
    }
    const course = JSON.parse((await run("export", "-", second, "dates")).stdout) as Record<string, string>;
    expect(course["createdAt"]).toBe("2026-03-01T12:00:00.000Z");
    expect((course["updatedAt"] ?? "") > "2026-03-02T12:00:00.000Z").toBe(true);
  });

  // Files do not depend on the database.
  if (engine !== anyEngine) return;

  test("is complete through a pipe, however long its lines are", async () => {
    const lessons = ["1", "2", "3", "4"].map((id) => ({ id, name: id, additionalText: `${id} ä `.repeat(10_000) }));
    await publish(first.store, "long", [{ _id: "a", name: "A", chapters: [{ name: "C", lessons }] }]);
    const [piped, written] = [join(folder, "piped.ndjson"), join(folder, "written.ndjson")];
    await run("export", written, first, "long");
    const command = ["node", LAUNCHER, "export", "-", "--database", first.url, "--project", "long"];
    const script = `${command.map((part) => `'${part}'`).join(" ")} | cat > '${piped}'`;
    expect(await Bun.spawn(["sh", "-c", script], { stderr: "ignore" }).exited).toBe(0);
    expect(readFileSync(piped).equals(readFileSync(written))).toBe(true);
  });

  test("includes files, which keep their URLs after an import", async () => {
    const source = join(folder, "with-image");
    const text = "# L\n\n![x](img/ä%20b.png) [y](img/doc.pdf)\n";
    writeFiles(source, { "01-a/01-l.md": text, "01-a/img/doc.pdf": "%PDF-1.4" });
    writeFileSync(join(source, "01-a/img/ä b.png"), Buffer.from(PIXEL, "base64"));
    const publicUrl = ["--public-url", "https://catalog.example"];
    await run("import", source, first, "files", ...publicUrl);
    const exported = join(folder, "exported");
    expect((await run("export", exported, first, "files")).stdout).toContain(
      "1 course, 1 lesson, 2 files.\nTo serve the exported files again",
    );
    expect((await run("import", exported, second, "files", ...publicUrl)).stderr).not.toContain("warning");
    const read = async ({ store }: TestStore) => {
      const [ask, key] = [createAsk({ store }), await createKey(store, "files")];
      const [, id] = /"_id":"(.*?)"/.exec((await ask("/courses", key)).text) ?? [];
      return (await ask(`/courses/${id}?include=lessons,meta`, key)).text;
    };
    const whole = await read(second);
    expect(whole).toBe(await read(first));
    const [path = ""] = /\/assets\/[^"]*png/.exec(whole.replaceAll("\\", "")) ?? [];
    expect((await run("get", path, second, "files")).stdout).toContain("image/png");
  });

  test("that fails says why and leaves nothing", async () => {
    await pruneReleases(publishingAt(first.store, "acme", "2026-03-04T00:00:00.000Z"), 1);
    const place = writeFolder({ "mine.txt": "mine" });
    for (const [to, options, told] of [
      ["", "", "is not empty"],
      ["nowhere/courses.ndjson", "", ": ENOENT"],
      ["mine.txt/courses", "", "cannot be written: it is a file."],
      ["mine.txt", "", "it is a file"],
      ["gone", "--release 9", "has no release 9"],
      ["gone", "--release 1", "was pruned at"],
    ] as const) {
      const args = ["export", join(place, to), "--project", "acme", ...options.split(" ").filter(Boolean)];
      const { exitCode, stderr } = await runCommand([...args, "--database", first.url]);
      expect([to, exitCode, stderr]).toEqual([to, 1, expect.stringContaining(told)]);
    }
    expect(readdirSync(place)).toEqual(["mine.txt"]);
  });

  test.each(["courses", "courses.ndjson"])(
    "that is killed leaves files that the next export beside %s removes",
    async (to) => {
      const lessons = Array.from({ length: 1000 }, (_, index) => ({ name: `Lesson ${index}` }));
      await publish(first.store, to, [{ name: "A", chapters: [{ name: "A", lessons }] }]);
      const place = makeFolder();
      const path = join(place, to);
      const args = ["export", path, "--project", to, "--database", first.url];
      let child: ReturnType<typeof startCommand>;
      do {
        rmSync(path, { recursive: true, force: true });
        child = startCommand(args);
        const watcher = watch(place, () => child.kill("SIGKILL"));
        await child.exited;
        watcher.close();
      } while (child.exitCode === 0);
      expect(readdirSync(place).join()).toStartWith(`${to}.unfinished-${child.pid}-`);
      // Another one writes now; the others are none. On Linux, an ended process with the same ID is known by its start.
      if (process.platform === "linux") writeFileSync(join(place, `${to}.unfinished-${process.pid}-1.${PLACE}`), "");
      const others = [`${to}.unfinished-${OWNER}`, `${to}.unfinished-01`, `${to}.part-999999`];
      for (const name of others) writeFileSync(join(place, name), "");
      expect((await runCommand(args.with(1, join(place, "next")))).exitCode).toBe(0);
      expect(readdirSync(place).sort()).toEqual(["next", ...others].sort());
    },
  );
});

// One engine is enough for what follows: rows are not what differs.
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
