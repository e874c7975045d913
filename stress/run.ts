// npm run stress [-- --seconds N] [--only ATTACK] [--courses N] [--folder PATH]
// Attacks a server with default settings in every known way at once, and tells whether memory stays below its ceiling, and
// whether readers of another project notice. Bounded in time and count; it ends by itself. Linux only.
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { attacks } from "./attacks.ts";
import { prepareCatalogs, type StressCatalog } from "./catalogs.ts";
import { createHostileClient, type Statuses } from "./client.ts";
import type { ReaderReport } from "./reader.ts";

/** What `docs/operating.md` promises for these catalogs and default settings. */
const MAX_MEMORY_MB = 700;
const MAX_P50_MS = 10;
/** A server beyond this is ended, so that the machine goes on. */
const GIVE_UP_MB = 6000;
const MEMORY_INTERVAL_MS = 50;
/** How long a round of stalling clients is held. */
const HOLD_MS = 3000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    only: { type: "string" },
    courses: { type: "string", default: "100000" },
    folder: { type: "string", default: join(tmpdir(), "lectern-stress-catalogs") },
    flags: { type: "string", default: "" },
  },
});

const size = { courses: Number(values.courses), lessons: 100_000, mediumLessons: 1000, largeLessons: 20 };
const catalog = await prepareCatalogs(values.folder, size);
const chosen = Object.entries(attacks).filter(([name]) => values.only === undefined || name.includes(values.only));
const isHeld = await attack(catalog, Number(values.seconds));
process.exit(isHeld ? 0 : 1);

async function attack({ database, attackersKey, readersKey }: StressCatalog, seconds: number): Promise<boolean> {
  const server = await startServer(database);
  const reader = startReader(server.port, readersKey);
  const memory = watchMemory(server.pid);
  const deadline = Date.now() + seconds * 1000;
  const results = await Promise.all(
    chosen.map(async ([name, run]) => {
      const total: Statuses = new Map();
      for (let round = 0; Date.now() < deadline && !memory.isExceeded(); round++) {
        const client = createHostileClient(server.port, attackersKey);
        // Whoever stalls waits for an answer that may come late.
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
  const isSmall = memory.peakMb() < MAX_MEMORY_MB;
  const isQuick = report.p50Ms < MAX_P50_MS && report.refused === 0;
  console.log(
    `${isSmall ? "held  " : "MISSED"} memory: ${memory.peakMb().toFixed(0)} MB at most (below ${MAX_MEMORY_MB}), ${afterMb.toFixed(0)} MB at the end`,
  );
  const { answers, refused, p50Ms, p99Ms, maxMs } = report;
  console.log(
    `${isQuick ? "held  " : "MISSED"} readers of another project: p50 ${p50Ms.toFixed(1)} ms (below ${MAX_P50_MS}), p99 ` +
      `${p99Ms.toFixed(0)} ms, at most ${maxMs.toFixed(0)} ms, ${refused} of ${answers} refused (none)`,
  );
  return isSmall && isQuick;
}

function pin(cpu: string): string[] {
  return Bun.which("taskset") === null ? [] : ["taskset", "-c", cpu];
}

async function startServer(database: string): Promise<{ port: number; pid: number; kill: () => void }> {
  const main = join(import.meta.dir, "../src/main.ts");
  const settings = ["--database", database, "--host", "127.0.0.1", "--port", "0", "--admin-port", "0"];
  const flags = values.flags.split(" ").filter((flag) => flag !== "");
  const child = Bun.spawn([...pin("0"), process.execPath, main, "serve", ...settings, ...flags], {
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

function startReader(port: number, key: string): { finish: () => Promise<ReaderReport> } {
  const command = [...pin("1"), process.execPath, join(import.meta.dir, "reader.ts"), String(port), key];
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  return {
    async finish() {
      await child.stdin.end();
      return JSON.parse(await child.stdout.text()) as ReaderReport;
    },
  };
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
