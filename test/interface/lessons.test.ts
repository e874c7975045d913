import { describe, expect, test } from "bun:test";
import { envelope, errorBody, intro, WEIRD_IDS } from "../support/acme.ts";
import { anyEngine } from "../support/store.ts";
import { shareAcme } from "../support/shared-store.ts";

const WELCOME = intro.chapters[0]?.lessons?.[0];

describe("lessons", () => {
  const acme = shareAcme(anyEngine);

  const get = (path: string, key = acme.key) => acme.server.get(path, { key });

  test("the list of lessons runs through the chapters in order, each lesson with its id and name only", async () => {
    const expected = envelope(
      '{"total":3,"results":[{"id":"l-1","name":"Welcome"},{"id":"l-2","name":"Plain"},{"id":"l-3","name":"Goodbye"}]}',
    );
    for (const id of ["course-1", "intro"]) {
      const { status, text, headers } = await get(`/api/v1/courses/${id}/lessons`);
      expect(status).toBe(200);
      expect(text).toBe(expected);
      expect(headers.get("catalog-release")).toBe("1");
    }
  });

  test("a course without chapters has an empty list of lessons", async () => {
    expect((await get("/api/v1/courses/bare/lessons")).text).toBe(envelope('{"total":0,"results":[]}'));
  });

  test("a lesson has its members in order and its HTML byte for byte as written", async () => {
    const expected = envelope(
      '{"id":"l-1","name":"Welcome","url":"https://video.example.org/1",' +
        '"quizHtml":"<iframe src=\\"https://quiz.example.org/1\\"></iframe>",' +
        '"additionalText":"<p>Quotes \\" and \' and \\\\, tab\\t, </script>, é 漢 😀 \u2028</p>",' +
        '"createdAt":"2025-05-02T00:00:00.000Z","updatedAt":"2025-05-03T01:02:03.456Z"}',
    );
    for (const id of ["course-1", "intro"]) {
      const { status, text, headers } = await get(`/api/v1/courses/${id}/lessons/l-1`);
      expect(status).toBe(200);
      expect(text).toBe(expected);
      expect(headers.get("catalog-release")).toBe("1");
    }
    const { data } = JSON.parse(expected) as { data: { additionalText: string } };
    expect(data.additionalText).toBe(WELCOME?.additionalText ?? "");
  });

  test("a lesson with only a name has every member, none of them null", async () => {
    expect((await get("/api/v1/courses/course-1/lessons/l-2")).text).toBe(
      envelope(
        '{"id":"l-2","name":"Plain","url":"","quizHtml":"","additionalText":"",' +
          '"createdAt":"2026-03-01T12:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"}',
      ),
    );
  });

  test.each(WEIRD_IDS.map((id) => [id, encodeURIComponent(id)]))(
    "lesson %j of the course with the same id is found",
    async (id, encoded) => {
      const { status, text } = await get(`/api/v1/courses/${encoded}/lessons/${encoded}`);
      expect(status).toBe(200);
      expect(text).toBe(
        envelope(
          `{"id":${JSON.stringify(id)},"name":"Lesson ${WEIRD_IDS.indexOf(id)}","url":"","quizHtml":"",` +
            '"additionalText":"","createdAt":"2026-03-01T12:00:00.000Z","updatedAt":"2026-03-01T12:00:00.000Z"}',
        ),
      );
    },
  );

  test.each(["missing", "L-1", "hasOwnProperty", "%00", "a".repeat(256), "__proto__", "ch-1"])(
    "lesson %j, which the course lacks, is 404",
    async (id) => {
      const { status, text, headers } = await get(`/api/v1/courses/course-1/lessons/${id}`);
      expect(status).toBe(404);
      expect(text).toBe(errorBody(404, "Lesson not found"));
      expect(headers.get("catalog-release")).toBe("1");
    },
  );

  test("lessons of a missing course are 404", async () => {
    for (const path of ["/api/v1/courses/missing/lessons", "/api/v1/courses/missing/lessons/l-1"]) {
      const { status, text } = await get(path);
      expect(status).toBe(404);
      expect(text).toBe(errorBody(404, "Course not found"));
    }
  });

  test("a project without a release has no lessons", async () => {
    for (const rest of ["lessons", "lessons/l-1"]) {
      const { status, headers } = await get(`/api/v1/courses/course-1/${rest}`, acme.emptyKey);
      expect(status).toBe(404);
      expect(headers.has("catalog-release")).toBe(false);
    }
  });
});
