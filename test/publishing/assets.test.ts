// Images and files that travel with releases, from the folder of an author to the browser of a reader.
import { beforeEach, describe, expect, test } from "bun:test";
import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { copyStore } from "../../src/store/maintenance/copy-store.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { dataOf } from "../support/answers.ts";
import { storeFile } from "../support/assets.ts";
import { importNdjson } from "../support/catalog.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { anyEngine, engines, type TestDatabase } from "../support/store.ts";
import { makeFolder, writeFiles } from "../support/written-folder.ts";

const PUBLIC_URL = "https://catalog.example";
const onDay = (days: number): string => new Date(Date.UTC(2026, 2, 2 + days, 10)).toISOString();

/** Problems of the last import, as printed. */
let problems: string[] = [];
let courses: string;
beforeEach(() => {
  courses = makeFolder();
});
const write = (path: string, content: string): void => writeFiles(courses, { [path]: content });
/** A course with a thumbnail and one lesson; most link to a.png. */
function writeTea(text = "![a](a.png)", image = "one"): void {
  write("tea/course.yaml", "name: Tea\nthumbnail: leaf.png\n");
  write("tea/leaf.png", "leaf");
  write("tea/01-a.md", `---\nid: a\n---\n\n${text}\n`);
  write("tea/a.png", image);
}

async function importFolder(
  store: Store,
  days = 0,
  { project = "acme", dryRun = false, isRelative = false, assetBase = undefined as URL | undefined } = {},
): Promise<ImportOutcome> {
  problems = [];
  const linked = new LinkedFiles(isRelative ? "relative" : new URL(PUBLIC_URL), 1024 * 1024);
  return importCatalog({
    ...publishingAt(store, project, onDay(days)),
    channel: "live",
    source: openFolderSource(courses, { assetBase, files: linked, database: join(courses, "tea/a.db") }),
    files: { linked, assets: store.assets },
    dryRun,
    report: (problem) => problems.push(formatProblem(problem).replaceAll(`${courses}/`, "")),
  });
}

