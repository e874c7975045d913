// Builds what programs import as `lectern/client`: JavaScript for every runtime, and its types. Run by `npm run prepare`.
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  chapterDocument,
  changesDocument,
  courseDocument,
  courseSummaryDocument,
  lessonDocument,
  lessonSummaryDocument,
  releaseDocument,
} from "../catalog/documents.ts";
import {
  courseDigestMembers,
  courseMetaMembers,
  lessonDigestMembers,
  lessonMetaMembers,
  navMembers,
} from "../catalog/included-documents.ts";

const ROOT = new URL("../../", import.meta.url);
const OUTPUT = fileURLToPath(new URL("dist/", ROOT));
const SCHEMAS = {
  ChapterDocument: chapterDocument,
  ChangesDocument: changesDocument,
  CourseDocument: courseDocument,
  CourseSummaryDocument: courseSummaryDocument,
  LessonDocument: lessonDocument,
  LessonSummaryDocument: lessonSummaryDocument,
  ReleaseDocument: releaseDocument,
  CourseDigestMembers: courseDigestMembers,
  CourseMetaMembers: courseMetaMembers,
  LessonDigestMembers: lessonDigestMembers,
  LessonMetaMembers: lessonMetaMembers,
  NavMembers: navMembers,
};
/** Declared in a file of its own, and put in its place. */
const WEBHOOKS_EXPORT = /export \{[^}]*\} from "\.\/verify-webhook\.ts";\n/;
const INCLUDED_EXPORT = /export type \* from "\.\/included\.ts";\n/;
const INCLUDED_IMPORT = /import type \{[^}]*\} from "\.\/included\.ts";\n/;
const TYPES_IMPORT = /import type \{[^}]*\} from "\.\.\/catalog\/(included-)?documents\.ts";\n/g;

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
  const declared = await Bun.file(`${folder}/client/catalog-client.d.ts`).text();
  if (declared.match(TYPES_IMPORT) === null) throw new Error("the client does not take its types from documents.ts");
  const shapes = Object.entries(SCHEMAS).map(
    ([name, schema]) => `interface ${name} ${toType(z.toJSONSchema(schema))}\n`,
  );
  if (!INCLUDED_EXPORT.test(declared)) throw new Error("the client does not export the types of what is included");
  if (!WEBHOOKS_EXPORT.test(declared)) throw new Error("the client does not export verifyWebhook");
  const webhooks = await Bun.file(`${folder}/client/verify-webhook.d.ts`).text();
  const included = await Bun.file(`${folder}/client/included.d.ts`).text();
  const whole = declared
    .replace(INCLUDED_IMPORT, "")
    .replace(INCLUDED_EXPORT, included)
    .replace(TYPES_IMPORT, "")
    .replace(WEBHOOKS_EXPORT, webhooks);
  const types = shapes.join("") + whole;
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
