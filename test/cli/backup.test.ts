// `lectern backup` as a process: the file's content and permissions, and leftovers of a failed one.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { OWNER } from "../../src/catalog/file-owner.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { createHook } from "../hooks/receiver.ts";
import { publish } from "../support/catalog.ts";
import { MAIN, runCommand, startCommand, startFedCommand, startServing } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { createTestFolder, openTestStore, sqlite, type TestStore } from "../support/store.ts";

let database: TestStore;
let folder: { path: string; remove: () => void };
let file: string;
let key: string;

beforeEach(async () => {
  database = await openTestStore(sqlite);
  folder = createTestFolder();
  file = join(folder.path, "backup.db");
  await publish(database.store, "acme", [
    { _id: "a", slug: "old", name: "A" },
    { _id: "b", name: "B", published: false },
  ]);
  await publish(database.store, "acme", [{ _id: "a", slug: "new", name: "A" }]);
  key = await createKey(database.store, "acme");
});
afterEach(async () => {
  await database.drop();
  folder.remove();
});

const run = (...args: string[]) => runCommand([...args, "--database", database.url]);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const PATHS = ["/courses", "/courses/a", "/courses/old", "/courses/b?release=1", "/courses?release=1"];
const readAnswers = async (store: Store): Promise<string[]> => {
  const ask = createAsk({ store });
  const answers = PATHS.map(async (path) => {
    const { status, headers, text } = await ask(path, key);
    return JSON.stringify([status, [...headers], text]);
  });
  return Promise.all(answers);
};
/** So much that a backup takes a while. */
const fillWithLessons = (): Promise<unknown> =>
  database.execute(`
    insert into lesson_versions (id, project, course_id, lesson_id, name, first_seen_at, changed_at, updated_at,
      source_digest, digest, has_video, has_quiz, meta, body)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000)
    select 1000 + i, 'acme', 'a', 'l' || i, '', '', '', '', '', '', 0, 0, '{}', randomblob(50) from n`);

