// Images and files that travel with releases, from the folder of an author to the browser of a reader.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import type { ImportOutcome } from "../../src/publishing/import-options.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { copyStore } from "../../src/store/maintenance/copy-store.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { storeFile } from "../support/assets.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { createTestFolder, engines, openTestStore } from "../support/store.ts";

const PUBLIC_URL = "https://catalog.example";
const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse("2026-03-02T10:00:00.000Z");
const onDay = (days: number): string => new Date(START + days * DAY).toISOString();

const folder = createTestFolder();
afterAll(() => folder.remove());

interface Courses {
  path: string;
  write(path: string, content: string | Uint8Array): void;
}

function createCourses(): Courses {
  const path = join(folder.path, String(Math.random()));
  return {
    path,
    write(name, content) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    },
  };
}

interface Imported {
  outcome: ImportOutcome;
  problems: string[];
}

async function importFolder(
  store: Store,
  { path }: Courses,
  {
    project = "acme",
    channel = "live",
    at = onDay(0),
    dryRun = false,
    maxBytes = 1_000_000,
  }: { project?: string; channel?: string; at?: string; dryRun?: boolean; maxBytes?: number } = {},
): Promise<Imported> {
  const problems: string[] = [];
  const linked = new LinkedFiles(new URL(PUBLIC_URL), maxBytes);
  const outcome = await importCatalog({
    ...publishingAt(store, project, at),
    channel,
    source: openFolderSource(path, { assetBase: undefined, files: linked }),
    files: { linked, assets: store.assets },
    dryRun,
    report: (problem) => problems.push(formatProblem(problem).replaceAll(`${path}/`, "")),
  });
  return { outcome, problems };
}

async function readLesson(store: Store, key: string, lesson = "a"): Promise<string> {
  const { text } = await createAsk({ store })(`/courses/tea/lessons/${lesson}`, key);
  return (JSON.parse(text) as { data: { additionalText: string } }).data.additionalText;
}

