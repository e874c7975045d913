// A SQLite database that a symbolic link names: its log, locks and backups belong beside the file, not the link.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createTestFolder } from "../support/store.ts";

const HOLDER = { pid: process.pid, host: "test", since: "2026-02-01T00:00:00.000Z", task: "import" };

let folder: { path: string; remove: () => void };
let file: string;
let link: string;
beforeEach(() => {
  folder = createTestFolder();
  // The link's target depends on the folder that holds the link, not on the folder's name.
  for (const each of ["disk/links", "disk/files", "etc"]) mkdirSync(join(folder.path, each), { recursive: true });
  symlinkSync("../disk/links", join(folder.path, "etc/lectern"));
  file = join(folder.path, "disk/files/c.db");
  link = join(folder.path, "etc/lectern/c.db");
  symlinkSync("../files/c.db", link);
});
afterEach(() => folder.remove());

const listNames = (path: string): string[] => readdirSync(join(folder.path, path)).sort();
const waitForLock = async (store: Store) => {
  const told = Promise.withResolvers<string>();
  const locked = store.publishing.lockProject("acme", HOLDER, () => told.resolve("waits"));
  return { locked, first: await Promise.race([told.promise, locked.then(() => "locked")]) };
};

test("a project has one lock under both names, and everything lies beside the file that the link creates", async () => {
  const linked = await openStore(`sqlite:${link}`, { create: true });
  await publish(linked, "acme", [{ _id: "a", name: "A" }]);
  const named = await openStore(`sqlite:${file}`, { create: false });
  const { locked, first } = await waitForLock(named);
  expect(first).toBe("locked");
  const other = await waitForLock(linked);
  expect(other.first).toBe("waits");
  await (await locked).unlock();
  await (await other.locked).unlock();
  expect(listNames("disk/links")).toEqual(["c.db"]);
  for (const store of [linked, named]) await store.close();
  expect(listNames("disk/files")).toEqual(["c.db", "c.db.acme.lock", "c.db.acme.lock.json"]);
});

test("restore replaces the file, not the link, and keeps the previous file beside it", async () => {
  const store = await openStore(`sqlite:${file}`, { create: true });
  await publish(store, "acme", [{ _id: "a", name: "A" }]);
  await store.close();
  const backup = join(folder.path, "backup.db");
  expect((await runCommand(["backup", backup, "--database", `sqlite:${link}`])).exitCode).toBe(0);
  const { exitCode } = await runCommand(["restore", backup, "--database", `sqlite:${link}`]);
  expect([exitCode, lstatSync(link).isSymbolicLink()]).toEqual([0, true]);
  expect(listNames("disk/links")).toEqual(["c.db"]);
  expect(listNames("disk/files").filter((name) => name.startsWith("c.db.before-"))).toHaveLength(1);
});

test("a link to a database in use is no backup", async () => {
  const store = await openStore(`sqlite:${file}`, { create: true });
  const { stderr } = await runCommand(["restore", link, "--database", `sqlite:${folder.path}/new.db`]);
  expect(stderr).toContain("it is a database in use, not a backup");
  await store.close();
});

test("a server notices that the link names another file", async () => {
  const store = await openStore(`sqlite:${link}`, { create: true });
  await store.changes.readRevisions();
  writeFileSync(join(folder.path, "disk/files/d.db"), "");
  symlinkSync("../files/d.db", `${link}.new`);
  renameSync(`${link}.new`, link);
  const fault = await store.changes.readRevisions().catch((error: Error) => error.message);
  expect(fault).toContain("no longer the file that this server has open");
  await store.close();
});
