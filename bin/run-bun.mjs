import { spawn } from "node:child_process";
import { constants } from "node:os";
import { LAUNCHER_PIPE } from "./engine-settings.mjs";
import { findBun } from "./find-bun.mjs";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/**
 * Runs Bun with these arguments in place of this process, with the same streams, signals and exit code. Bun also
 * receives the environment variables in `defaults` that are not yet set.
 */
export function runBun(args, defaults = {}) {
  let bun;
  try {
    bun = findBun();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  const env = { ...defaults, ...process.env };
  // From Node 22.15 on, `execve` turns this process into Bun. In older versions, and on Windows, Bun is a child
  // process: this process forwards signals and holds a pipe open. When the pipe closes, Bun knows that this process was
  // killed.
  if (process.execve && process.platform !== "win32") process.execve(bun, [bun, ...args], env);
  const stdio = ["inherit", "inherit", "inherit", "pipe"];
  const child = spawn(bun, args, { stdio, env: { ...env, [LAUNCHER_PIPE]: "3" } });
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`Cannot start ${bun}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
