// A SQLite database that a symbolic link names, or whose files someone removes while a server has them open.
import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { collectText, runCommand, startCommand } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { renewFolder } from "../support/shared-store.ts";

const HOLDER = { pid: process.pid, host: "test", since: "2026-02-01T00:00:00.000Z", task: "import" };

const folder = renewFolder();
const listNames = (path: string): string[] => readdirSync(join(folder.path, path)).sort();
const findFault = (store: Store) => store.changes.readRevisions().catch((error: Error) => error.message);
const COURSES = [{ _id: "a", name: "A" }];

describe("a link", () => {
  let file: string;
  let link: string;
  beforeEach(() => {
    // The link's target depends on the folder that holds the link, not on the folder's name.
    for (const each of ["disk/links", "disk/files", "etc"]) mkdirSync(join(folder.path, each), { recursive: true });
    symlinkSync("../disk/links", join(folder.path, "etc/lectern"));
    file = join(folder.path, "disk/files/c.db");
    link = join(folder.path, "etc/lectern/c.db");
    symlinkSync("../files/c.db", link);
  });
  const waitForLock = async (store: Store) => {
    const told = Promise.withResolvers<string>();
    const locked = store.publishing.lockProject("acme", HOLDER, () => told.resolve("waits"));
    return { locked, first: await Promise.race([told.promise, locked.then(() => "locked")]) };
  };

  test("and its file share a project's lock, and everything lies beside the file that the link creates", async () => {
    const linked = await openStore(`sqlite:${link}`, { create: true });
    await publish(linked, "acme", COURSES);
    const named = await openStore(`sqlite:${file}`, { create: false });
    const [one, other] = [await waitForLock(named), await waitForLock(linked)];
    expect([one.first, other.first]).toEqual(["locked", "waits"]);
    const prune = startCommand(["prune", "--keep", "1", "--project", "acme", "--database", `sqlite:${file}`]);
    const { text } = collectText(prune.stderr);
    await waitFor(() => text().includes("Waiting for the import"));
    for (const { locked } of [one, other]) await (await locked).unlock();
    expect(await prune.exited).toBe(0);
    expect(listNames("disk/links")).toEqual(["c.db"]);
    for (const store of [linked, named]) expect(await findFault(store)).toBeObject();
    for (const store of [linked, named]) await store.close();
    // `lectern follow` opens its database in every round.
    const opened = Bun.spawnSync(["ls", "-l", `/proc/${process.pid}/fd`]).stdout.toString();
    expect(opened).not.toContain(`${file}\n`);
    expect(listNames("disk/files")).toEqual(["c.db", "c.db.acme.lock", "c.db.acme.lock.json"]);
  });

  test("stays when a restore replaces its file, which is kept beside; to a database in use, it is no backup", async () => {
    const store = await openStore(`sqlite:${file}`, { create: true });
    await publish(store, "acme", COURSES);
    const inUse = await runCommand(["restore", link, "--database", `sqlite:${folder.path}/new.db`]);
    expect(inUse.stderr).toContain("it is a database in use, not a backup");
    await store.close();
    for (const command of ["backup", "restore"]) {
      const { exitCode } = await runCommand([command, join(folder.path, "backup.db"), "--database", `sqlite:${link}`]);
      expect(exitCode).toBe(0);
    }
    expect([lstatSync(link).isSymbolicLink(), listNames("disk/links")]).toEqual([true, ["c.db"]]);
    expect(listNames("disk/files").filter((name) => name.startsWith("c.db.before-"))).toHaveLength(1);
  });

  test("that names another file is noticed by a server", async () => {
    const store = await openStore(`sqlite:${link}`, { create: true });
    expect(await findFault(store)).toBeObject();
    writeFileSync(join(folder.path, "disk/files/d.db"), "");
    symlinkSync("../files/d.db", `${link}.new`);
    renameSync(`${link}.new`, link);
    expect(await findFault(store)).toContain("no longer the file that this server has open");
    await store.close();
  });
});

test("a removed file that a server has open is replaced by no command, except by a restored backup, beside its log", async () => {
  const path = join(folder.path, "c.db");
  const store = await openStore(`sqlite:${path}`, { create: true });
  await publish(store, "acme", COURSES);
  const run = (...args: string[]) => runCommand([...args, "--database", `sqlite:${path}`]);
  expect((await run("backup", `${path}.backup`)).exitCode).toBe(0);
  rmSync(path);
  const { exitCode, stderr } = await run("keys", "create", "--project", "acme");
  expect(stderr).toContain("A server may still have it open, so save that copy");
  expect([exitCode, existsSync(path)]).toEqual([1, false]);
  expect(await findFault(store)).toContain("save that copy before you restart or stop");
  expect((await run("restore", `${path}.backup`)).exitCode).toBe(0);
  expect((await run("releases", "--project", "acme")).exitCode).toBe(0);
  expect(await findFault(store)).toContain("save that copy before you restart or stop");
  await store.close();
});
