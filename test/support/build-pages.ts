import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** For `--help`. */
const HELP_PAGES = ["docs/commands.md", "docs/settings.md"];
/** Outputs of `npm run prepare` by source folders. */
const BUILDS = [
  {
    script: "packages/client/build.ts",
    sources: ["packages/client/src", "src/catalog"],
    output: "packages/client/dist",
  },
  {
    script: "src/explorer/build-explorer.ts",
    sources: ["src/explorer", "packages/client/src", "src/builds"],
    output: "dist/explorer",
  },
  { script: "src/reference/build-reference.ts", sources: ["src/reference", "src/builds"], output: "dist/reference" },
  {
    script: "src/build-program.ts",
    sources: ["src", "packages/client/src", "bin", "package.json", ...HELP_PAGES],
    output: "dist/program",
  },
];

/** Builds pages and client if missing or older than their sources. Throws if a build fails. */
export async function buildPages(): Promise<void> {
  for (const { script, sources, output } of BUILDS) {
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
