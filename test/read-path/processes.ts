// What the system says of running processes (Linux).
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Connection } from "./connection.ts";

/** The processes that a process has started and that still run. None where it has ended itself. */
export function listChildren(pid: number): number[] {
  let threads: string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended.
  }
  const lists = threads.map((thread) => readIfThere(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap((list) => list.trim().split(" ").map(Number).filter(Boolean)).sort((a, b) => a - b);
}

/** False if it has ended, even if its exit code is not collected yet. */
export function isRunning(pid: number): boolean {
  // The program's name stands in brackets, may hold anything, and comes before the state.
  const state = readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .charAt(0);
  return state !== "" && state !== "Z";
}

/** Sends a signal to a process that may have ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ESRCH") throw error;
  }
}

/** Ends the processes that a process has started, and that still run. */
export function killChildren(pid: number): void {
  for (const child of listChildren(pid)) signal(child, "SIGKILL");
}

/** The memory that a process occupies, in MB, with what it shares with others of the same program. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/** The processor time that a process has used, in seconds, to a hundredth. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  // proc(5): utime and stime are the fields 14 and 15; two stand before these.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The ports of the clients whose connections to `serverPort` a process holds. */
export function listClientPorts(pid: number, serverPort: number): Set<number> {
  const held = new Set<string>();
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`)) ?? [];
      if (inode !== undefined) held.add(inode);
    } catch {
      // Closed meanwhile.
    }
  }
  const ports = new Set<number>();
  for (const line of readFileSync(`/proc/${pid}/net/tcp`, "utf8").split("\n").slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [local, remote] = [fields[1], fields[2]].map((address) => Number.parseInt(address?.split(":")[1] ?? "", 16));
    if (local === serverPort && remote !== undefined && remote !== 0 && held.has(fields[9] ?? "")) ports.add(remote);
  }
  return ports;
}

/** Opens connections to a server, some of them to each of these workers. */
export async function openToEach(url: string, workers: number[], key: string): Promise<Connection[]> {
  const opened: Connection[] = [];
  while (!workers.every((pid) => listClientPorts(pid, Number(new URL(url).port)).size > 0)) {
    const connection = await Connection.open(url);
    await connection.ask("/api/v1/courses", { key });
    opened.push(connection);
  }
  return opened;
}

/** The words with which a process was started. */
export function readCommandLine(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
}
