// First: it may restart the program.
// oxlint-disable-next-line import/no-unassigned-import
import "./adopt-engine-settings.ts";
import { LAUNCHER_PIPE } from "../bin/engine-settings.mjs";
import { runProgram } from "./cli/program.ts";

const args = process.argv.slice(2);

// A server outlives its terminal.
if (["serve", "demo"].includes(args[0] ?? "")) process.on("SIGHUP", () => {});
const pipe = process.env[LAUNCHER_PIPE];
delete process.env[LAUNCHER_PIPE];
if (pipe !== undefined && /^\d+$/.test(pipe)) endWithLauncher(Number(pipe));

// No top-level `await`: see build-program.ts.
void runProgram(args).then((exitCode) => (process.exitCode = exitCode));

/** When the launcher ends, ends the process as SIGTERM does. */
function endWithLauncher(fd: number): void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  // A finished command does not wait for its launcher.
  const options = { fd, socket: { data() {}, end, open: (socket: Bun.Socket) => socket.unref() } };
  // Bun's types lack `fd`.
  void Bun.connect(options as unknown as Bun.UnixSocketOptions).catch(() => undefined);
}
