import { describe, expect, test } from "bun:test";
import { importNdjson } from "../support/catalog.ts";
import { dataOf } from "../support/answers.ts";
import { createAsk } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine } from "../support/store.ts";
import { renewStore } from "../support/shared-store.ts";

const course = (n: number, more: object = {}): string => JSON.stringify({ _id: `c${n}`, name: `Course ${n}`, ...more });

describe("courses as NDJSON", () => {
  const database = renewStore(anyEngine);

  const load = (ndjson: string | Uint8Array) => importNdjson(database.store, "acme", ndjson);
  const expectCourses = async (ndjson: string | Uint8Array, ids: string[]): Promise<void> => {
    const { outcome, problems } = await load(ndjson);
    expect([outcome.status, problems]).toEqual(["published", []]);
    expect((await list()).map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
  };
  /** Expects that nothing is published, for these errors or others that begin so. */
  const expectErrors = async (ndjson: string | Uint8Array, errors: string[]): Promise<void> => {
    const { outcome, problems } = await load(ndjson);
    expect(outcome).toEqual({ status: "invalid" });
    expect(problems.map((problem, index) => problem.slice(0, errors[index]?.length))).toEqual(errors);
  };
  const get = async (path: string) => createAsk(database)(path, await createKey(database.store, "acme"));
  const list = async () => dataOf(await get("/courses")).results;

  test.each([
    ["CRLF", `${course(1)}\r\n${course(2)}\r\n`],
    ["empty and blank lines", `\n\n${course(1)}\n   \t\n\r\n${course(2)}\n\n\n`],
    ["a byte order mark", `\ufeff${course(1)}\n${course(2)}\n`],
  ])("lines are separated by %s", async (_what, ndjson) => {
    await expectCourses(ndjson, ["c1", "c2"]);
  });

  test("only line feeds separate lines, not U+2028, U+0085 or similar characters", async () => {
    const name = "a\u2028b\u2029c\u0085d\u000be";
    await expectCourses(`${JSON.stringify({ _id: "c1", name })}\n`, ["c1"]);
    expect((await list())[0]?.name).toBe(name);
  });

  test("a line that is not JSON is an error at its line; blank lines count, and reading continues", async () => {
    const lines = `${course(1)}\n\n{"name":\n${course(2)}\n{'name': 'x'}\n{"name":"x"} {"name":"y"}\n`;
    const errors = [3, 5, 6].map((line) => `courses.ndjson:${line}: error: is not JSON (one course per line): `);
    await expectErrors(lines, errors);
  });

  test.each([
    ["Latin-1", [0xe9]],
    ["an overlong form", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ])("%s is not UTF-8: an error at its line", async (_what, bytes) => {
    const parts = [`${course(1)}\n{"name":"`, Uint8Array.from(bytes), `"}\n${course(3)}\n`];
    const ndjson = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    await expectErrors(ndjson, ["courses.ndjson:2: error: is not valid UTF-8; save the file as UTF-8"]);
  });

  test.each([
    ['{"name":"C","published":false,"published":true}', "published appears twice"],
    ['{"name":"C","pub\\u006cished":false,"published":true}', "published appears twice"],
    ['{ "name" : "C", "x": [1, {"a": "}"}, {"a" : 1, "b":[], "a":2}] }', "x[2].a appears twice"],
  ])("a duplicate member is an error that names it: %s", async (line, message) => {
    await expectErrors(`${course(1)}\n${line}`, [`courses.ndjson:2: error: ${message}`]);
  });

  test("equal member names in different objects or in text are not duplicates", async () => {
    const additionalText = '"name":1,"name":2 \\ \\\\ \\" {"a":1,"a":2}';
    const chapters = [{ name: "A", lessons: [{ name: "A", additionalText }, { name: "A" }] }, { name: "A" }];
    const second = String.raw`{"_id":"c2","name":"\\\"","thumbnail":"","slug":"a:b\\"}`;
    await expectCourses(`${course(1, { chapters })}\n${second}`, ["c1", "c2"]);
  });

  test("a deeply nested line is an error, valid JSON or not", async () => {
    const nested = (levels: number): string => `{"name":"C","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    await expectErrors(
      [nested(100), "[".repeat(1_000_000), '{"a":'.repeat(200_000)].join("\n"),
      [1, 2, 3].map((line) => `courses.ndjson:${line}: error: nested too deeply: the limit is 100 levels`),
    );
    const { problems } = await load(nested(99));
    expect(problems).toEqual(["courses.ndjson:1: warning: unknown field x of a course is ignored"]);
  });

  const lesson = (field: string) => `{"name":"C","chapters":[{"name":"A","lessons":[{"name":"L",${field}}]}]}`;
  const IN_LESSON = "chapters[0].lessons[0]";
  test.each([
    ["{}", "name is missing"],
    ["null", "a course must be an object"],
    ['{"name":"C","published":"no"}', "published: "],
    ['{"name":"C","chapters":{}}', "chapters: "],
    [lesson('"additionalText":"\\ud800"'), `${IN_LESSON}.additionalText: contains an unpaired surrogate`],
  ])("%s is an error that names the part", async (line, error) => {
    await expectErrors(line, [`courses.ndjson:1: error: ${error}`]);
  });

  test("unknown fields at every level are warnings and ignored; the course is published", async () => {
    const { outcome, problems } = await load(
      `${course(1)}\n{"_id":"c2","title":"T","name":"C","__proto__":{"name":"x"},"constructor":1,"chapters":` +
        '[{"name":"A","titel":"","lessons":[{"name":"L","html":"x","createdat":"2026-01-01"}]}]}\n',
    );
    expect(outcome.status).toBe("published");
    const unknown = problems.map((each) => /^courses\.ndjson:2: warning: unknown field (\w+) of/.exec(each)?.[1]);
    expect(unknown).toEqual(["title", "__proto__", "constructor", "titel", "html", "createdat"]);
    const fields = Object.keys(dataOf(await get("/courses/c2"))).join(" ");
    expect(fields).toBe("_id projectId name chapters thumbnail createdAt updatedAt");
  });

  test("an empty file is an error, so that a failed export does not empty a catalog", async () => {
    await load(course(1));
    await expectErrors("\n \r\n", ["file courses.ndjson: error: this source contains no course"]);
    expect(await list()).toHaveLength(1);
  });
});
