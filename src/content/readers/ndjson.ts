// NDJSON: one course of the authoring form a line. What other systems export, and what programs write.
import type { LessonInput } from "../../catalog/course.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { nameTypedPath } from "../files/folder-files.ts";
import { countLessons, inspectChapters } from "../placed/inspect-chapters.ts";
import { parseJson } from "./json-text.ts";
import {
  DEFAULT_LIMITS,
  describeTooLarge,
  findLessonSizeProblem,
  UnreadableText,
  type SourceLimits,
} from "../limits.ts";
import { describeRelativeLink, resolveLinks, resolveUrl, toFolderUrl, type RelativeLink } from "../html/links.ts";
import { cutText } from "../quote.ts";
import type { ContentSource, Location, Problem, Report, SourceCourse, SourceOptions } from "../source.ts";
import { validateCourse } from "../placed/validate-course.ts";

/** Courses from an NDJSON file, or from standard input when the path is `-`. Holds one line in memory at a time. */
export function openNdjsonSource(path: string, options: SourceOptions): ContentSource {
  const file = path === "-" ? "standard input" : path;
  return {
    label: path === "-" ? file : `file ${toPrintable(nameTypedPath(path))}`,
    read: (report) => readCourses(path === "-" ? Bun.stdin.stream() : Bun.file(path).stream(), file, options, report),
  };
}

async function* readCourses(
  stream: ReadableStream<Uint8Array>,
  file: string,
  { assetBase: givenBase, inspection, limits = DEFAULT_LIMITS }: SourceOptions,
  report: Report,
): AsyncGenerator<SourceCourse> {
  // The URL names a folder, whether or not it ends with a slash.
  const assetBase = givenBase === undefined ? undefined : toFolderUrl(".", givenBase);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 0;
  for await (const bytes of splitLines(stream, limits.maxLineBytes)) {
    const location: Location = { file, line: ++line };
    const reportHere = (severity: Problem["severity"], message: string): void =>
      report({ ...location, severity, message });
    const warn = reportHere.bind(undefined, "warning");
    const fail = reportHere.bind(undefined, "error");
    const value =
      typeof bytes === "number" ? fail(describeLongLine(bytes, limits)) : parseLine(bytes, decoder, limits, fail);
    if (value === undefined) continue;
    inspection?.onCourse(countLessons(value));
    const course = validateCourse(resolveThumbnail(value, assetBase), () => location, report);
    if (course === undefined) continue;
    if (inspection !== undefined) inspectChapters(course, warn);
    let isTooLarge = false;
    for (const lesson of course.chapters.flatMap((chapter) => chapter.lessons)) {
      const name = `lesson "${cutText(lesson.name, 80)}"`;
      resolveLessonLinks(lesson, assetBase, (message) => warn(`${name}: ${message}`));
      const problem = findLessonSizeProblem([lesson.additionalText, lesson.url, lesson.quizHtml], limits);
      if (problem !== undefined) fail(`${name}: ${problem}`);
      isTooLarge ||= problem !== undefined;
    }
    if (!isTooLarge) yield { course, locate: () => location };
  }
}

function describeLongLine(bytes: number, { maxLineBytes }: SourceLimits): string {
  return describeTooLarge(bytes, maxLineBytes, "a line, which is one course,", "max-line-size");
}

/** Undefined for a blank line, and for one that cannot be read, which is reported. */
function parseLine(
  bytes: Uint8Array,
  decoder: TextDecoder,
  limits: SourceLimits,
  fail: (message: string) => void,
): unknown {
  try {
    const text = decoder.decode(bytes);
    return text.trim() === "" ? undefined : parseJson(text, limits);
  } catch (error) {
    if (error instanceof UnreadableText) fail(error.message);
    else if (error instanceof SyntaxError) fail(`not JSON (one course a line): ${cutText(error.message)}`);
    else fail("not valid UTF-8; save the file with that encoding");
    return undefined;
  }
}

// Before validation, which refuses a relative one.
function resolveThumbnail(course: unknown, assetBase: URL | undefined): unknown {
  if (assetBase === undefined || typeof course !== "object" || course === null || !("thumbnail" in course))
    return course;
  const { thumbnail } = course;
  return typeof thumbnail === "string" ? { ...course, thumbnail: resolveUrl(thumbnail, assetBase, () => {}) } : course;
}

function resolveLessonLinks(lesson: LessonInput, assetBase: URL | undefined, warn: (message: string) => void): void {
  const warnAbout = (link: RelativeLink): void => {
    if (!link.isResolved) warn(describeRelativeLink(link));
  };
  const { url } = lesson;
  lesson.url = resolveUrl(url, assetBase, (isResolved) => {
    warnAbout({ tag: "video", attribute: "src", value: url, isResolved });
  });
  lesson.additionalText = resolveLinks(lesson.additionalText, assetBase, warnAbout);
  lesson.quizHtml = resolveLinks(lesson.quizHtml, assetBase, warnAbout);
}

/** The lines of a stream; of one with more than `maxBytes` only how many bytes it has. */
async function* splitLines(stream: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array | number> {
  // Parts of a line that began in earlier chunks.
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const endLine = (last: Uint8Array): Uint8Array | number => {
    const length = bytes + last.length;
    const line = length > maxBytes ? length : parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield endLine(chunk.subarray(from, end));
      from = end + 1;
    }
    bytes += chunk.length - from;
    if (bytes > maxBytes) parts = [];
    else if (from < chunk.length) parts.push(chunk.slice(from));
  }
  if (bytes > 0) yield endLine(new Uint8Array());
}
