// Locates the program's files and builds its command lines: it runs from its sources, from a bundle of `build-program.ts`, or as
// an executable of `build-executable.ts`.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Defined in builds, where `import.meta.url` no longer locates the project. */
declare const BUILT_AS: "program" | "executable" | undefined;

/** Precedes the entry in an executable's command line. */
export const ENTRY_MARK = "entry:";

const builtAs = typeof BUILT_AS === "undefined" ? undefined : BUILT_AS;
/** The project folder; in an executable, the folder of embedded files. Never the build machine's path. */
const root = typeof BUILT_AS === "undefined" ? fileURLToPath(new URL("../", import.meta.url)) : findRoot();

/** Returns the path of a project file such as `docs/openapi.json`. In an executable it can be read, but not opened. */
export function findProjectFile(path: string): string {
  return join(root, path);
}

/** Returns the command line for an entry: a path under `src/` without extension. */
export function findCommand(entry: string): string[] {
  if (builtAs === undefined) return [process.execPath, join(root, "src", `${entry}.ts`)];
  if (builtAs === "program") return [process.execPath, join(root, "dist/program", `${entry}.js`)];
  return entry === "main" ? [process.execPath] : [process.execPath, ENTRY_MARK + entry];
}

/** Calls `use` with a project folder; an executable extracts it to a temporary folder meanwhile. */
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

/** An entry may be in a subfolder. */
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
