// A preview, from the first page to Ctrl-C, as its author has it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestFolder } from "../support/store.ts";
import { startPreview, type Previewed } from "./previewed.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

const folder = createTestFolder();
const courses = join(folder.path, "courses");
const temporary = join(folder.path, "tmp");
const LEAVES = join(courses, "tea/01-leaves.md");
let preview: Previewed;
/** A preview of a folder, with its own folder for temporary files. */
const start = (root = courses) => startPreview([root], { TMPDIR: temporary });

function write(path: string, content: string | Uint8Array): void {
  const file = join(courses, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}
const writeLesson = (path: string, id: string, text: string): void => write(path, `---\nid: ${id}\n---\n${text}\n`);
const writeLeaves = (text: string): void => writeLesson("tea/01-leaves.md", "leaves", text);

const readLeaves = async (): Promise<string> => {
  const { data } = await preview.get("/courses/tea/lessons/leaves");
  return String(data["additionalText"]);
};
const listIds = async (course: string): Promise<string[]> => {
  const { data } = await preview.get(`/courses/${course}/lessons?limit=100`);
  return ((data?.["results"] ?? []) as { id: string }[]).map(({ id }) => id);
};
/** Waits for a release in which it holds; several files may be seen one by one. */
async function untilReleased(holds: () => Promise<boolean>): Promise<void> {
  for (let state = await preview.until(() => true); !(await holds());)
    state = await preview.until(({ release }) => release > state.release);
}

beforeAll(async () => {
  mkdirSync(temporary);
  write("tea/course.yaml", "_id: tea\nname: Tea\n");
  writeLeaves("green ![leaf](leaf.png)");
  write("tea/leaf.png", PIXEL);
  write("coffee/course.yaml", "_id: coffee\nname: Coffee\npublished: false\n");
  writeLesson("coffee/01-beans.md", "beans", "brown");
  preview = await start();
});
afterAll(async () => {
  await preview.end("SIGKILL");
  folder.remove();
});

// The tests build on one another, in one folder.
describe("lectern preview", () => {
  test("prints a local URL that serves the page, its courses and their images; lists omit drafts", async () => {
    expect(new URL(preview.url).hostname).toBe("127.0.0.1");
    for (const path of ["/", "/docs"])
      expect((await fetch(preview.url + path)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await preview.get("/courses")).data).toMatchObject({ total: 1, results: [{ _id: "tea" }] });
    const [image = ""] = /http[^"]+leaf\.png/.exec(await readLeaves()) ?? [];
    expect(image).toStartWith(preview.url);
    expect(Buffer.from(await (await fetch(image)).arrayBuffer())).toEqual(PIXEL);
    expect((await preview.get("/courses/coffee")).status).toBe(200);
    const drafts = [{ courseId: "coffee", slug: "coffee" }];
    expect(await preview.until(() => true)).toMatchObject({ release: 1, errors: 0, drafts });
  });

  test("rejects requests without its key and from pages of other origins; its events allow only GET", async () => {
    for (const path of ["/api/v1/courses", "/preview/events"]) {
      const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      const response = await fetch(preview.url + path, { headers });
      expect([path, response.status, response.headers.get("access-control-allow-origin")]).toEqual([path, 401, null]);
    }
    const headers = { "x-api-key": preview.key };
    expect((await fetch(`${preview.url}/preview/events`, { method: "POST", headers })).status).toBe(405);
  });

  test("rejects every other host name, even with the key", async () => {
    const { port } = new URL(preview.url);
    const ask = async (host: string, path: string): Promise<number> => {
      const response = await fetch(preview.url + path, { headers: { host, "x-api-key": preview.key } });
      await response.body?.cancel();
      return response.status;
    };
    for (const path of ["/", "/api/v1/courses", "/preview/events"])
      expect([path, await ask(`localhost.evil:${port}`, path)]).toEqual([path, 421]);
    expect(await ask(`localhost:${port}`, "/api/v1/courses")).toBe(200);
    // No port is so high: what the request says is not a valid URL then.
    expect(await ask("localhost:99999", "/nothing")).toBe(404);
  });

  test("shows a saved file, even if it replaced another", async () => {
    writeLeaves("black");
    expect(await preview.until(({ release }) => release === 2)).toMatchObject({ errors: 0, warnings: 0 });
    expect(await readLeaves()).toContain("black");
    writeLesson("tea/.leaves.tmp", "leaves", "white");
    renameSync(join(courses, "tea/.leaves.tmp"), LEAVES);
    await preview.until(({ release }) => release === 3);
    expect(await readLeaves()).toContain("white");
    expect(preview.output()).toContain("release 3: 1 lesson changed");
  });

  test("keeps the last good state during an error, shows its location and lesson, and continues once it is fixed", async () => {
    const problem = { file: LEAVES, courseId: "tea", lessonId: "leaves" };
    writeLeaves("red [x](gone.md)");
    const warned = await preview.until(({ warnings }) => warnings > 0);
    expect(warned).toMatchObject({ release: 4, problems: [{ severity: "warning", line: 4, ...problem }] });
    writeLesson("tea/01-leaves.md", "leaves\nid: twice", "red");
    const broken = await preview.until(({ errors }) => errors > 0);
    expect(broken).toMatchObject({ release: 4, problems: [{ severity: "error", line: 3, ...problem }] });
    expect(await readLeaves()).toContain("red");
    await preview.untilWritten("1 error: release 4 stays until you fix it");
    writeLeaves("yellow");
    await preview.until(({ release, errors }) => release === 5 && errors === 0);
    expect(await readLeaves()).toContain("yellow");
  });

  test("shows new, renamed and deleted files and folders", async () => {
    writeLesson("tea/02-brewing/01-water.md", "water", "hot");
    await untilReleased(async () => (await listIds("tea")).includes("water"));
    renameSync(join(courses, "tea/02-brewing"), join(courses, "tea/03-kettles"));
    writeLesson("tea/03-kettles/02-fire.md", "fire", "warm");
    await untilReleased(async () => (await listIds("tea")).includes("fire"));
    expect(await listIds("tea")).toEqual(["leaves", "water", "fire"]);
    rmSync(join(courses, "tea/03-kettles"), { recursive: true });
    await untilReleased(async () => (await listIds("tea")).length === 1);
    rmSync(join(courses, "coffee"), { recursive: true });
    expect((await preview.until(({ drafts }) => drafts.length === 0)).errors).toBe(0);
  });

  test("handles many files saved at once, and waits while Git changes files", async () => {
    for (let number = 100; number < 200; number++) writeLesson(`many/${number}-lesson.md`, `l${number}`, "text");
    await untilReleased(async () => (await listIds("many")).length === 100);
    const lock = join(folder.path, ".git/index.lock");
    mkdirSync(join(folder.path, ".git"));
    writeFileSync(lock, "");
    const inRepository = await start();
    const countLessons = async () => (await inRepository.get("/courses/many/lessons")).data["total"];
    rmSync(join(courses, "many/100-lesson.md"));
    // The first preview began before there was a repository, so it has seen what the other one has not read.
    await untilReleased(async () => (await listIds("many")).length === 99);
    expect(await countLessons()).toBe(100);
    rmSync(lock);
    await inRepository.until((state) => state.release === 2);
    expect(await countLessons()).toBe(99);
    await inRepository.end();
    rmSync(join(folder.path, ".git"), { recursive: true });
  });

  test("exits on a signal without leftovers, which a killed preview also does not leave", async () => {
    expect(readdirSync(temporary)).toHaveLength(1);
    const [killed = ""] = readdirSync(temporary);
    await preview.end("SIGKILL");
    expect(existsSync(join(temporary, killed))).toBe(true);
    // What leads elsewhere was made by somebody else.
    const elsewhere = join(folder.path, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "kept"), "");
    symlinkSync(elsewhere, join(temporary, killed.replace(/\w+$/, "link")));
    const next = await start();
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(existsSync(join(temporary, killed))).toBe(false);
    expect(readdirSync(elsewhere)).toEqual(["kept"]);
    // As when a terminal sends it, and a program between passes it on.
    setImmediate(() => process.kill(next.pid, "SIGINT"));
    expect(await next.end("SIGINT")).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("starts on a folder with errors, and shows its courses once they are fixed", async () => {
    const empty = join(folder.path, "empty");
    mkdirSync(empty);
    const waiting = await start(empty);
    expect(waiting.output()).toContain("nothing to show until you fix the error");
    expect(await waiting.until(() => true)).toMatchObject({ release: 0, errors: 1 });
    mkdirSync(join(empty, "tea"));
    writeFileSync(join(empty, "tea/01-leaves.md"), "green");
    await waiting.until(({ release, errors }) => release === 1 && errors === 0);
    expect((await waiting.get("/courses")).data["total"]).toBe(1);
    expect(await waiting.end("SIGTERM")).toBe(0);
  });
});
