// Builds the program into few files that Bun has parsed before, which saves most of the time that a command takes to start. Run by
// `npm run prepare`; packages run it, see bin/find-program.mjs.
import { existsSync, readdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("./", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../dist/program", import.meta.url));
/** What processes and threads start with. */
const ENTRIES = ["main.ts", "cli/worker.ts"];

const UNFINISHED = `${OUTPUT}.unfinished-`;

await removeAbandoned();
const unfinished = UNFINISHED + process.pid;
await Bun.build({
  entrypoints: ENTRIES.map((entry) => SOURCES + entry),
  root: SOURCES,
  outdir: unfinished,
  target: "bun",
  // Bun keeps what it has parsed of this format only; so nothing here awaits at the top of a file.
  format: "cjs",
  bytecode: true,
  // No path of the machine that builds: only pino's transports, which are not used, ask for theirs.
  define: { IS_BUILT: "true", __dirname: '"."' },
  minify: { syntax: true },
});
// At once: a server may start a worker meanwhile.
await rm(OUTPUT, { recursive: true, force: true });
await rename(unfinished, OUTPUT);

// What builds that were killed have left behind.
async function removeAbandoned(): Promise<void> {
  const folder = dirname(OUTPUT);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (!path.startsWith(UNFINISHED) || isRunning(Number(path.slice(UNFINISHED.length)))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
