// A preview, from the first page to Ctrl-C, as its author has it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { createTestFolder } from "../support/store.ts";
import { startPreview, type Previewed } from "./previewed.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

let folder: { path: string; remove: () => void };
let temporary: string;
let courses: string;
let preview: Previewed;

function write(path: string, content: string | Uint8Array): void {
  const file = join(courses, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}

const lessonText = async (course: string, lesson: string): Promise<string> => {
  const { data } = await preview.get(`/courses/${course}/lessons/${lesson}`);
  return String(data["additionalText"]);
};

beforeAll(async () => {
  folder = createTestFolder();
  courses = join(folder.path, "courses");
  temporary = join(folder.path, "tmp");
  mkdirSync(temporary);
  write("tea/course.yaml", "_id: tea\nname: Tea\n");
  write("tea/01-leaves.md", "---\nid: leaves\n---\ngreen ![leaf](leaf.png)\n");
  write("tea/leaf.png", PIXEL);
  write("coffee/course.yaml", "_id: coffee\nname: Coffee\npublished: false\n");
  write("coffee/01-beans.md", "---\nid: beans\n---\nbrown\n");
  preview = await startPreview([courses], { TMPDIR: temporary });
});
afterAll(async () => {
  await preview.end("SIGKILL");
  folder.remove();
});

// The tests build on one another, in one folder.
describe("lectern preview", () => {
  test("prints a local URL that serves the page, its courses and their images", async () => {
    expect(new URL(preview.url).hostname).toBe("127.0.0.1");
    for (const path of ["/", "/docs"]) {
      const { status, headers } = await fetch(preview.url + path);
      expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
    }
    expect((await preview.get("/courses")).data).toMatchObject({ total: 1, results: [{ _id: "tea" }] });
    const [image = ""] = /http[^"]+leaf\.png/.exec(await lessonText("tea", "leaves")) ?? [];
    expect(image.startsWith(preview.url)).toBe(true);
    expect(Buffer.from(await (await fetch(image)).arrayBuffer())).toEqual(PIXEL);
  });

  test("sends pages the drafts, which lists omit", async () => {
    expect((await preview.get("/courses/coffee")).status).toBe(200);
    expect(await preview.until(() => true)).toMatchObject({
      release: 1,
      errors: 0,
      drafts: [{ courseId: "coffee", slug: "coffee" }],
    });
  });

  test("rejects requests without its key and from pages of other origins", async () => {
    for (const path of ["/api/v1/courses", "/preview/events"]) {
      const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      const response = await fetch(preview.url + path, { headers });
      expect([path, response.status]).toEqual([path, 401]);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test("allows only GET for its events", async () => {
    const response = await fetch(`${preview.url}/preview/events`, {
      method: "POST",
      headers: { "x-api-key": preview.key },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  });

  test("rejects every other host name, even with the key", async () => {
    const { port } = new URL(preview.url);
    const ask = async (host: string, path: string): Promise<number> => {
      const headers = { host, "x-api-key": preview.key };
      const response = await fetch(preview.url + path, { headers });
      await response.body?.cancel();
      return response.status;
    };
    for (const path of ["/", "/api/v1/courses", "/preview/events"]) {
      for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", `localhost.evil:${port}`]) {
        expect([path, host, await ask(host, path)]).toEqual([path, host, 421]);
      }
    }
    expect(await ask(`localhost:${port}`, "/api/v1/courses")).toBe(200);
    // No port is so high: what the request says is not a valid URL then.
    expect([await ask("localhost:99999", "/api/v1/courses"), await ask("localhost:99999", "/nothing")]).toEqual([
      200, 404,
    ]);
  });

  test("shows a saved file, even if it replaced another", async () => {
    write("tea/01-leaves.md", "---\nid: leaves\n---\nblack\n");
    expect(await preview.until(({ release }) => release === 2)).toMatchObject({ errors: 0, warnings: 0 });
    expect(await lessonText("tea", "leaves")).toContain("black");
    write("tea/.leaves.tmp", "---\nid: leaves\n---\nwhite\n");
    renameSync(join(courses, "tea/.leaves.tmp"), join(courses, "tea/01-leaves.md"));
    await preview.until(({ release }) => release === 3);
    expect(await lessonText("tea", "leaves")).toContain("white");
    expect(preview.output()).toContain("release 3: 1 lesson changed");
  });

  test("keeps the last good state during an error, shows its location and lesson, and continues once it is fixed", async () => {
    write("tea/01-leaves.md", "---\nid: leaves\n---\nred [x](gone.md)\n");
    const file = join(courses, "tea/01-leaves.md");
    const lesson = { courseId: "tea", lessonId: "leaves" };
    const warned = await preview.until(({ warnings }) => warnings > 0);
    expect(warned).toMatchObject({ release: 4, problems: [{ severity: "warning", file, line: 4, ...lesson }] });

    write("tea/01-leaves.md", "---\nid: leaves\nid: twice\n---\nred\n");
    const broken = await preview.until(({ errors }) => errors > 0);
    expect(broken).toMatchObject({ release: 4, problems: [{ severity: "error", file, line: 3, ...lesson }] });
    expect(await lessonText("tea", "leaves")).toContain("red");
    await preview.untilWritten(`${file}:3`);
    await preview.untilWritten("1 error: release 4 stays until you fix it");

    write("tea/01-leaves.md", "---\nid: leaves\n---\nyellow\n");
    await preview.until(({ release, errors }) => release === 5 && errors === 0);
    expect(await lessonText("tea", "leaves")).toContain("yellow");
  });

  test("shows new, renamed and deleted files and folders", async () => {
    write("tea/02-brewing/01-water.md", "---\nid: water\n---\nhot\n");
    write("tea/01-start/01-cups.md", "---\nid: cups\n---\nround\n");
    await preview.until(({ release }) => release > 5);
    const names = async (): Promise<string[]> => {
      const { data } = await preview.get("/courses/tea/lessons");
      return (data["results"] as { id: string }[]).map(({ id }) => id);
    };
    // The two files may have been seen one by one.
    let state = await preview.until(() => true);
    while (!(await names()).includes("cups")) state = await preview.until(({ release }) => release > state.release);
    renameSync(join(courses, "tea/02-brewing"), join(courses, "tea/03-kettles"));
    write("tea/03-kettles/02-fire.md", "---\nid: fire\n---\nwarm\n");
    while (!(await names()).includes("fire")) state = await preview.until(({ release }) => release > state.release);
    expect(await names()).toEqual(expect.arrayContaining(["cups", "water", "fire"]));
    rmSync(join(courses, "tea/01-start"), { recursive: true });
    while ((await names()).includes("cups")) state = await preview.until(({ release }) => release > state.release);
    renameSync(join(courses, "coffee"), join(courses, "mocha"));
    rmSync(join(courses, "mocha"), { recursive: true });
    expect((await preview.until(({ drafts }) => drafts.length === 0)).errors).toBe(0);
  });

  test("handles many files saved at once", async () => {
    for (let number = 0; number < 100; number++) {
      write(`many/${String(number).padStart(3, "0")}-lesson.md`, `---\nid: l${number}\n---\ntext ${number}\n`);
    }
    await preview.untilWritten("release");
    for (;;) {
      const state = await preview.until(() => true);
      const { status, data } = await preview.get("/courses/many/lessons");
      if (status === 200 && data["total"] === 100) break;
      await preview.until(({ release }) => release > state.release);
    }
  });

  test("waits while Git changes files", async () => {
    const lock = join(folder.path, ".git/index.lock");
    mkdirSync(join(folder.path, ".git"));
    const { release } = await preview.until(() => true);
    writeFileSync(lock, "");
    const inRepository = await startPreview([courses], { TMPDIR: temporary });
    rmSync(join(courses, "many/000-lesson.md"));
    // The first preview began before there was a repository, so it has seen what the other one has not read.
    await preview.until((state) => state.release > release);
    expect((await inRepository.get("/courses/many/lessons")).data["total"]).toBe(100);
    rmSync(lock);
    await inRepository.until((state) => state.release === 2);
    expect((await inRepository.get("/courses/many/lessons")).data["total"]).toBe(99);
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
    const next = await startPreview([courses], { TMPDIR: temporary });
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
    const waiting = await startPreview([empty], { TMPDIR: temporary, FORCE_COLOR: "1" });
    expect(waiting.output()).toContain(": \u001b[31merror\u001b[39m: ");
    expect(waiting.output()).toContain("nothing to show until you fix the error");
    expect(await waiting.until(() => true)).toMatchObject({ release: 0, errors: 1 });
    mkdirSync(join(empty, "tea"));
    writeFileSync(join(empty, "tea/01-leaves.md"), "green");
    await waiting.until(({ release, errors }) => release === 1 && errors === 0);
    expect((await waiting.get("/courses")).data["total"]).toBe(1);
    expect(await waiting.end("SIGTERM")).toBe(0);
  });

  test("needs a folder", async () => {
    const gone = await runCommand(["dev", join(folder.path, "gone")]);
    expect([gone.exitCode, gone.stderr]).toEqual([1, `lectern: There is no folder ${join(folder.path, "gone")}.\n`]);
    const file = await runCommand(["preview", join(courses, "tea/01-leaves.md")]);
    expect([file.exitCode, file.stderr]).toEqual([1, expect.stringContaining("is not a folder")]);
  });
});
