import { finishCourse } from "../resolve/finish-course.ts";
import type { StageOptions } from "../resolve/finish-lesson.ts";
import type { FoundCourse } from "../resolve/placed-course.ts";
import {
  type ContentSource,
  judged,
  type Report,
  type SourceCourse,
  type SourceOptions,
  type ReportFinding,
} from "../source.ts";

/** A source that is open for reading. */
export interface OpenReader {
  stage: StageOptions;
  /** Yields the courses in order. */
  findCourses(report: ReportFinding): AsyncIterable<FoundCourse>;
  /** Frees resources, if any. */
  close?(): Promise<void>;
}

/** The read options that do not depend on the kind of source. */
type ReadingOptions = { [K in "inspection" | "onLesson" | "strict" | "sanitizes"]?: SourceOptions[K] | undefined };

/**
 * Creates a source whose courses all pass through `finishCourse`. Calls `open` for each read. If the source is
 * unreadable, `open` reports a problem and returns undefined.
 */
export function createSource(
  label: string,
  open: (report: ReportFinding) => Promise<OpenReader | undefined>,
  { inspection, onLesson, strict, sanitizes }: ReadingOptions,
): ContentSource {
  const opened: OpenReader[] = [];
  return {
    label,
    async *read(report, onBroken = () => undefined) {
      const reader = await open(judged(report, strict));
      if (reader?.close !== undefined) opened.push(reader);
      if (reader === undefined) return onBroken(undefined);
      const reportOfSource: Report = (problem) => {
        if (problem.severity === "error") onBroken(undefined);
        report(problem);
      };
      for await (const found of reader.findCourses(judged(reportOfSource, strict))) {
        const course = await finishCourse(found, { ...reader.stage, inspection, onLesson, strict, sanitizes }, report);
        if (course === undefined) {
          onBroken(found.sourcePath);
          continue;
        }
        const readAgain: SourceCourse["readAgain"] = (reportAgain) =>
          finishCourse(found, { ...reader.stage, strict, sanitizes }, reportAgain);
        yield { ...course, readAgain };
      }
    },
    async close() {
      for (const reader of opened.splice(0)) await reader.close?.();
    },
  };
}
