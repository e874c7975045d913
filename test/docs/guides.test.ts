// docs/tutorial.md and docs/publishing.md against the program: their commands, one after the other, print what they show.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { releaseOf } from "../support/answers.ts";
import { inheritEnvironment, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { listBlocks, maskTimes } from "../support/markdown.ts";
import { send, waitFor } from "../support/server.ts";
import { anyEngine, createTestFolder, type TestDatabase } from "../support/store.ts";

const ROOT = join(import.meta.dir, "../..");
/** Commands of a guide with what it shows as their output; other blocks are whole. */
const listSteps = (guide: string, ...kinds: string[]) =>
  listBlocks(readFileSync(join(ROOT, guide), "utf8"), ...kinds).flatMap(({ kind, text }) => {
    if (kind !== "console") return [{ title: `${kind}: ${text.split("\n")[0]}`, kind, command: text, shown: "" }];
    const calls = text.split(/^\$ /m).slice(1);
    return calls.map((call) => {
      const [command = "", ...shown] = call.trimEnd().split("\n");
      return { title: command, kind, command, shown: shown.join("\n") };
    });
  });

/** Replaces what differs per run: dates, ids and secrets, whose width moves columns. */
function mask(text: string): string {
  return maskTimes(text)
    .replace(/key_[0-9a-f]{12}/g, "KEY_ID")
    .replace(/lectern_\w{36}/g, "SECRET")
    .replace(/\.\.\.\w{4}\b/g, "...LAST")
    .replace(/\b[0-9a-f]{24}\b/g, "ID")
    .replace(/ +/g, " ")
    .trim();
}

describe("docs/tutorial.md", () => {
  const folder = createTestFolder();
  const cwd = folder.path;
  let server: RunningCommand | undefined;
  let key = "";
  let lessonId = "";
  symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));

  afterAll(async () => {
    server?.kill();
    await server?.exited;
    folder.remove();
  });

  test.each(listSteps("docs/tutorial.md"))("$title", async ({ command, shown }) => {
    const [program, name, ...args] = command.split(" ");
    if (command === "npx lectern serve") server = await startServing(["serve"], { cwd });
    else if (program === "npx") await expectOutput(args, shown);
    else if (program === "export") expect(name).toBe("LECTERN_KEY=YOUR_KEY");
    else await runInShell(command, shown);
  });

  test("its site shows the last import", () => {
    const pages = [...new Bun.Glob("site/**/*.html").scanSync({ cwd })];
    const texts = pages.map((page) => readFileSync(join(cwd, page), "utf8"));
    expect(texts.join("")).toContain("<p>Green tea needs 80 °C.\nBlack tea needs boiling water.</p>");
  });

  async function expectOutput(args: string[], shown: string): Promise<void> {
    const { exitCode, stdout, stderr } = await runCommand(args, { cwd });
    expect([exitCode, mask(stdout + stderr)]).toEqual([0, mask(shown)]);
    key = /lectern_\w{36}/.exec(stdout)?.[0] ?? key;
    const release = Number(/release (\d+)/.exec(stdout)?.[1]);
    const { url = "" } = server ?? {};
    if (url === "" || Number.isNaN(release)) return;
    // Until the server reads what was just published.
    await waitFor(async () => releaseOf(await send(url, "/api/v1/courses", { key })) === release);
  }

  async function runInShell(command: string, shown: string): Promise<void> {
    const url = server?.url ?? "";
    const script = command.replace("http://localhost:3000", url).replace("lessons/ID", `lessons/${lessonId}`);
    const env = { ...inheritEnvironment(), LECTERN_URL: url, LECTERN_KEY: key };
    const child = Bun.spawn(["sh", "-e", "-c", script], { cwd, env, stdout: "pipe", stderr: "ignore" });
    const [exitCode, output] = await Promise.all([child.exited, child.stdout.text()]);
    lessonId = /"id":"([0-9a-f]{24})"/.exec(output)?.[1] ?? lessonId;
    expect([exitCode, mask(output)]).toEqual([0, mask(shown)]);
  }
});

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

  test.each(listSteps("docs/publishing.md", "console", "diff"))("$title", async ({ kind, command, shown }) => {
    if (kind === "diff") applyDiff(`${command}\n`);
    else if (command.startsWith("# Two minutes later"))
      await database.execute("update publications set published_at = '2026-01-01T00:00:00.000Z'");
    else if (command.startsWith("curl ")) await expectAnswer(command, shown);
    else await expectOutput(command, shown);
  });

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
