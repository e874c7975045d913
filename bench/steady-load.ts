// Sends requests at a steady rate even when the server falls behind, so that every request delayed by a pause counts.
// Runs as its own program, on processor 1 unless it sleeps: `bun steady-load.ts < JSON`.
import type { Socket } from "bun";

const LOAD_CPU = "1";
const CONNECTIONS = 128;
const NOTHING = Buffer.alloc(0);
/** The share of a run, at its start, that does not count. */
const WARM_UP_SHARE = 0.2;

export interface SteadyLoad {
  url: string;
  /** The paths to request, at random with a Zipf distribution. */
  paths: string[];
  headers: Record<string, string>;
  perSecond: number;
  seconds: number;
  /** Sleeps between requests, up to a millisecond too long, so that other processes can use its processor. */
  sleeps?: boolean;
}

export interface SteadyResult {
  requests: number;
  /** The median time from a request's due time to the end of its answer. */
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
}

/** Sends requests for some seconds. Throws if one is answered with an error. */
export async function runSteadyLoad(load: SteadyLoad): Promise<SteadyResult> {
  const pinned = load.sleeps === true ? [] : ["taskset", "-c", LOAD_CPU];
  const command = [...pinned, process.execPath, import.meta.path];
  const stdin = new Blob([JSON.stringify(load)]);
  const child = Bun.spawn(command, { stdin, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The load failed: ${output}`);
  return JSON.parse(output) as SteadyResult;
}

interface Connection {
  socket: Socket<Connection> | undefined;
  /** The due time of the request in progress; undefined while idle. */
  dueMs: number | undefined;
  /** Bytes of the answer still to come; 0 until its head has arrived. */
  missing: number;
  /** A head that has not fully arrived. */
  begun: Buffer;
}

async function send({ url, paths, headers, perSecond, seconds, sleeps = false }: SteadyLoad): Promise<SteadyResult> {
  const { hostname, port } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join("")}\r\n`));
  const draw = createZipf(requests.length);
  const latencies = new Float64Array(Math.ceil(perSecond * seconds));
  let [sent, counted, failures] = [0, 0, 0];
  const idle: Connection[] = [];
  const lost = Promise.withResolvers<never>();
  const isWarm = (): boolean => sent > perSecond * seconds * WARM_UP_SHARE;

  function end(connection: Connection): void {
    if (connection.dueMs !== undefined && isWarm()) latencies[counted++] = performance.now() - connection.dueMs;
    connection.dueMs = undefined;
    idle.push(connection);
  }
  function read(connection: Connection, received: Buffer): void {
    const chunk = Buffer.concat([connection.begun, received]);
    connection.begun = NOTHING;
    if (connection.missing === 0) {
      const headEnd = chunk.indexOf("\r\n\r\n");
      if (headEnd === -1) {
        connection.begun = chunk;
        return;
      }
      const head = chunk.toString("latin1", 0, headEnd);
      if (!head.startsWith("HTTP/1.1 200")) failures++;
      const [, length = "0"] = /content-length: (\d+)/i.exec(head) ?? [];
      connection.missing = headEnd + 4 + Number(length);
    }
    connection.missing -= chunk.byteLength;
    if (connection.missing <= 0) end(connection);
  }
  for (let count = 0; count < CONNECTIONS; count++) {
    const connection: Connection = { socket: undefined, dueMs: undefined, missing: 0, begun: NOTHING };
    connection.socket = await Bun.connect<Connection>({
      hostname,
      port: Number(port),
      data: connection,
      socket: {
        data: (socket, chunk) => read(socket.data, chunk),
        close: () => lost.reject(new Error("A connection ended")),
      },
    });
    idle.push(connection);
  }
  const startedMs = performance.now();
  const total = Math.floor(perSecond * seconds);
  while (sent < total || idle.length < CONNECTIONS) {
    const due = Math.min(total, Math.floor(((performance.now() - startedMs) * perSecond) / 1000));
    while (sent < due) {
      // Uses connections in turn, since the server closes idle ones.
      const connection = idle.shift();
      // The request stays due until a connection is free.
      if (connection === undefined) break;
      connection.dueMs = startedMs + (sent++ * 1000) / perSecond;
      connection.socket?.write(requests[draw()] ?? "");
    }
    // With its own processor it polls, because a timer's millisecond resolution would distort the figures.
    const turn = sleeps ? Bun.sleep(1) : new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.race([turn, lost.promise]);
  }
  if (failures > 0) throw new Error(`${failures} of ${total} answers were errors`);
  const sorted = latencies.subarray(0, counted).sort();
  const percentile = (share: number): number => sorted[Math.min(counted - 1, Math.floor(counted * share))] ?? NaN;
  return { requests: counted, p50Ms: percentile(0.5), p99Ms: percentile(0.99), p999Ms: percentile(0.999) };
}

/** Draws numbers below `count`, the same on every run. */
export function createZipf(count: number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sums[n] = sum += 1 / (n + 1);
  let state = 1;
  return () => {
    // A linear congruential generator (Numerical Recipes).
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const drawn = (state / 2 ** 32) * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) >= drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

if (import.meta.main) {
  const result = await send((await Bun.stdin.json()) as SteadyLoad).catch((error: unknown) => {
    console.log(String(error));
    process.exit(1);
  });
  console.log(JSON.stringify(result));
  process.exit(0);
}
