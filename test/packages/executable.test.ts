// The executable for this machine, in an empty folder, with an empty environment.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json";
import { listChildren } from "../read-path/processes.ts";
import { runProcess, startServing, type CommandOptions } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

let built: string;
let folder: string;
let executable: CommandOptions;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "lectern-built-"));
  folder = mkdtempSync(join(tmpdir(), "lectern-empty-"));
  const build = [process.execPath, "src/build-executable.ts", "--output", built];
  const { exitCode, stderr } = Bun.spawnSync(build, { cwd: PROJECT });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  const file = join(built, `lectern-${process.platform}-${process.arch}`);
  executable = { command: ["env", "-i", file], cwd: folder };
});
afterAll(() => {
  for (const each of [built, folder]) rmSync(each, { recursive: true, force: true });
});

test("it contains the program, the pages and the examples, and needs no other file", async () => {
  expect((await runProcess(["--version"], executable)).stdout).toBe(`${packageJson.version}\n`);
  // What Bun would read where it is started.
  writeFileSync(join(folder, ".env"), "LECTERN_LOG_LEVEL=nonsense\n");
  const server = await startServing(["demo", "--workers", "2"], executable);
  const { text } = await send(server.url, "/docs");
  const scripts = Array.from(text.matchAll(/src="([^"]+)"/g), ([, path]) => `/${path ?? ""}`);
  expect(scripts).toHaveLength(2);
  for (const path of ["/", "/docs", "/docs/", "/openapi.json", ...scripts]) {
    expect([path, (await send(server.url, path)).status]).toEqual([path, 200]);
  }
  await waitFor(() => /lectern_\w{36}/.test(server.stdout()));
  const [key = ""] = /lectern_\w{36}/.exec(server.stdout()) ?? [];
  expect((await send(server.url, "/api/v1/courses/vietnamese-coffee", { key })).status).toBe(200);
  expect(readdirSync(folder).sort()).toEqual([".env", "data"]);

  const workers = listChildren(server.pid);
  expect(workers).toHaveLength(2);
  for (const pid of [server.pid, ...workers]) {
    expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).toContain("BUN_JSC_heapGrowthMaxIncrease=0.5");
  }
  server.kill();
  expect(await server.exited).toBe(0);
});

test("it imports, checks and reads like the other forms of the program", async () => {
  writeFileSync(join(folder, "courses.ndjson"), '{"slug":"tea","name":"Tea","chapters":[]}\n');
  const imported = await runProcess(["import", "courses.ndjson", "--project", "acme"], executable);
  expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
  const read = await runProcess(["get", "/api/v1/courses/tea", "--project", "acme"], executable);
  expect(read.stdout).toContain('"name":"Tea"');
});
