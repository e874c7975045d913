// Bundles the program into a few files with cached bytecode, which saves most of a command's start time.
// `npm run prepare` runs this script. Packages run the bundle: see bin/find-program.mjs.
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENTRIES } from "./builds/program-entries.ts";
import { removeAbandoned } from "./cli/abandoned-files.ts";

const SOURCES = fileURLToPath(new URL("./", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../dist/program", import.meta.url));

removeAbandoned(dirname(OUTPUT), /^program\.unfinished-([1-9]\d*)$/);
const unfinished = `${OUTPUT}.unfinished-${process.pid}`;
await Bun.build({
  entrypoints: PROGRAM_ENTRIES.map((entry) => `${SOURCES}${entry}.ts`),
  root: SOURCES,
  outdir: unfinished,
  target: "bun",
  // Bun caches bytecode only for CommonJS, whose modules cannot use top-level `await`.
  format: "cjs",
  bytecode: true,
  // `__dirname` would be a path on the build machine. Only pino's transports read it, and the program uses none.
  define: { BUILT_AS: '"program"', __dirname: '"."' },
  minify: { syntax: true },
});
// Keeps the old bundle until the new one is complete, because a server might start a worker during the build.
await rm(OUTPUT, { recursive: true, force: true });
await rename(unfinished, OUTPUT);
