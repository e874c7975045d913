// Builds `@lectern/client` and `@lectern/client/html`: JavaScript for every runtime, and types. `npm run prepare` and
// `npm pack` run this script.
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import * as documents from "../../src/catalog/documents.ts";
import * as included from "../../src/catalog/included-documents.ts";

const PROJECT = new URL("../../", import.meta.url);
const SOURCES = fileURLToPath(new URL("src/", import.meta.url));
const OUTPUT = fileURLToPath(new URL("dist/", import.meta.url));
/** Entry points by output name: each has a main file, and parts beside it whose types it re-exports. */
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

// A production installation has no compiler and needs no types.
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", PROJECT));
if (await Bun.file(compiler).exists()) await writeTypes();

async function writeScript(source: string, format: "esm" | "cjs", naming: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [`${SOURCES}${source}.ts`],
    outdir: OUTPUT,
    naming,
    format,
    // Not minified, so that stack traces show readable lines.
    target: "browser",
  });
  if (!built.success) throw new AggregateError(built.logs, "building the client failed");
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

/** Joins the types of a file and its parts into one text without imports. */
async function joinTypes(folder: string, source: string, parts: string[]): Promise<string> {
  const beside = source.replace(/[^/]*$/, "");
  let declared = await Bun.file(`${folder}${source}.d.ts`).text();
  for (const part of parts) {
    const exported = new RegExp(`export [^;]* from "\\./${part}\\.ts";\n`);
    if (!exported.test(declared)) throw new Error(`${source}.ts re-exports nothing from ${part}.ts`);
    const types = await Bun.file(`${folder}${beside}${part}.d.ts`).text();
    declared = declared.replace(exported, () => types);
  }
  return declared.replaceAll(/^import [^;]*;\n/gm, "");
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Prints a schema as a TypeScript type, so that users of the client need no zod. */
function toType({ type, properties = {}, items, enum: choices, anyOf, $ref }: JsonSchema): string {
  // Only the schema of a tree section contains a `$ref`, which refers to that schema itself.
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
