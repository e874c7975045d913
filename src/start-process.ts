// What a process needs before it is a command, however it was started.
import { ENGINE_SETTINGS, LAUNCHER_PIPE } from "../bin/engine-settings.mjs";

const SERVERS = ["serve", "demo"];

/**
 * Starts the program again, as the same process, when it lacks the engine's settings. Ends the process as SIGTERM does
 * when its launcher ends; a server outlives the terminal that it was started from.
 */
export function startProcess(args: string[]): void {
  if (!Object.keys(ENGINE_SETTINGS).every((name) => name in process.env)) adoptSettings();
  if (SERVERS.includes(args[0] ?? "")) process.on("SIGHUP", () => {});
  const pipe = process.env[LAUNCHER_PIPE];
  delete process.env[LAUNCHER_PIPE];
  if (pipe !== undefined) endWithLauncher(Number(pipe));
}

function adoptSettings(): void {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve?.(process.execPath, command, { ...ENGINE_SETTINGS, ...process.env });
  } catch {
    // Windows has no such call: the program runs with the settings that it has.
  }
}

function endWithLauncher(pipe: number): void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  // A command that is done does not wait for its launcher.
  const options = { fd: pipe, socket: { data() {}, end, open: (socket: Bun.Socket) => socket.unref() } };
  // Bun's types leave `fd` out.
  void Bun.connect(options as unknown as Bun.UnixSocketOptions).catch(() => undefined);
}
