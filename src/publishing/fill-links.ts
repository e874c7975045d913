// Links between lessons, filled in once it is known which ids the lessons have.
import type { Course, Lesson, LessonLink, LinkTarget } from "../catalog/course.ts";
import { toLessonUrl } from "../catalog/lesson-url.ts";
import { escapeAttribute } from "../content/html/escape.ts";
import { applyEdits, type TextEdit } from "../content/html/links.ts";

/** What a link says of the lesson that it leads to. */
export interface LinkedLesson {
  courseId: string;
  courseSlug: string;
  chapterId: string;
  lessonId: string;
}

/**
 * The course with its links filled in: their anchors name the lesson, and with a template its address is where the site shows
 * it. Every other byte stays, and so does a link whose lesson `find` does not know. The course itself is not changed.
 */
export function fillLinks(
  course: Course,
  find: (target: LinkTarget) => LinkedLesson | undefined,
  lessonUrl: string | undefined,
): Course {
  if (!hasLinks(course)) return course;
  const template = course.lessonUrl ?? lessonUrl;
  const fill = (lesson: Lesson): Lesson => {
    if (lesson.links === undefined) return lesson;
    const edits = { quizHtml: [] as TextEdit[], additionalText: [] as TextEdit[] };
    for (const link of lesson.links) {
      const linked = find(link.target);
      if (linked !== undefined) edits[link.field].push(...editLink(link, linked, template));
    }
    const quizHtml = applyEdits(lesson.quizHtml, edits.quizHtml);
    return { ...lesson, quizHtml, additionalText: applyEdits(lesson.additionalText, edits.additionalText) };
  };
  return {
    ...course,
    chapters: course.chapters.map((chapter) => ({ ...chapter, lessons: chapter.lessons.map(fill) })),
  };
}

/** True for a course with a link to a lesson. */
export function hasLinks({ chapters }: Course): boolean {
  return chapters.some(({ lessons }) => lessons.some(({ links }) => links !== undefined));
}

function editLink({ start, end, nameEnd, target }: LessonLink, linked: LinkedLesson, template?: string): TextEdit[] {
  const { courseId, lessonId } = linked;
  const named = ` data-course-id="${escapeAttribute(courseId)}" data-lesson-id="${escapeAttribute(lessonId)}"`;
  const edits = [{ start: nameEnd, end: nameEnd, text: named }];
  if (template === undefined) return edits;
  const href = toLessonUrl(template, { ...linked, fragment: target.fragment });
  return [...edits, { start, end, text: escapeAttribute(href) }];
}
