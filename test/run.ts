// npm test: one PostgreSQL and one set of processes for commands for all tests, and test processes side by side. Arguments go to `bun test`.
import { join } from "node:path";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import { buildPages } from "./support/build-pages.ts";
import { PROGRAM_VARIABLE } from "./support/command.ts";
import { COMMAND_HOSTS_VARIABLE, startCommandHosts } from "./support/command-hosts.ts";
import { POSTGRES_FOLDER_VARIABLE, SHARED_POSTGRES_VARIABLE, startSharedPostgres } from "./support/postgres.ts";
import { createScratchFolder } from "./support/scratch-folder.ts";

const PROCESSES = 4;
/** Much more than a test takes: what is slow on a busy machine is not broken. Only what hangs comes so far. */
const TIMEOUT_MS = 120_000;
/** How long test files took: the longest start first. */
const TIMINGS = join(import.meta.dir, "timings.json");

await buildPages();
process.env["TMPDIR"] = createScratchFolder();
// Memory goes back to the system after a second: at once, as Bun has it, it takes a twentieth of all processor time.
process.env["MIMALLOC_PURGE_DELAY"] = "1000";
// Little that tests run is run so often that compiling it a second and a third time, on threads beside it, pays.
process.env["BUN_JSC_useDFGJIT"] = "0";
const { url, folder } = await startSharedPostgres();
const hosts = startCommandHosts();
const files = process.argv.slice(2);
// A test process loads the program once, not for each file: no test changes what others of its process see.
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
