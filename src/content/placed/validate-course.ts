import { chapterSchema, courseSchema, lessonSchema, type CourseInput } from "../../catalog/course.ts";
import { cutText } from "../quote.ts";
import type { Location, PartPath, Report } from "../source.ts";
import { describeUnknownField } from "./unknown-field.ts";

const courseFields = new Set(Object.keys(courseSchema.shape));
const chapterFields = new Set(Object.keys(chapterSchema.shape));
const lessonFields = new Set(Object.keys(lessonSchema.shape));

/** Fields that a course may have where its author writes it, and that are gone when it is checked. */
export interface ReadFields {
  course: readonly string[];
  chapter: readonly string[];
  lesson: readonly string[];
}

const NO_FIELDS: ReadFields = { course: [], chapter: [], lesson: [] };

/**
 * Checks an untyped course against the authoring form. Undefined when there was an error; every error and every
 * unknown field goes to `report`, at the place that `locate` gives for it. `readFields` may be meant by one that is unknown.
 */
export function validateCourse(
  value: unknown,
  locate: (part: PartPath) => Location,
  report: Report,
  readFields = NO_FIELDS,
): CourseInput | undefined {
  const result = courseSchema.safeParse(value);
  for (const issue of result.error?.issues ?? []) {
    const message = describe(issue.path, issue.message, issue.code === "invalid_type" && isAbsent(value, issue.path));
    report({ severity: "error", kind: "wrong-value", ...locate(issue.path), message });
  }
  // After errors too: a misspelt field is often why another is missing.
  reportUnknownFields(value, locate, report, readFields);
  return result.data;
}

function describe(path: PartPath, message: string, isMissing: boolean): string {
  if (path.length === 0) return `a course must be an object: ${message}`;
  return isMissing ? `${formatPath(path)} is missing` : `${formatPath(path)}: ${lowerFirst(message)}`;
}

/** `chapters[0].lessons[2].name` */
export function formatPath(path: PartPath): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${cutText(String(part))}`,
    )
    .join("");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function isAbsent(value: unknown, path: PartPath): boolean {
  let current = value;
  for (const part of path) current = isRecord(current) ? current[String(part)] : undefined;
  return current === undefined;
}

// A misspelt field would otherwise be dropped in silence.
function reportUnknownFields(
  value: unknown,
  locate: (part: PartPath) => Location,
  report: Report,
  readFields: ReadFields,
): void {
  const reportIn = (record: unknown, owner: keyof ReadFields, known: Set<string>, path: PartPath): void => {
    if (!isRecord(record) || Array.isArray(record)) return;
    for (const field of Object.keys(record)) {
      if (known.has(field)) continue;
      const message = describeUnknownField(field, owner, [...known, ...readFields[owner]]);
      report({ severity: "warning", kind: "unknown-field", ...locate([...path, field]), message });
    }
  };
  const listIn = (record: unknown, field: string): unknown[] => {
    const list = isRecord(record) ? record[field] : undefined;
    return Array.isArray(list) ? list : [];
  };

  reportIn(value, "course", courseFields, []);
  for (const [c, chapter] of listIn(value, "chapters").entries()) {
    reportIn(chapter, "chapter", chapterFields, ["chapters", c]);
    for (const [l, lesson] of listIn(chapter, "lessons").entries()) {
      reportIn(lesson, "lesson", lessonFields, ["chapters", c, "lessons", l]);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
