// NDJSON: one course of the authoring form a line. What other systems export, and what programs write.
import { basename } from "node:path";
import type { LessonInput } from "../catalog/course.ts";
import { countLessons, inspectChapters } from "./inspect-chapters.ts";
import { describeRelativeLink, resolveLinks, resolveUrl, toFolderUrl, type RelativeLink } from "./links.ts";
import type { ContentSource, Location, Report, SourceCourse, SourceOptions } from "./source.ts";
import { validateCourse } from "./validate-course.ts";

/** Courses from an NDJSON file, or from standard input when the path is `-`. Holds one line in memory at a time. */
export function openNdjsonSource(path: string, options: SourceOptions): ContentSource {
  // The URL names a folder, whether or not it ends with a slash.
  const assetBase = options.assetBase === undefined ? undefined : toFolderUrl(".", options.assetBase);
  const { inspection } = options;
  const file = path === "-" ? "standard input" : path;
  return {
    label: path === "-" ? file : `file ${basename(path)}`,
    async *read(report) {
      const stream = path === "-" ? Bun.stdin.stream() : Bun.file(path).stream();
      const decoder = new TextDecoder("utf-8", { fatal: true });
      let line = 0;
      for await (const bytes of splitLines(stream)) {
        const location: Location = { file, line: ++line };
        const value = parseLine(bytes, decoder, location, report);
        if (value === undefined) continue;
        inspection?.onCourse(countLessons(value));
        const course = validateCourse(resolveThumbnail(value, assetBase), () => location, report);
        if (course === undefined) continue;
        const warn = (message: string): void => report({ ...location, severity: "warning", message });
        if (inspection !== undefined) inspectChapters(course, warn);
        for (const lesson of course.chapters.flatMap((chapter) => chapter.lessons)) {
          resolveLessonLinks(lesson, assetBase, (message) => warn(`lesson "${lesson.name}": ${message}`));
        }
        yield { course, locate: () => location } satisfies SourceCourse;
      }
    },
  };
}

/** Undefined for a blank line, and for one that is not JSON, which is reported. */
function parseLine(bytes: Uint8Array, decoder: TextDecoder, location: Location, report: Report): unknown {
  try {
    const text = decoder.decode(bytes);
    if (text.trim() === "") return undefined;
    return JSON.parse(text) as unknown;
  } catch (error) {
    const message =
      error instanceof SyntaxError
        ? `not JSON (one course a line): ${error.message}`
        : "not valid UTF-8; save the file with that encoding";
    report({ ...location, severity: "error", message });
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

async function* splitLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Parts of a line that began in earlier chunks.
  let parts: Uint8Array[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      yield parts.length === 1 ? chunk.subarray(from, end) : Buffer.concat(parts);
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.slice(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
