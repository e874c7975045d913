// Importing an exported catalog gives the same answers.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { acmeCourses } from "../support/acme.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { LAUNCHER, runCommand, startCommand } from "../support/command.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, createTestFolder, engines, openTestStore, type TestStore, useTestStore } from "../support/store.ts";

const PUBLIC_URL = "https://catalog.example";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const courses: AuthoredCourse[] = [
  ...acmeCourses,
  {
    _id: "odd",
    slug: "odd slug: #1",
    name: 'Odd "names": - [x] # and\nbreaks',
    description: "Two\nlines",
    language: "pt-BR",
    tags: ["a: b", "#c"],
    durationMinutes: 0,
    chapters: [
      {
        id: "c 1",
        name: "---",
        lessons: [
          {
            id: "l",
            name: "'",
            additionalText: "---\nname: no front matter\n---\r\n\ufeff\u0000<p>…</p> ",
            durationMinutes: 7,
          },
          { id: "m", name: "yes", url: "https://example.org/v.mp4", quizHtml: "<form>\n  'x': \"y\" </form>\n" },
          { id: "n", name: "2026-01-01", updatedAt: "2026-02-03T04:05:06.789Z" },
          {
            id: "o",
            name: "Linked",
            additionalText: '<a href="elsewhere.md" data-course-id="a" data-lesson-id="b">x</a>',
          },
        ],
      },
      { name: "Empty" },
    ],
  },
];

