// Bundles the program into few files with cached bytecode, which saves most of a command's start time. Run by `npm run prepare`;
// packages run the bundle, see bin/find-program.mjs.
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENTRIES } from "./builds/program-entries.ts";
import { removeAbandoned } from "./cli/abandoned-files.ts";

const SOURCES = fileURLToPath(new URL("./", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../dist/program", import.meta.url));

// Delete leftovers of killed builds.
removeAbandoned(dirname(OUTPUT), /^program\.unfinished-([1-9]\d*)$/);
const unfinished = `${OUTPUT}.unfinished-${process.pid}`;
await Bun.build({
  entrypoints: PROGRAM_ENTRIES.map((entry) => `${SOURCES}${entry}.ts`),
  root: SOURCES,
  outdir: unfinished,
  target: "bun",
  // Bun caches bytecode for CommonJS only, which has no top-level await.
  format: "cjs",
  bytecode: true,
  // Omits the build machine's paths, which only pino's unused transports read.
  define: { BUILT_AS: '"program"', __dirname: '"."' },
  minify: { syntax: true },
});
// Replaces the folder atomically: a server may start a worker meanwhile.
await rm(OUTPUT, { recursive: true, force: true });
await rename(unfinished, OUTPUT);
