// Measures the memory of `lectern check` for files that once consumed 1.6 to 5.6 GB.
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIB } from "../src/content/limits.ts";
import type { Judgement } from "./judgement.ts";
import { runMeasured } from "./peak-memory.ts";

const MAX_MEMORY_MB = 700;
const LINE_MIB = 400;

interface HostileFile {
  what: string;
  name: string;
  text: string;
  /** The file is padded with zeros to this size. */
  bytes?: number;
  /** Text that the output must contain. */
  error: string;
}

const files: HostileFile[] = [
  {
    what: "aliases",
    name: "1.md",
    text: `---\na: &a [${"a,".repeat(200_000)}]\nb: [${"*a,".repeat(90)}]\n---\n`,
    error: "--max-nodes",
  },
  {
    what: "keys that contain keys",
    name: "1.md",
    text: `---\na: ${"{? {a: b, c: ".repeat(100)}x${"} : d}".repeat(100)}\n---\n`,
    error: "unknown field",
  },
  { what: "rows of a table", name: "1.md", text: `|a|b|\n|-|-|\n${"|a|b|\n".repeat(170_000)}`, error: "--max-nodes" },
  {
    what: `a line of ${LINE_MIB} MiB`,
    name: "c.ndjson",
    text: "",
    bytes: LINE_MIB * MIB,
    error: "--max-line-size",
  },
];

/** Checks each file in its own process. */
export async function checkHostileContent(): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (const file of files) judgements.push(await checkFile(file));
  return judgements;
}

async function checkFile({ what, name, text, bytes, error }: HostileFile): Promise<Judgement> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-hostile-"));
  mkdirSync(join(folder, "01-a"));
  const path = join(folder, "01-a", name);
  writeFileSync(path, text);
  if (bytes !== undefined) truncateSync(path, bytes);
  const { peakBytes, stdout } = await runMeasured(["check", name.endsWith(".ndjson") ? path : folder]);
  const isRefused = stdout.includes(error);
  rmSync(folder, { recursive: true });
  const megabytes = peakBytes / MIB;
  const refusal = isRefused ? "is refused" : `is NOT refused by ${error}`;
  return {
    isHeld: isRefused && megabytes < MAX_MEMORY_MB,
    text: `check: ${what} ${refusal}, ${megabytes.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`,
  };
}
