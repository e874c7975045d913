import { splitSourcePath } from "./source-path.ts";
import type { Course } from "./course.ts";

const MAX_TEMPLATE = 1000;

/** Which of the places where lessons were read an import tells readers. */
export interface ToldPlaces {
  sourceMeta?: boolean | undefined;
  /** A template without a fault. */
  editUrl?: string | undefined;
}

/** The fault of a template, as the continuation of "The template"; undefined where there is none. */
export function findEditUrlFault(template: string): string | undefined {
  if (template.length > MAX_TEMPLATE) return `is too long: it may have ${MAX_TEMPLATE} characters`;
  // Any other scheme could run scripts.
  if (!/^https?:\/\/[^\s/\\{}?#]/i.test(template)) return "must begin with https:// or http://";
  if (/[\s"'<>\\`]/.test(template)) return "must be a URL: white space and quotes are to be percent-encoded";
  const used: string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const unknown = used.find((placeholder) => placeholder !== "{path}");
  if (unknown !== undefined) return `has "${unknown}"; known is {path}`;
  if (used.length === 0) return "must hold {path}, or all lessons would have the same address";
  const url = URL.parse(template.replaceAll("{path}", "path"));
  if (url === null) return "is no URL";
  return `${url.username}${url.password}` === "" ? undefined : "must hold no user name and no password";
}

/** Tells of each lesson from a file where it was read. Changes `course`. */
export function tellPlaces(course: Course, { sourceMeta = false, editUrl }: ToldPlaces): Course {
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
