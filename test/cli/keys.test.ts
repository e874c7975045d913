import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { createSecret, findSecretFault } from "../../src/keys/secret.ts";
import { dataOf } from "../support/answers.ts";
import { importNdjson } from "../support/catalog.ts";
import { runCommand, startServing } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { send, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const HOUR = 3_600_000;
const CATALOG = '{"_id":"a","name":"A"}\n{"_id":"d","name":"D","published":false}\n';
type Key = Record<"id" | "channel" | "key" | "oldKeyEnds", string> &
  Record<"expiresAt" | "revokedAt" | "lastUsedAt", string | null>;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The rule for the end of a key, with an independent CRC-32. */
function checksumOf(text: string): string {
  let digits = "";
  for (let value = crc32(text), i = 0; i < 6; i++, value = Math.floor(value / 62)) digits = BASE62[value % 62] + digits;
  return digits;
}

test("a message that quotes a misplaced argument shows neither a key nor a password in it", async () => {
  const key = createSecret();
  const lines = [[key], ["keys", key], ["keys", "revoke", key, key], ["import", "x", "--api-key-stdin", key]];
  for (const args of [...lines, ["status", `postgres://me:${key.slice(8)}@db.internal/catalog`]]) {
    const { exitCode, stderr } = await runCommand(args);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain(key.slice(8));
  }
});

test("the text of a key is lectern_, 30 random base62 characters, and a CRC-32 of them in 6 characters", () => {
  for (let i = 0; i < 200; i++) {
    const secret = createSecret();
    expect(secret).toMatch(/^lectern_[0-9A-Za-z]{36}$/);
    expect(secret.slice(-6)).toBe(checksumOf(secret.slice(0, -6)));
    expect(findSecretFault(secret)).toBeUndefined();
  }
});

describe("keys", () => {
  let server: TestServer;
  const database = useTestStore(anyEngine, async () => {
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const keys = (args: string[], stdin?: string) =>
    runCommand(["keys", ...args, "--database", database.url], stdin === undefined ? {} : { stdin });
  const create = async (args: string[] = [], stdin?: string) => {
    const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--json", ...args], stdin);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<"id" | "key" | "createdAt" | "expiresAt", string>;
  };

  test("create --expires sets the time from creation to expiry; an invalid one is a usage error", async () => {
    const units = { "90d": 90 * 86_400_000, "12h": 12 * 3_600_000, "30m": 30 * 60_000, "45s": 45_000 };
    for (const [text, milliseconds] of Object.entries(units)) {
      const { createdAt, expiresAt } = await create(["--expires", text]);
      expect([text, Date.parse(expiresAt) - Date.parse(createdAt)]).toEqual([text, milliseconds]);
    }
    for (const text of ["0d", "-1d", "90", "1.5h", "9999999d"]) {
      const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", `--expires=${text}`]);
      expect([text, exitCode, stdout, stderr]).toEqual([text, 2, "", expect.stringContaining("--expires")]);
    }
  });

  test("revoke and rotate accept a leaked key instead of its id, and never print it", async () => {
    const [one, two] = [await create(), await create()];
    const unknown = createSecret();
    for (const [args, said] of [
      [["revoke", one.key], `Revoked ${one.id}`],
      [["rotate", two.key, "--grace", "0"], `key ${two.id} was revoked`],
      [["revoke", unknown], "No key has this id"],
      [["rotate", unknown], "No key has this id"],
      [["revoke", one.key], "already revoked"],
      [["rotate", one.key], "was revoked"],
    ] as const) {
      const { stdout, stderr } = await keys([...args]);
      expect(stdout + stderr).toContain(said);
      expect(stdout + stderr).not.toContain(args[1]);
    }
  });

  test("an existing secret is registered from standard input, without its line break, and never printed", async () => {
    for (const stdin of ['0123456789!"#$%&', "from-a-windows-editor\r\n", "x".repeat(255)]) {
      const secret = stdin.trim();
      const { stdout, stderr } = await keys(["create", "--project", "acme", "--stdin", "--json"], stdin);
      expect(stdout).toContain('"key":null');
      expect(stdout + stderr).not.toContain(secret);
      await waitFor(async () => (await send(server.url, "/api/v1/courses", { key: secret })).status === 200);
    }
  });

  test("a secret that another system cannot have made is refused, and nothing is stored", async () => {
    const before = await database.execute("select count(*) as n from keys");
    const wrong = ["x".repeat(15), "x".repeat(256), `${BASE62}\n${BASE62}`, "0123456789abcdefé", "lectern_and-more"];
    for (const secret of [...wrong, `lectern_${"0".repeat(36)}`]) {
      const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--stdin"], secret);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toStartWith("lectern: Invalid key on standard input: ");
      expect(stderr).not.toContain(secret);
    }
    expect(await database.execute("select count(*) as n from keys")).toEqual(before);
  });

  test("a registered secret cannot be registered again in any project, even after it was revoked", async () => {
    const secret = createSecret();
    const { id } = await create(["--stdin"], secret);
    await keys(["revoke", id]);
    for (const project of ["acme", "other"]) {
      const { exitCode, stderr } = await keys(["create", "--project", project, "--stdin"], secret);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(id)]);
      expect(stderr).not.toContain(secret);
    }
  });

  test("list shows each key's state and its last four characters, newest first, and no secret", async () => {
    const project = ["--project", "listed"];
    const first = await create([...project, "--name", "first"]);
    const { key, ...second } = await create([...project, "--name", "second", "--drafts", "--expires", "1d"]);
    await keys(["revoke", first.id]);
    const { stdout } = await keys(["list", ...project, "--json"]);
    const listed = { ...second, lastFour: key.slice(-4), revokedAt: null, lastUsedAt: null };
    expect(JSON.parse(stdout)).toMatchObject([listed, { id: first.id, revokedAt: expect.any(String) }]);
    const table = (await keys(["list", ...project])).stdout;
    for (const text of [`...${first.key.slice(-4)}`, "second", "live", "revoked"]) expect(table).toContain(text);
    for (const secret of [first.key, key]) expect(stdout + table).not.toContain(secret);
    expect((await keys(["list", "--project", "nobody", "--json"])).stdout).toBe("[]\n");
  });

  test("only the SHA-256 of a secret is stored", async () => {
    const { key } = await create(["--name", "stored"]);
    const digest = createHash("sha256").update(key).digest("hex");
    const found = await database.execute(`select last_four from keys where digest = '${digest}'`);
    expect(found).toEqual([{ last_four: key.slice(-4) }]);
    const folder = dirname(database.url.slice("sqlite:".length));
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
    // Its random part neither, in case it is kept without the prefix.
    for (const bytes of files) expect(bytes.includes(key.slice(8, 30))).toBe(false);
    expect(files.some((bytes) => bytes.includes(digest))).toBe(true);
  });
});

describe.each(engines)("key rotation on $name", (engine) => {
  const database = useTestStore(engine);
  const ask = createAsk(database);
  const project = useProject(database);
  beforeEach(() => importNdjson(database.store, project.name, CATALOG, undefined, { channel: "pr-1" }));

  const keys = (...args: string[]) => runCommand(["keys", ...args, "--database", database.url]);
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
  const find = async (id: string) => (await list()).find((key) => key.id === id);
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
