// Where the program's files lie, and how it starts itself again: it runs from its sources, as `build-program.ts` or as
// `build-executable.ts` has built it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Defined in what is built, where files no longer know where they came from. */
declare const BUILT_AS: "program" | "executable" | undefined;

/** Stands in the command line of an executable before the entry that it starts with. */
export const ENTRY_MARK = "entry:";

const builtAs = typeof BUILT_AS === "undefined" ? undefined : BUILT_AS;
/** The project's folder; in an executable that of the files in it. Without the path of the machine that builds. */
const root = typeof BUILT_AS === "undefined" ? fileURLToPath(new URL("../", import.meta.url)) : findRoot();

/** The path of what lies in the project's folder, such as `docs/openapi.json`. In an executable it can be read, but not opened. */
export function findProjectFile(path: string): string {
  return join(root, path);
}

/** The command line of a process that starts with an entry: a path under `src/` without an ending. */
export function findCommand(entry: string): string[] {
  if (builtAs === undefined) return [process.execPath, join(root, "src", `${entry}.ts`)];
  if (builtAs === "program") return [process.execPath, join(root, "dist/program", `${entry}.js`)];
  return entry === "main" ? [process.execPath] : [process.execPath, ENTRY_MARK + entry];
}

/** Calls `use` with a folder of the project; that of an executable is written to a temporary place meanwhile. */
export async function withProjectFolder<T>(path: string, use: (folder: string) => Promise<T>): Promise<T> {
  const packed = findProjectFile(path);
  if (builtAs !== "executable") return use(packed);
  const temporary = mkdtempSync(join(tmpdir(), "lectern-"));
  try {
    const folder = join(temporary, basename(path));
    for (const name of readdirSync(packed, { recursive: true }) as string[]) {
      const [from, to] = [join(packed, name), join(folder, name)];
      if (!statSync(from).isFile()) continue;
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, readFileSync(from));
    }
    return await use(folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** A process may have started with an entry in a folder. */
function findRoot(): string {
  let folder = dirname(Bun.main);
  if (builtAs === "executable") return folder;
  while (!folder.endsWith(join("dist", "program"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${Bun.main} is not where the program was built`);
    folder = parent;
  }
  return join(folder, "../..");
}
