// What an author wants to know of a course without files of its own, beyond what makes it invalid.
import type { CourseInput, LessonInput } from "../../catalog/course.ts";
import { cutText } from "../quote.ts";
import { isScriptUrl, listScripts, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";

/** Warns about chapters without lessons, empty lessons, and what would run scripts. */
export function inspectChapters(course: CourseInput, warn: (message: string) => void): void {
  for (const chapter of course.chapters) {
    if (chapter.lessons.length === 0) warn(`chapter "${cutText(chapter.name)}" has no lessons`);
    for (const lesson of chapter.lessons) {
      for (const message of inspectLesson(lesson)) warn(`lesson "${cutText(lesson.name, 80)}": ${message}`);
    }
  }
}

/** The number of lessons of a course that is not validated. */
export function countLessons(course: unknown): number {
  const chapters = listIn(course, "chapters");
  return chapters.reduce((sum: number, chapter) => sum + listIn(chapter, "lessons").length, 0);
}

function inspectLesson({ url, quizHtml, additionalText }: LessonInput): string[] {
  if ([url, quizHtml, additionalText].every((text) => text.trim() === "")) {
    return ["is empty: it has no text, no url and no quizHtml"];
  }
  return [
    ...(isScriptUrl(url) ? [`url: ${SCRIPT_URL_MESSAGE}`] : []),
    ...listScripts(additionalText).map(({ message }) => message),
    ...listScripts(quizHtml).map(({ message }) => `quizHtml: ${message}`),
  ];
}

function listIn(value: unknown, field: string): unknown[] {
  const list = (value as Record<string, unknown> | null)?.[field];
  return Array.isArray(list) ? list : [];
}
