/** What processes of the program start with: paths under `src/` without their ending. */
export const PROGRAM_ENTRIES = ["main", "cli/serve/worker", "cli/serve/searcher"];
