// This import comes first because it can restart the program.
// oxlint-disable-next-line import/no-unassigned-import
import "./adopt-engine-settings.ts";
import { LAUNCHER_PIPE } from "../bin/engine-settings.mjs";
import { runProgram } from "./cli/program.ts";

const args = process.argv.slice(2);

// A server keeps running when its terminal closes.
if (["serve", "demo"].includes(args[0] ?? "")) process.on("SIGHUP", () => {});
const pipe = process.env[LAUNCHER_PIPE];
delete process.env[LAUNCHER_PIPE];
if (pipe !== undefined && /^\d+$/.test(pipe)) endWithLauncher(Number(pipe));

// build-program.ts explains why top-level `await` is impossible here.
void runProgram(args).then((exitCode) => (process.exitCode = exitCode));

/** Sends this process SIGTERM when the launcher ends. */
function endWithLauncher(fd: number): void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  // With `unref`, a finished command exits without waiting for its launcher.
  const options = { fd, socket: { data() {}, end, open: (socket: Bun.Socket) => socket.unref() } };
  // Bun's types lack `fd`.
  void Bun.connect(options as unknown as Bun.UnixSocketOptions).catch(() => undefined);
}
