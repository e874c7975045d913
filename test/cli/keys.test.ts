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
  const create = async (args: string[] = [], stdin?: string) => {
    const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--json", ...args], stdin);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<"id" | "key" | "createdAt" | "expiresAt", string>;
  };

  test("create --json prints one object with its members in order", async () => {
    const made = await create(["--name", "Wêb", "--drafts"]);
    expect(Object.keys(made).join(" ")).toBe("id key project channel name drafts createdAt expiresAt");
    expect(made).toMatchObject({ project: "acme", channel: "live", name: "Wêb", drafts: true, expiresAt: null });
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
    const wrong = [
      "x".repeat(15),
      "x".repeat(256),
      `${BASE62}\n${BASE62}\n`,
      "0123456789abcdefé",
      "lectern_and-more-of-it",
    ];
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
