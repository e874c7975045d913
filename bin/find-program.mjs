// Finds what Bun runs: in a checkout, the sources; in a package, the bundle that `npm run prepare` built.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const find = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The main file of the bundle. The bundle starts faster than the sources. */
export const BUILT_PROGRAM = find("dist/program/main.js");

export function findProgram() {
  // npm never packs the lock file, so only a checkout has it.
  const isPackage = !existsSync(find("package-lock.json"));
  return isPackage && existsSync(BUILT_PROGRAM) ? BUILT_PROGRAM : find("src/main.ts");
}
