// NDJSON: one course of the authoring form a line. What other systems export, and what programs write.
import { basename } from "node:path";
import type { LessonInput } from "../catalog/course.ts";
import { describeRelativeLink, resolveLinks, resolveUrl, toFolderUrl } from "./links.ts";
import type { ContentSource, Location, Report, SourceCourse } from "./source.ts";
import { validateCourse } from "./validate-course.ts";

export interface NdjsonOptions {
  /** Relative URLs are resolved against it; without one they stay as they are and are reported. */
  assetBase: URL | undefined;
}

/** Courses from an NDJSON file, or from standard input when the path is `-`. Holds one line in memory at a time. */
export function openNdjsonSource(path: string, options: NdjsonOptions): ContentSource {
  // The URL names a folder, whether or not it ends with a slash.
  const assetBase = options.assetBase === undefined ? undefined : toFolderUrl(".", options.assetBase);
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
        const course = validateCourse(resolveThumbnail(value, assetBase), () => location, report);
        if (course === undefined) continue;
        for (const lesson of course.chapters.flatMap((chapter) => chapter.lessons)) {
          resolveLessonLinks(lesson, assetBase, (message) => {
            report({ ...location, severity: "warning", message: `lesson "${lesson.name}": ${message}` });
          });
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
  lesson.url = resolveUrl(lesson.url, assetBase, (url) => {
    warn(describeRelativeLink({ tag: "video", attribute: "src", value: url }));
  });
  lesson.additionalText = resolveLinks(lesson.additionalText, assetBase, (link) => warn(describeRelativeLink(link)));
  lesson.quizHtml = resolveLinks(lesson.quizHtml, assetBase, (link) => warn(describeRelativeLink(link)));
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
