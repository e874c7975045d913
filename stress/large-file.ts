// Imports and serves a video of 200 MB, and measures the memory of the import and of a server whose clients partly stop
// reading. Linux only.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../bin/find-program.mjs";
import type { Engine } from "../test/support/store.ts";
import type { Judgement } from "./judgement.ts";
import { readPeakBytes, runMeasured } from "./peak-memory.ts";

const FILE_MB = 200;
const MB = 1_000_000;
/**
 * The allowed memory beyond that for a small file. 20 to 30 MB of it are garbage, which a server collects only when its
 * heap reaches 48 MiB.
 */
const MAX_MORE_MB = 120;
const STALLED_READERS = 20;

/** Imports and serves a large and a small file on each engine. */
export async function moveLargeFile(engines: Engine[]): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (const engine of engines) {
    const [small, large] = [await measure(engine, 1), await measure(engine, FILE_MB)];
    for (const what of ["import", "server"] as const) {
      const moreMb = large[what] - small[what];
      judgements.push({
        // A killed command's peak is Infinity.
        isHeld: large.isWhole && small.isWhole && moreMb < MAX_MORE_MB,
        text:
          `${engine.name}: a file of ${FILE_MB} MB ${large.isWhole ? "is served whole" : "is NOT served whole"} and takes ` +
          `${moreMb.toFixed(0)} MB in the ${what} more than one of 1 MB (below ${MAX_MORE_MB})`,
      });
    }
  }
  return judgements;
}

interface Measured {
  /** The peak memory of the import, in MB. */
  import: number;
  server: number;
  isWhole: boolean;
}

async function measure(engine: Engine, megabytes: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-large-file-"));
  const digest = writeCourse(folder, megabytes);
  const database = await engine.createStoreDatabase();
  const variables = { LECTERN_DATABASE: database.url, LECTERN_PROJECT: "stress" };
  const settings = ["--public-url", "http://localhost", "--max-asset-size", "512"];
  const imported = await runMeasured(["import", join(folder, "course"), ...settings], variables);
  const server = Bun.spawn(
    [process.execPath, findProgram(), "serve", "--port", "0", "--admin-port", "0", "--host", "127.0.0.1"],
    {
      env: { ...process.env, ...variables },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const port = await readPort(server.stderr);
  const path = `/assets/${digest}/film.mp4`;
  const stalled = Array.from({ length: STALLED_READERS }, () => stall(port, path));
  await Promise.all(stalled.map(async ({ begun }) => begun));
  const received = new Bun.CryptoHasher("sha256");
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  for await (const part of response.body ?? []) received.update(part);
  const peakBytes = readPeakBytes(server.pid);
  for (const { end } of stalled) end();
  server.kill();
  await server.exited;
  await database.drop();
  rmSync(folder, { recursive: true });
  return {
    import: imported.peakBytes / MB,
    server: peakBytes / MB,
    isWhole: received.digest("hex").slice(0, 32) === digest,
  };
}

/** Creates a course whose lesson shows a file of random bytes. Returns the file's digest. */
function writeCourse(folder: string, megabytes: number): string {
  const lessons = join(folder, "course/01-films");
  mkdirSync(lessons, { recursive: true });
  writeFileSync(join(lessons, "01-film.md"), '<video src="film.mp4"></video>\n');
  const hasher = new Bun.CryptoHasher("sha256");
  for (let written = 0; written < megabytes; written++) {
    const part = Buffer.alloc(MB);
    for (let from = 0; from < MB; from += 50_000) crypto.getRandomValues(part.subarray(from, from + 50_000));
    hasher.update(part);
    appendFileSync(join(lessons, "film.mp4"), part);
  }
  return hasher.digest("hex").slice(0, 32);
}

async function readPort(log: ReadableStream<Uint8Array>): Promise<number> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of log) {
    text += decoder.decode(part, { stream: true });
    const [, port] = /"port":(\d+)/.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`the server did not start: ${text}`);
}

/** Opens a client that stops reading after the first bytes. */
function stall(port: number, path: string): { begun: Promise<void>; end: () => void } {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  const begun = new Promise<void>((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
  });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return { begun, end: () => socket.destroy() };
}
