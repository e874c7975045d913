// docs/tutorial.md against the program: its commands run one after the other, and print what it shows.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { releaseOf } from "../support/answers.ts";
import { inheritEnvironment, runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { listBlocks } from "../support/markdown.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("docs/tutorial.md", () => {
  const folder = createTestFolder();
  let server: RunningCommand | undefined;
  let key = "";
  let lessonId = "";

  symlinkSync(join(ROOT, "examples"), join(folder.path, "examples"));

  afterAll(async () => {
    server?.kill();
    await server?.exited;
    folder.remove();
  });

  for (const { kind, text } of listBlocks(readFileSync(join(ROOT, "docs/tutorial.md"), "utf8"))) {
    const calls = kind === "sh" ? [text] : text.split(/^\$ /m).slice(1);
    for (const call of calls) {
      const [command = "", ...output] = kind === "sh" ? [call] : call.trimEnd().split("\n");
      test(command, async () => replay(command, output.join("\n")));
    }
  }

  test("its site shows the last import", () => {
    const pages = [...new Bun.Glob("site/**/*.html").scanSync({ cwd: folder.path })];
    const texts = pages.map((page) => readFileSync(join(folder.path, page), "utf8"));
    expect(texts.join("")).toContain("<p>Green tea needs 80 °C.\nBlack tea needs boiling water.</p>");
  });

  async function replay(command: string, shown: string): Promise<void> {
    const [program, name, ...args] = command.split(" ");
    if (command === "npx lectern serve") server = await startServing(["serve"], { cwd: folder.path });
    else if (program === "npx") await expectOutput(args, shown);
    else if (program === "export") expect(name).toBe("LECTERN_KEY=YOUR_KEY");
    else await runInShell(command, shown);
  }

  async function expectOutput(args: string[], shown: string): Promise<void> {
    const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    expect([exitCode, mask(stdout + stderr).trim()]).toEqual([0, mask(shown)]);
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
    const child = Bun.spawn(["sh", "-e", "-c", script], { cwd: folder.path, env, stdout: "pipe", stderr: "ignore" });
    const [exitCode, output] = await Promise.all([child.exited, child.stdout.text()]);
    lessonId = /"id":"([0-9a-f]{24})"/.exec(output)?.[1] ?? lessonId;
    expect([exitCode, mask(output).trim()]).toEqual([0, mask(shown)]);
  }
});

/** Replaces ids, secrets and times, which differ per run. */
function mask(text: string): string {
  return text
    .replace(/key_[0-9a-f]{12}/g, "KEY_ID")
    .replace(/lectern_\w{36}/g, "SECRET")
    .replace(/\b[0-9a-f]{24}\b/g, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}
