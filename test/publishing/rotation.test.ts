// Keys that are replaced, and when they were last used.
import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { dataOf } from "../support/answers.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand, startServing, type CommandResult } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { send, startTestServer, waitFor } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const HOUR = 3_600_000;
const CATALOG = '{"_id":"a","name":"A"}\n{"_id":"d","name":"D","published":false}\n';

interface Key {
  id: string;
  channel: string;
  key: string;
  expiresAt: string | null;
  oldKeyEnds: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

describe.each(engines)("key rotation on $name", (engine) => {
  const database = useTestStore(engine);
  const ask = createAsk(database);
  const project = useProject(database);
  beforeEach(() => importNdjson(database.store, project.name, CATALOG, undefined, { channel: "pr-1" }));

  const keys = (...args: string[]): Promise<CommandResult> => runCommand(["keys", ...args, "--database", database.url]);
  /** Runs a command of keys that must succeed, and returns its JSON. */
  const print = async (...args: string[]): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await keys(...args, "--json");
    expect([exitCode, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  const create = async (...args: string[]): Promise<Key> =>
    (await print("create", "--project", project.name, "--channel", "pr-1", ...args)) as Key;
  const list = async (): Promise<Key[]> =>
    ((await print("list", "--project", project.name)) as Key[]).filter(({ channel }) => channel === "pr-1");
  const find = async (id: string): Promise<Key | undefined> => (await list()).find((key) => key.id === id);
  const statusWith = async (key: string): Promise<number> => (await ask("/courses", key)).status;
  /** Rotates a key, and checks that the old one ends so long after that. */
  const rotateWithin = async (laterMs: number, id: string, ...args: string[]): Promise<Key> => {
    const from = Date.now() + laterMs;
    const made = (await print("rotate", id, ...args)) as Key;
    const time = Date.parse(made.oldKeyEnds);
    expect([time >= from, time <= Date.now() + laterMs]).toEqual([true, true]);
    return made;
  };

  // How many workers there are does not depend on the database.
  test.each([engine.name === "sqlite" ? 1 : 2])(
    "records the last use of keys after a server with %i workers stops",
    async (workers) => {
      const [used, refused, unused] = [await create(), await create(), await create()];
      const server = await startServing(["serve", "--database", database.url, "--workers", String(workers)]);
      const before = new Date().toISOString();
      for (let times = 0; times < 20; times++) await send(server.url, "/api/v1/courses", { key: used.key });
      await keys("revoke", refused.id);
      await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: refused.key })).status === 401);
      await send(server.url, "/api/v1/courses", { key: used.key });
      const after = new Date().toISOString();
      server.kill();
      expect(await server.exited).toBe(0);
      const lastUsedAt = (await find(used.id))?.lastUsedAt ?? "";
      expect(lastUsedAt >= before && lastUsedAt <= after).toBe(true);
      expect((await find(unused.id))?.lastUsedAt).toBeNull();
      // An earlier time never replaces a later one.
      await database.store.keys.touchKeys(new Map([[used.id, "2020-01-01T00:00:00.000Z"]]));
      expect((await find(used.id))?.lastUsedAt).toBe(lastUsedAt);
    },
  );

  // What else becomes of keys does not depend on the database.
  if (engine !== anyEngine) return;

  test("creates a key with the same rights, and both work during the grace period of a day", async () => {
    const old = await create("--name", "website", "--drafts");
    const made = await rotateWithin(24 * HOUR, old.id);
    const rights = { project: project.name, channel: "pr-1", name: "website", drafts: true, expiresAt: null };
    expect(made).toMatchObject({ ...rights, replaces: old.id });
    expect([made.id === old.id, made.key === old.key]).toEqual([false, false]);
    for (const { key } of [old, made]) {
      expect(dataOf(await ask("/courses", key)).total).toBe(1);
      expect((await ask("/courses/d", key)).status).toBe(200);
    }
    expect(await list()).toMatchObject([
      { id: made.id, expiresAt: null },
      { id: old.id, expiresAt: made.oldKeyEnds, revokedAt: null },
    ]);
  });

  test("extends no expiry: neither the new key's nor the old one's", async () => {
    const old = await create("--expires", "12h");
    const made = (await print("rotate", old.id)) as Key;
    expect([made.expiresAt, made.oldKeyEnds]).toEqual([old.expiresAt, old.expiresAt ?? ""]);
    expect((await rotateWithin(HOUR, made.id, "--grace", "1h")).expiresAt).toBe(old.expiresAt);
  });

  test("refuses an ended key and an invalid grace period", async () => {
    const [revoked, expired] = [await create(), await create()];
    await keys("revoke", revoked.id);
    await database.store.keys.expireKey(expired.id, new Date(Date.now() - 1).toISOString());
    for (const { id } of [revoked, expired])
      expect((await keys("rotate", id)).stderr).toContain(`Key ${id} has expired or was revoked. Create another `);
    expect((await keys("rotate", revoked.id, "--grace", "1w")).exitCode).toBe(2);
    expect(await list()).toHaveLength(2);
  });

  test("prints the new key once, and until when the old one works; --grace 0 revokes that at once", async () => {
    const old = await create();
    const { stdout } = await keys("rotate", old.id, "--grace", "30m");
    const { expiresAt } = (await find(old.id)) ?? {};
    expect(stdout).toEndWith(`Servers accept it within a second.\n\nThe old key ${old.id} works until ${expiresAt}.\n`);
    const [, id = "", secret = ""] = /^Key (key_\w+) [^]*\n {2}(lectern_\w+)\n/.exec(stdout) ?? [];
    expect(await statusWith(secret)).toBe(200);
    const last = await keys("rotate", id, "--grace", "0");
    expect(last.stdout).toEndWith(`\n\nThe old key ${id} was revoked.\n`);
    expect(await statusWith(secret)).toBe(401);
    expect(await find(id)).toMatchObject({ revokedAt: expect.any(String), expiresAt: null });
  });

  test("records the last use once other writers finish, and delays nothing until then", async () => {
    const server = await startTestServer(database.store);
    const secret = await project.createKey();
    await waitFor(async () => (await server.get("/api/v1/courses", { key: secret })).status === 200);
    const path = database.url.slice("sqlite:".length);
    const other = new Database(path);
    other.run("begin immediate");
    const stopped = server.stop();
    // SQLite waits for the lock where it is called: this process can give it back only when the server has given up.
    await waitFor(() => server.log().includes("cannot record when keys were last used"));
    expect(server.log()).toContain(`Another process is writing to the database ${path}`);
    other.close();
    await stopped;
    expect((await database.store.keys.listKeys(project.name))[0]?.lastUsedAt).toBeString();
  });
});
