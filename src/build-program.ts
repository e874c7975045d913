// Builds the program into few files that Bun has parsed before, which saves most of the time that a command takes to start. Run by
// `npm run prepare`; packages run it, see bin/find-program.mjs.
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENTRIES } from "./builds/program-entries.ts";
import { removeAbandoned } from "./cli/abandoned-files.ts";

const SOURCES = fileURLToPath(new URL("./", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../dist/program", import.meta.url));

// What builds that were killed have left behind.
removeAbandoned(dirname(OUTPUT), /^program\.unfinished-([1-9]\d*)$/);
const unfinished = `${OUTPUT}.unfinished-${process.pid}`;
await Bun.build({
  entrypoints: PROGRAM_ENTRIES.map((entry) => `${SOURCES}${entry}.ts`),
  root: SOURCES,
  outdir: unfinished,
  target: "bun",
  // Bun keeps what it has parsed of this format only; so nothing here awaits at the top of a file.
  format: "cjs",
  bytecode: true,
  // No path of the machine that builds: only pino's transports, which are not used, ask for theirs.
  define: { BUILT_AS: '"program"', __dirname: '"."' },
  minify: { syntax: true },
});
// At once: a server may start a worker meanwhile.
await rm(OUTPUT, { recursive: true, force: true });
await rename(unfinished, OUTPUT);
