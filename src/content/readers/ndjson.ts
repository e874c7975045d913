// Reads NDJSON, which other systems export: one course per line, in the authoring form.
import { toPrintable } from "../../catalog/printable.ts";
import { nameTypedPath } from "../files/folder-files.ts";
import { DEFAULT_LIMITS, describeTooLarge, UnreadableText, type SourceLimits } from "../limits.ts";
import type { FoundCourse } from "../resolve/placed-course.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import { createSourceLinks } from "../resolve/source-links.ts";
import { cutText } from "../quote.ts";
import type { ContentSource, Location, ReportFinding, SourceOptions } from "../source.ts";
import { createSource } from "./create-source.ts";
import { parseJson } from "../resolve/json-text.ts";

/** Reads courses from an NDJSON file. Holds one line in memory at a time. */
export function openNdjsonFile(path: string, options: SourceOptions): ContentSource {
  return openNdjson(path, `file ${toPrintable(nameTypedPath(path))}`, () => Bun.file(path).stream(), options);
}

/** Reads courses from standard input, which can be read only once. */
export function openNdjsonInput(readInput: () => ReadableStream<Uint8Array>, options: SourceOptions): ContentSource {
  const name = "standard input";
  let isRead = false;
  const open = (): ReadableStream<Uint8Array> => {
    if (isRead) throw new Error(`${name} can be read only once`);
    isRead = true;
    return readInput();
  };
  return { ...openNdjson(name, name, open, options), isReadOnce: true };
}

function openNdjson(
  file: string,
  label: string,
  open: () => ReadableStream<Uint8Array>,
  options: SourceOptions,
): ContentSource {
  const { assetBase, inspection, limits = DEFAULT_LIMITS } = options;
  const stage = { links: createSourceLinks(assetBase), limits, reportsEmpty: inspection !== undefined };
  const findCourses = (report: ReportFinding): AsyncGenerator<FoundCourse> => readLines(open(), file, limits, report);
  return createSource(label, async () => ({ stage, findCourses }), options);
}

async function* readLines(
  stream: ReadableStream<Uint8Array>,
  file: string,
  limits: SourceLimits,
  report: ReportFinding,
): AsyncGenerator<FoundCourse> {
  let line = 0;
  for await (const bytes of splitLines(stream, limits.maxLineBytes)) {
    const found = parseCourse(bytes, { file, line: ++line }, limits, report);
    if (found !== undefined) yield found;
  }
}

type Fail = (message: string, kind: ProblemKind) => void;

/** Parses a course. Returns undefined for a blank line, and for an unreadable one, which is reported. */
function parseCourse(
  bytes: Uint8Array | number,
  place: Location,
  limits: SourceLimits,
  report: ReportFinding,
): FoundCourse | undefined {
  const fail: Fail = (message, kind) => report({ kind, ...place, message });
  const value =
    typeof bytes === "number" ? fail(describeLongLine(bytes, limits), "too-large") : parseLine(bytes, limits, fail);
  if (value === undefined) return undefined;
  return { key: String(place.line), read: async () => ({ value, place, lessonCount: countLessons(value) }) };
}

/** Counts the lessons in an unvalidated course. */
function countLessons(course: unknown): number {
  return listIn(course, "chapters").reduce((sum: number, chapter) => sum + listIn(chapter, "lessons").length, 0);
}

function listIn(value: unknown, field: string): unknown[] {
  const list = (value as Record<string, unknown> | null)?.[field];
  return Array.isArray(list) ? list : [];
}

function describeLongLine(bytes: number, { maxLineBytes }: SourceLimits): string {
  return describeTooLarge(bytes, maxLineBytes, "a line, which is one course,", "max-line-size");
}

/** Parses a line. Returns undefined for a blank line, and for an unreadable one, which is reported. */
function parseLine(bytes: Uint8Array, limits: SourceLimits, fail: Fail): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trim() === "" ? undefined : parseJson(text, limits);
  } catch (error) {
    if (error instanceof UnreadableText) fail(error.message, error.kind);
    else if (error instanceof SyntaxError)
      fail(`is not JSON (one course per line): ${cutText(error.message)}`, "syntax");
    else fail("is not valid UTF-8; save the file as UTF-8", "unreadable");
    return undefined;
  }
}

/** Yields a stream's lines. Of a line that exceeds `maxBytes`, yields only the size. */
async function* splitLines(stream: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array | number> {
  // The parts of the current line from earlier chunks.
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
