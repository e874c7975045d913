/** The entry points of the program's processes, as paths under `src/` without an extension. */
export const PROGRAM_ENTRIES = ["main", "cli/serve/worker", "cli/serve/searcher"];
