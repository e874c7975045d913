// Environment variables that a launcher passes to the program.

/** The variable that contains the file descriptor of a pipe. The launcher keeps the pipe open as long as it runs. */
export const LAUNCHER_PIPE = "LECTERN_LAUNCHER_PIPE";

/**
 * The JavaScript engine reads these settings from the environment when it starts. With them, the engine collects
 * garbage when the heap has grown by half, rather than threefold, and by at least 48 MiB. As a result, a server with
 * many cache misses uses 205 MB instead of 380 MB. The minimum of 48 MiB halves the CPU time needed to serve lists from
 * the cache. The last setting turns off the slowest optimizing compiler: an import takes a fifth less CPU time, a cached
 * answer no more, an uncached one up to a tenth more.
 */
export const ENGINE_SETTINGS = {
  BUN_JSC_heapGrowthMaxIncrease: "0.5",
  BUN_JSC_largeHeapSize: String(48 * 1024 * 1024),
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
};

/**
 * Returns the options with which Bun ignores `.env`, `bunfig.toml` and `tsconfig.json` in the working directory: in an
 * author's folder, these files could change settings or run programs. `project` is the folder of package.json, which
 * contains no compiler options.
 */
export const ignoreWorkingDirectory = (project) => [
  "--no-env-file",
  `--config=${project}bin/bun.toml`,
  `--tsconfig-override=${project}package.json`,
];
