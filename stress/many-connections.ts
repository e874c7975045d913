// Opens ten thousand idle connections, and a thousand whose clients request much and read nothing. Others must be
// answered, in bounded memory. Opens as many as this machine allows a process.
import { readFileSync } from "node:fs";
import { residentMegabytes } from "../test/read-path/processes.ts";
import { publish } from "../test/support/catalog.ts";
import { startServing } from "../test/support/command.ts";
import { createKey, send } from "../test/support/server.ts";
import { openTestStore, type Engine } from "../test/support/store.ts";
import { createHostileClient } from "./client.ts";
import type { Judgement } from "./judgement.ts";
import { startReader } from "./start-reader.ts";

const [IDLE, SLOW] = [10_000, 1000];
/** Files that a process needs besides connections. */
const SPARE_FILES = 500;
const BATCH = 250;
const MAX_MEMORY_MB = 600;
const LONG_PATH = "/api/v1/courses/long/lessons/l";
const SHORT_PATH = "/api/v1/courses/short";

/** Holds all connections for this long, and measures a reader beside them. */
export async function holdConnections(engine: Engine, seconds: number): Promise<Judgement[]> {
  const database = await openTestStore(engine);
  const text = Array.from({ length: 150_000 }, (_, n) => Bun.hash(String(n)).toString(36)).join(" ");
  const chapters = [{ id: "c", name: "C", lessons: [{ id: "l", name: "L", additionalText: text }] }];
  await publish(database.store, "acme", [
    { _id: "long", name: "Long", chapters },
    { _id: "short", name: "Short" },
  ]);
  const key = await createKey(database.store, "acme");
  const server = await startServing(["serve"], { env: { LECTERN_DATABASE: database.url } });
  const port = Number(new URL(server.url).port);
  const [, openFiles] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  const room = Number(openFiles) - SPARE_FILES;
  const slow = Math.min(SLOW, room >> 2);
  const idle = Math.min(IDLE, room - slow);
  const reader = startReader(port, key, [SHORT_PATH]);
  const sockets: { end(): void }[] = [];
  const open = async () => Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {}, error() {} } });
  for (let from = 0; from < idle; from += BATCH)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(BATCH, idle - from) }, open))));
  const client = createHostileClient(port, key);
  await Promise.race([
    Promise.all(Array.from({ length: slow }, () => client.stall(LONG_PATH))),
    Bun.sleep(seconds * 1000),
  ]);
  let peakMb = 0;
  for (const endsAt = Date.now() + seconds * 1000; Date.now() < endsAt; await Bun.sleep(50))
    peakMb = Math.max(peakMb, residentMegabytes(server.pid));
  const { answers, refused, p99Ms } = await reader.finish();
  client.close();
  for (const socket of sockets) socket.end();
  const { status } = await send(server.url, LONG_PATH, { key });
  server.kill();
  const isEnded = (await server.exited) === 0;
  await database.drop();
  const statuses = [...client.statuses].map(([each, count]) => `${count} × ${each || "closed"}`).join(", ");
  const what = `${idle} idle connections and ${slow} slow readers (${statuses})`;
  return [
    {
      isHeld: refused === 0 && answers > 0 && status === 200 && isEnded,
      text: `${what}: ${refused} of ${answers} answers to others refused (none), p99 ${p99Ms.toFixed(0)} ms`,
    },
    {
      isHeld: peakMb < MAX_MEMORY_MB,
      text: `${idle} idle connections: ${peakMb.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`,
    },
  ];
}
