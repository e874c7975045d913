// Templates of URLs: those of lessons on a site, and those of pages that edit lessons' files.
import type { Course } from "./course.ts";
import { splitSourcePath } from "./source-path.ts";

const PLACEHOLDERS = ["courseSlug", "courseId", "chapterId", "lessonId", "fragment"] as const;
/** `fragment` is decoded, without `#`; "" if absent. */
type LessonUrlValues = Record<(typeof PLACEHOLDERS)[number], string>;
const MAX_TEMPLATE = 1000;

export interface FileLocations {
  sourceMeta?: boolean | undefined;
  editUrl?: string | undefined;
}

/** Returns a fault in words that follow "The template" in a message; undefined for a valid template. */
export function findLessonUrlFault(template: string): string | undefined {
  // Other schemes could run scripts. `//` would name another host, and browsers read `\` as `/`.
  if (!/^(?:https?:\/\/[^\s/\\{}?#]|\/(?![/\\]))/i.test(template)) return "must begin with https://, http:// or one /";
  const fault = findTemplateFault(template, PLACEHOLDERS, "lessonId");
  if (fault !== undefined) return fault;
  return template.includes("://") && !URL.canParse(template.replace(/[{}]/g, "")) ? "is not a valid URL" : undefined;
}

/** Returns a fault in words that follow "The template" in a message; undefined for a valid template. */
export function findEditUrlFault(template: string): string | undefined {
  // Other schemes could run scripts.
  if (!/^https?:\/\/[^\s/\\{}?#]/i.test(template)) return "must begin with https:// or http://";
  const fault = findTemplateFault(template, ["path"], "path");
  if (fault !== undefined) return fault;
  const url = URL.parse(template.replaceAll("{path}", "path"));
  if (url === null) return "is not a valid URL";
  return `${url.username}${url.password}` === "" ? undefined : "must not contain a user name or password";
}

function findTemplateFault(template: string, names: readonly string[], required: string): string | undefined {
  if (template.length > MAX_TEMPLATE) return `is too long: the limit is ${MAX_TEMPLATE} characters`;
  if (/[\s"'<>\\`]/.test(template)) return "must be a URL: percent-encode white space and quotes";
  const known = names.map((name) => `{${name}}`);
  const used: string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const unknown = used.find((placeholder) => !known.includes(placeholder));
  if (unknown !== undefined) return `contains "${unknown}"; the placeholders are ${known.join(", ")}`;
  if (used.includes(`{${required}}`)) return undefined;
  return `must contain {${required}}, or all lessons would have the same URL`;
}

/**
 * Returns the URL of a lesson: values are percent-encoded as path segments, and a fragment follows `#`. Requires a
 * valid template.
 */
export function toLessonUrl(template: string, values: LessonUrlValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: keyof LessonUrlValues) => {
    if (name === "fragment") return values.fragment === "" ? "" : `#${encodeURIComponent(values.fragment)}`;
    return encodeURIComponent(values[name]);
  });
}

/** Adds the source path and the edit URL to each lesson that comes from a file. Changes `course` in place. */
export function addFileLocations(course: Course, { sourceMeta = false, editUrl }: FileLocations): Course {
  for (const lesson of course.chapters.flatMap(({ lessons }) => lessons)) {
    if (lesson.sourcePath === undefined) continue;
    const { file } = splitSourcePath(lesson.sourcePath);
    if (sourceMeta) lesson.source = file;
    const path = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
    if (editUrl !== undefined) lesson.editUrl = editUrl.replaceAll("{path}", () => path);
  }
  return course;
}
