// Locates the program's files and builds its command lines. The program runs from its sources, from the bundle that
// `build-program.ts` creates, or as an executable that `build-executable.ts` creates.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ignoreWorkingDirectory } from "../bin/engine-settings.mjs";

/** Defined only in builds, where `import.meta.url` does not locate the project. */
declare const BUILT_AS: "program" | "executable" | undefined;

/** Marks the name of an entry in an executable's command line, such as `entry:cli/serve/worker`. */
export const ENTRY_MARK = "entry:";

const builtAs = typeof BUILT_AS === "undefined" ? undefined : BUILT_AS;
/** The project's folder or, in an executable, the folder of the embedded files. */
const root = typeof BUILT_AS === "undefined" ? fileURLToPath(new URL("../", import.meta.url)) : findRoot();

/**
 * Returns the path of a project file. In an executable, `readFileSync` accepts this path, but opening the file fails.
 */
export function findProjectFile(path: string): string {
  return join(root, path);
}

/** Returns the command line that runs an entry, one of PROGRAM_ENTRIES. */
export function findCommand(entry: string): string[] {
  if (builtAs === "executable") return entry === "main" ? [process.execPath] : [process.execPath, ENTRY_MARK + entry];
  const file = builtAs === undefined ? `src/${entry}.ts` : `dist/program/${entry}.js`;
  return [process.execPath, ...ignoreWorkingDirectory(join(root, "/")), join(root, file)];
}

/**
 * Calls `use` with the path of a project folder. An executable extracts the folder to a temporary one, which it deletes
 * after the call.
 */
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

/** Searches upwards, because an entry can be in a subfolder of the bundle. */
function findRoot(): string {
  let folder = dirname(Bun.main);
  if (builtAs === "executable") return folder;
  while (!folder.endsWith(join("dist", "program"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${Bun.main} is not in dist/program, where the program was built`);
    folder = parent;
  }
  return join(folder, "../..");
}
