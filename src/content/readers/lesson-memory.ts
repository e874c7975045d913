// Lessons that are kept from one reading of their course to the next, where only other lessons have changed.
import type { NamedLesson } from "../lesson-files/lesson-file.ts";
import type { PlacedLesson } from "../resolve/placed-course.ts";
import { type Finding, isError } from "../source.ts";

/** A lesson as it came out of the stage, and what was told of it on the way. */
export interface KeptLesson {
  lesson: PlacedLesson;
  problems: readonly Finding[];
}

/** The lessons of one course. */
export class LessonMemory {
  /** The file of the lesson that is being read. */
  currentFile: string | undefined;
  /** By file. */
  readonly #before: ReadonlyMap<string, KeptLesson>;
  readonly #now = new Map<string, KeptLesson>();

  /** `before` are those of the reading before that still hold. */
  constructor(before: ReadonlyMap<string, KeptLesson>) {
    this.#before = before;
  }

  /** Those of this reading. */
  get lessons(): ReadonlyMap<string, KeptLesson> {
    return this.#now;
  }

  /** To be called before a lesson is read. Gives it as it was read before; undefined when it must be read. */
  begin(lesson: NamedLesson): KeptLesson | undefined {
    const { file } = lesson;
    this.currentFile = file;
    const kept = file !== undefined && canBeKept(lesson) ? this.#before.get(file) : undefined;
    if (file !== undefined && kept !== undefined) this.#now.set(file, kept);
    return kept;
  }

  /** Gives a lesson that has been read so that it is kept once it is finished. One with an error is not. */
  keep(lesson: NamedLesson, read: PlacedLesson, problems: readonly Finding[]): PlacedLesson {
    const { file } = lesson;
    if (file === undefined || !canBeKept(lesson)) return read;
    return {
      ...read,
      onFinished: (finished, told) => {
        const all = [...problems, ...told];
        if (all.some(isError)) return;
        this.#now.set(file, { lesson: { ...read, finished, text: undefined }, problems: all });
      },
    };
  }
}

/** False where a lesson depends on more than its file, its outline and what all lessons of its course depend on. */
function canBeKept({ part, compose }: NamedLesson): boolean {
  return part === undefined && compose === undefined;
}
