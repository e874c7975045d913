// Finds what Bun runs: the sources in a checkout, the bundle built by `npm run prepare` in a package.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const find = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The main file of the bundle, which starts faster than the sources. */
export const BUILT_PROGRAM = find("dist/program/main.js");

/** Returns the path of the program's main file. */
export function findProgram() {
  // npm never packs the lock file, so only a checkout has it.
  const isPackage = !existsSync(find("package-lock.json"));
  return isPackage && existsSync(BUILT_PROGRAM) ? BUILT_PROGRAM : find("src/main.ts");
}
