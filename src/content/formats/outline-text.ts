// Writes a folder's outline as a course.yaml that an author can edit.
import { relative } from "node:path/posix";
import { stringify } from "yaml";
import type { ChapterInput, CourseInput, LessonInput } from "../../catalog/course.ts";

/**
 * Returns the course.yaml of a course in `folder`, relative to the source root. With this file, the folder is read as
 * the same course.
 */
export function toOutlineText(course: CourseInput, folder: string, format: string | undefined): string {
  const { name, slug, published, thumbnail, createdAt, updatedAt, description, language, translationOf, tags } = course;
  const outline = {
    id: course._id,
    name,
    slug,
    published: published ? undefined : false,
    thumbnail: thumbnail === "" ? undefined : thumbnail,
    createdAt,
    updatedAt,
    description,
    language,
    translationOf,
    tags,
    durationMinutes: course.durationMinutes,
    // Numbered folders need no `format`.
    format: format === "numbered" ? undefined : format,
    chapters: course.chapters.map((chapter) => toChapter(chapter, folder)),
  };
  return stringify(outline, { lineWidth: 0 });
}

function toChapter({ id, name, sourcePath, lessons }: ChapterInput, courseFolder: string): unknown {
  const folder = sourcePath === undefined ? courseFolder : sourcePath;
  return {
    id,
    name,
    folder: sourcePath === undefined ? undefined : relative(courseFolder, sourcePath),
    lessons: lessons.map((lesson) => toLesson(lesson, folder)),
  };
}

function toLesson(lesson: LessonInput, folder: string): unknown {
  const { id, name, url, quizHtml, sourcePath } = lesson;
  if (sourcePath !== undefined) return { id, name, file: relative(folder, sourcePath) };
  return { id, name, url: url === "" ? undefined : url, quizHtml: quizHtml === "" ? undefined : quizHtml };
}
