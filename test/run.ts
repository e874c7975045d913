// npm test: one PostgreSQL and one set of processes for commands for all tests, and test processes side by side. Arguments go to `bun test`.
import { buildPages } from "./support/build-pages.ts";
import { COMMAND_HOSTS_VARIABLE, startCommandHosts } from "./support/command-hosts.ts";
import { SHARED_POSTGRES_VARIABLE, startSharedPostgres } from "./support/postgres.ts";

const PROCESSES = 4;
/** Much more than a test takes: what is slow on a busy machine is not broken. Only what hangs comes so far. */
const TIMEOUT_MS = 120_000;

await buildPages();
const { url } = await startSharedPostgres();
const hosts = startCommandHosts();
const files = process.argv.slice(2);
const options = [`--parallel=${PROCESSES}`, `--timeout=${TIMEOUT_MS}`];
const command = [process.execPath, "test", ...options, ...(files.length === 0 ? ["test"] : files)];
const tests = Bun.spawn(command, {
  env: { ...process.env, [SHARED_POSTGRES_VARIABLE]: url, [COMMAND_HOSTS_VARIABLE]: hosts.socket },
  stdio: ["ignore", "inherit", "inherit"],
});
const exitCode = await tests.exited;
hosts.remove();
process.exit(exitCode);
