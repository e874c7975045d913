// npm test: starts one PostgreSQL, processes for commands, one browser, and parallel test processes. Passes arguments to `bun test`.
import { join } from "node:path";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import { buildPages } from "./support/build-pages.ts";
import { PROGRAM_VARIABLE } from "./support/command.ts";
import { COMMAND_HOSTS_VARIABLE, startCommandHosts } from "./support/command-hosts.ts";
import { POSTGRES_FOLDER_VARIABLE, SHARED_POSTGRES_VARIABLE, startSharedPostgres } from "./support/postgres.ts";
import { createScratchFolder } from "./support/scratch-folder.ts";

/** More than processors: tests often wait for servers and databases. */
const PROCESSES = 6;
/** Only ends hanging tests: far more than a test takes on a busy machine. */
const TIMEOUT_MS = 120_000;
/** Durations of test files: the longest start first. */
const TIMINGS = join(import.meta.dir, "timings.json");

await buildPages();
process.env["TMPDIR"] = createScratchFolder();
// Return memory to the system after a second: Bun's default, at once, takes a twentieth of all CPU time.
process.env["MIMALLOC_PURGE_DELAY"] = "1000";
// Optimizing compilers do not pay off for short tests.
process.env["BUN_JSC_useDFGJIT"] = "0";
// Collect garbage in the test's own thread: threads of six processes on two processors take a seventh of all time.
process.env["BUN_JSC_useConcurrentGC"] = "0";
process.env["BUN_JSC_numberOfGCMarkers"] = "1";
const { url, folder } = await startSharedPostgres();
const hosts = startCommandHosts();
const files = process.argv.slice(2);
// Each test process loads the program once: no test changes shared modules.
const options = [`--parallel=${PROCESSES}`, "--no-isolate", `--timeout=${TIMEOUT_MS}`, `--timings=${TIMINGS}`];
const command = [process.execPath, "test", ...options, ...(files.length === 0 ? ["test"] : files)];
const variables = {
  [SHARED_POSTGRES_VARIABLE]: url,
  [POSTGRES_FOLDER_VARIABLE]: folder,
  [COMMAND_HOSTS_VARIABLE]: hosts.socket,
  [PROGRAM_VARIABLE]: BUILT_PROGRAM,
};
const tests = Bun.spawn(command, { env: { ...process.env, ...variables }, stdio: ["ignore", "inherit", "inherit"] });
const exitCode = await tests.exited;
hosts.remove();
process.exit(exitCode);