async function readLesson(store: Store): Promise<string> {
  return dataOf(await createAsk({ store })("/courses/tea/lessons/a", await createKey(store, "acme"))).additionalText;
}
const listPaths = (html: string): string[] =>
  [...html.matchAll(/https:\/\/catalog\.example(\/assets\/[^"\s#]+)/g)].map(([, path = ""]) => path);
/** Whether the store has the file at this path, under this name or another. */
const isStored = async (store: Store, path: string, name = path.split("/")[3] ?? ""): Promise<boolean> =>
  (await store.assets.findAsset(path.split("/")[2] ?? "", name)) !== undefined;
const countFiles = async (database: Pick<TestDatabase, "execute">): Promise<number> =>
  (await database.execute("select 1 from assets")).length;

describe.each(engines)("files of a folder on $name", (engine) => {
  const database = renewStore(engine);

  test("are stored once, change their course with their content only, and go with the last release", async () => {
    writeTea();
    const { store } = database;
    const prune = async (project: string, days: number) => {
      await pruneReleases(publishingAt(store, project, onDay(days)), 1);
      return store.assets.pruneAssets(onDay(days));
    };
    expect(await importFolder(store)).toMatchObject({ status: "published", files: { files: 2 } });
    expect((await importFolder(store)).status).toBe("unchanged");
    const [path = ""] = listPaths(await readLesson(store));
    const other = { project: "other" };
    expect(await importFolder(store, 0, other)).toMatchObject({ status: "published", files: { files: 0 } });
    write("tea/a.png", "two");
    const files = { files: 1, bytes: 3 };
    expect(await importFolder(store, 1, { dryRun: true })).toMatchObject({ status: "planned", plan: { files } });
    expect(await countFiles(database)).toBe(2);
    expect(await importFolder(store, 1)).toMatchObject({ changes: { lessonsChanged: 1 }, files });
    await importFolder(store, 1, other);
    expect(await prune("acme", 3)).toEqual({ assets: 0, bytes: 0 });
    expect(await isStored(store, path)).toBe(true);
    expect(await prune("other", 4)).toEqual({ assets: 1, bytes: 3 });
    expect(await isStored(store, path)).toBe(false);
    // Brought back by an edit, it is stored again.
    write("tea/a.png", "one");
    expect(await importFolder(store, 5)).toMatchObject({ files: { files: 1 } });
    expect(await isStored(store, path)).toBe(true);
  });

  test("remain while a course contains their URLs, however it got them", async () => {
    writeTea();
    const { store } = database;
    await importFolder(store);
    const html = await readLesson(store);
    const [path = ""] = listPaths(html);
    const lesson = { id: "a", name: "A", additionalText: html + html.replace("a.png", "b.html") };
    const course = { _id: "tea", name: "Tea", chapters: [{ name: "1", lessons: [lesson] }] };
    const linked = new LinkedFiles(new URL(PUBLIC_URL), 1000);
    await importNdjson(store, "other", JSON.stringify(course), onDay(1), { files: { linked, assets: store.assets } });
    write("tea/a.png", "two");
    await importFolder(store, 1);
    await pruneReleases(publishingAt(store, "acme", onDay(3)), 1);
    await store.assets.pruneAssets(onDay(3));
    // A name that nobody has stored stays unknown.
    expect([await isStored(store, path), await isStored(store, path, "b.html")]).toEqual([true, false]);
  });

  test("are copied with their releases, and only those", async () => {
    writeTea(undefined, "x".repeat(300_000));
    const { store } = database;
    await importFolder(store);
    // Left by an import that was refused.
    await storeFile(store, "left.bin", "left");
    const copied = await engines.find((other) => other !== engine)?.createDatabase();
    if (copied === undefined) throw new Error("there are two engines");
    await copyStore(database.url, copied.url, () => {});
    const copy = await openStore(copied.url, { create: false });
    const server = await startTestServer(copy);
    const readImage = async () => (await server.get(listPaths(await readLesson(copy))[0] ?? "")).text;
    expect(await readImage()).toHaveLength(300_000);
    expect(await countFiles(copied)).toBe(2);
    // It stores on under ids of its own.
    write("tea/a.png", "two");
    await importFolder(copy, 1);
    await server.pollsTwice();
    expect(await readImage()).toBe("two");
    await server.stop();
    await copy.close();
    await copied.drop();
  });
});

describe("files of a folder", () => {
  const database = renewStore(anyEngine);

  test("are stored by content for every kind of link", async () => {
    writeTea(
      [
        "![map](img/a%20map.png) [slides](../s.pdf#page=3) ![same](img/copy.png)",
        '<video src="img/v.mp4?x=1" poster="img/p.webp"></video><img srcset="img/p.webp 1x, /tea/img/d.svg 2x">',
        "<a href=\"(odd) 'name' ünï.zip\">zip</a>",
      ].join("\n\n"),
    );
    write("s.pdf", "pdf");
    for (const name of ["a map.png", "copy.png"]) write(`tea/img/${name}`, "picture");
    for (const name of ["v.mp4", "p.webp", "d.svg"]) write(`tea/img/${name}`, name);
    write("tea/(odd) 'name' ünï.zip", "zip");
    const { store } = database;
    expect(await importFolder(store)).toMatchObject({ status: "published", files: { files: 7 } });
    expect(problems).toEqual([]);
    const html = await readLesson(store);
    const paths = listPaths(html);
    expect(paths.map((path) => path.split("/")[3])).toEqual(
      "a%20map.png s.pdf copy.png v.mp4 p.webp p.webp d.svg %28odd%29%20%27name%27%20%C3%BCn%C3%AF.zip".split(" "),
    );
    expect(html).toContain('s.pdf#page=3"');
    expect(html).toContain("p.webp 1x, https://");
    const [map = "", , copy] = paths;
    expect(map.split("/")[2]).toBe(copy?.split("/")[2] ?? "");
    const server = await startTestServer(store);
    for (const path of paths) expect([path, (await server.get(path)).status]).toEqual([path, 200]);
    expect((await server.get(map)).text).toBe("picture");
    const { thumbnail } = dataOf(await createAsk({ store })("/courses/tea", await createKey(store, "acme")));
    expect((await server.get(thumbnail.replace(PUBLIC_URL, ""))).text).toBe("leaf");
    await server.stop();
  });

  test("are not stored if they are hidden, lessons, outlines, Git LFS pointers or too large", async () => {
    const links =
      ".env b.md course.yaml page.html node_modules/x.js big.bin link.png ../../x lfs.png a.db copy.png".split(" ");
    writeTea(links.map((link) => `[x](${link})`).join("\n\n"));
    write("tea/b.md", "not a lesson, since the outline may say so");
    for (const name of ".env .git/config page.html node_modules/x.js a.db".split(" ")) write(`tea/${name}`, "secret");
    write("tea/big.bin", "x".repeat(2_000_001));
    write("tea/lfs.png", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
    symlinkSync(".git/config", join(courses, "tea/link.png"));
    linkSync(join(courses, "tea/a.db"), join(courses, "tea/copy.png"));
    await importFolder(database.store);
    expect(listPaths(await readLesson(database.store))).toEqual([]);
    expect(await countFiles(database)).toBe(1);
    const said = problems.join("\n");
    expect(said).toContain('01-a.md:15: warning: link "big.bin": tea/big.bin is too large: 2 MiB; ');
    expect(said).toContain('01-a.md:17: warning: link "link.png" points to a hidden or ignored path: tea/link.png');
    expect(said).toContain('01-a.md:21: warning: link "lfs.png": tea/lfs.png is only a Git LFS pointer');
  });

  test("with --public-url relative have no host in HTML; standalone URLs keep one", async () => {
    const { store } = database;
    write("tea/course.yaml", "_id: tea\nname: Tea\nthumbnail: a.png\n");
    write("tea/01-a.md", '---\nid: a\nurl: v.mp4\nquizHtml: <img src="a.png">\n---\n![a](a.png) [s](s.pdf#p)\n');
    for (const name of ["a.png", "s.pdf", "v.mp4"]) write(`tea/${name}`, name);
    expect((await importFolder(store, 0, { isRelative: true })).status).toBe("invalid");
    expect(problems.join()).toContain('warning: url: video "v.mp4" is relative, and without --asset-base readers');
    expect(problems.join()).toContain("error: thumbnail: must be an absolute http or https URL, or empty");
    const assetBase = new URL("https://a.example/");
    expect((await importFolder(store, 0, { isRelative: true, assetBase })).status).toBe("published");
    const [ask, key] = [createAsk({ store }), await createKey(store, "acme")];
    expect(dataOf(await ask("/courses/tea", key)).thumbnail).toBe("https://a.example/tea/a.png");
    const { url, quizHtml, additionalText } = dataOf(await ask("/courses/tea/lessons/a", key));
    expect(url).toBe("https://a.example/tea/v.mp4");
    const [, image = ""] = /^<img src="(\/assets\/[^"]*)">$/.exec(quizHtml) ?? [];
    const [, pdf = ""] = /href="(\/assets\/[^#]*)#p"/.exec(additionalText) ?? [];
    expect(additionalText).toContain(`src="${image}"`);
    for (const path of [image, pdf]) expect([path, await isStored(store, path)]).toEqual([path, true]);
  });
});
