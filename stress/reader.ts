// A reader in its own process: requests the given paths in turn until standard input ends, then prints its statistics.
import { connect } from "node:net";

/** A reader's statistics. */
export interface ReaderReport {
  answers: number;
  /** Answers other than 200, and dropped connections. */
  refused: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const PAUSE_MS = 5;
const [port = "", key = "", ...paths] = process.argv.slice(2);

async function ask(path: string): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on("error", () => resolve(0));
    socket.on("close", () =>
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(chunks).toString("latin1"))?.[1] ?? 0)),
    );
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`);
  });
}

const state = { isOver: false };
process.stdin.on("end", () => (state.isOver = true)).resume();
const times: number[] = [];
let refused = 0;
for (let n = 0; !state.isOver; n++) {
  const startedAt = performance.now();
  const status = await ask(paths[n % paths.length] ?? "/");
  times.push(performance.now() - startedAt);
  if (status !== 200) refused++;
  await Bun.sleep(PAUSE_MS);
}
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const report: ReaderReport = { answers: times.length, refused, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
console.log(JSON.stringify(report));
