import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { createSecret, findSecretFault } from "../../src/keys/secret.ts";
import { runCommand } from "../support/command.ts";
import { send, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

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

describe("the text of a key", () => {
  test("is lectern_, 30 random base62 characters, and a CRC-32 of them in 6 characters", () => {
    for (let i = 0; i < 200; i++) {
      const secret = createSecret();
      expect(secret).toMatch(/^lectern_[0-9A-Za-z]{36}$/);
      expect(secret.slice(-6)).toBe(checksumOf(secret.slice(0, -6)));
      expect(findSecretFault(secret)).toBeUndefined();
    }
  });

  test("reveals one mistyped, lost or doubled character and two swapped neighbors", () => {
    const secret = createSecret();
    for (let i = 8; i < secret.length; i++) {
      const [before, here = "", next = "", rest] = [secret.slice(0, i), secret[i], secret[i + 1], secret.slice(i + 2)];
      const others = [...BASE62, "", here + here].map((each) => before + each + next + rest);
      for (const typo of [...others, before + next + here + rest]) {
        if (typo !== secret) expect(findSecretFault(typo)).toBeDefined();
      }
    }
  });
});

describe("keys", () => {
  let server: TestServer;
  const database = useTestStore(anyEngine, async () => {
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const keys = (args: string[], stdin?: string) =>
    runCommand(["keys", ...args, "--database", database.url], stdin === undefined ? {} : { stdin });
  const statusWith = async (key: string): Promise<number> =>
    (await send(server.url, "/api/v1/courses", { key })).status;
  const create = async (args: string[] = [], stdin?: string) => {
    const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--json", ...args], stdin);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<"id" | "key" | "createdAt" | "expiresAt", string>;
  };

  test("create --json prints one object with its members in order", async () => {
    const { exitCode, stdout } = await keys(["create", "--project", "acme", "--name", "Wêb", "--drafts", "--json"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\{"id":"key_[0-9a-f]{12}","key":"lectern_\w{36}","project":"acme","channel":"live","name":"Wêb","drafts":true,"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","expiresAt":null\}\n$/,
    );
  });

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

  test("create names a database that it creates, once, and a channel without a release", async () => {
    const path = `${database.url}.new`.slice("sqlite:".length);
    for (const isFirst of [true, false]) {
      const args = ["keys", "create", "--project", "acme", "--database", `sqlite:${path}`];
      const { exitCode, stdout, stderr } = await runCommand(args);
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/lectern_\w{36}/)]);
      expect(stderr.includes(`There is no database at ${path}: creating one.\n`)).toBe(isFirst);
      expect(stderr).toContain("Channel live of project acme has no release yet");
    }
  });

  test("revoke reports a key that is already revoked, and an unknown one", async () => {
    const { id } = await create();
    for (const told of [id, "already revoked"])
      expect(await keys(["revoke", id])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(told) });
    const stderr = expect.stringContaining("is no key key_000000000000");
    expect(await keys(["revoke", "key_000000000000"])).toMatchObject({ exitCode: 1, stderr });
  });

  test("revoke and rotate accept a leaked key instead of its id, and never print it", async () => {
    const [one, two] = [await create(), await create()];
    const revoked = await keys(["revoke", one.key]);
    expect([revoked.exitCode, revoked.stdout]).toEqual([0, expect.stringContaining(`Revoked ${one.id}`)]);
    const rotated = await keys(["rotate", two.key, "--grace", "0"]);
    expect([rotated.exitCode, rotated.stdout]).toEqual([0, expect.stringContaining(`key ${two.id} was revoked`)]);
    expect(rotated.stdout).toContain("Servers accept it within a second.");
    const unknown = createSecret();
    const outputs = [revoked, rotated];
    for (const command of ["revoke", "rotate"]) {
      const refused = await keys([command, unknown]);
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("No key has this id")]);
      outputs.push(refused, await keys([command, one.key]));
    }
    for (const { stdout, stderr } of outputs) {
      for (const secret of [one.key, two.key, unknown]) expect(stdout + stderr).not.toContain(secret);
    }
  });

  test("an existing secret is registered from standard input, without its line break, and never printed", async () => {
    const secrets = ['0123456789!"#$%&', "a-key-of-another-system\n", "from-a-windows-editor\r\n", "x".repeat(255)];
    for (const stdin of secrets) {
      const secret = stdin.trim();
      const args = ["create", "--project", "acme", "--stdin", "--json"];
      const { exitCode, stdout, stderr } = await keys(args, stdin);
      expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ key: null })]);
      expect(stdout + stderr).not.toContain(secret);
      await waitFor(async () => (await statusWith(secret)) === 200);
    }
  });

  test("a secret that another system cannot have made is refused, and nothing is stored", async () => {
    const mistyped = "lectern_000000000000000000000000000000000000";
    const before = await database.execute("select count(*) as n from keys");
    const beyond = [
      "x".repeat(15),
      "x".repeat(256),
      `${BASE62}\n${BASE62}\n`,
      "0123456789 abcdef",
      "0123456789abcdefé",
    ];
    for (const secret of [...beyond, mistyped, "lectern_and-something-else"]) {
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
    const second = await create([...project, "--name", "second", "--drafts", "--expires", "1d"]);
    await keys(["revoke", first.id]);
    const { stdout } = await keys(["list", ...project, "--json"]);
    const { key, ...rest } = second;
    const listed = { ...rest, lastFour: key.slice(-4), revokedAt: null, lastUsedAt: null };
    expect(JSON.parse(stdout)).toMatchObject([listed, { id: first.id, revokedAt: expect.any(String) }]);
    const table = (await keys(["list", ...project])).stdout;
    for (const text of [`...${first.key.slice(-4)}`, "second", "live", "revoked"]) expect(table).toContain(text);
    for (const each of [first, second]) expect(stdout + table).not.toContain(each.key);
    const unknown = await keys(["list", "--project", "nobody"]);
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Project nobody has no keys.") });
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
