// The description of the interface by itself: valid, with examples that fit it, and nothing in it breaks programs. That it is up to
// date is in test/docs.test.ts.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import type { Json } from "../src/openapi/create-openapi.ts";
import { findBreaks } from "./support/openapi-breaks.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const readText = async (path: string): Promise<string> => Bun.file(join(PROJECT, path)).text();

interface Content {
  schema?: { $ref: string };
  examples?: Record<string, { value: object }>;
}
interface Components {
  schemas: Record<string, object>;
  responses: Record<string, { content?: Record<string, Content> }>;
}

describe("docs/openapi.json", () => {
  test("is valid", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(await readText("docs/openapi.json")) as never);
    expect([valid, errors]).toEqual([true, undefined]);
  });

  test("has only examples that its own schemas take", async () => {
    const text = await readText("docs/openapi.json");
    const { components } = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as {
      components: Components;
    };
    const schemaOf = (name: string): z.ZodType =>
      z.fromJSONSchema({ ...components.schemas[name], $defs: components.schemas } as never);
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { responses?: object }>> };
    const responses = [
      ...Object.values(paths).flatMap((item) => Object.values(item["get"]?.responses ?? {})),
      ...Object.values(components.responses),
    ];
    let examples = 0;
    for (const { content } of responses as { content?: Record<string, Content> }[]) {
      const { schema, examples: shown = {} } = content?.["application/json"] ?? {};
      const taken = schemaOf(/\w+$/.exec(schema?.$ref ?? "")?.[0] ?? "ErrorBody");
      for (const [name, { value }] of Object.entries(shown)) {
        examples++;
        expect([name, taken.safeParse(value).error?.message]).toEqual([name, undefined]);
        expect(taken.safeParse({ ...value, more: 1 }).success).toBe(false);
      }
    }
    expect(examples).toBeGreaterThan(15);
  });

  test("breaks no program that goes by the last release", async () => {
    const [released, current] = [await readText("test/released/openapi.json"), await readText("docs/openapi.json")];
    expect(findBreaks(JSON.parse(released), JSON.parse(current))).toEqual([]);
  });

  // Of each: what is changed, and the beginnings of what is told.
  const LIST = "/paths/~1api~1v1~1courses/get";
  const SCHEMAS = "/components/schemas";
  const LIST_CALL = "GET /api/v1/courses";
  const LESSON = "GET /api/v1/courses/{courseId}/lessons/{lessonId} 200.data";
  const PARAMETER = { in: "query", schema: {} };
  test.each<[edit: string, value: Json | undefined, breaks: string[]]>([
    ["/paths/~1api~1v1~1releases", undefined, ["/api/v1/releases is gone"]],
    [LIST, undefined, ["GET /api/v1/courses is gone"]],
    [`${LIST}/operationId`, "getCourses", [`${LIST_CALL}: its operationId is another one`]],
    [`${LIST}/responses/304`, undefined, ["GET /api/v1/courses 304 is gone"]],
    [`${LIST}/responses/200/headers/ETag`, undefined, ["GET /api/v1/courses 200: the header field ETag is gone"]],
    [`${LIST}/responses/200/content`, {}, ["GET /api/v1/courses 200: application/json is gone"]],
    [`${LIST}/parameters/0`, { ...PARAMETER, name: "text" }, [`${LIST_CALL}: parameter name is gone`]],
    [
      `${LIST}/parameters/0`,
      { ...PARAMETER, name: "name", required: true, schema: { type: "string" } },
      [`${LIST_CALL}: parameter name is required now`],
    ],
    [
      `${LIST}/parameters/99`,
      { ...PARAMETER, name: "new", required: true },
      [`${LIST_CALL}: the new parameter new is required`],
    ],
    [`${LIST}/parameters/99`, { ...PARAMETER, name: "new" }, []],
    [
      "/components/parameters/since/schema/minimum",
      1,
      ["GET /api/v1/changes: parameter since is narrower: minimum", "HEAD"],
    ],
    ["/components/parameters/since/schema/minimum", -1, []],
    [`${SCHEMAS}/LessonBody/properties/data/properties/url`, undefined, []],
    [`${SCHEMAS}/Lesson/properties/url`, undefined, [`${LESSON}.url is gone`]],
    [`${SCHEMAS}/Lesson/properties/url/type`, "integer", [`${LESSON}.url: type is`]],
    [`${SCHEMAS}/Lesson/required/2`, undefined, [`${LESSON}.url may be missing`]],
    [`${SCHEMAS}/Lesson/required/99`, "length", [`${LESSON}.length is new and`]],
    [`${SCHEMAS}/Lesson/properties/length`, { type: "integer" }, []],
    [
      `${SCHEMAS}/CourseChange/properties/change/enum/99`,
      "split",
      ["GET /api/v1/changes 200.data.results[].change: enum is"],
    ],
  ])("a change of %s to %j is judged", async (pointer, value, breaks) => {
    const before = JSON.parse(await readText("docs/openapi.json")) as Json;
    const found = findBreaks(before, change(structuredClone(before), pointer, value));
    expect(found.map((text, index) => text.slice(0, breaks[index]?.length ?? 0))).toEqual(breaks);
  });
});

/** A document with another value at a place, which is made where its parent is there; undefined takes it away. */
function change(document: Json, pointer: string, value: Json | undefined): Json {
  const names = pointer.split("/").slice(1);
  const steps = names.map((name) => name.replaceAll("~1", "/"));
  const last = steps.pop() ?? "";
  const parent = steps.reduce<Json | undefined>(
    (at, name) => (at as Record<string, Json> | undefined)?.[name],
    document,
  );
  if (Array.isArray(parent)) parent.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (parent && value === undefined) delete (parent as Record<string, Json>)[last];
  else if (parent && value !== undefined) (parent as Record<string, Json>)[last] = value;
  return document;
}
