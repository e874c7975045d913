import { describe, expect, test } from "bun:test";
import { draft, envelope, errorBody, intro, WEIRD_IDS } from "../support/acme.ts";
import { anyEngine } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const INTRO_SUMMARY =
  '{"_id":"course-1","projectId":"acme","name":"Introduction","thumbnail":"https://cdn.example.org/intro.png",' +
  '"createdAt":"2025-05-01T00:00:00.000Z","updatedAt":"2025-06-01T08:00:00.000Z"}';
const INTRO =
  '{"_id":"course-1","projectId":"acme","name":"Introduction","chapters":[' +
  '{"id":"ch-1","name":"First steps","lessons":[{"id":"l-1","name":"Welcome"},{"id":"l-2","name":"Plain"}]},' +
  '{"id":"ch-2","name":"Empty","lessons":[]},' +
  '{"id":"ch-3","name":"Last","lessons":[{"id":"l-3","name":"Goodbye"}]}],' +
  '"thumbnail":"https://cdn.example.org/intro.png",' +
  '"createdAt":"2025-05-01T00:00:00.000Z","updatedAt":"2025-06-01T08:00:00.000Z"}';
const BARE_SUMMARY =
  '{"_id":"bare","projectId":"acme","name":"Bare","thumbnail":"",' +
  '"createdAt":"2026-03-01T12:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"}';
const BARE =
  '{"_id":"bare","projectId":"acme","name":"Bare","chapters":[],"thumbnail":"",' +
  '"createdAt":"2026-03-01T12:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"}';

// A path segment `.` or `..` is a step in the tree for every URL parser, encoded or not: no request can carry it.

describe("courses", () => {
  const acme = shareAcme(anyEngine);

  const get = (path: string, key = acme.key) => acme.server.get(path, { key });

  test("the list holds summaries with their members in order and no others, newest course first", async () => {
    const { status, text } = await get("/api/v1/courses?name=r");
    expect(status).toBe(200);
    const weird = (JSON.parse(text) as { data: { results: { name: string }[] } }).data.results.slice(2);
    expect(weird).toHaveLength(WEIRD_IDS.length);
    const rest = weird.map((course) => `,${JSON.stringify(course)}`).join("");
    expect(text).toBe(
      envelope(`{"total":${2 + WEIRD_IDS.length},"results":[${BARE_SUMMARY},${INTRO_SUMMARY}${rest}]}`),
    );
  });

  test("a course has its members in order, its chapters and their lessons in the author's order", async () => {
    const { status, text, headers } = await get("/api/v1/courses/course-1");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(text).toBe(envelope(INTRO));
  });

  test("a course with only a name has every member, none of them null", async () => {
    const { text } = await get("/api/v1/courses/bare");
    expect(text).toBe(envelope(BARE));
  });

  test("a slug finds the same bytes as the id, without a redirect", async () => {
    const [byId, bySlug] = [await get("/api/v1/courses/course-1"), await get(`/api/v1/courses/${intro.slug}`)];
    expect(bySlug.status).toBe(200);
    expect(bySlug.text).toBe(byId.text);
    expect(bySlug.headers.get("etag")).toBe(byId.headers.get("etag"));
    expect(bySlug.headers.has("location")).toBe(false);
    expect(bySlug.headers.has("content-location")).toBe(false);
  });

  test.each(WEIRD_IDS.map((id) => [id, encodeURIComponent(id)]))("the id %j is found", async (id, encoded) => {
    const { status, text } = await get(`/api/v1/courses/${encoded}`);
    expect(status).toBe(200);
    const name = `Weird ${WEIRD_IDS.indexOf(id)}`;
    expect(text).toBe(
      envelope(
        `{"_id":${JSON.stringify(id)},"projectId":"acme","name":"${name}","chapters":[{"id":${JSON.stringify(id)},` +
          `"name":"Only","lessons":[{"id":${JSON.stringify(id)},"name":"Lesson ${WEIRD_IDS.indexOf(id)}"}]}],` +
          `"thumbnail":"","createdAt":"2024-01-01T00:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"}`,
      ),
    );
  });

  test.each(["hasOwnProperty", "course-1 ", "COURSE-1", "course", "course-1%00", "%00", "a".repeat(256), "%ED%9F%BF"])(
    "the unknown id %j is 404",
    async (id) => {
      const { status, text } = await get(`/api/v1/courses/${id.replaceAll(" ", "%20")}`);
      expect(status).toBe(404);
      expect(text).toBe(errorBody(404, "Course not found"));
    },
  );

  test("a draft is 404 for an ordinary key, by id and by slug, with the same bytes as a missing course", async () => {
    for (const id of [draft._id, draft.slug]) {
      const hidden = await get(`/api/v1/courses/${id}`);
      const missing = await get("/api/v1/courses/missing");
      expect(hidden.status).toBe(404);
      expect(hidden.text).toBe(missing.text);
      expect(hidden.text).toBe(errorBody(404, "Course not found"));
    }
  });

  test("the list never holds drafts, whatever the key: the same bytes for both", async () => {
    for (const query of ["", "?name=draft", "?name=Introduction", "?limit=1000"]) {
      const [ordinary, withDrafts] = [
        await get(`/api/v1/courses${query}`),
        await get(`/api/v1/courses${query}`, acme.drafts),
      ];
      expect(withDrafts.text).toBe(ordinary.text);
      expect(withDrafts.text).not.toContain("draft-1");
    }
  });

  test("a project without a release has an empty list, no course, and no release number", async () => {
    const list = await get("/api/v1/courses", acme.emptyKey);
    expect(list.status).toBe(200);
    expect(list.text).toBe(envelope('{"total":0,"results":[]}'));
    expect(list.headers.has("catalog-release")).toBe(false);
    const course = await get("/api/v1/courses/course-1", acme.emptyKey);
    expect(course.status).toBe(404);
    expect(course.text).toBe(errorBody(404, "Course not found"));
    expect(course.headers.has("catalog-release")).toBe(false);
  });

  test("every answer resolved against a release has its number, including a 404 for content", async () => {
    for (const path of ["/api/v1/courses", "/api/v1/courses/intro", "/api/v1/courses/missing"]) {
      expect((await get(path)).headers.get("catalog-release")).toBe("1");
    }
    for (const path of ["/api/v1/nothing", "/api/v1/courses?limit=0"]) {
      expect((await get(path)).headers.has("catalog-release")).toBe(false);
    }
  });
});
