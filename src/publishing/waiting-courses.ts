// Courses whose links lead to courses that are not read yet. They are held, or read again once the others are known.
import type { Course, CourseInput } from "../catalog/course.ts";
import type { Location, Report, SourceCourse } from "../content/source.ts";
import type { CatalogLinks } from "./catalog-links.ts";
import { countCharacters } from "./course-compiler.ts";
import type { MovedFile } from "./lesson-identity.ts";

/** What waits in memory; courses beyond it are read a second time. */
const MAX_HELD_CHARACTERS = 8_000_000;

/** A course whose ids are final, and the files of it that have moved. */
export interface SettledCourse {
  /** Names it in the source. */
  key: string;
  course: Course;
  moved: MovedFile[];
}

interface WaitingCourse extends Omit<SettledCourse, "course"> {
  /** Undefined where it is to be read again. */
  course: Course | undefined;
  readAgain: SourceCourse["readAgain"];
  place: Location;
}

/** Gives a course its ids, as when it was read first. */
type Complete = (input: CourseInput) => Course;

export class WaitingCourses {
  readonly #waiting: WaitingCourse[] = [];
  #heldCharacters = 0;

  add(settled: SettledCourse, { readAgain, locate }: SourceCourse): void {
    const characters = countCharacters(settled.course);
    const isHeld = readAgain === undefined || this.#heldCharacters + characters <= MAX_HELD_CHARACTERS;
    if (isHeld) this.#heldCharacters += characters;
    this.#waiting.push({ ...settled, course: isHeld ? settled.course : undefined, readAgain, place: locate([]) });
  }

  /** Gives the courses in their order. One that has other lessons by now is left out; that is reported as an error. */
  async *take(complete: Complete, links: CatalogLinks, report: Report): AsyncGenerator<SettledCourse> {
    for (const { key, course: held, moved, readAgain, place } of this.#waiting) {
      const course = held ?? (await this.#readAgain(complete, readAgain, report));
      if (course !== undefined && (held !== undefined || links.keepSettledIds(key, course))) {
        yield { key, course, moved };
        continue;
      }
      const message = "has changed while the import was reading it: import it again";
      report({ severity: "error", kind: "unreadable", ...place, message });
    }
    this.#waiting.length = 0;
  }

  // What is told of it was told when it was read first; an error would be new.
  async #readAgain(complete: Complete, read: SourceCourse["readAgain"], report: Report): Promise<Course | undefined> {
    const again = await read?.((problem) => {
      if (problem.severity === "error") report(problem);
    });
    return again && complete(again.course);
  }
}
