// Starts the program again, as the same process, where the environment has no settings of the engine. Imported before all else,
// which then loads once.
import { ENGINE_SETTINGS } from "../bin/engine-settings.mjs";
import { findCommand } from "./program-files.ts";

if (!Object.keys(ENGINE_SETTINGS).every((name) => name in process.env)) {
  const [bun = "", ...main] = findCommand("main");
  const command = [bun, ...process.execArgv, ...main, ...process.argv.slice(2)];
  try {
    process.execve?.(bun, command, { ...ENGINE_SETTINGS, ...process.env });
  } catch {
    // Windows has no such call: the program runs with the settings that it has.
  }
}
