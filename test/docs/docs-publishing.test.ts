// docs/publishing.md against the program: its commands, one after the other, print what it shows.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { listBlocks, maskTimes } from "../support/markdown.ts";
import { send, waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, type TestDatabase } from "../support/store.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

// On one engine: what these commands print on the other is held by their own tests.
describe("docs/publishing.md", () => {
  const folder = createTestFolder();
  let database: TestDatabase;
  let server: RunningCommand;
  let env: Record<string, string>;
  /** Secrets that were shown, by variable: `$WEBSITE_KEY` is that of `--name website`. */
  const secrets = new Map<string, string>();
  /** What the program gave where the document has an id of a key. */
  const keyIds = new Map<string, string>();

  beforeAll(async () => {
    database = await anyEngine.createStoreDatabase();
    env = { LECTERN_PROJECT: "acme", LECTERN_DATABASE: database.url, LECTERN_PUBLIC_URL: "http://localhost:3000" };
    cpSync(join(ROOT, "examples/catalog"), join(folder.path, "courses"), { recursive: true });
    server = await startServing(["serve"], { env });
  });

  afterAll(async () => {
    server.kill();
    await server.exited;
    await database.drop();
    folder.remove();
  });

  const text = readFileSync(join(ROOT, "docs/publishing.md"), "utf8");
  for (const block of listBlocks(text, "console", "diff")) {
    if (block.kind === "diff") {
      test("the change to the courses applies", () => applyDiff(`${block.text}\n`));
      continue;
    }
    for (const call of block.text.split(/^\$ /m).slice(1)) {
      const [command = "", ...output] = call.trimEnd().split("\n");
      test(command, async () => replay(command, output.join("\n")));
    }
  }

  async function replay(command: string, shown: string): Promise<void> {
    if (command.startsWith("# Two minutes later")) {
      await database.execute("update publications set published_at = '2026-01-01T00:00:00.000Z'");
    } else if (command.startsWith("curl ")) await expectAnswer(command, shown);
    else await expectOutput(command, shown);
  }

  async function expectOutput(command: string, shown: string): Promise<void> {
    const known = command.replace(/key_\w+/g, (id) => keyIds.get(id) ?? id);
    const [program, ...args] = (known.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
    expect(program).toBe("lectern");
    const { stdout, stderr } = await runCommand(args, { cwd: folder.path, env });
    const printed = (stdout + stderr).trimEnd();
    expect(mask(printed)).toBe(mask(shown));
    const ids = printed.match(/key_[0-9a-f]{12}/g) ?? [];
    for (const [index, id] of (shown.match(/key_[0-9a-f]{12}/g) ?? []).entries()) keyIds.set(id, ids[index] ?? "");
    const [, name] = /--name (\w+)/.exec(command) ?? [];
    const [, secret] = /^ {2}(lectern_\w+)$/m.exec(printed) ?? [];
    if (name !== undefined && secret !== undefined) secrets.set(`${name.toUpperCase()}_KEY`, secret);
  }

  async function expectAnswer(command: string, shown: string): Promise<void> {
    const [, variable = "", path = ""] =
      /^curl -H "x-api-key: \$(\w+)" 'http:\/\/localhost:3000(\/[^']+)'$/.exec(command) ?? [];
    let body = "";
    // The server is a process of its own: it comes to it by and by.
    await waitFor(async () => {
      body = (await send(server.url, path, { key: secrets.get(variable) })).text;
      return body === shown;
    }).catch(() => expect(body).toBe(shown));
  }

  function applyDiff(diff: string): void {
    const { exitCode, stderr } = Bun.spawnSync(["git", "apply", "-"], {
      cwd: join(folder.path, "courses"),
      // A repository around the folder of the test would apply it there.
      env: { ...process.env, GIT_CEILING_DIRECTORIES: folder.path },
      stdin: Buffer.from(diff),
    });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  }
});

/** Replaces what differs per run: dates, ids and secrets of keys, whose width moves columns. */
function mask(text: string): string {
  return maskTimes(text)
    .replace(/key_[0-9a-f]{12}/g, "KEY_ID")
    .replace(/lectern_\w{36}/g, "SECRET")
    .replace(/\.\.\.\w{4}\b/g, "...LAST")
    .replace(/ +/g, " ");
}
