// Exports: complete, with files and dates, and nothing of one that fails. `round-trips.test.ts` compares their content.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
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
      const ask = createAsk({ store });
      const key = await createKey(store, "files");
      const { text: list } = await ask("/courses?include=meta", key);
      const [, id] = /"_id":"(.*?)"/.exec(list) ?? [];
      return [list, (await ask(`/courses/${id}?include=lessons,meta`, key)).text];
    };
    const [list, whole = ""] = await read(second);
    expect([list, whole]).toEqual(await read(first));
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
    "that is killed leaves files that the next export to %s removes",
    async (to) => {
      const lessons = Array.from({ length: 1000 }, (_, index) => ({ name: `Lesson ${index}` }));
      await publish(first.store, to, [{ name: "A", chapters: [{ name: "A", lessons }] }]);
      const place = makeFolder();
      const path = join(place, to);
      const args = ["export", path, "--project", to, "--database", first.url];
      // One that was over before the signal came has to be made again.
      let pid: number;
      for (;;) {
        const child = startCommand(args);
        pid = child.pid;
        const watcher = watch(place, () => child.kill("SIGKILL"));
        await child.exited;
        watcher.close();
        if (child.exitCode !== 0) break;
        rmSync(path, { recursive: true });
      }
      expect(readdirSync(place)).toEqual([`${to}.part-${pid}`]);
      // Another one writes now; the others are none.
      const others = [`${to}.part-${process.pid}`, `${to}.part-01`, `x${to}.part-999999`];
      for (const name of others) writeFileSync(join(place, name), "");
      expect((await runCommand(args)).exitCode).toBe(0);
      expect(readdirSync(place).sort()).toEqual([to, ...others].sort());
    },
  );
});
