// The servers that are compared. Each runs on processor 0, the load generator on processor 1.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Subprocess } from "bun";
import type { BenchCatalog } from "./catalogs.ts";

const SERVER_CPU = "0";

export interface Subject {
  name: string;
  url: string;
  /** The processes that do its work. */
  pids: number[];
  stop(): Promise<void>;
}

/** Starts `lectern serve` on a catalog; with a file for its standard output, where it logs requests. */
export async function startLectern(
  catalog: BenchCatalog,
  port: number,
  flags: string[] = [],
  output?: string,
): Promise<Subject> {
  const command = [process.execPath, join(import.meta.dir, "../src/main.ts"), "serve"];
  const settings = ["--database", catalog.database, "--host", "127.0.0.1", "--port", String(port)];
  const rest = ["--admin-port", "0", "--log-level", "error", ...flags];
  const child = spawnPinned([...command, ...settings, ...rest], output);
  await waitForPort(port);
  return { name: "Lectern", url: `http://127.0.0.1:${port}`, pids: [child.pid], stop: async () => end(child) };
}

/** Starts the implementation that many would write first: Express on Node with SQLite. */
export async function startExpress(catalog: BenchCatalog, port: number): Promise<Subject> {
  const path = catalog.database.slice("sqlite:".length);
  const child = spawnPinned(["node", join(import.meta.dir, "peers/express.mjs"), path, catalog.key, String(port)]);
  await waitForPort(port);
  return { name: "Express + SQLite", url: `http://127.0.0.1:${port}`, pids: [child.pid], stop: async () => end(child) };
}

export interface StaticFile {
  path: string;
  body: Uint8Array;
}

/** Writes files for nginx into `folder`, plain and compressed, in place of those that are there. */
export function writeStaticFiles(folder: string, files: StaticFile[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, body } of files) {
    const file = join(folder, "www", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
    writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
  }
}

/** Starts nginx, one worker, on the files of a folder, with headers like Lectern's, and the key checked by a map. */
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
  const child = spawnPinned(["nginx", "-c", config]);
  await waitForPort(port);
  const workers = Bun.spawnSync(["pgrep", "-P", String(child.pid)])
    .stdout.toString()
    .trim()
    .split("\n")
    .map(Number);
  return { name: "nginx", url: `http://127.0.0.1:${port}`, pids: workers, stop: async () => end(child) };
}

function spawnPinned(command: string[], output?: string): Subprocess {
  const stdout = output === undefined ? "ignore" : Bun.file(output);
  return Bun.spawn(["taskset", "-c", SERVER_CPU, ...command], { stdio: ["ignore", stdout, "inherit"] });
}

async function end(child: Subprocess): Promise<void> {
  child.kill("SIGTERM");
  await child.exited;
}

async function waitForPort(port: number): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await Bun.sleep(2)) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** CPU time of processes so far, in seconds, as the operating system counts it. */
export function readCpuSeconds(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // utime and stime, in ticks of 10 ms (proc(5)).
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);
}

/** Memory of processes now, in MB. */
export function readMemoryMb(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);
}
