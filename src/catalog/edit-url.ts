import { splitSourcePath } from "./source-path.ts";
import type { Course } from "./course.ts";

const MAX_TEMPLATE = 1000;

export interface FileLocations {
  sourceMeta?: boolean | undefined;
  editUrl?: string | undefined;
}

/** Returns a fault in words that follow "The template" in a message; undefined for a valid template. */
export function findEditUrlFault(template: string): string | undefined {
  if (template.length > MAX_TEMPLATE) return `is too long: the limit is ${MAX_TEMPLATE} characters`;
  // Other schemes could run scripts.
  if (!/^https?:\/\/[^\s/\\{}?#]/i.test(template)) return "must begin with https:// or http://";
  if (/[\s"'<>\\`]/.test(template)) return "must be a URL: percent-encode white space and quotes";
  const used: string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const unknown = used.find((placeholder) => placeholder !== "{path}");
  if (unknown !== undefined) return `contains "${unknown}"; the only placeholder is {path}`;
  if (used.length === 0) return "must contain {path}, or all lessons would have the same URL";
  const url = URL.parse(template.replaceAll("{path}", "path"));
  if (url === null) return "is not a valid URL";
  return `${url.username}${url.password}` === "" ? undefined : "must not contain a user name or password";
}

/** Adds the source path and the edit URL to each lesson that comes from a file. Changes `course` in place. */
export function addFileLocations(course: Course, { sourceMeta = false, editUrl }: FileLocations): Course {
  for (const lesson of course.chapters.flatMap(({ lessons }) => lessons)) {
    if (lesson.sourcePath === undefined) continue;
    const { file } = splitSourcePath(lesson.sourcePath);
    if (sourceMeta) lesson.source = file;
    if (editUrl !== undefined) lesson.editUrl = editUrl.replaceAll("{path}", () => encodePath(file));
  }
  return course;
}

function encodePath(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
