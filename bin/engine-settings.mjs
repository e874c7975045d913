// Settings of the JavaScript engine, which reads them from the environment when a process begins.

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

/** The settings for a command with these arguments. */
export function findEngineSettings(args) {
  return args.some((arg) => SERVERS.includes(arg)) ? SERVER_SETTINGS : COMMAND_SETTINGS;
}
