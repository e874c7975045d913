// The description of the interface by itself: valid, with examples that fit it. That it is up to
// date is in test/docs/docs.test.ts.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
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

  test("has only examples that match its schemas", async () => {
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
});
