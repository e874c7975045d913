// Writes notices about bundled software: `dist/licenses.txt`, and `dist/sbom.json` in the CycloneDX format. npm runs
// this script before it packs. The script calls no registry.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
/** The reference page contains this development dependency and its dependencies, so the notices list them, too. */
const BUNDLED = "@scalar/api-reference";
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

interface LockedPackage {
  version: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
}

const lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as {
  packages: Record<string, LockedPackage>;
};

/** Finds a package as Node does: in the nearest `node_modules` folder, upwards from `from`. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules") - 1))) {
    const path = join(folder, "node_modules", name);
    if (path in lock.packages) return path;
    if (folder === "") return undefined;
  }
}

function addBundled(path: string, found: Set<string>): void {
  if (found.has(path)) return;
  found.add(path);
  for (const name of Object.keys(lock.packages[path]?.dependencies ?? {})) {
    const dependency = findPackage(path, name);
    if (dependency !== undefined) addBundled(dependency, found);
  }
}

function readLicenses(path: string): string[] {
  try {
    return readdirSync(join(PROJECT, path))
      .filter((name) => LICENSE_FILE.test(name))
      .map((name) => readFileSync(join(PROJECT, path, name), "utf8").trim());
  } catch {
    // A package for another platform is not installed.
    return [];
  }
}

const inProduction = Object.entries(lock.packages).filter(
  ([path, { dev, devOptional, link }]) => path.includes("node_modules") && !dev && !devOptional && !link,
);
const paths = new Set(inProduction.map(([path]) => path));
addBundled(`node_modules/${BUNDLED}`, paths);
/** Maps each license text to the packages with this license. */
const texts = new Map<string, string[]>();
for (const path of [...paths].sort()) {
  const { version: installed = "", license: declared = "unknown" } = lock.packages[path] ?? {};
  const owner = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const text = readLicenses(path).join("\n\n") || `${declared}; the package contains no license text.`;
  texts.set(text, [...(texts.get(text) ?? []), `${owner} ${installed} (${declared})`]);
}
const RULE = "-".repeat(80);
const parts = [...texts].map(([text, owners]) => `${[...new Set(owners)].join("\n")}\n\n${text}\n`);
await Bun.write(join(PROJECT, "dist/licenses.txt"), parts.join(`\n${RULE}\n\n`));

// `npm sbom --omit dev` also omits packages that production and development share. Therefore describe a project without
// development dependencies.
const scratch = mkdtempSync(join(tmpdir(), "lectern-notices-"));
const { name, version, description, license, dependencies, overrides } = packageJson;
const manifest = { name, version, description, license, dependencies, overrides };
const packages = Object.fromEntries([["", manifest], ...inProduction]);
await Bun.write(join(scratch, "package.json"), JSON.stringify(manifest));
await Bun.write(join(scratch, "package-lock.json"), JSON.stringify({ name, version, lockfileVersion: 3, packages }));
const options = ["--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only", "--offline"];
const sbom = Bun.spawnSync(["npm", "sbom", ...options], { cwd: scratch });
rmSync(scratch, { recursive: true });
if (sbom.exitCode !== 0) throw new Error(sbom.stderr.toString());
const bill = JSON.parse(sbom.stdout.toString()) as { metadata: { component: { name: string } }; components: object[] };
// npm names the component after the temporary folder.
bill.metadata.component.name = name;
const { version: bundledVersion = "", license: id = "" } = lock.packages[`node_modules/${BUNDLED}`] ?? {};
const purl = `pkg:npm/${BUNDLED.replace("@", "%40")}@${bundledVersion}`;
bill.components.push({
  type: "library",
  name: BUNDLED,
  version: bundledVersion,
  purl,
  licenses: [{ license: { id } }],
});
await Bun.write(join(PROJECT, "dist/sbom.json"), `${JSON.stringify(bill, undefined, 1)}\n`);
