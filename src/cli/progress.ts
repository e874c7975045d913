// Lines at a terminal that show how far long work is. Elsewhere they do nothing.
import type { ContentSource, OnBroken, Report, SourceCourse, SourceOptions } from "../content/source.ts";
import { formatCount, formatNumber } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/** How much of one work is done. To be ended, in whatever way the work ends. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #doing: string;
  readonly #noun: string;
  readonly #total: number | undefined;

  /** `doing` is such as `Reading folder courses`, `noun` what is counted; `total` where it is known. */
  constructor(terminal: Terminal, doing: string, noun: string, total?: number) {
    this.#terminal = terminal;
    this.#doing = doing;
    this.#noun = noun;
    this.#total = total;
    this.tell(0);
  }

  /** Says how many are done by now, and what else there is to tell. */
  tell(done: number, more = ""): void {
    const total = this.#total ?? 0;
    const count =
      total < done ? formatCount(done, this.#noun) : `${formatNumber(done)} of ${formatCount(total, this.#noun)}`;
    const text = done === 0 ? this.#doing : `${this.#doing}: ${count}${more}`;
    this.#terminal.showProgress((columns) => Bun.sliceAnsi(text, 0, columns, "…"));
  }

  end(): void {
    this.#terminal.showProgress(undefined);
  }
}

/** The reading of a source. To be ended, in whatever way the work ends. */
export class SourceProgress {
  readonly #terminal: Terminal;
  #progress: Progress | undefined;
  #lessons = 0;
  #courses = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** What the source is opened with, so that its lessons are counted. */
  readonly options: Pick<SourceOptions, "onLesson"> = {
    onLesson: () => {
      this.#lessons++;
      this.#tell();
    },
  };

  /** The source, with its courses counted. */
  watch(source: ContentSource): ContentSource {
    const begin = (): void =>
      void (this.#progress ??= new Progress(this.#terminal, `Reading ${source.label}`, "lesson"));
    return {
      ...source,
      prepare: async () => {
        begin();
        await source.prepare?.();
      },
      read: (report, onBroken) => {
        begin();
        return this.#read(source, report, onBroken);
      },
    };
  }

  end(): void {
    this.#progress?.end();
  }

  async *#read(source: ContentSource, report: Report, onBroken?: OnBroken): AsyncGenerator<SourceCourse> {
    this.#courses = 0;
    // Lessons that arrive while the source is prepared do not arrive again.
    if (source.prepare === undefined) this.#lessons = 0;
    for await (const course of source.read(report, onBroken)) {
      this.#courses++;
      this.#tell();
      yield course;
    }
  }

  #tell(): void {
    this.#progress?.tell(this.#lessons, this.#courses === 0 ? "" : `, ${formatCount(this.#courses, "course")}`);
  }
}
