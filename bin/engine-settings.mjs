// The variables that a launcher gives to the program. Settings of the JavaScript engine are among them, because the engine reads
// them from the environment when a process begins.

/** The number of a pipe that the launcher holds open as long as it runs. */
export const LAUNCHER_PIPE = "LECTERN_LAUNCHER_PIPE";

/**
 * For servers, whose memory is much rather the garbage of answers than what they keep. It is collected when the heap has
 * grown by a half, and not threefold, though not before the heap has 48 MiB; and at once, since beside the program it takes
 * twice the work on a processor that the program needs, and lets the heap grow until it is done. The price is the pause: 5 to
 * 15 ms, up to 40 on one processor with a full cache of 64 MiB, after each 10,000 misses or so. Such a server takes 180 to
 * 230 MB like this, and up to 270 MB otherwise, for nine tenths of the time per request.
 */
export const SERVER_SETTINGS = {
  BUN_JSC_useConcurrentGC: "0",
  BUN_JSC_heapGrowthMaxIncrease: "0.5",
  BUN_JSC_largeHeapSize: String(48 * 1024 * 1024),
};
const SERVERS = ["serve", "demo"];

/**
 * For commands, most of which end within seconds: code has to run ten times as often as usual before the engine's last and
 * dearest compiler takes it on, which takes a processor from the import that it is to speed up. A tenth less time for a
 * folder, and no more for a million lessons.
 */
export const COMMAND_SETTINGS = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000" };

/**
 * True for a command that serves. The program has no options before its commands.
 * @param {string[]} args
 */
export function isServer([command]) {
  return SERVERS.includes(command);
}

/**
 * The settings for a command with these arguments.
 * @param {string[]} args
 */
export function findEngineSettings(args) {
  return isServer(args) ? SERVER_SETTINGS : COMMAND_SETTINGS;
}
