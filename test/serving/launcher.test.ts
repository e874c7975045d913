// How processes start and end: through the launcher, or without it.
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENGINE_SETTINGS } from "../../bin/engine-settings.mjs";
import { BUILT_PROGRAM, findProgram } from "../../bin/find-program.mjs";
import { isRefused } from "../read-path/connection.ts";
import { listChildren } from "../read-path/processes.ts";
import { inheritEnvironment, LAUNCHER, MAIN, startServing } from "../support/command.ts";
import { send } from "../support/server.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";

/** Node as it was before 22.15, whatever its version: it cannot replace itself, and stays beside the server. */
const STAYS = { NODE_OPTIONS: "--import=data:text/javascript,delete%20process.execve" };
const SOURCES = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

const database = useTestStore();
const folder = createTestFolder();
afterAll(() => folder.remove());

/** Starts a server with two workers through the launcher. */
const launch = (cwd: string) =>
  startServing(["serve", "--workers", "2"], {
    // Only the launcher may give it the engine settings.
    command: ["env", ...Object.keys(ENGINE_SETTINGS).flatMap((name) => ["-u", name]), "node", LAUNCHER],
    cwd,
    env: { ...STAYS, LECTERN_DATABASE: database.url },
  });

test("a server exits when its launcher is killed", async () => {
  const launched = await launch(folder.path);
  expect(listChildren(launched.pid)).toHaveLength(1);
  launched.kill("SIGKILL");
  // The last process that writes to its standard error has ended.
  await launched.exited;
  expect(await isRefused(launched.url)).toBe(true);
});

test("a server and its workers have the engine settings, read no configuration of Bun where they are started, outlive their terminal, and end by a signal", async () => {
  const hostile = join(folder.path, "hostile");
  const ran = join(hostile, "ran");
  await Bun.write(`${ran}.ts`, `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`);
  await Bun.write(join(hostile, "bunfig.toml"), 'preload = ["./ran.ts"]\n');
  await Bun.write(join(hostile, "tsconfig.json"), '{ "compilerOptions": { "paths": { "*": ["./ran.ts"] } } }');
  await Bun.write(join(hostile, ".env"), "LECTERN_LOG_LEVEL=nonsense\n");
  const { pid, url, kill, exited } = await launch(hostile);
  const [server = 0] = listChildren(pid);
  const workers = listChildren(server);
  expect(workers).toHaveLength(2);
  for (const each of [server, ...workers]) {
    const variables = readFileSync(`/proc/${each}/environ`, "utf8").split("\0");
    expect(variables).toContain("BUN_JSC_heapGrowthMaxIncrease=0.5");
  }
  for (const each of [pid, server, ...workers]) process.kill(each, "SIGHUP");
  expect((await send(url, "/")).status).toBe(200);
  // A signal that ended them would have come first.
  kill("SIGTERM");
  expect(await exited).toBe(0);
  expect(existsSync(ran)).toBe(false);
});

/** The engine settings that differ from the engine's own, as Bun prints them. */
const listEngineSettings = (command: string[], environment = {}): string[] => {
  const env = { ...inheritEnvironment(), BUN_JSC_dumpOptions: "1", ...environment };
  const { stderr } = Bun.spawnSync(command, { env, cwd: folder.path });
  return stderr.toString().match(/\bheapGrowthMaxIncrease=\S+/g) ?? [];
};

test.each([
  ["the launcher", ["node", LAUNCHER]],
  ["Bun and the built program", [process.execPath, MAIN]],
  ["Bun and the sources", [process.execPath, SOURCES]],
])("a process has the engine settings when %s starts it", (_by, command) => {
  expect(listEngineSettings([...command, "import", "--help"])).toContain("heapGrowthMaxIncrease=0.5");
});

test("engine settings of the environment win", () => {
  const own = { BUN_JSC_heapGrowthMaxIncrease: "2" };
  const settings = listEngineSettings([process.execPath, MAIN, "serve", "--help"], own);
  expect(new Set(settings)).toEqual(new Set(["heapGrowthMaxIncrease=2"]));
});

test("a checkout runs its sources, including the latest edit", () => {
  const built = fileURLToPath(new URL("../../dist/program/main.js", import.meta.url));
  expect([findProgram(), BUILT_PROGRAM]).toEqual([SOURCES, built]);
});
