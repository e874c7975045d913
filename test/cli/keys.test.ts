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
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("…")]);
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
    const typos: string[] = [];
    for (let i = 8; i < secret.length; i++) {
      for (const character of BASE62) typos.push(secret.slice(0, i) + character + secret.slice(i + 1));
      typos.push(secret.slice(0, i) + secret.slice(i + 1));
      typos.push(secret.slice(0, i + 1) + secret.slice(i));
      typos.push(
        secret.slice(0, i) +
          secret
            .slice(i, i + 2)
            .split("")
            .toReversed()
            .join("") +
          secret.slice(i + 2),
      );
    }
    for (const typo of typos) if (typo !== secret) expect(findSecretFault(typo)).toBeDefined();
  });

  test("from another system is 16 to 255 visible ASCII characters", () => {
    for (const secret of ["x".repeat(16), "x".repeat(255), "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~", "LECTERN_0123456789"]) {
      expect(findSecretFault(secret)).toBeUndefined();
    }
    for (const secret of [
      "",
      "x".repeat(15),
      "x".repeat(256),
      "0123456789 abcdef",
      "0123456789abcdé",
      "0123456789abcdef\n",
    ]) {
      expect(findSecretFault(secret)).toBeDefined();
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
    const { exitCode, stdout } = await keys(["create", "--project", "acme", "--name", "Wêb", "--json"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\{"id":"key_[0-9a-f]{12}","key":"lectern_\w{36}","project":"acme","channel":"live","name":"Wêb","drafts":false,"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","expiresAt":null\}\n$/,
    );
    const drafts = await keys(["create", "--project", "acme", "--drafts", "--json"]);
    expect(drafts.stdout).toContain('"name":"","drafts":true,');
  });

  test("create --expires sets the time from creation to expiry", async () => {
    const units = { "90d": 90 * 86_400_000, "12h": 12 * 3_600_000, "30m": 30 * 60_000, "45s": 45_000 };
    for (const [text, milliseconds] of Object.entries(units)) {
      const { createdAt, expiresAt } = await create(["--expires", text]);
      expect([text, Date.parse(expiresAt) - Date.parse(createdAt)]).toEqual([text, milliseconds]);
    }
  });

  test.each(["0d", "-1d", "90", "d", "1.5h", "1w", "9999999d", "999999d9", "90 d", ""])(
    "create --expires %j is a usage error",
    async (text) => {
      const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", `--expires=${text}`]);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("--expires");
    },
  );

  test("create for a project without a release creates the key and prints a note on standard error", async () => {
    const { exitCode, stdout, stderr } = await keys(["create", "--project", "new-one"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/lectern_\w{36}/);
    expect(stderr).toContain("Channel live of project new-one has no release yet");
  });

  test("create names a database that it creates, once", async () => {
    const args = ["keys", "create", "--project", "acme", "--database", `${database.url}.new`];
    const outputs = [await runCommand(args), await runCommand(args)];
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const path = `${database.url}.new`.slice("sqlite:".length);
    expect(outputs.map(({ stderr }) => stderr.includes(`There is no database at ${path}: creating one.\n`))).toEqual([
      true,
      false,
    ]);
  });

  test("a running server accepts new keys and rejects only revoked ones within a second", async () => {
    const [one, two] = [await create(), await create()];
    await waitFor(async () => (await statusWith(one.key)) === 200 && (await statusWith(two.key)) === 200);
    const { exitCode, stdout } = await keys(["revoke", one.id]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(one.id)]);
    await waitFor(async () => (await statusWith(one.key)) === 401);
    expect(await statusWith(two.key)).toBe(200);
    const again = await keys(["revoke", one.id]);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("already revoked")]);
    const unknown = await keys(["revoke", "key_000000000000"]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("is no key key_000000000000")]);
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
    const registered = [
      ["sixteen-visible!", "sixteen-visible!", []],
      ["a-key-of-another-system", "a-key-of-another-system\n", ["--json"]],
      ["from-a-windows-editor", "from-a-windows-editor\r\n", []],
    ] as const;
    for (const [secret, stdin, args] of registered) {
      const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--stdin", ...args], stdin);
      expect(exitCode).toBe(0);
      expect(stdout + stderr).not.toContain(secret);
      if (args.length > 0) expect(JSON.parse(stdout)).toMatchObject({ key: null });
    }
    for (const [secret] of registered) await waitFor(async () => (await statusWith(secret)) === 200);
  });

  test.each([
    ["too short", "x".repeat(15)],
    ["too long", "x".repeat(256)],
    ["empty", ""],
    ["two lines", "0123456789abcdef\n0123456789abcdef\n"],
    ["a blank in it", "0123456789 abcdef"],
    ["a letter beyond ASCII", "0123456789abcdefé"],
    ["a mistyped Lectern key", "lectern_000000000000000000000000000000000000"],
    ["only our prefix", "lectern_and-something-else"],
  ])("a secret that is %s is refused, and nothing is stored", async (_what, secret) => {
    const before = await database.execute("select count(*) as n from keys");
    const { exitCode, stdout, stderr } = await keys(["create", "--project", "acme", "--stdin"], secret);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toStartWith("lectern: Invalid key on standard input: ");
    if (secret !== "") expect(stderr).not.toContain(secret);
    expect(await database.execute("select count(*) as n from keys")).toEqual(before);
  });

  test("a Lectern key can be registered in a second database", async () => {
    const secret = createSecret();
    const { id } = await create(["--stdin"], secret);
    expect(await database.execute(`select digest from keys where id = '${id}'`)).toEqual([
      { digest: createHash("sha256").update(secret).digest("hex") },
    ]);
  });

  test("a registered secret cannot be registered again in any project, even after it was revoked", async () => {
    const secret = "registered-only-once";
    const { id } = await create(["--stdin"], secret);
    for (const project of ["acme", "other"]) {
      const { exitCode, stderr } = await keys(["create", "--project", project, "--stdin"], secret);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(id);
      expect(stderr).not.toContain(secret);
    }
    await keys(["revoke", id]);
    expect((await keys(["create", "--project", "acme", "--stdin"], secret)).exitCode).toBe(1);
  });

  test("list shows each key's state and its last four characters, newest first, and no secret", async () => {
    const project = ["--project", "listed"];
    const [first, second] = [
      await keys(["create", ...project, "--name", "first", "--json"]),
      await keys(["create", ...project, "--name", "second", "--drafts", "--expires", "1d", "--json"]),
    ].map(({ stdout }) => JSON.parse(stdout) as Record<string, string>);
    await keys(["revoke", first?.["id"] ?? ""]);
    const { stdout } = await keys(["list", ...project, "--json"]);
    const listed = JSON.parse(stdout) as Record<string, unknown>[];
    expect(listed.map((key) => key["id"])).toEqual([second?.["id"], first?.["id"]]);
    expect(listed[0]).toEqual({
      id: second?.["id"],
      lastFour: second?.["key"]?.slice(-4),
      revokedAt: null,
      lastUsedAt: null,
      project: "listed",
      channel: "live",
      name: "second",
      drafts: true,
      createdAt: second?.["createdAt"],
      expiresAt: second?.["expiresAt"],
    });
    expect(listed[1]?.["revokedAt"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const table = (await keys(["list", ...project])).stdout;
    for (const text of [`...${first?.["key"]?.slice(-4)}`, "first", "second", "live", "revoked"]) {
      expect(table).toContain(text);
    }
    for (const key of [first, second]) expect(stdout + table).not.toContain(key?.["key"] ?? "");
    const unknown = await keys(["list", "--project", "nobody"]);
    expect([unknown.exitCode, unknown.stdout]).toEqual([1, ""]);
    expect(unknown.stderr).toContain("Project nobody has no keys.");
    expect((await keys(["list", "--project", "nobody", "--json"])).stdout).toBe("[]\n");
  });

  test("only the SHA-256 of a secret is stored", async () => {
    const { key } = await create(["--name", "stored"]);
    const digest = createHash("sha256").update(key).digest("hex");
    expect(await database.execute(`select last_four from keys where digest = '${digest}'`)).toEqual([
      { last_four: key.slice(-4) },
    ]);
    const folder = dirname(database.url.slice("sqlite:".length));
    const files = readdirSync(folder);
    expect(files).toContain("lectern.db");
    let holdsDigest = false;
    for (const file of files) {
      const bytes = readFileSync(join(folder, file));
      expect(bytes.includes(key)).toBe(false);
      // Its random part neither, in case it is kept without the prefix.
      expect(bytes.includes(key.slice(8, 30))).toBe(false);
      holdsDigest ||= bytes.includes(digest);
    }
    expect(holdsDigest).toBe(true);
  });
});
