// What `include` adds to answers, as schemas have it: members that may be missing, each with the name that asks for it.
import type { z } from "zod";
import { includingBody, type includedMembers } from "../catalog/included-documents.ts";
import { routes } from "../http/routes.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;
type Schemas = Record<string, JsonSchema>;

/** Adds them to the schemas of the bodies, and to those that these refer to. `toSchema` makes a schema without references. */
export function addIncludedMembers(
  schemas: Schemas,
  nameBody: (route: string) => string,
  toSchema: (document: z.ZodType) => JsonSchema,
): void {
  const askedBy = new Map<JsonSchema, Set<string>>();
  for (const route of routes.routes) {
    if (route.kind !== "operation") continue;
    const body = schemas[nameBody(route.name)];
    const names = route.includes ?? [];
    // Some members come only where two names are given together.
    for (const asked of [...names.map((name) => [name]), names]) {
      if (body === undefined || asked.length === 0) continue;
      const whole = toSchema(includingBody(route.name as keyof typeof includedMembers, asked));
      merge(body, whole, { name: asked.join(","), schemas, askedBy });
    }
  }
  for (const [schema, names] of askedBy) {
    const asked = [...names].map((name) => `\`include=${name}\``).join(", ");
    schema.description = `With ${asked}: ${schema.description ?? ""}`;
  }
}

interface Merging {
  name: string;
  schemas: Schemas;
  /** The members that were added, with the names that ask for them. */
  askedBy: Map<JsonSchema, Set<string>>;
}

function merge(given: JsonSchema, whole: JsonSchema, merging: Merging): void {
  const base = resolve(given, merging.schemas);
  if (base.items !== undefined && whole.items !== undefined) {
    merge(base.items as JsonSchema, whole.items as JsonSchema, merging);
  }
  for (const [member, schema] of Object.entries(whole.properties ?? {}) as [string, JsonSchema][]) {
    const known = base.properties?.[member] as JsonSchema | undefined;
    if (known === undefined) {
      (base.properties ??= {})[member] = schema;
      merging.askedBy.set(schema, new Set([merging.name]));
    } else if (merging.askedBy.has(known)) {
      if (!merging.name.includes(",")) merging.askedBy.get(known)?.add(merging.name);
    } else merge(known, schema, merging);
  }
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : (schemas[name] ?? schema);
}
