// The compared servers. Each runs on processor 0, the load generator on processor 1.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import type { BenchCatalog } from "./catalogs.ts";

const SERVER_CPU = "0";
const START_MS = 20_000;

/** A running server; disposing of it ends the process. */
export interface Subject extends AsyncDisposable {
  name: string;
  url: string;
  /** The processes that answer requests. */
  pids: number[];
}

/** Starts `lectern serve` on a catalog; a file for standard output enables the access log. */
export async function startLectern(
  catalog: BenchCatalog,
  port: number,
  flags: string[] = [],
  output?: string,
): Promise<Subject> {
  const command = [process.execPath, BUILT_PROGRAM, "serve"];
  const settings = ["--database", catalog.database, "--host", "127.0.0.1", "--port", String(port)];
  const rest = ["--admin-port", "0", "--log-level", "error", ...flags];
  const lectern = await start("Lectern", [...command, ...settings, ...rest], port, output);
  return { ...lectern, pids: [...lectern.pids, ...listChildren(lectern.pids[0])] };
}

/** Starts a typical first implementation: Express on Node with SQLite. */
export async function startExpress(catalog: BenchCatalog, port: number): Promise<Subject> {
  const path = catalog.database.slice("sqlite:".length);
  const command = ["node", join(import.meta.dir, "peers/express.mjs"), path, catalog.key, String(port)];
  return start("Express + SQLite", command, port);
}

/** Starts Bun's server with one constant answer. */
export async function startConstant(port: number): Promise<Subject> {
  const command = [process.execPath, join(import.meta.dir, "peers/constant.ts"), String(port)];
  return start("Bun's server", command, port);
}

/** Writes a file for nginx into `folder`, plain and compressed. */
export function writeStaticFile(folder: string, path: string, body: Uint8Array): void {
  const file = join(folder, "www", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, body);
  writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
}

/** Starts nginx with one worker, which serves a folder's files with Lectern's headers and checks the key with a map. */
export async function startNginx(folder: string, key: string, port: number, logs: boolean): Promise<Subject> {
  const template = readFileSync(join(import.meta.dir, "peers/nginx.conf"), "utf8");
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    template
      .replaceAll("@FOLDER@", folder)
      .replaceAll("@PORT@", String(port))
      .replaceAll("@KEY@", key)
      .replaceAll("@LOG@", logs ? `${folder}/access.log requests buffer=64k flush=1s` : "off"),
  );
  const nginx = await start("nginx", ["nginx", "-c", config], port);
  return { ...nginx, pids: listChildren(nginx.pids[0]) };
}

/** Returns a process's children: a server's workers. */
function listChildren(pid: number | undefined): number[] {
  const workers = Bun.spawnSync(["pgrep", "-P", String(pid)])
    .stdout.toString()
    .trim();
  return workers === "" ? [] : workers.split("\n").map(Number);
}

/** Starts a server and waits for its first answer. Throws if there is none, or if another program uses the port. */
async function start(name: string, command: string[], port: number, output?: string): Promise<Subject> {
  const url = `http://127.0.0.1:${port}`;
  if (await isAnswering(url)) throw new Error(`Port ${port} is in use; stop the program that uses it.`);
  const stdout = output === undefined ? "ignore" : Bun.file(output);
  // The settings that the launcher passes to Lectern; other servers ignore them.
  const env = { ...ENGINE_SETTINGS, ...process.env };
  const child = Bun.spawn(["taskset", "-c", SERVER_CPU, ...command], { env, stdio: ["ignore", stdout, "inherit"] });
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exited;
  };
  for (const deadline = Date.now() + START_MS; !(await isAnswering(url)); await Bun.sleep(2)) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await end();
    throw new Error(`${name} did not start.`);
  }
  return { name, url, pids: [child.pid], [Symbol.asyncDispose]: end };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Returns the processes' CPU time so far, in seconds. */
export function readCpuSeconds(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // utime and stime, in ticks of 10 ms (proc(5)).
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);
}

/** Returns the steal time so far, in seconds, over all processors. */
export function readStolenSeconds(): number {
  // The eighth figure in the first line is `steal`, in ticks of 10 ms (proc(5)).
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  return Number(total.split(/ +/)[8]) / 100;
}

/** Returns the processes' resident memory, in MB. */
export function readMemoryMb(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);
}
