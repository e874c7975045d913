import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** What `npm run prepare` builds of these folders. A build script knows all else that it needs. */
const BUILDS = [
  {
    script: "src/explorer/build-explorer.ts",
    sources: ["src/explorer", "src/client", "src/builds"],
    output: "dist/explorer",
  },
  {
    script: "src/reference/build-reference.ts",
    sources: ["src/reference", "src/builds"],
    output: "dist/reference",
  },
];

/** Builds the pages that are not built, or whose sources are newer. Throws when one cannot be built. */
export async function buildPages(): Promise<void> {
  for (const { script, sources, output } of BUILDS) {
    const builtAtMs = Math.min(...listTimes(output));
    const changedAtMs = Math.max(...sources.flatMap(listTimes));
    if (Number.isFinite(builtAtMs) && changedAtMs < builtAtMs) continue;
    const child = Bun.spawn([process.execPath, script], { cwd: PROJECT, stdio: ["ignore", "inherit", "inherit"] });
    if ((await child.exited) !== 0) throw new Error(`${script} failed`);
  }
}

/** When each file of a folder was written; none where there is no folder. */
function listTimes(folder: string): number[] {
  try {
    return readdirSync(PROJECT + folder, { recursive: true }).map(
      (name) => statSync(`${PROJECT}${folder}/${String(name)}`).mtimeMs,
    );
  } catch {
    return [];
  }
}
