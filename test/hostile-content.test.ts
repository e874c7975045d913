// Content made to harm its reader. `stress/long-texts.ts` measures how time grows with a text's length.
import { describe, expect, test } from "bun:test";
import { checkLongText, checkPath, LONG_TEXTS } from "./long-texts.ts";
import { writeFolder } from "./written-folder.ts";

describe("a course with a text of one thing again and again is read, or refused", () => {
  test.each(LONG_TEXTS.map((text) => [text.what, text] as const))("%s", async (_what, text) => {
    const { courses, problems } = await checkLongText(text, 2000);
    expect(courses + problems).toBeGreaterThan(0);
  });
});

test("chapters that name one folder list it once", async () => {
  const parts = "- {name: C, folder: p}\n".repeat(50);
  const lessons = Array.from({ length: 50 }, (_, n) => [`p/${n + 1}.md`, "x"]);
  const path = writeFolder({ "course.yaml": `name: A\nchapters:\n${parts}`, ...Object.fromEntries(lessons) });
  // One for each chapter after the first, not one for each of its lessons.
  expect(await checkPath(path)).toEqual({ courses: 1, problems: 49 });
});
