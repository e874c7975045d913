// How processes start and end: through the launcher, or without it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILT_PROGRAM, findProgram } from "../../bin/find-program.mjs";
import { openStore } from "../../src/store/open-store.ts";
import { listChildren } from "../read-path/processes.ts";
import { inheritEnvironment, LAUNCHER, MAIN, startServing } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

/** Node as it was before 22.15, whatever its version: it cannot replace itself. */
const STAYS = { NODE_OPTIONS: "--import=data:text/javascript,delete%20process.execve" };
const SOURCES = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

let folder: { path: string; remove: () => void };
let database: string;
beforeAll(async () => {
  folder = createTestFolder();
  database = `sqlite:${join(folder.path, "lectern.db")}`;
  await (await openStore(database, { create: true })).close();
});
afterAll(() => folder.remove());

/** Starts `lectern serve` through the launcher, which stays beside it. */
async function launch(cwd: string, ...args: string[]) {
  const command = ["node", LAUNCHER, "serve", "--database", database, "--host", "127.0.0.1", ...args];
  const child = Bun.spawn([...command, "--port", "0", "--admin-port", "0"], {
    cwd,
    env: { ...inheritEnvironment(), ...STAYS },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  const ended = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) log += chunk;
  })();
  const port = (): string | undefined => /"port":(\d+).*"msg":"serving"/.exec(log)?.[1];
  await waitFor(() => port() !== undefined);
  return { child, url: `http://127.0.0.1:${port()}`, ended };
}

const isRefused = (url: string): Promise<boolean> =>
  send(url, "/").then(
    () => false,
    () => true,
  );

/** The engine settings that differ from the engine's own, as Bun prints them. */
const listEngineSettings = (command: string[], environment = {}): string[] => {
  const env = { ...inheritEnvironment(), BUN_JSC_dumpOptions: "1", ...environment };
  const { stderr } = Bun.spawnSync(command, { env, cwd: folder.path });
  return stderr.toString().match(/\bheapGrowthMaxIncrease=\S+/g) ?? [];
};

test.each(["1", "2"])("a server with %s workers exits when its launcher is killed", async (workers) => {
  const { child, url, ended } = await launch(folder.path, "--workers", workers);
  expect(listChildren(child.pid)).toHaveLength(1);
  child.kill("SIGKILL");
  await child.exited;
  await waitFor(() => isRefused(url));
  // The last process that writes to its standard error has ended.
  await ended;
});

test("a server and its workers have the engine settings, read no bunfig.toml, outlive their terminal, and end by a signal", async () => {
  const hostile = await createHostileFolder({ "bunfig.toml": PRELOAD });
  const { child, url, ended } = await launch(hostile.path, "--workers", "2");
  const [server = 0] = listChildren(child.pid);
  const workers = listChildren(server);
  expect(workers).toHaveLength(2);
  for (const pid of [server, ...workers]) {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    expect(variables).toContain("BUN_JSC_heapGrowthMaxIncrease=0.5");
  }
  for (const pid of [child.pid, server, ...workers]) process.kill(pid, "SIGHUP");
  expect((await send(url, "/")).status).toBe(200);
  // A signal that ended them would have come first.
  child.kill("SIGTERM");
  expect([await child.exited, child.signalCode]).toEqual([0, null]);
  await ended;
  expect(hostile.hasRun()).toBe(false);
  hostile.remove();
});

test("a server without a launcher outlives its terminal", async () => {
  const alone = await startServing(["serve"], { env: { LECTERN_DATABASE: database } });
  alone.kill("SIGHUP");
  expect((await send(alone.url, "/")).status).toBe(200);
  alone.kill();
  expect(await alone.exited).toBe(0);
});

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

const PRELOAD = 'preload = ["./ran.ts"]\n';

/** Returns the folder of an author whose file `ran.ts`, if it runs, leaves a file `ran`. */
async function createHostileFolder(files: Record<string, string>) {
  const hostile = createTestFolder();
  const ran = join(hostile.path, "ran");
  await Bun.write(`${ran}.ts`, `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`);
  for (const [name, text] of Object.entries(files)) await Bun.write(join(hostile.path, name), text);
  return { ...hostile, hasRun: () => existsSync(ran) };
}

test("a command reads no configuration of Bun where it is started", async () => {
  const hostile = await createHostileFolder({
    "bunfig.toml": PRELOAD,
    "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./ran.ts"] } } }',
    ".env": "LECTERN_DATABASE=nonsense\n",
  });
  const { stderr } = Bun.spawnSync(["node", LAUNCHER, "status"], { cwd: hostile.path, env: inheritEnvironment() });
  expect(hostile.hasRun()).toBe(false);
  expect(stderr.toString()).toContain("There is no database at ./data/lectern.db");
  hostile.remove();
});

test("a checkout runs its sources, including the latest edit", () => {
  const built = fileURLToPath(new URL("../../dist/program/main.js", import.meta.url));
  expect([findProgram(), BUILT_PROGRAM]).toEqual([SOURCES, built]);
});
