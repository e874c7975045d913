// Starts a reader as its own process.
import { join } from "node:path";
import type { ReaderReport } from "./reader.ts";

export interface Reader {
  /** Ends the reader and returns its statistics. */
  finish(): Promise<ReaderReport>;
}

/** Reads from a local server; `prefix` precedes the command. */
export function startReader(port: number, key: string, paths: string[], prefix: string[] = []): Reader {
  const command = [...prefix, process.execPath, join(import.meta.dir, "reader.ts"), String(port), key, ...paths];
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  return {
    async finish() {
      await child.stdin.end();
      return JSON.parse(await child.stdout.text()) as ReaderReport;
    },
  };
}
