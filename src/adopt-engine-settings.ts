// Restarts the program in the same process if the environment lacks the engine's settings. The main file imports this
// module first, so that the other modules load only once.
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { findCommand } from "./program-files.ts";

if (!Object.keys(ENGINE_SETTINGS).every((name) => name in process.env)) {
  const [bun = "", ...main] = findCommand("main");
  const command = [bun, ...process.execArgv, ...main, ...process.argv.slice(2)];
  try {
    process.execve?.(bun, command, { ...ENGINE_SETTINGS, ...process.env });
  } catch {
    // Windows has no `execve`: the program continues with its current settings.
  }
}