describe("a backup", () => {
  test.each([["backup"], ["copy"]])(
    "by `lectern %s` leaves no long log to the next commit of a server",
    async (how) => {
      const path = database.url.slice("sqlite:".length);
      const server = new Database(path);
      server.run("pragma wal_autocheckpoint = 0");
      await fillWithLessons();
      server.run("update lesson_versions set name = 'changed'");
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000);
      const target =
        how === "backup" ? [file, "--database", database.url] : ["--from", database.url, "--to", `sqlite:${file}`];
      expect((await runCommand([how, ...target])).exitCode).toBe(0);
      expect(statSync(`${path}-wal`).size).toBe(0);
      server.close();
    },
  );

  test("is a consistent snapshot with its own identity, taken while a server and an import run", async () => {
    const expected = await readAnswers(database.store);
    const hook = (await createHook(database.store, "https://site.example/")).id;
    const server = await startServing(["serve", "--database", database.url]);
    const importing = startFedCommand(["import", "-", "--project", "acme", "--database", database.url]);
    const courses = Array.from({ length: 300 }, (_, index) => `${JSON.stringify({ name: `Course ${index}` })}\n`);
    await importing.feed(courses.join(""));
    const isHalfWritten = async (): Promise<boolean> =>
      (await database.execute("select 1 from course_versions limit 100")).length === 100;
    await waitFor(isHalfWritten);

    const { exitCode, stdout } = await run("backup", file);
    expect(exitCode).toBe(0);
    const bytes = statSync(file).size.toLocaleString("en-US");
    expect(stdout).toBe(`The backup is complete: ${file}, ${bytes} bytes.\n`);
    expect([modeOf(file), readdirSync(folder.path)]).toEqual(["600", ["backup.db"]]);
    // It can be read where nothing can be written.
    const alone = new Database(file, { readonly: true });
    expect(alone.query("pragma journal_mode").get()).toEqual({ journal_mode: "delete" });
    alone.close();

    await importing.end();
    expect((await send(server.url, "/api/v1/courses/a", { key })).status).toBe(200);
    server.kill();
    expect(await server.exited).toBe(0);
    const copy = await openStore(`sqlite:${file}`, { create: false });
    expect(await readAnswers(copy)).toEqual(expected);
    const [before, after] = [await database.store.changes.readRevisions(), await copy.changes.readRevisions()];
    expect(after.identity).not.toBe(before.identity);
    // The copy has the unfinished import, too; the next one there removes what it wrote.
    await publish(copy, "acme", [{ _id: "a", slug: "new", name: "third" }]);
    expect(await copy.hooks.findHook(hook)).toMatchObject({ isCopy: true });
    expect(await copy.hooks.listWaiting(10)).toEqual([]);
    await copy.close();
    const opened = new Database(file);
    expect(opened.query("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(opened.query("select count(*) as n from course_versions").get()).toEqual({ n: 4 });
    opened.close();
  });

  test("replaces the database as documented: stop the servers, replace the files", async () => {
    expect((await run("backup", file)).exitCode).toBe(0);
    await publish(database.store, "acme", [{ _id: "a", slug: "newer", name: "withdrawn" }]);
    await database.store.close();
    const path = database.url.slice("sqlite:".length);
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
    renameSync(file, path);
    const store = await openStore(database.url, { create: false });
    const ask = createAsk({ store });
    expect((await ask("/courses/a", key)).headers.get("catalog-release")).toBe("2");
    expect(await publish(store, "acme", [{ _id: "a", slug: "new", name: "third" }])).toBe(3);
    await store.close();
  });

  test("is readable only by its owner from the first byte, whatever the umask", async () => {
    await fillWithLessons();
    const seen = new Set<string>();
    // Nothing pauses a backup: on a busy machine it may end before the check.
    while (!seen.has("backup.db.unfinished-N 600")) await watchModes(seen);
    expect(seen).toContain("backup.db 600");
    for (const name of seen) expect(name).toEndWith(" 600");
  });

  /** Makes a backup, and records the modes of files beside it meanwhile. */
  async function watchModes(seen: Set<string>): Promise<void> {
    rmSync(file, { force: true });
    const child = Bun.spawn(
      ["sh", "-c", 'umask 0; exec "$@"', "sh", process.execPath, MAIN, "backup", file, "--database", database.url],
      { stdout: "ignore", stderr: "ignore" },
    );
    while (child.exitCode === null) {
      for (const name of readdirSync(folder.path)) {
        const stat = statSync(join(folder.path, name), { throwIfNoEntry: false });
        if (stat !== undefined) seen.add(`${name.replace(/\d+\.\w+/, "N")} ${(stat.mode & 0o777).toString(8)}`);
      }
      await Bun.sleep(1);
    }
    expect(child.exitCode).toBe(0);
    seen.add(`backup.db ${modeOf(file)}`);
  }

  test("never replaces a file, and explains why it cannot be created", async () => {
    writeFileSync(file, "precious");
    expect(await run("backup", file)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `lectern: The file ${file} already exists, and a backup never replaces a file: choose another name.\n`,
    });
    expect(readFileSync(file, "utf8")).toBe("precious");
    const nowhere = await run("backup", join(folder.path, "no/backup.db"));
    expect([nowhere.exitCode, nowhere.stdout]).toEqual([1, ""]);
    expect(nowhere.stderr).toBe(`lectern: There is no folder ${join(folder.path, "no")}.\n`);
    expect(readdirSync(folder.path)).toEqual(["backup.db"]);
  });

  test("of a missing or damaged database leaves no file", async () => {
    const missing = await runCommand(["backup", file, "--database", `sqlite:${folder.path}/none.db`]);
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("There is no database at ")]);
    await fillWithLessons();
    await database.store.close();
    const path = database.url.slice("sqlite:".length);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, bytes.length >> 1);
    writeFileSync(path, bytes);
    const damaged = await run("backup", file);
    expect([damaged.exitCode, damaged.stdout]).toEqual([1, ""]);
    expect(damaged.stderr).toContain("is damaged");
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("stopped by %s leaves no file under its name", async (signal) => {
    await fillWithLessons();
    // A backup that is complete before the signal comes is made again.
    for (;;) {
      const child = startCommand(["backup", file, "--database", database.url]);
      const watcher = watch(folder.path, () => child.kill(signal));
      await child.exited;
      watcher.close();
      if (child.exitCode !== 0 && !existsSync(file)) break;
      rmSync(file);
    }
    expect(readdirSync(folder.path).filter((name) => !name.startsWith("backup.db.unfinished-"))).toEqual([]);
    // The next backup deletes leftovers, except those of a running process.
    const others = [`other.db.unfinished-${OWNER}`, "notes.unfinished-x", "unfinished-1"];
    for (const name of others) writeFileSync(join(folder.path, name), "");
    const next = join(folder.path, "next.db");
    expect((await run("backup", next)).exitCode).toBe(0);
    expect(readdirSync(folder.path).sort()).toEqual(["next.db", ...others].sort());
  });

  const namespace = ["unshare", "--pid", "--fork", "--kill-child"];
  const hasNamespaces = process.platform === "linux" && Bun.spawnSync([...namespace, "true"]).exitCode === 0;
  test.skipIf(!hasNamespaces)(
    "keeps another container's unfinished file for hours, despite equal process IDs",
    async () => {
      await fillWithLessons();
      const listUnfinished = (): string[] => readdirSync(folder.path).filter((name) => name.includes(".unfinished-1"));
      const args = ["backup", "--database", database.url];
      // A killed backup stands for one that runs.
      while (listUnfinished().length === 0) {
        rmSync(file, { force: true });
        const child = startCommand([...args, file], { prefix: namespace });
        const watcher = watch(folder.path, () => child.kill("SIGKILL"));
        await child.exited;
        watcher.close();
      }
      const unfinished = listUnfinished();
      const next = join(folder.path, "next.db");
      expect(await startCommand([...args, next], { prefix: namespace }).exited).toBe(0);
      expect(listUnfinished()).toEqual(unfinished);
      const hoursAgo = Date.now() / 1000 - 7 * 3600;
      for (const name of unfinished) utimesSync(join(folder.path, name), hoursAgo, hoursAgo);
      expect((await run(...args.slice(0, 1), `${next}.2`)).exitCode).toBe(0);
      expect(listUnfinished()).toEqual([]);
    },
  );

  test("of PostgreSQL exits with 2 and prints the pg_dump command, without the password", async () => {
    const url = "postgres://owner:hush-hush@db.internal:5433/my%20catalog";
    expect(await runCommand(["backup", "catalog.dump", "--database", url])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "lectern: `lectern backup` copies only SQLite databases. For PostgreSQL, run: " +
        "pg_dump --format=custom --file=catalog.dump postgres://owner@db.internal:5433/my%20catalog\n",
    });
  });
});
