import { describe, expect, test } from "bun:test";
import { importNdjson } from "../support/catalog.ts";
import { createKey, startTestServer } from "../support/server.ts";
import { engines } from "../support/store.ts";
import { renewStore } from "../support/shared-store.ts";

const course = (n: number, more: object = {}): string => JSON.stringify({ _id: `c${n}`, name: `Course ${n}`, ...more });

// How a file is read does not depend on the engine: one is enough.
const [engine] = engines;
if (engine === undefined) throw new Error("no engine");

describe("courses as NDJSON", () => {
  const database = renewStore(engine);

  const load = (ndjson: string | Uint8Array) => importNdjson(database.store, "acme", ndjson);
  const expectCourses = async (ndjson: string | Uint8Array, ids: string[]): Promise<void> => {
    const { outcome, problems } = await load(ndjson);
    expect(problems).toEqual([]);
    expect(outcome.status).toBe("published");
    expect((await list()).map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
  };
  const expectErrors = async (ndjson: string | Uint8Array, errors: (string | RegExp)[]): Promise<void> => {
    const { outcome, problems } = await load(ndjson);
    expect(outcome).toEqual({ status: "invalid" });
    expect(problems).toEqual(
      errors.map((error) => (typeof error === "string" ? error : (expect.stringMatching(error) as unknown as string))),
    );
  };
  const get = async (path: string): Promise<string> => {
    const key = await createKey(database.store, "acme");
    const server = await startTestServer(database.store);
    const { text } = await server.get(path, { key });
    await server.stop();
    return text;
  };
  const list = async () =>
    (JSON.parse(await get("/api/v1/courses")) as { data: { results: { _id: string; name: string }[] } }).data.results;

  test.each([
    ["line feeds", `${course(1)}\n${course(2)}\n`],
    ["no line break at the end", `${course(1)}\n${course(2)}`],
    ["CRLF", `${course(1)}\r\n${course(2)}\r\n`],
    ["empty and blank lines", `\n\n${course(1)}\n   \t\n\r\n${course(2)}\n\n\n`],
    ["blanks around courses", `  ${course(1)}  \n\t${course(2)}\t\n`],
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
    await expectErrors(`${course(1)}\n\n{"name":\n${course(2)}\n{'name': 'x'}\n{"name":"x"} {"name":"y"}\n`, [
      /^courses\.ndjson:3: error: is not JSON \(one course per line\): /,
      /^courses\.ndjson:5: error: is not JSON \(one course per line\): /,
      /^courses\.ndjson:6: error: is not JSON \(one course per line\): /,
    ]);
  });

  test.each([
    ["a lone continuation byte", [0xa9]],
    ["Latin-1", [0xe9]],
    ["a sequence cut short", [0xe6, 0xbc]],
    ["an overlong form", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ])("%s is not UTF-8: an error at its line", async (_what, bytes) => {
    const ndjson = Buffer.concat([
      Buffer.from(`${course(1)}\n{"name":"`),
      Buffer.from(bytes),
      Buffer.from(`"}\n${course(3)}\n`),
    ]);
    await expectErrors(ndjson, ["courses.ndjson:2: error: is not valid UTF-8; save the file as UTF-8"]);
  });

  test.each([
    ['{"name":"C","published":false,"published":true}', "published appears twice"],
    ['{"name":"C","pub\\u006cished":false,"published":true}', "published appears twice"],
    ['{ "name" : "C", "x": [1, {"a": "}"}, {"a" : 1, "b":[], "a":2}] }', "x[2].a appears twice"],
    [
      '{"name":"C","chapters":[{"name":"A","lessons":[{"name":"L"},{"name":"M","name":"N"}]}]}',
      "chapters[0].lessons[1].name appears twice",
    ],
    ['{"name":"\\"name\\":1","__proto__":1,"__proto__":2}', "__proto__ appears twice"],
    ['{"name":"C","":1,"":2}', " appears twice"],
    [`{"name":"C","${"k".repeat(500)}":1,"${"k".repeat(500)}":2}`, `${"k".repeat(199)}… appears twice`],
  ])("a duplicate member is an error that names it: %s", async (line, message) => {
    const { outcome, problems } = await load(`${course(1)}\n${line}`);
    expect(outcome).toEqual({ status: "invalid" });
    expect(problems).toEqual([`courses.ndjson:2: error: ${message}`]);
  });

  test("equal member names in different objects or in text are not duplicates", async () => {
    const text = '"name":1,"name":2 \\ \\\\ \\" {"a":1,"a":2}';
    await expectCourses(
      [
        course(1, {
          chapters: [{ name: "A", lessons: [{ name: "A", additionalText: text }, { name: "A" }] }, { name: "A" }],
        }),
        String.raw`{"_id":"c2","name":"\\\"","thumbnail":"","slug":"a:b\\"}`,
      ].join("\n"),
      ["c1", "c2"],
    );
  });

  test("a deeply nested line is an error, valid JSON or not", async () => {
    const error = "error: nested too deeply: the limit is 100 levels";
    await expectErrors(
      [`{"name":"C","x":${"[".repeat(100)}${"]".repeat(100)}}`, "[".repeat(1_000_000), '{"a":'.repeat(200_000)].join(
        "\n",
      ),
      [1, 2, 3].map((line) => `courses.ndjson:${line}: ${error}`),
    );
    const { problems } = await load(`{"name":"C","x":${"[".repeat(99)}${"]".repeat(99)}}`);
    expect(problems).toEqual(["courses.ndjson:1: warning: unknown field x of a course is ignored"]);
  });

  test("missing names are errors that name the part", async () => {
    await expectErrors(
      [
        "{}",
        '{"name":"C","chapters":[{}]}',
        '{"name":"C","chapters":[{"name":"A"},{"name":"B","lessons":[{"name":"L"},{"url":""}]}]}',
        '{"chapters":[{"lessons":[{}]}]}',
      ].join("\n"),
      [
        "courses.ndjson:1: error: name is missing",
        "courses.ndjson:2: error: chapters[0].name is missing",
        "courses.ndjson:3: error: chapters[1].lessons[1].name is missing",
        "courses.ndjson:4: error: name is missing",
        "courses.ndjson:4: error: chapters[0].name is missing",
        "courses.ndjson:4: error: chapters[0].lessons[0].name is missing",
      ],
    );
  });

  test.each([
    ["[]", /^courses\.ndjson:1: error: a course must be an object/],
    ["null", /^courses\.ndjson:1: error: a course must be an object/],
    ['"Tea"', /^courses\.ndjson:1: error: a course must be an object/],
    ["7", /^courses\.ndjson:1: error: a course must be an object/],
    ['{"name":7}', /^courses\.ndjson:1: error: name: /],
    ['{"name":null}', /^courses\.ndjson:1: error: name: /],
    ['{"name":"C","published":"no"}', /^courses\.ndjson:1: error: published: /],
    ['{"name":"C","published":0}', /^courses\.ndjson:1: error: published: /],
    ['{"name":"C","_id":7}', /^courses\.ndjson:1: error: _id: /],
    ['{"name":"C","chapters":{}}', /^courses\.ndjson:1: error: chapters: /],
    ['{"name":"C","chapters":["A"]}', /^courses\.ndjson:1: error: chapters\[0\]: /],
    ['{"name":"C","chapters":[{"name":"A","lessons":7}]}', /^courses\.ndjson:1: error: chapters\[0\]\.lessons: /],
    [
      '{"name":"C","chapters":[{"name":"A","lessons":[{"name":"L","url":7}]}]}',
      /^courses\.ndjson:1: error: chapters\[0\]\.lessons\[0\]\.url: /,
    ],
    [
      '{"name":"C","chapters":[{"name":"A","lessons":[{"name":"L","additionalText":"\\ud800"}]}]}',
      /^courses\.ndjson:1: error: chapters\[0\]\.lessons\[0\]\.additionalText: contains an unpaired surrogate/,
    ],
  ])("%s is one error that names the part", async (line, error) => {
    await expectErrors(line, [error]);
  });

  test("unknown fields at every level are warnings and ignored; the course is published", async () => {
    const { outcome, problems } = await load(
      `${course(1)}\n{"_id":"c2","title":"T","name":"C","__proto__":{"name":"x"},"constructor":1,"chapters":` +
        '[{"name":"A","titel":"","lessons":[{"name":"L","html":"x","createdat":"2026-01-01"}]}]}\n',
    );
    expect(outcome.status).toBe("published");
    expect(problems).toEqual([
      "courses.ndjson:2: warning: unknown field title of a course is ignored; did you mean name?",
      "courses.ndjson:2: warning: unknown field __proto__ of a course is ignored",
      "courses.ndjson:2: warning: unknown field constructor of a course is ignored",
      "courses.ndjson:2: warning: unknown field titel of a chapter is ignored",
      "courses.ndjson:2: warning: unknown field html of a lesson is ignored; did you mean additionalText?",
      "courses.ndjson:2: warning: unknown field createdat of a lesson is ignored; did you mean createdAt?",
    ]);
    expect(Object.keys(JSON.parse(await get("/api/v1/courses/c2")).data)).toEqual(
      "_id projectId name chapters thumbnail createdAt updatedAt".split(" "),
    );
  });

  test.each([
    ["an empty file", ""],
    ["a file of blank lines", "\n \r\n\n"],
  ])("%s is an error, so that a failed export does not empty a catalog", async (_what, ndjson) => {
    await load(course(1));
    await expectErrors(ndjson, ["file courses.ndjson: error: this source contains no course"]);
    expect(await list()).toHaveLength(1);
  });

  test("a line longer than any read is read completely, and a lesson's text is unchanged by the round trip", async () => {
    // Three bytes each, so that reads end in the middle of characters.
    const additionalText = Array.from({ length: 60_000 }, (_, index) => `漢字${index} `).join("");
    const chapters = [{ name: "A", lessons: [{ id: "l", name: "L", additionalText }] }];
    await expectCourses(`${course(1)}\n${course(2, { chapters })}\n${course(3)}`, ["c1", "c2", "c3"]);
    const { data } = JSON.parse(await get("/api/v1/courses/c2/lessons/l")) as { data: { additionalText: string } };
    expect(data.additionalText === additionalText).toBe(true);
  });
});
