import type { z } from "zod";
import { chapterSchema, courseSchema, lessonSchema, type CourseInput } from "../../catalog/course.ts";
import { cutText } from "../quote.ts";
import type { Location, PartPath, ReportFinding } from "../source.ts";
import { createUnknownFieldTexts, type DescribeUnknownField } from "./unknown-field.ts";

const FIELDS = {
  course: new Set(Object.keys(courseSchema.shape)),
  chapter: new Set(Object.keys(chapterSchema.shape)),
  lesson: new Set(Object.keys(lessonSchema.shape)),
};

type PartOfCourse = keyof typeof FIELDS;

/** Describes the unknown fields of each part of a course. */
export type UnknownFieldTexts = Record<PartOfCourse, DescribeUnknownField>;

/** `readFields` lists fields that authors can write but that are removed before validation. */
export function createTextsOfCourses(readFields: Record<PartOfCourse, readonly string[]>): UnknownFieldTexts {
  const create = (owner: PartOfCourse): DescribeUnknownField =>
    createUnknownFieldTexts(owner, [...FIELDS[owner], ...readFields[owner]]);
  return { course: create("course"), chapter: create("chapter"), lesson: create("lesson") };
}

const WITHOUT_READ_FIELDS = createTextsOfCourses({ course: [], chapter: [], lesson: [] });

/**
 * Validates a course against the authoring form. Reports every error and unknown field at the location that `locate`
 * returns; `texts` describes unknown fields. Returns undefined if there is an error.
 */
export function validateCourse(
  value: unknown,
  locate: (part: PartPath) => Location,
  report: ReportFinding,
  texts = WITHOUT_READ_FIELDS,
): CourseInput | undefined {
  const result = readShape(courseSchema, value);
  if (result === undefined) report({ kind: "wrong-value", ...locate([]), message: `the course ${TOO_MANY_FAULTS}` });
  for (const issue of result?.error?.issues ?? []) {
    const message = describe(issue.path, issue.message, issue.code === "invalid_type" && isAbsent(value, issue.path));
    report({ kind: "wrong-value", ...locate(issue.path), message });
  }
  // Runs even after errors, since a misspelled field often explains a missing one.
  reportUnknownFields(value, locate, report, texts);
  return result?.data;
}

/** Describes a value for which `readShape` returns undefined. */
export const TOO_MANY_FAULTS = "has more faults than can be listed";

/**
 * Validates a value. Returns undefined for one with hundreds of thousands of faults in a nested list: Zod passes all of
 * them as arguments of one call, which exceeds the stack.
 */
export function readShape<T extends z.ZodType>(
  shape: T,
  value: unknown,
): z.ZodSafeParseResult<z.output<T>> | undefined {
  try {
    return shape.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function describe(path: PartPath, message: string, isMissing: boolean): string {
  if (path.length === 0) return `a course must be an object: ${message}`;
  return isMissing ? `${formatPath(path)} is missing` : `${formatPath(path)}: ${lowerFirst(message)}`;
}

/** Formats a path as `chapters[0].lessons[2].name`. */
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

// Without this report, a misspelled field would be dropped silently.
function reportUnknownFields(
  value: unknown,
  locate: (part: PartPath) => Location,
  report: ReportFinding,
  texts: UnknownFieldTexts,
): void {
  const reportIn = (record: unknown, owner: PartOfCourse, path: PartPath): void => {
    if (!isRecord(record) || Array.isArray(record)) return;
    for (const field of Object.keys(record)) {
      if (FIELDS[owner].has(field)) continue;
      const message = texts[owner](field);
      report({ kind: "unknown-field", ...locate([...path, field]), message });
    }
  };
  const listIn = (record: unknown, field: string): unknown[] => {
    const list = isRecord(record) ? record[field] : undefined;
    return Array.isArray(list) ? list : [];
  };

  reportIn(value, "course", []);
  for (const [c, chapter] of listIn(value, "chapters").entries()) {
    reportIn(chapter, "chapter", ["chapters", c]);
    for (const [l, lesson] of listIn(chapter, "lessons").entries()) {
      reportIn(lesson, "lesson", ["chapters", c, "lessons", l]);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
