// A SQLite database whose file, or a file beside it, someone removes while a server has it open.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { openTestStore, sqlite, type TestStore } from "../support/store.ts";

let database: TestStore;
let path: string;
beforeEach(async () => {
  database = await openTestStore(sqlite);
  path = database.url.slice("sqlite:".length);
  await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
});
afterEach(() => database.drop());

const findFault = async (): Promise<string> => {
  try {
    await database.store.changes.readRevisions();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a server notices that the log's index was removed, because it would miss what commands publish", async () => {
  expect(await findFault()).toBe("");
  rmSync(`${path}-shm`);
  expect(await findFault()).toContain("no longer the file that this server has open");
});

test("no command creates a database in the place of one that a server has open", async () => {
  rmSync(path);
  const { exitCode, stderr } = await runCommand(["keys", "create", "--project", "acme", "--database", database.url]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("A server may still have it open, so save that copy"),
  ]);
  expect(existsSync(path)).toBe(false);
  expect(await findFault()).toContain("save that copy before you restart or stop");
});

test("a backup takes the place of a removed database beside its log", async () => {
  const backup = `${path}.backup`;
  expect((await runCommand(["backup", backup, "--database", database.url])).exitCode).toBe(0);
  rmSync(path);
  expect((await runCommand(["restore", backup, "--database", database.url])).exitCode).toBe(0);
  expect((await runCommand(["releases", "--project", "acme", "--database", database.url])).exitCode).toBe(0);
  expect(await findFault()).toContain("save that copy before you restart or stop");
});