describe.each(engines)("an export on $name", (engine) => {
  let second: TestStore;
  let folder: ReturnType<typeof createTestFolder>;
  const first = useTestStore(engine, async () => {
    second = await openTestStore(engine);
    folder = createTestFolder();
    await publish(first.store, "acme", courses, "2026-03-01T12:00:00.000Z");
    // Dates of imports differ from lesson to lesson.
    const edited = courses.map((course) => (course["_id"] === "bare" ? { ...course, name: "Bare, edited" } : course));
    await publish(first.store, "acme", edited, "2026-03-02T12:00:00.000Z");
    return async () => {
      folder.remove();
      await second.drop();
    };
  });

  const run = async (...args: string[]) => {
    const result = await runCommand(args);
    if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: ${result.stderr}`);
    return result;
  };
  const importInto = async (store: TestStore, project: string, source: string, ...rest: string[]) =>
    run("import", source, "--database", store.url, "--project", project, ...rest);

  /** Every answer of a catalog, drafts too: status, ETag and body. */
  const readAll = async ({ store }: TestStore, project: string): Promise<Record<string, unknown>> => {
    const ask = createAsk({ store });
    const key = await createKey(store, project, { drafts: true });
    const answers: Record<string, unknown> = {};
    const read = async (path: string): Promise<string> => {
      const { status, headers, text } = await ask(path, key);
      answers[path] = [status, headers.get("etag"), text];
      return text;
    };
    const release = await store.publishing.findCurrentRelease(project, "live");
    if (release === undefined) throw new Error("there is no release");
    await read("/courses");
    for (const { courseId } of await store.publishing.listVersions(release)) {
      const path = `/courses/${encodeURIComponent(courseId)}`;
      const { data } = JSON.parse(await read(path)) as { data: { chapters: { lessons: { id: string }[] }[] } };
      await read(`${path}/lessons`);
      for (const { id } of data.chapters.flatMap(({ lessons }) => lessons)) {
        await read(`${path}/lessons/${encodeURIComponent(id)}`);
      }
    }
    return answers;
  };

  test("is complete through a pipe, however long its lines are", async () => {
    const lessons = Array.from({ length: 4 }, (_, n) => ({
      id: `${n}`,
      name: `${n}`,
      additionalText: `${n} ä `.repeat(10_000),
    }));
    await publish(first.store, "long", [{ _id: "a", name: "A", chapters: [{ name: "C", lessons }] }]);
    const [piped, written] = [join(folder.path, "piped.ndjson"), join(folder.path, "written.ndjson")];
    await run("export", written, "--database", first.url, "--project", "long");
    const command = ["node", LAUNCHER, "export", "-", "--database", first.url, "--project", "long"];
    const script = `${command.map((part) => `'${part}'`).join(" ")} | cat > '${piped}'`;
    expect(await Bun.spawn(["sh", "-c", script], { stderr: "ignore" }).exited).toBe(0);
    expect(Bun.SHA256.hash(await Bun.file(piped).bytes(), "hex")).toBe(
      Bun.SHA256.hash(await Bun.file(written).bytes(), "hex"),
    );
  });

  test("includes files, which keep their URLs after an import", async () => {
    const source = join(folder.path, "with-image");
    mkdirSync(join(source, "01-a/img"), { recursive: true });
    writeFileSync(join(source, "01-a/01-l.md"), "# L\n\n![x](img/ä%20b.png) [y](img/doc.pdf)\n");
    writeFileSync(join(source, "01-a/img/ä b.png"), PIXEL);
    writeFileSync(join(source, "01-a/img/doc.pdf"), "%PDF-1.4");
    await importInto(first, "files", source, "--public-url", PUBLIC_URL);
    const exported = join(folder.path, "exported");
    const { stdout } = await run("export", exported, "--database", first.url, "--project", "files");
    expect(stdout).toContain("1 course, 1 lesson, 2 files.\nTo serve the exported files again");
    const { stderr } = await importInto(second, "files", exported, "--public-url", PUBLIC_URL);
    expect(stderr).not.toContain("warning");
    expect(await readAll(second, "files")).toEqual(await readAll(first, "files"));
    const [path = ""] = /\/assets\/[^"]*png/.exec(JSON.stringify(await readAll(second, "files"))) ?? [];
    const image = await run("get", path, "--database", second.url, "--project", "files");
    expect(image.stdout + image.stderr).toContain("image/png");
  });

  test("omits dates set by imports, so that later imports can set others", async () => {
    const { stdout } = await run("export", "-", "--database", first.url, "--project", "acme");
    const bare = stdout.split("\n").find((line) => line.includes('"Bare, edited"')) ?? "";
    expect(JSON.parse(bare)).toMatchObject({
      derived: ["createdAt", "updatedAt"],
      updatedAt: "2026-03-02T12:00:00.000Z",
    });
    const lines = join(folder.path, "bare.ndjson");
    writeFileSync(lines, bare);
    await importInto(second, "dates", lines);
    writeFileSync(lines, bare.replace("Bare, edited", "Edited again"));
    await importInto(second, "dates", lines);
    const { stdout: now } = await run("export", "-", "--database", second.url, "--project", "dates");
    const course = JSON.parse(now) as { createdAt: string; updatedAt: string };
    expect(course.createdAt).toBe("2026-03-01T12:00:00.000Z");
    expect(course.updatedAt > "2026-03-02T12:00:00.000Z").toBe(true);
  });

  test("that fails says why and leaves nothing", async () => {
    const fail = async (...args: string[]): Promise<string> => {
      const { exitCode, stderr, stdout } = await runCommand(["export", ...args, "--database", first.url]);
      expect([exitCode, stdout]).toEqual([1, ""]);
      return stderr;
    };
    const full = join(folder.path, "full");
    mkdirSync(full);
    writeFileSync(join(full, "mine.txt"), "mine");
    expect(await fail(full, "--project", "acme")).toContain("is not empty");
    const nowhere = join(folder.path, "nowhere/courses.ndjson");
    expect(await fail(nowhere, "--project", "acme")).toStartWith(`lectern: Cannot create ${nowhere}: ENOENT`);
    const inFile = join(full, "mine.txt/courses");
    expect(await fail(inFile, "--project", "acme")).toBe(`lectern: ${inFile} cannot be written: it is a file.\n`);
    expect(readdirSync(full)).toEqual(["mine.txt"]);
    expect(await fail(join(full, "mine.txt"), "--project", "acme")).toContain("it is a file");
    const gone = join(folder.path, "gone");
    expect(await fail(gone, "--project", "nobody")).toContain("has no release");
    expect(await fail(gone, "--project", "acme", "--release", "9")).toContain("has no release 9");
    await pruneReleases(publishingAt(first.store, "acme", "2026-03-04T00:00:00.000Z"), 1);
    expect(await fail(gone, "--project", "acme", "--release", "1")).toContain("was pruned at");
    expect(existsSync(gone)).toBe(false);
  });

  // What a killed process leaves does not depend on the database.
  if (engine !== anyEngine) return;

  test.each(["courses", "courses.ndjson"])(
    "that is killed leaves files that the next export to %s removes",
    async (to) => {
      const store = await openTestStore(engine);
      const chapters = [
        { name: "A", lessons: Array.from({ length: 500 }, (_, index) => ({ name: `Lesson ${index}` })) },
      ];
      await publish(
        store.store,
        "acme",
        Array.from({ length: 8 }, (_, index) => ({ name: `Course ${index}`, chapters })),
      );
      const place = createTestFolder();
      const path = join(place.path, to);
      const args = ["export", path, "--project", "acme", "--database", store.url];
      // One that was over before the signal came has to be made again.
      let pid: number;
      for (;;) {
        const child = startCommand(args);
        pid = child.pid;
        const watcher = watch(place.path, () => child.kill("SIGKILL"));
        await child.exited;
        watcher.close();
        if (child.exitCode !== 0) break;
        rmSync(path, { recursive: true });
      }
      expect(readdirSync(place.path)).toEqual([`${to}.part-${pid}`]);
      // Another one writes now; the others are none.
      const others = [`${to}.part-${process.pid}`, `${to}.part-01`, `x${to}.part-999999`];
      for (const name of others) writeFileSync(join(place.path, name), "");
      expect((await runCommand(args)).exitCode).toBe(0);
      expect(readdirSync(place.path).sort()).toEqual([to, ...others].sort());
      place.remove();
      await store.drop();
    },
  );
});
