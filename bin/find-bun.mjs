// Finds the Bun executable that npm installed. Each platform's package contains an executable, which the install script
// of `bun` moves into the `bun` package. Where install scripts are disabled (`npm ci --ignore-scripts`), the executable
// stays in the platform's package.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { resolve } = createRequire(import.meta.url);

/**
 * Returns the path of the Bun executable. Throws an Error that names the remedy if Bun is not installed for this
 * platform.
 */
export function findBun() {
  const executable = process.platform === "win32" ? "bun.exe" : "bun";
  const candidates = [
    [platformPackage(), `bin/${executable}`],
    ["bun", "bin/bun.exe"],
  ];
  for (const [name, file] of candidates) {
    const folder = findPackage(name);
    if (folder === undefined) continue;
    const path = join(folder, file);
    const stub = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) < 1_000_000;
    if (!stub) return path;
  }
  throw new Error(
    `Bun is not installed for ${process.platform}-${process.arch}. ` +
      "Run `npm ci` in the project's folder, on the platform that will run the project, without `--omit=optional`.",
  );
}

// Resolves the name as Node does, because npm can install the package inside this one or beside it.
function findPackage(name) {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function platformPackage() {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const usesMusl = os === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  return `@oven/bun-${os}-${arch}${usesMusl ? "-musl" : ""}`;
}
