// Builds executables that include Bun, the program, the pages, the OpenAPI document and the examples of `lectern demo`.
// `npm run executable` runs this script after `npm run prepare`. By default, the script builds for this machine. For
// each `--target`, such as linux-arm64, it downloads that target's Bun.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PROGRAM_ENTRIES } from "./builds/program-entries.ts";
import { ENTRY_MARK } from "./program-files.ts";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
/** Files and folders that the program reads at run time. */
const EMBEDDED = ["dist/explorer", "dist/reference", "docs/openapi.json", "examples/catalog"];
const MAIN = join(PROJECT, "src/executable.js");

const { values } = parseArgs({
  options: { target: { type: "string", multiple: true }, output: { type: "string", default: join(PROJECT, "dist") } },
});
const missing = EMBEDDED.filter((path) => !existsSync(PROJECT + path));
if (missing.length > 0) throw new Error(`Missing: ${missing.join(", ")}. Run \`npm run prepare\` first.`);

for (const target of values.target ?? [`${process.platform}-${process.arch}`]) {
  const outfile = join(values.output, `lectern-${target}`);
  await Bun.build({
    entrypoints: [MAIN],
    files: { [MAIN]: renderMain(EMBEDDED.flatMap(listFiles)) },
    root: PROJECT,
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: { syntax: true },
    naming: { asset: "[dir]/[name].[ext]" },
    define: { BUILT_AS: '"executable"', __dirname: '"."' },
    // `false` keeps the executable from reading `.env` and `bunfig.toml` in the working directory.
    compile: {
      target: `bun-${target}` as Bun.Build.CompileTarget,
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  console.log(`${outfile}: ${Math.round(statSync(outfile).size / 1e6)} MB`);
}

/**
 * Renders the main module, which runs the entry named on the command line, or `main` if none is named. The module
 * imports `files`, so that Bun embeds them.
 */
function renderMain(files: string[]): string {
  const imports = files.map((path, index) => `import file${index} from "../${path}" with { type: "file" };`);
  const entries = PROGRAM_ENTRIES.map((name) => `${JSON.stringify(name)}: () => require("./${name}.ts"),`);
  return `${imports.join("\n")}
export const files = [${files.map((_, index) => `file${index}`).join(", ")}];
const entries = { ${entries.join(" ")} };
const [, , first = ""] = process.argv;
const named = first.startsWith("${ENTRY_MARK}") ? entries[first.slice(${ENTRY_MARK.length})] : undefined;
(named ?? entries.main)();
`;
}

function listFiles(path: string): string[] {
  if (!statSync(PROJECT + path).isDirectory()) return [path];
  const names = readdirSync(PROJECT + path, { recursive: true }) as string[];
  return names.map((name) => `${path}/${name}`).filter((each) => statSync(PROJECT + each).isFile());
}