const listPaths = (html: string): string[] =>
  [...html.matchAll(/https:\/\/catalog\.example(\/assets\/[^"\s#]+)/g)].map(([, path = ""]) => path);

async function count(store: { execute(sql: string): Promise<unknown[]> }, table: string): Promise<number> {
  return ((await store.execute(`select count(*) as n from ${table}`)) as { n: number }[])[0]?.n ?? 0;
}

function writeTea(courses: Courses, text: string): void {
  courses.write("tea/course.yaml", "name: Tea\nthumbnail: leaf.png\n");
  courses.write("tea/leaf.png", "leaf");
  courses.write("tea/01-a.md", `---\nid: a\n---\n\n${text}\n`);
}

describe.each(engines)("files of a folder on $name", (engine) => {
  test("are stored by content for every kind of link", async () => {
    const courses = createCourses();
    writeTea(
      courses,
      [
        "![map](img/a%20map.png) [slides](../s.pdf#page=3) ![same](img/copy.png)",
        '<video src="img/v.mp4?x=1" poster="img/p.webp"></video><img srcset="img/p.webp 1x, /tea/img/d.svg 2x">',
        "<a href=\"(odd) 'name' ünï.zip\">zip</a>",
      ].join("\n\n"),
    );
    courses.write("s.pdf", "pdf");
    for (const name of ["a map.png", "copy.png"]) courses.write(`tea/img/${name}`, "picture");
    for (const name of ["v.mp4", "p.webp", "d.svg"]) courses.write(`tea/img/${name}`, name);
    courses.write("tea/(odd) 'name' ünï.zip", "zip");
    const database = await openTestStore(engine);
    const { store } = database;
    const key = await createKey(store, "acme");
    const { problems, outcome } = await importFolder(store, courses);
    expect(problems).toEqual([]);
    expect(outcome).toMatchObject({ status: "published", files: { files: 7 } });
    const html = await readLesson(store, key);
    const paths = listPaths(html);
    expect(paths.map((path) => path.split("/")[3])).toEqual(
      "a%20map.png s.pdf copy.png v.mp4 p.webp p.webp d.svg %28odd%29%20%27name%27%20%C3%BCn%C3%AF.zip".split(" "),
    );
    expect(html).toContain('s.pdf#page=3"');
    expect(html).toContain("p.webp 1x, https://");
    const [map, , copy] = paths;
    expect(map?.split("/")[2]).toBe(copy?.split("/")[2] ?? "");
    const server = await startTestServer(store);
    for (const path of paths) expect([path, (await server.get(path)).status]).toEqual([path, 200]);
    expect((await server.get(map ?? "")).text).toBe("picture");
    const { text } = await createAsk({ store })("/courses/tea", key);
    const { thumbnail } = (JSON.parse(text) as { data: { thumbnail: string } }).data;
    expect((await server.get(thumbnail.replace(PUBLIC_URL, ""))).text).toBe("leaf");
    await server.stop();
    await database.drop();
  });

  test("are not stored if they are hidden, lessons, outlines or too large", async () => {
    const courses = createCourses();
    const links = ".env .git/config b.md course.yaml page.html node_modules/x.js big.bin link.png ../../x".split(" ");
    writeTea(courses, links.map((link) => `[x](${link})`).join("\n\n"));
    courses.write("tea/b.md", "not a lesson, since the outline may say so");
    for (const name of [".env", ".git/config", "page.html", "node_modules/x.js"])
      courses.write(`tea/${name}`, "secret");
    courses.write("tea/big.bin", "x".repeat(2_000_001));
    symlinkSync(".git/config", join(courses.path, "tea/link.png"));
    const database = await openTestStore(engine);
    const key = await createKey(database.store, "acme");
    const { problems } = await importFolder(database.store, courses, { maxBytes: 1024 * 1024 });
    expect(listPaths(await readLesson(database.store, key))).toEqual([]);
    expect(await count(database, "assets")).toBe(1);
    expect(problems).toContain(
      'tea/01-a.md:17: warning: link "big.bin": tea/big.bin is too large: 2 MiB; the limit for a stored file is 1 MiB (--max-asset-size)',
    );
    expect(problems).toContain(
      'tea/01-a.md:19: warning: link "link.png" points to a hidden or ignored path: tea/link.png',
    );
    await database.drop();
  });

  test("are stored once, and change their course only with their content", async () => {
    const courses = createCourses();
    writeTea(courses, "![a](a.png)");
    courses.write("tea/a.png", "one");
    const database = await openTestStore(engine);
    const { store } = database;
    expect((await importFolder(store, courses)).outcome).toMatchObject({ status: "published", files: { files: 2 } });
    expect((await importFolder(store, courses, { at: onDay(1) })).outcome.status).toBe("unchanged");
    const other = await importFolder(store, courses, { project: "other", at: onDay(1) });
    expect(other.outcome).toMatchObject({ status: "published", files: { files: 0 } });
    courses.write("tea/a.png", "two");
    const planned = await importFolder(store, courses, { dryRun: true });
    expect(planned.outcome).toMatchObject({ status: "planned", plan: { files: { files: 1, bytes: 3 } } });
    expect(await count(database, "assets")).toBe(2);
    expect((await importFolder(store, courses, { at: onDay(2) })).outcome).toMatchObject({
      status: "published",
      changes: { lessonsChanged: 1 },
      files: { files: 1, bytes: 3 },
    });
    expect(await count(database, "assets")).toBe(3);
    await database.drop();
  });

  test("are deleted with the last release of any project that has them", async () => {
    const courses = createCourses();
    writeTea(courses, "![a](a.png)");
    courses.write("tea/a.png", "one");
    const database = await openTestStore(engine);
    const { store } = database;
    const key = await createKey(store, "acme");
    const prune = async (project: string, days: number) => {
      await pruneReleases(publishingAt(store, project, onDay(days)), 1);
      return store.assets.pruneAssets(onDay(days));
    };
    await importFolder(store, courses);
    await importFolder(store, courses, { project: "other" });
    const [path = ""] = listPaths(await readLesson(store, key));
    const [, , digest = "", name = ""] = path.split("/");
    courses.write("tea/a.png", "two");
    for (const project of ["acme", "other"]) await importFolder(store, courses, { project, at: onDay(1) });
    expect(await prune("acme", 3)).toEqual({ assets: 0, bytes: 0 });
    expect(await store.assets.findAsset(digest, name)).toBeDefined();
    expect(await prune("other", 4)).toEqual({ assets: 1, bytes: 3 });
    expect(await store.assets.findAsset(digest, name)).toBeUndefined();
    // Brought back by an edit, it is stored again.
    courses.write("tea/a.png", "one");
    expect((await importFolder(store, courses, { at: onDay(5) })).outcome).toMatchObject({ files: { files: 1 } });
    expect(await store.assets.findAsset(digest, name)).toBeDefined();
    await database.drop();
  });

  test("remain while a course contains their URLs, however it got them", async () => {
    const courses = createCourses();
    writeTea(courses, "![a](a.png)");
    courses.write("tea/a.png", "one");
    const database = await openTestStore(engine);
    const { store } = database;
    const key = await createKey(store, "acme");
    await importFolder(store, courses);
    const html = await readLesson(store, key);
    const [path = ""] = listPaths(html);
    const [, , digest = "", name = ""] = path.split("/");
    const line = JSON.stringify({
      _id: "tea",
      name: "Tea",
      chapters: [
        { name: "1", lessons: [{ id: "a", name: "A", additionalText: html + html.replace("a.png", "b.html") }] },
      ],
    });
    const linked = new LinkedFiles(new URL(PUBLIC_URL), 1000);
    await importNdjson(store, "other", `${line}\n`, onDay(1), { files: { linked, assets: store.assets } });
    courses.write("tea/a.png", "two");
    await importFolder(store, courses, { at: onDay(1) });
    await pruneReleases(publishingAt(store, "acme", onDay(3)), 1);
    await store.assets.pruneAssets(onDay(3));
    expect(await store.assets.findAsset(digest, name)).toBeDefined();
    // A name that nobody has stored stays unknown.
    expect(await store.assets.findAsset(digest, "b.html")).toBeUndefined();
    await database.drop();
  });

  test("are copied with their releases, and only those", async () => {
    const courses = createCourses();
    writeTea(courses, "![a](a.png)");
    courses.write("tea/a.png", new Uint8Array(300_000).fill(7));
    const database = await openTestStore(engine);
    const { store } = database;
    const key = await createKey(store, "acme");
    await importFolder(store, courses);
    // Left by an import that was refused.
    await storeFile(store, "left.bin", "left");
    const target = engine.name === "sqlite" ? engines[1] : engines[0];
    const copied = await target?.createDatabase();
    if (copied === undefined) throw new Error("there are two engines");
    await copyStore(database.url, copied.url, () => {});
    const copy = await openStore(copied.url, { create: false });
    const server = await startTestServer(copy);
    const [path = ""] = listPaths(await readLesson(copy, key));
    expect((await server.get(path)).text).toHaveLength(300_000);
    expect(await count(copied, "assets")).toBe(2);
    // It stores on under ids of its own.
    courses.write("tea/a.png", "two");
    await importFolder(copy, courses, { at: onDay(1) });
    await waitFor(async () => (await server.get(listPaths(await readLesson(copy, key))[0] ?? "")).text === "two");
    await server.stop();
    await copy.close();
    await copied.drop();
    await database.drop();
  });
});

test("are listed by a check, which also names files that are too large", async () => {
  const courses = createCourses();
  writeTea(courses, "![a](a.png) ![again](b.png)\n\n![big](big.png)");
  for (const name of ["a.png", "b.png"]) courses.write(`tea/${name}`, "x".repeat(150_000));
  courses.write("tea/big.png", "x".repeat(1_100_000));
  const settings = ["--public-url", PUBLIC_URL, "--max-asset-size", "1"];
  const { exitCode, stdout, stderr } = await runCommand(["check", courses.path, ...settings]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("big.png is too large: 1.1 MiB; the limit for a stored file is 1 MiB (--max-asset-size)\n");
  expect(stderr).toContain("An import would store 2 linked files (150.0 kB).\n");
});

test("are stored in a folder by commands, which report sizes and reclaim space", async () => {
  const courses = createCourses();
  writeTea(courses, "![a](a.png)");
  courses.write("tea/a.png", "one");
  const env = {
    LECTERN_DATABASE: `sqlite:${join(courses.path, "../lectern.db")}`,
    LECTERN_ASSETS: `dir:${join(courses.path, "../assets")}`,
    LECTERN_PUBLIC_URL: PUBLIC_URL,
  };
  const imported = await runCommand(["import", courses.path, "--project", "acme"], { env });
  expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
  expect(imported.stdout).toContain("\n  files: 2 stored, 7 bytes\n");
  const lesson = await runCommand(["get", "/api/v1/courses/tea/lessons/a", "--project", "acme"], { env });
  const [path = ""] = listPaths(lesson.stdout);
  const got = await runCommand(["get", path, "--project", "acme"], { env });
  expect([got.exitCode, got.stdout.endsWith("\n\none\n")]).toEqual([0, true]);
  const pruned = await runCommand(["prune", "--project", "acme"], { env });
  expect(pruned.stdout).toBe("Nothing to prune in acme.\n");
  for (const url of [
    "catalog.example",
    "ftp://catalog.example",
    "https://catalog.example/?x",
    "https://a:b@catalog.example",
  ]) {
    const refused = await runCommand(["import", courses.path, "--project", "acme", "--public-url", url], { env });
    expect([url, refused.exitCode]).toEqual([url, 2]);
  }
});
