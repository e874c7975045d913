import type { ContentSource, SourceOptions } from "../content/source.ts";
import { formatCount } from "./format.ts";
import { Progress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** Tells a terminal how far the reading of a source is. To be ended, in whatever way the work ends. */
export class SourceProgress {
  readonly #terminal: Terminal;
  #progress: Progress | undefined;
  #lessons = 0;
  #courses = 0;
  #expected: number | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether anybody sees it. */
  get isShown(): boolean {
    return this.#terminal.notes.columns !== undefined;
  }

  /** What the source is opened with, so that its lessons are counted. */
  get options(): Pick<SourceOptions, "onLesson"> {
    return this.isShown ? { onLesson: () => this.#tell(1, 0) } : {};
  }

  /** The number of lessons that there were the last time. */
  expect(lessons: number): void {
    this.#expected = lessons;
  }

  /** The source, with its courses counted. */
  watch(source: ContentSource): ContentSource {
    if (!this.isShown) return source;
    const begin = (): void => {
      const work = { doing: `Reading ${source.label}`, noun: "lesson", total: this.#expected, isAbout: true };
      this.#progress ??= new Progress(this.#terminal, work);
    };
    const again = (): void => {
      this.#courses = 0;
      // Where they arrive while the source is prepared, they do not arrive again.
      if (source.prepare === undefined) this.#lessons = 0;
    };
    const count = (): void => this.#tell(0, 1);
    return {
      ...source,
      async prepare() {
        if (source.prepare === undefined) return;
        begin();
        await source.prepare();
      },
      async *read(report) {
        begin();
        again();
        for await (const course of source.read(report)) {
          count();
          yield course;
        }
      },
    };
  }

  /** Takes the line away. */
  end(): void {
    this.#progress?.end();
  }

  #tell(lessons: number, courses: number): void {
    this.#lessons += lessons;
    this.#courses += courses;
    this.#progress?.tell(this.#lessons, this.#courses === 0 ? "" : formatCount(this.#courses, "course"));
  }
}
