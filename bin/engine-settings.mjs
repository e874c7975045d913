// The variables that a launcher gives to the program.

/** The number of a pipe that the launcher holds open as long as it runs. */
export const LAUNCHER_PIPE = "LECTERN_LAUNCHER_PIPE";

/**
 * The JavaScript engine reads its settings from the environment when a process begins. With these it collects garbage when
 * the heap has grown by half, not threefold, but not before 48 MiB are new: a server that misses its cache takes 205 MB
 * instead of 380. Without the second one, lists from the cache cost half as much CPU time again.
 */
export const ENGINE_SETTINGS = {
  BUN_JSC_heapGrowthMaxIncrease: "0.5",
  BUN_JSC_largeHeapSize: String(48 * 1024 * 1024),
};
