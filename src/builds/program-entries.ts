/** Entry points of the program's processes: paths under `src/` without extension. */
export const PROGRAM_ENTRIES = ["main", "cli/serve/worker", "cli/serve/searcher"];
