// The four operations of version 1: which members an answer has, in which order, and what is not found.
import { describe, expect, test } from "bun:test";
import { draft, envelope, errorBody, intro, WEIRD_IDS } from "../support/acme.ts";
import { shareAcme } from "../support/shared-store.ts";

const INTRO_DATES = '"createdAt":"2025-05-01T00:00:00.000Z","updatedAt":"2025-06-01T08:00:00.000Z"';
const IMPORT_DATES = '"createdAt":"2026-03-01T12:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"';
const BARE_LESSON = `"url":"","quizHtml":"","additionalText":"",${IMPORT_DATES}`;
const INTRO_SUMMARY =
  '{"_id":"course-1","projectId":"acme","name":"Introduction","thumbnail":"https://cdn.example.org/intro.png",' +
  `${INTRO_DATES}}`;
const INTRO =
  '{"_id":"course-1","projectId":"acme","name":"Introduction","chapters":[' +
  '{"id":"ch-1","name":"First steps","lessons":[{"id":"l-1","name":"Welcome"},{"id":"l-2","name":"Plain"}]},' +
  '{"id":"ch-2","name":"Empty","lessons":[]},' +
  '{"id":"ch-3","name":"Last","lessons":[{"id":"l-3","name":"Goodbye"}]}],' +
  `"thumbnail":"https://cdn.example.org/intro.png",${INTRO_DATES}}`;
const LESSONS =
  '{"total":3,"results":[{"id":"l-1","name":"Welcome"},{"id":"l-2","name":"Plain"},{"id":"l-3","name":"Goodbye"}]}';
const WELCOME =
  '{"id":"l-1","name":"Welcome","url":"https://video.example.org/1",' +
  '"quizHtml":"<iframe src=\\"https://quiz.example.org/1\\"></iframe>",' +
  '"additionalText":"<p>Quotes \\" and \' and \\\\, tab\\t, </script>, é 漢 😀 \u2028</p>",' +
  '"createdAt":"2025-05-02T00:00:00.000Z","updatedAt":"2025-05-03T01:02:03.456Z"}';
const BARE_SUMMARY = `{"_id":"bare","projectId":"acme","name":"Bare","thumbnail":"",${IMPORT_DATES}}`;

// A path segment `.` or `..` is a step in the tree for every URL parser, encoded or not: no request can carry it.

describe("courses and lessons", () => {
  const acme = shareAcme();
  const get = (path: string, key = acme.key) => acme.server.get(`/api/v1/courses${path}`, { key });
  const expectNotFound = async (path: string, what: string, key = acme.key): Promise<void> => {
    const { status, text, headers } = await get(path, key);
    expect([status, text]).toEqual([404, errorBody(404, `${what} not found`)]);
    expect(headers.get("catalog-release")).toBe(key === acme.emptyKey ? null : "1");
  };

  test("the list holds summaries with their members in order and no others, newest course first", async () => {
    const { status, text } = await get("?name=r");
    expect(status).toBe(200);
    const weird = (JSON.parse(text) as { data: { results: object[] } }).data.results.slice(2);
    expect(weird).toHaveLength(WEIRD_IDS.length);
    const rest = weird.map((course) => `,${JSON.stringify(course)}`).join("");
    expect(text).toBe(
      envelope(`{"total":${2 + WEIRD_IDS.length},"results":[${BARE_SUMMARY},${INTRO_SUMMARY}${rest}]}`),
    );
  });

  test.each([
    ["a course, its chapters and their lessons in the author's order", "/ID", INTRO],
    ["a list of lessons, which runs through the chapters in order", "/ID/lessons", LESSONS],
    ["a lesson, with HTML byte for byte as written", "/ID/lessons/l-1", WELCOME],
  ])("%s: its members in order and no others, the same for id and slug", async (_what, path, data) => {
    const [byId, bySlug] = [await get(path.replace("ID", "course-1")), await get(path.replace("ID", intro.slug))];
    for (const { status, text, headers } of [byId, bySlug]) {
      expect([status, text, headers.get("catalog-release")]).toEqual([200, envelope(data), "1"]);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect([headers.has("location"), headers.has("content-location")]).toEqual([false, false]);
    }
    expect(bySlug.headers.get("etag")).toBe(byId.headers.get("etag"));
  });

  test.each([
    ["/bare", BARE_SUMMARY.replace('"thumbnail"', '"chapters":[],"thumbnail"')],
    ["/bare/lessons", '{"total":0,"results":[]}'],
    ["/course-1/lessons/l-2", `{"id":"l-2","name":"Plain",${BARE_LESSON}}`],
  ])("what has only a name has every member, none of them null: %s", async (path, data) => {
    expect((await get(path)).text).toBe(envelope(data));
  });

  test.each(WEIRD_IDS.map((id, index) => [id, index] as const))("the id %j is found", async (id, index) => {
    const [path, json] = [encodeURIComponent(id), JSON.stringify(id)];
    const course = `{"data":{"_id":${json},"projectId":"acme","name":"Weird ${index}","chapters":[{"id":${json},`;
    expect((await get(`/${path}`)).text).toStartWith(course);
    expect((await get(`/${path}/lessons/${path}`)).text).toStartWith(`{"data":{"id":${json},"name":"Lesson ${index}",`);
  });

  test.each(["hasOwnProperty", "course-1%20", "COURSE-1", "course", "%00", "a".repeat(256), "%ED%9F%BF"])(
    "the unknown course %s is 404, and so are its lessons",
    async (id) => {
      for (const rest of ["", "/lessons", "/lessons/l-1"]) await expectNotFound(`/${id}${rest}`, "Course");
    },
  );

  test.each(["missing", "L-1", "%00", "__proto__", "ch-1"])("lesson %s, which the course lacks, is 404", (id) =>
    expectNotFound(`/course-1/lessons/${id}`, "Lesson"),
  );

  test("a draft and its lessons are 404 for an ordinary key, by id and by slug, with the same bytes as a missing course", async () => {
    for (const id of [draft._id, draft.slug, "missing"]) {
      for (const rest of ["", "?include=lessons,meta", "/lessons", "/lessons/d-l", "/lessons/d-l?include=meta,nav"]) {
        await expectNotFound(`/${id}${rest}`, "Course");
        expect((await get(`/${id}${rest}`, acme.drafts)).status).toBe(id === "missing" ? 404 : 200);
      }
    }
  });

  test("the list never holds drafts, whatever the key: the same bytes for both", async () => {
    const { text } = await get("?limit=1000", acme.drafts);
    expect(text).toBe((await get("?limit=1000")).text);
    expect(text).not.toContain("draft-1");
  });

  test("a project without a release has an empty list, no course, and no release number", async () => {
    const { text, headers } = await get("", acme.emptyKey);
    expect([text, headers.get("catalog-release")]).toEqual([envelope('{"total":0,"results":[]}'), null]);
    for (const rest of ["", "/lessons", "/lessons/l-1"]) {
      await expectNotFound(`/course-1${rest}`, "Course", acme.emptyKey);
    }
  });

  test("only answers resolved against a release have its number", async () => {
    expect((await get("")).headers.get("catalog-release")).toBe("1");
    for (const path of ["/intro/nothing", "?limit=0"]) {
      expect((await get(path)).headers.has("catalog-release")).toBe(false);
    }
  });
});
