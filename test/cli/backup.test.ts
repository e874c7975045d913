// `lectern backup` as a process: the file's content and permissions, and leftovers of a failed one.
import { beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OWNER } from "../../src/catalog/file-owner.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { createHook } from "../hooks/receiver.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startCommand, startFedCommand, startServing } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { renewFolder, renewStore } from "../support/shared-store.ts";
import { sqlite } from "../support/store.ts";

const database = renewStore(sqlite);
const folder = renewFolder();
let path: string;
let file: string;
let key: string;

beforeEach(async () => {
  path = database.url.slice("sqlite:".length);
  file = join(folder.path, "backup.db");
  await publish(database.store, "acme", [
    { _id: "a", slug: "old", name: "A" },
    { _id: "b", name: "B", published: false },
  ]);
  await publish(database.store, "acme", [{ _id: "a", slug: "new", name: "A" }]);
  key = await createKey(database.store, "acme");
});

const run = (...args: string[]) => runCommand([...args, "--database", database.url]);
const listFiles = (): string[] => readdirSync(folder.path).toSorted();
const modeOf = (name: string): string => {
  const { mode = 0 } = statSync(join(folder.path, name), { throwIfNoEntry: false }) ?? {};
  return `${name.replace(/\d+-\d*\.\w+/, "N")} ${(mode & 0o777).toString(8)}`;
};
const PATHS = ["/courses", "/courses/a", "/courses/old", "/courses/b?release=1", "/courses?release=1"];
const readAnswers = async (store: Store): Promise<string[]> => {
  const ask = createAsk({ store });
  const answers = PATHS.map((each) => ask(each, key));
  return (await Promise.all(answers)).map(({ status, headers, text }) => JSON.stringify([status, [...headers], text]));
};
/** So much that a backup takes a while. */
const fillWithLessons = (): Promise<unknown> =>
  database.execute(`
    insert into lesson_versions (id, project, course_id, lesson_id, name, first_seen_at, changed_at, updated_at,
      source_digest, digest, has_video, has_quiz, meta, body)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000)
    select 1000 + i, 'acme', 'a', 'l' || i, '', '', '', '', '', '', 0, 0, '{}', randomblob(50) from n`);
/** Starts a backup, calls `onFile` when files change, and returns its exit code. */
async function backUp(onFile: (child: { kill: (signal: NodeJS.Signals) => void }) => void, prefix: string[] = []) {
  rmSync(file, { force: true });
  const child = startCommand(["backup", file, "--database", database.url], { prefix });
  const watcher = watch(folder.path, () => onFile(child));
  const exitCode = await child.exited;
  watcher.close();
  return exitCode;
}

describe("a backup", () => {
  test.each(["backup", "copy"])("by `lectern %s` leaves no long log to the next commit of a server", async (how) => {
    const server = new Database(path);
    server.run("pragma wal_autocheckpoint = 0");
    await fillWithLessons();
    server.run("update lesson_versions set name = 'changed'");
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000);
    const copy = ["copy", "--from", database.url, "--to", `sqlite:${file}`];
    expect((await (how === "backup" ? run("backup", file) : runCommand(copy))).exitCode).toBe(0);
    expect(statSync(`${path}-wal`).size).toBe(0);
    server.close();
  });

  test("is a consistent snapshot with its own identity, taken while a server and an import run", async () => {
    const expected = await readAnswers(database.store);
    const hook = (await createHook(database.store, "https://site.example/")).id;
    const server = await startServing(["serve", "--database", database.url]);
    const importing = startFedCommand(["import", "-", "--project", "acme", "--database", database.url]);
    const courses = Array.from({ length: 300 }, (_, index) => `${JSON.stringify({ name: `Course ${index}` })}\n`);
    await importing.feed(courses.join(""));
    await waitFor(async () => (await database.execute("select 1 from course_versions limit 100")).length === 100);

    const { exitCode, stdout } = await run("backup", file);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`The backup is complete: ${file}, `)]);
    expect([modeOf("backup.db"), listFiles()]).toEqual(["backup.db 600", ["backup.db"]]);
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
    expect(await copy.hooks.listWaiting(10, "")).toEqual([]);
    await copy.close();
    const opened = new Database(file);
    expect(opened.query("select count(*) as n from course_versions").get()).toEqual({ n: 4 });
    opened.close();
  });

  test("is readable only by its owner from the first byte, whatever the umask", async () => {
    await fillWithLessons();
    const seen = new Set<string>();
    // Nothing pauses a backup: on a busy machine it may end before the check.
    while (!seen.has("backup.db.unfinished-N 600")) {
      const note = (): void => listFiles().forEach((name) => seen.add(modeOf(name)));
      expect(await backUp(note, ["sh", "-c", 'umask 0; exec "$@"', "sh"])).toBe(0);
      note();
    }
    expect(seen).toContain("backup.db 600");
    expect([...seen].filter((name) => !/ (?:600|0)$/.test(name))).toEqual([]);
  });

  test("never replaces a file, and explains why it cannot be created", async () => {
    writeFileSync(file, "precious");
    expect((await run("backup", file)).stderr).toContain(`The file ${file} already exists, and a backup never `);
    const nowhere = join(folder.path, "no");
    expect((await run("backup", join(nowhere, "x.db"))).stderr).toBe(`lectern: There is no folder ${nowhere}.\n`);
    expect([readFileSync(file, "utf8"), listFiles()]).toEqual(["precious", ["backup.db"]]);
  });

  test("of a damaged database leaves no file", async () => {
    await fillWithLessons();
    await database.store.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x5a, bytes.length >> 1));
    const damaged = await run("backup", file);
    expect(damaged).toEqual({ exitCode: 1, stdout: "", stderr: expect.stringContaining("is damaged") });
    expect(listFiles()).toEqual([]);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("stopped by %s leaves no file under its name", async (signal) => {
    await fillWithLessons();
    // A backup that is complete before the signal comes is made again.
    while ((await backUp((child) => child.kill(signal))) === 0 || existsSync(file));
    expect(listFiles().filter((name) => !name.startsWith("backup.db.unfinished-"))).toEqual([]);
    // The next backup deletes leftovers, except those of a running process, and of other containers for hours.
    const elsewhere = "other.db.unfinished-1-2.elsewhere";
    const others = [`other.db.unfinished-${OWNER}`, "notes.unfinished-x", "unfinished-1"];
    for (const name of [elsewhere, ...others]) writeFileSync(join(folder.path, name), "");
    expect((await run("backup", join(folder.path, "next.db"))).exitCode).toBe(0);
    expect(listFiles()).toEqual(["next.db", elsewhere, ...others].toSorted());
    const hoursAgo = Date.now() / 1000 - 7 * 3600;
    utimesSync(join(folder.path, elsewhere), hoursAgo, hoursAgo);
    expect((await run("backup", join(folder.path, "later.db"))).exitCode).toBe(0);
    expect(listFiles()).toEqual(["next.db", "later.db", ...others].toSorted());
  });
});
