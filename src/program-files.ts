// Where the program's files lie: it runs from its sources, or as `build-program.ts` has built it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Defined in what is built, where files no longer know where they came from. */
declare const IS_BUILT: true | undefined;

/** `dist/program/` or `src/`: the folder that a program's first file lies in, and the others in folders beside it. */
const entries = typeof IS_BUILT === "undefined" ? fileURLToPath(new URL(".", import.meta.url)) : findEntries(Bun.main);
const isBuilt = typeof IS_BUILT !== "undefined";

/** The path of what lies in the project's folder, such as `docs/openapi.json`. */
export function findProjectFile(path: string): string {
  return join(entries, isBuilt ? "../.." : "..", path);
}

/** The path of a file that a process or a thread starts with, by its path under `src/` without an ending. */
export function findEntry(name: string): string {
  return join(entries, name + (isBuilt ? ".js" : ".ts"));
}

/** A process may have started with an entry in a folder. */
function findEntries(main: string): string {
  let folder = dirname(main);
  while (!folder.endsWith(join("dist", "program"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${main} is not where the program was built`);
    folder = parent;
  }
  return folder;
}
