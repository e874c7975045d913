// Creates the schemas of all answers for the OpenAPI document.
import { z } from "zod";
import * as documents from "../catalog/documents.ts";
import { successBodies } from "../catalog/documents.ts";
import { includedMembers } from "../catalog/included-documents.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

const { lessons: _, ...ofCourse } = includedMembers.course;
/** The members that `include` adds, by schema name. Lessons in chapters and in lists share a schema. */
const INCLUDED: Record<string, Record<string, z.ZodObject>> = {
  CourseSummary: includedMembers.courses,
  Course: ofCourse,
  LessonSummary: {
    lessons: documents.lessonDocument,
    "lessons,meta": includedMembers.lesson.meta,
    ...includedMembers.lessons,
  },
  Lesson: includedMembers.lesson,
};

/** Returns the name of the schema of an operation's body. */
export function nameBody(route: string): string {
  return `${route[0]?.toUpperCase()}${route.slice(1)}Body`;
}

/**
 * Creates the schemas by name: `courseDocument` becomes `Course`, the body of route `course` becomes `CourseBody`.
 * Throws for a member without a description.
 */
export function createSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [name, value] of Object.entries(documents)) {
    const [, stem] = /^(\w+)Document$/.exec(name) ?? [];
    if (stem !== undefined && value instanceof z.ZodType) {
      registry.add(value, { id: `${stem[0]?.toUpperCase()}${stem.slice(1)}` });
    }
  }
  for (const [route, body] of Object.entries(successBodies)) registry.add(body, { id: nameBody(route) });
  registry.add(documents.errorBody, { id: "ErrorBody" });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, override: simplify });
  for (const [name, included] of Object.entries(INCLUDED)) addIncluded(schemas[name] ?? {}, included);
  for (const [name, schema] of Object.entries(schemas)) {
    requireDescriptions(name, schema);
    delete schema.$schema;
    delete schema["$id"];
    // Hide the entry of the body, since the operation shows the body.
    if (name.endsWith("Body")) Object.assign(schema, { "x-scalar-ignore": true });
  }
  return schemas;
}

/** Adds optional members, each with the `include` name that adds it. */
function addIncluded({ properties = {}, required = [] }: JsonSchema, included: Record<string, z.ZodObject>): void {
  for (const [include, document] of Object.entries(included)) {
    const asked = `\`include=${include}\``;
    const added = referToSections(z.toJSONSchema(document, { override: simplify }).properties ?? {});
    for (const [member, schema] of Object.entries(added) as [string, JsonSchema][]) {
      if (required.includes(member)) continue;
      const known = properties[member] as JsonSchema | undefined;
      const description = known?.description?.replace(": ", `, ${asked}: `) ?? `With ${asked}: ${schema.description}`;
      properties[member] = { ...(known ?? schema), description };
    }
  }
}

/** Replaces references to a recursive schema, the section of a tree, with references to its named definition. */
function referToSections<T extends object>(properties: T): T {
  const text = JSON.stringify(properties).replaceAll('"#/$defs/__schema0"', '"#/components/schemas/TreeSection"');
  return JSON.parse(text) as T;
}

/** Removes redundant members: the pattern of a date-time, and JavaScript's largest integer as a maximum. */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function requireDescriptions(place: string, { properties = {}, items }: JsonSchema): void {
  for (const [name, schema] of Object.entries(properties) as [string, JsonSchema][]) {
    const isDescribed = schema.description !== undefined || schema.$ref !== undefined;
    // The operation describes an envelope's data.
    if (!isDescribed && name !== "data") throw new Error(`documents.ts: ${place}.${name} needs a describe("…")`);
    requireDescriptions(`${place}.${name}`, schema);
  }
  if (items !== undefined) requireDescriptions(`${place}[]`, items as JsonSchema);
}
