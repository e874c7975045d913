// A database that is lost while `lectern follow` runs: it is never replaced by an empty one, and a restored one gets the source.
import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { runCommand } from "../support/command.ts";
import { course, startFollowing } from "../support/follow.ts";
import { restoreState, saveState } from "../support/saved-state.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";
import { makeFolder, writeFiles } from "../support/written-folder.ts";

/** Loses the database, and returns a function that restores it from a backup. */
async function lose(database: TestStore): Promise<() => Promise<void>> {
  const { url, store } = database;
  if (!url.startsWith("sqlite:")) {
    await database.execute("alter schema public rename to lost");
    await database.execute("create schema public");
    return async () => {
      await database.execute("drop schema public cascade");
      await database.execute("alter schema lost rename to public");
      await database.execute("update store_identity set identity = gen_random_uuid()");
    };
  }
  const path = url.slice("sqlite:".length);
  await runCommand(["backup", `${path}.backup`, "--database", url]);
  await store.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  return async () => {
    expect(existsSync(path)).toBe(false);
    expect((await runCommand(["restore", `${path}.backup`, "--database", url])).exitCode).toBe(0);
  };
}

test.concurrent.each(engines)(
  "lectern follow publishes into a restored database and never recreates a lost one, on $name",
  async (engine) => {
    const database = await openTestStore(engine);
    const root = makeFolder();
    writeFiles(root, course("leaf"));
    await createKey(database.store, "acme");
    const following = startFollowing([root, "--project", "acme", "--database", database.url]);
    try {
      await following.until("Published release 1");
      await saveState(database);
      writeFiles(root, course("leaf", "water"));
      await following.until("Published release 2");
      await restoreState(database, ["update store_identity set identity = 'another'"]);
      await following.until("Published release 2");
      const restore = await lose(database);
      writeFiles(root, course("leaf", "water", "cup"));
      expect(await following.until("though there was one. Save what docs")).toMatchObject({ level: "error" });
      await restore();
      await following.until("Published release 3");
      const keys = await runCommand(["keys", "list", "--project", "acme", "--database", database.url]);
      expect(keys.stdout).toContain("live");
    } finally {
      expect(await following.end()).toBe(0);
      await database.drop();
    }
  },
);
