// Finds what Bun runs: in a checkout the sources, in a package the program that `npm run prepare` has built from them.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const find = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The first file of the built program, which starts in less time than the sources. */
export const BUILT_PROGRAM = find("dist/program/main.js");

/** The path of the program's first file. */
export function findProgram() {
  // npm never packs the lock file.
  const isPackage = !existsSync(find("package-lock.json"));
  return isPackage && existsSync(BUILT_PROGRAM) ? BUILT_PROGRAM : find("src/main.ts");
}
