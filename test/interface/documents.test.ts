// Every answer has the members that the interface names, in its order, and no others.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { z } from "zod";
import {
  courseDocument,
  courseSummaryDocument,
  envelopeOf,
  errorBody,
  lessonDocument,
  lessonSummaryDocument,
  listOf,
  successBodies,
} from "../../src/catalog/documents.ts";
import { includedMembers, lessonMetaMembers, withLessons } from "../../src/catalog/included-documents.ts";

import { anyEngine } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const REQUESTS: [route: keyof typeof successBodies, path: string][] = [
  ["courses", "/courses"],
  ["courses", "/courses?name=intro"],
  ["courses", "/courses?limit=2&offset=1"],
  ["course", "/courses/intro"],
  ["course", "/courses/bare"],
  ["lessons", "/courses/intro/lessons"],
  ["lessons", "/courses/intro/lessons?offset=1"],
  ["lessons", "/courses/bare/lessons"],
  ["lesson", "/courses/intro/lessons/l-1"],
  ["lesson", "/courses/intro/lessons/l-2"],
  ["changes", "/changes?since=1"],
  ["releases", "/releases"],
];

const INCLUDING: [route: keyof typeof includedMembers, path: string, include: string][] = [
  ["courses", "/courses", "meta"],
  ["courses", "/courses", "digest"],
  ["courses", "/courses", "digest,meta"],
  ["lessons", "/courses/intro/lessons", "digest"],
  ["lessons", "/courses/intro/lessons", "meta,digest"],
  ["lessons", "/courses/bare/lessons", "meta,digest"],
  ["course", "/courses/intro", "meta"],
  ["course", "/courses/bare", "meta"],
  ["course", "/courses/intro", "lessons"],
  ["course", "/courses/intro", "lessons,meta"],
  ["course", "/courses/bare", "meta,lessons"],
  ["lesson", "/courses/intro/lessons/l-1", "meta"],
  ["lesson", "/courses/intro/lessons/l-1", "nav"],
  ["lesson", "/courses/intro/lessons/l-2", "nav,meta"],
];

/** The body of a success with `include`: some keys of `includedMembers` for the route. */
function includingBody(route: keyof typeof includedMembers, include: readonly string[]): z.ZodType {
  const members = Object.entries(includedMembers[route]).filter(([name]) => include.includes(name));
  const extend = (document: z.ZodObject): z.ZodObject =>
    members.reduce((object, [, more]) => object.extend(more.shape), document);
  switch (route) {
    case "courses":
      return envelopeOf(listOf(extend(courseSummaryDocument)));
    case "course":
      return envelopeOf(
        include.includes("lessons") && include.includes("meta")
          ? extend(courseDocument).extend(withLessons(lessonDocument.extend(lessonMetaMembers.shape)).shape)
          : extend(courseDocument),
      );
    case "lessons":
      return envelopeOf(listOf(extend(lessonSummaryDocument)));
    case "lesson":
      return envelopeOf(extend(lessonDocument));
  }
}

/** Parses a body. Throws for a member that is missing or not known, and for another order than the schema's. */
function parseExactly(schema: z.ZodType, text: string): void {
  // zod gives back the members in the schema's order.
  expect(JSON.stringify(schema.parse(JSON.parse(text)))).toBe(text);
}

describe("answers", () => {
  const acme = shareAcme(anyEngine);

  test.each(REQUESTS)("of %s: %s", async (route, path) => {
    const { status, text } = await acme.server.get(`/api/v1${path}`, { key: acme.key });
    expect(status).toBe(200);
    parseExactly(successBodies[route], text);
  });

  test.each(INCLUDING)("of %s: %s with %s", async (route, path, include) => {
    const { status, text } = await acme.server.get(`/api/v1${path}?include=${include}`, { key: acme.key });
    expect(status).toBe(200);
    parseExactly(includingBody(route, include.split(",")), text);
  });

  test.each([
    ["/api/v1/courses/nothing", 404],
    ["/api/v1/courses?limit=x", 400],
    ["/api/v1/courses?release=999", 404],
    ["/nothing", 404],
  ])("that are no success: %s", async (path, status) => {
    const answer = await acme.server.get(path, { key: acme.key });
    expect(answer.status).toBe(status);
    parseExactly(errorBody, answer.text);
    expect((JSON.parse(answer.text) as z.output<typeof errorBody>).code).toBe(status);
  });
});

test("a server starts without the schemas", async () => {
  const serve = join(import.meta.dir, "../../src/cli/serve/run-server.ts");
  const documents = join(import.meta.dir, "../../src/catalog/documents.ts");
  // Both, so that the second shows that the first could have failed.
  const script = `for (const path of ${JSON.stringify([serve, documents])}) {
    await import(path);
    console.log(Object.keys(require.cache).some((module) => module.includes("/zod/")));
  }`;
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, "--eval", script], { stderr: "inherit" });
  expect([exitCode, stdout.toString().trim()]).toEqual([0, "false\ntrue"]);
});
