// Attacks a server with default settings in every known way at once. Its memory must stay below the limit, and readers
// of another project must not be affected. Linux only.
import { readFileSync } from "node:fs";
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { findProgram } from "../bin/find-program.mjs";
import { attacks } from "./attacks.ts";
import { LIST, SMALL_COURSES, type StressCatalog } from "./catalogs.ts";
import { createHostileClient, type Statuses } from "./client.ts";
import type { Judgement } from "./judgement.ts";
import { startReader } from "./start-reader.ts";

/** The limit in `docs/operating.md` for these catalogs and default settings. */
const MAX_MEMORY_MB = 600;
const MAX_P50_MS = 10;
const MAX_P99_MS = 60;
/** Above this limit the server is killed, to protect the machine. */
const GIVE_UP_MB = 6000;
const MEMORY_INTERVAL_MS = 50;
/** How long stalled clients wait in each round. */
const HOLD_MS = 3000;

export interface AttackOptions {
  seconds: number;
  /** Text in the names of the attacks to run; undefined for all. */
  only: string | undefined;
  /** The server's settings. */
  flags: string[];
}

/** Attacks a server for some seconds and returns a judgement of each attack. */
export async function attackServer(
  catalog: StressCatalog,
  { seconds, only, flags }: AttackOptions,
): Promise<Judgement[]> {
  const { database, attackersKey, readersKey } = catalog;
  const chosen = Object.entries(attacks).filter(([name]) => only === undefined || name.includes(only));
  if (chosen.length === 0) throw new Error(`no attack has ${only} in its name: ${Object.keys(attacks).join("; ")}`);
  const server = await startServer(database, flags);
  const paths = Array.from({ length: SMALL_COURSES }, (_, n) => `${LIST}/small-${n}/lessons/l-${n % 10}`);
  const reader = startReader(server.port, readersKey, paths, pin("1"));
  const memory = watchMemory(server.pid);
  const deadline = Date.now() + seconds * 1000;
  const results = await Promise.all(
    chosen.map(async ([name, run]) => {
      const total: Statuses = new Map();
      for (let round = 0; Date.now() < deadline && !memory.isExceeded(); round++) {
        const client = createHostileClient(server.port, attackersKey);
        // Stalled clients may finish late.
        await Promise.race([run(client, catalog, round), Bun.sleep(HOLD_MS)]);
        await Bun.sleep(Math.max(0, Math.min(HOLD_MS, deadline - Date.now())));
        client.close();
        for (const [status, count] of client.statuses) total.set(status, (total.get(status) ?? 0) + count);
      }
      return [name, total] as const;
    }),
  );
  const report = await reader.finish();
  const afterMb = memory.stop();
  server.kill();
  for (const [name, statuses] of results) console.log(`${name}: ${formatStatuses(statuses)}`);
  // Other answers mean that an attack no longer requests what it was written for.
  const isMeant = (name: string, status: number): boolean =>
    [0, 200, 503, name === "unknown courses" ? 404 : 200].includes(status);
  const weak = results.filter(([name, statuses]) => [...statuses.keys()].some((status) => !isMeant(name, status)));
  const { answers, refused, p50Ms, p99Ms, maxMs } = report;
  const p50 = `p50 ${p50Ms.toFixed(1)} ms (below ${MAX_P50_MS})`;
  const p99 = `p99 ${p99Ms.toFixed(0)} ms (below ${MAX_P99_MS}), at most ${maxMs.toFixed(0)} ms`;
  return [
    {
      isHeld: memory.peakMb() < MAX_MEMORY_MB,
      text: `attacks: ${memory.peakMb().toFixed(0)} MB at most (below ${MAX_MEMORY_MB}), ${afterMb.toFixed(0)} MB at the end`,
    },
    {
      isHeld: refused === 0 && answers > 0,
      text: `attacks: ${refused} of ${answers} answers to another project refused (none)`,
    },
    {
      isHeld: p50Ms < MAX_P50_MS && p99Ms < MAX_P99_MS,
      text: `attacks: readers of another project: ${p50}, ${p99}`,
    },
    {
      isHeld: weak.length === 0,
      text: `attacks: ${weak.length} of ${results.length} got answers that no attack is for (none)`,
    },
  ];
}

function pin(cpu: string): string[] {
  return Bun.which("taskset") === null ? [] : ["taskset", "-c", cpu];
}

async function startServer(
  database: string,
  flags: string[],
): Promise<{ port: number; pid: number; kill: () => void }> {
  const settings = ["--database", database, "--host", "127.0.0.1", "--port", "0", "--admin-port", "0"];
  const child = Bun.spawn([...pin("0"), process.execPath, findProgram(), "serve", ...settings, ...flags], {
    env: { ...ENGINE_SETTINGS, ...process.env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let log = "";
  for await (const chunk of child.stderr) {
    log += new TextDecoder().decode(chunk);
    const line = log.split("\n").find((text) => text.includes('"msg":"serving"'));
    if (line === undefined) continue;
    const { port } = JSON.parse(line) as { port: number };
    return { port, pid: child.pid, kill: () => child.kill("SIGKILL") };
  }
  throw new Error(`The server did not start: ${log}`);
}

function watchMemory(pid: number) {
  let peakMb = 0;
  const read = (): number => {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const megabytes = Number(kilobytes) / 1024;
    peakMb = Math.max(peakMb, megabytes);
    return megabytes;
  };
  const timer = setInterval(read, MEMORY_INTERVAL_MS);
  return {
    peakMb: () => peakMb,
    isExceeded: () => peakMb > GIVE_UP_MB,
    stop() {
      clearInterval(timer);
      return read();
    },
  };
}

function formatStatuses(statuses: Statuses): string {
  if (statuses.size === 0) return "no answer";
  return [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status === 0 ? "ended" : status}`)
    .join(", ");
}
