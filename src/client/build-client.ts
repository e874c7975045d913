// Builds what programs import as `lectern/client`: JavaScript for every runtime, and its types. Run by `npm run prepare`.
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import * as documents from "../catalog/documents.ts";
import * as included from "../catalog/included-documents.ts";

const ROOT = new URL("../../", import.meta.url);
const OUTPUT = fileURLToPath(new URL("dist/", ROOT));

await mkdir(OUTPUT, { recursive: true });
await writeScript("esm", "client.js");
// For programs that still call `require`.
await writeScript("cjs", "client.cjs");

// An installation for production has no compiler, and needs no types.
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", ROOT));
if (await Bun.file(compiler).exists()) await writeTypes();

async function writeScript(format: "esm" | "cjs", naming: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL("catalog-client.ts", import.meta.url))],
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
  const project = fileURLToPath(new URL("tsconfig.client.json", ROOT));
  await Bun.$`node ${compiler} --project ${project} --outDir ${folder}`;
  const read = (name: string): Promise<string> => Bun.file(`${folder}/client/${name}.d.ts`).text();
  let declared = await read("catalog-client");
  for (const part of ["included", "verify-webhook"]) {
    const exported = new RegExp(`export [^;]* from "\\./${part}\\.ts";\n`);
    const types = await read(part);
    if (!exported.test(declared)) throw new Error(`the client does not export what ${part}.ts has`);
    declared = declared.replace(exported, () => types);
  }
  declared = declared.replaceAll(/^import type [^;]*;\n/gm, "");
  const shapes = Object.entries({ ...documents, ...included }).flatMap(([name, value]) =>
    value instanceof z.ZodObject && name !== "errorBody"
      ? [`interface ${name[0]?.toUpperCase()}${name.slice(1)} ${toType(z.toJSONSchema(value))}\n`]
      : [],
  );
  const types = shapes.join("") + declared;
  for (const name of ["client.d.ts", "client.d.cts"]) await Bun.write(OUTPUT + name, types);
  await rm(folder, { recursive: true });
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A type of TypeScript, without what it comes from: who reads a catalog needs no zod. */
function toType({ type, properties = {}, items, enum: choices, anyOf }: JsonSchema): string {
  if (anyOf !== undefined) return anyOf.map((each) => toType(each)).join(" | ");
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (type === "array") return `(${toType(items as JsonSchema)})[]`;
  if (type !== "object") return type === "integer" ? "number" : String(type);
  const members = Object.entries(properties).map(([name, schema]) => `${name}: ${toType(schema as JsonSchema)};`);
  return `{ ${members.join(" ")} }`;
}
