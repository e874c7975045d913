import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** For `--help`. */
const HELP_PAGES = ["docs/commands.md", "docs/settings.md"];
const CLIENT = "packages/client/src";
/** What `npm run prepare` runs: a script, its output, and the sources. */
const BUILDS: [script: string, output: string, ...sources: string[]][] = [
  ["packages/client/build.ts", "packages/client/dist", CLIENT, "src/catalog"],
  ["src/explorer/build-explorer.ts", "dist/explorer", "src/explorer", CLIENT, "src/builds"],
  ["src/reference/build-reference.ts", "dist/reference", "src/reference", "src/builds"],
  ["src/build-program.ts", "dist/program", "src", CLIENT, "bin", "package.json", ...HELP_PAGES],
];

/** Builds pages and client if missing or older than their sources. Throws if a build fails. */
export async function buildPages(): Promise<void> {
  for (const [script, output, ...sources] of BUILDS) {
    const builtAtMs = Math.min(...listTimes(output));
    const changedAtMs = Math.max(...sources.flatMap(listTimes));
    if (Number.isFinite(builtAtMs) && changedAtMs < builtAtMs) continue;
    const child = Bun.spawn([process.execPath, script], { cwd: PROJECT, stdio: ["ignore", "inherit", "inherit"] });
    if ((await child.exited) !== 0) throw new Error(`${script} failed`);
  }
}

/** Write times of a file, or of each file of a folder; none if it does not exist. */
function listTimes(place: string): number[] {
  try {
    const found = statSync(PROJECT + place);
    if (!found.isDirectory()) return [found.mtimeMs];
    return readdirSync(PROJECT + place, { recursive: true }).map(
      (name) => statSync(`${PROJECT}${place}/${String(name)}`).mtimeMs,
    );
  } catch {
    return [];
  }
}
