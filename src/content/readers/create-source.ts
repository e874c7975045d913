import { finishCourse } from "../placed/finish-course.ts";
import type { StageOptions } from "../placed/finish-lesson.ts";
import type { FoundCourse } from "../placed/placed-course.ts";
import type { ContentSource, Inspection, Report, SourceCourse } from "../source.ts";

/** A reader, opened: it finds courses and reads them; all else is the stage's. */
export interface OpenReader {
  stage: StageOptions;
  /** The courses in their order. */
  findCourses(report: Report): AsyncIterable<FoundCourse>;
  /** The course of this key as it is now; undefined when there is none. */
  findCourse(key: string, report: Report): Promise<FoundCourse | undefined>;
}

/** Makes a source of a reader: every course goes through the same stage. `open` is called for each reading. */
export function createSource(
  label: string,
  open: () => Promise<OpenReader>,
  inspection: Inspection | undefined,
): ContentSource {
  return {
    label,
    async *read(report) {
      const reader = await open();
      for await (const found of reader.findCourses(report)) {
        const course = await finishCourse(found, { ...reader.stage, inspection }, report);
        if (course === undefined) continue;
        const readAgain: SourceCourse["readAgain"] = (reportAgain) => finishCourse(found, reader.stage, reportAgain);
        yield { ...course, readAgain };
      }
    },
    async readCourse(key, report) {
      const reader = await open();
      const found = await reader.findCourse(key, report);
      return found && finishCourse(found, { ...reader.stage, inspection }, report);
    },
  };
}
