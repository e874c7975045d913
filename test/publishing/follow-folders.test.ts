// The temporary folders of `lectern follow` in containers that share /tmp: their process IDs are equal.
import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { runCommand, startCommand } from "../support/command.ts";
import { course, makeFolder, writeFiles } from "../support/follow.ts";
import { waitFor } from "../support/server.ts";
import { sqlite, useTestStore } from "../support/store.ts";

const database = useTestStore(sqlite);
const NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child"];
const hasNamespaces = process.platform === "linux" && Bun.spawnSync([...NAMESPACE, "true"]).exitCode === 0;

test.skipIf(!hasNamespaces)("are kept while another container uses them, and removed after hours", async () => {
  const [root, shared] = [makeFolder(), makeFolder()];
  writeFiles(root, course("leaf"));
  const args = ["follow", root, "--every", "1h", "--project", "acme", "--database", database.url];
  const listFolders = (): string[] => readdirSync(shared).filter((name) => name.startsWith("lectern-follow-1."));
  const first = startCommand(args, { prefix: NAMESPACE, env: { TMPDIR: shared } });
  await waitFor(() => readdirSync(shared).some((name) => name.startsWith("lectern-follow-1")));
  const [folder = ""] = readdirSync(shared);
  const second = startCommand(args, { prefix: NAMESPACE, env: { TMPDIR: shared } });
  await waitFor(() => readdirSync(shared).some((name) => name.startsWith("lectern-follow-1") && name !== folder));
  const both = readdirSync(shared);
  for (const each of [first, second]) each.kill("SIGKILL");
  await Promise.all([first.exited, second.exited]);
  expect(both).toContain(folder);

  const hoursAgo = Date.now() / 1000 - 7 * 3600;
  utimesSync(join(shared, folder), hoursAgo, hoursAgo);
  const kept = listFolders().filter((name) => name !== folder);
  await runCommand(["follow", join(root, "missing"), ...args.slice(2)], { env: { TMPDIR: shared } });
  expect(listFolders()).toEqual(kept);
});
