// Builds what programs import as `@lectern/client` and `@lectern/client/html`: JavaScript for every runtime, and its types. Run by
// `npm run prepare`, and before the package is packed.
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import * as documents from "../../src/catalog/documents.ts";
import * as included from "../../src/catalog/included-documents.ts";

const PROJECT = new URL("../../", import.meta.url);
const SOURCES = fileURLToPath(new URL("src/", import.meta.url));
const OUTPUT = fileURLToPath(new URL("dist/", import.meta.url));
/** By the names of what is built: what programs import, and the files whose types it exports. */
const ENTRIES = {
  client: {
    source: "catalog-client",
    parts: ["catalog-error", "client-options", "included", "search", "verify-webhook"],
  },
  html: { source: "html/html", parts: ["rewrite-html", "player", "render-quiz", "render-tabs"] },
};

await rm(OUTPUT, { recursive: true, force: true });
for (const [name, { source }] of Object.entries(ENTRIES)) {
  await writeScript(source, "esm", `${name}.js`);
  // For programs that still call `require`.
  await writeScript(source, "cjs", `${name}.cjs`);
}

// An installation for production has no compiler, and needs no types.
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", PROJECT));
if (await Bun.file(compiler).exists()) await writeTypes();

async function writeScript(source: string, format: "esm" | "cjs", naming: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [`${SOURCES}${source}.ts`],
    outdir: OUTPUT,
    naming,
    format,
    // Not minified: an uncaught error shows the line that it comes from.
    target: "browser",
  });
  if (!built.success) throw new AggregateError(built.logs, "the client cannot be built");
}

async function writeTypes(): Promise<void> {
  const folder = `${OUTPUT}types`;
  const project = fileURLToPath(new URL("tsconfig.json", import.meta.url));
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--rootDir", fileURLToPath(PROJECT)];
  await Bun.$`node ${compiler} --project ${project} ${options} --outDir ${folder}`;
  const shapes = Object.entries({ ...documents, ...included }).flatMap(([name, value]) =>
    value instanceof z.ZodObject && name !== "errorBody"
      ? [`interface ${name[0]?.toUpperCase()}${name.slice(1)} ${toType(z.toJSONSchema(value))}\n`]
      : [],
  );
  for (const [name, { source, parts }] of Object.entries(ENTRIES)) {
    const declared = await joinTypes(`${folder}/packages/client/src/`, source, parts);
    const types = (name === "client" ? shapes.join("") : "") + declared;
    for (const ending of ["d.ts", "d.cts"]) await Bun.write(`${OUTPUT}${name}.${ending}`, types);
  }
  await rm(folder, { recursive: true });
}

/** The types of a file, with those that it exports from its parts in one text without imports. */
async function joinTypes(folder: string, source: string, parts: string[]): Promise<string> {
  const beside = source.replace(/[^/]*$/, "");
  let declared = await Bun.file(`${folder}${source}.d.ts`).text();
  for (const part of parts) {
    const exported = new RegExp(`export [^;]* from "\\./${part}\\.ts";\n`);
    if (!exported.test(declared)) throw new Error(`${source}.ts does not export what ${part}.ts has`);
    const types = await Bun.file(`${folder}${beside}${part}.d.ts`).text();
    declared = declared.replace(exported, () => types);
  }
  return declared.replaceAll(/^import [^;]*;\n/gm, "");
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A type of TypeScript, without what it comes from: who reads a catalog needs no zod. */
function toType({ type, properties = {}, items, enum: choices, anyOf, $ref }: JsonSchema): string {
  // Sections of a tree hold sections; no other document holds its like.
  if ($ref !== undefined) return "TreeSectionDocument";
  if (anyOf !== undefined) return anyOf.map((each) => toType(each)).join(" | ");
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (type === "array") return `(${toType(items as JsonSchema)})[]`;
  if (type !== "object") return type === "integer" ? "number" : String(type);
  const members = Object.entries(properties).map(([name, schema]) => {
    const { description = "" } = schema as JsonSchema;
    return `/** ${description} */ ${name}: ${toType(schema as JsonSchema)};`;
  });
  return `{ ${members.join("\n")} }`;
}
