// Finds what Bun runs: the program as `npm run prepare` has built it, which starts in a third of the time, or its sources where it
// is not built, or something was changed since.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = join(PROJECT, "src");

/** The path of the program's first file. */
export function findProgram() {
  const built = join(PROJECT, "dist/program/main.js");
  const builtAtMs = findTime(built);
  const sources = [
    ...readdirSync(SOURCES, { recursive: true }).map((name) => join(SOURCES, name)),
    join(PROJECT, "package.json"),
  ];
  const isCurrent = builtAtMs !== undefined && sources.every((path) => (findTime(path) ?? 0) <= builtAtMs);
  return isCurrent ? built : join(SOURCES, "main.ts");
}

function findTime(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
