import { ENGINE_SETTINGS, LAUNCHER_PIPE } from "../bin/engine-settings.mjs";
import { runProgram } from "./cli/program.ts";

const args = process.argv.slice(2);

if (!Object.keys(ENGINE_SETTINGS).every((name) => name in process.env)) adoptSettings();
// A server outlives the terminal that it was started from.
if (["serve", "demo"].includes(args[0] ?? "")) process.on("SIGHUP", () => {});
const pipe = process.env[LAUNCHER_PIPE];
delete process.env[LAUNCHER_PIPE];
if (pipe !== undefined) endWithLauncher(Number(pipe));

// No `await` at the top of a file: see build-program.ts.
void runProgram(args).then((exitCode) => (process.exitCode = exitCode));

/** Starts the program again, as the same process. */
function adoptSettings(): void {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve?.(process.execPath, command, { ...ENGINE_SETTINGS, ...process.env });
  } catch {
    // Windows has no such call: the program runs with the settings that it has.
  }
}

/** Ends the process as SIGTERM does when its launcher ends. */
function endWithLauncher(fd: number): void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  // A command that is done does not wait for its launcher.
  const options = { fd, socket: { data() {}, end, open: (socket: Bun.Socket) => socket.unref() } };
  // Bun's types leave `fd` out.
  void Bun.connect(options as unknown as Bun.UnixSocketOptions).catch(() => undefined);
}
