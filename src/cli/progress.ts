// Lines at a terminal that show how far long work is. Elsewhere they do nothing.
import type { ContentSource, OnBroken, Report, SourceCourse, SourceOptions } from "../content/source.ts";
import { cutToWidth, formatCount, formatNumber } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/** What is done before the rest can be estimated. */
const ESTIMATE_AFTER_MS = 1000;

export interface Work {
  /** What is done, such as `Reading folder courses`. */
  doing: string;
  /** What is counted, in the singular. */
  noun: string;
  /** How many there are; undefined where nobody knows. */
  total?: number | undefined;
  /** True where the total is that of the last time. */
  isAbout?: boolean;
}

/** One work: how much is done, and how long the rest takes. To be ended, in whatever way the work ends. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #startedAt: number;
  readonly #work: Work;

  constructor(terminal: Terminal, work: Work) {
    this.#terminal = terminal;
    this.#work = work;
    this.#startedAt = terminal.now().getTime();
    this.tell(0);
  }

  /** Says how many are done by now, and what else there is to tell. */
  tell(done: number, more = ""): void {
    this.#terminal.showProgress((columns) => cutToWidth(this.#format(done, more), columns));
  }

  /** Takes the line away. */
  end(): void {
    this.#terminal.showProgress(undefined);
  }

  #format(done: number, more: string): string {
    const { doing, noun, total, isAbout } = this.#work;
    if (done === 0) return doing;
    const elapsedMs = this.#terminal.now().getTime() - this.#startedAt;
    // An estimate that was passed says nothing.
    const known = total !== undefined && total >= done ? total : undefined;
    const ofTotal = ` of ${isAbout === true ? "about " : ""}${formatNumber(known ?? 0)} ${noun}s`;
    const leftSeconds = known === undefined ? 0 : Math.ceil((elapsedMs * (known - done)) / done / 1000);
    const parts = [
      known === undefined ? formatCount(done, noun) : formatNumber(done) + ofTotal,
      more,
      elapsedMs < ESTIMATE_AFTER_MS || leftSeconds === 0 ? "" : formatLeft(leftSeconds),
    ];
    return `${doing}: ${parts.filter((part) => part !== "").join(", ")}`;
  }
}

function formatLeft(seconds: number): string {
  return seconds < 100 ? `${seconds} s left` : `${formatNumber(Math.ceil(seconds / 60))} min left`;
}

/** The reading of a source. To be ended, in whatever way the work ends. */
export class SourceProgress {
  readonly #terminal: Terminal;
  #progress: Progress | undefined;
  #lessons = 0;
  #courses = 0;
  /** The number of lessons that there were the last time. */
  expected: number | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether anybody sees it. */
  get isShown(): boolean {
    return this.#terminal.notes.columns !== undefined;
  }

  /** What the source is opened with, so that its lessons are counted. */
  get options(): Pick<SourceOptions, "onLesson"> {
    if (!this.isShown) return {};
    return {
      onLesson: () => {
        this.#lessons++;
        this.#tell();
      },
    };
  }

  /** The source, with its courses counted. */
  watch(source: ContentSource): ContentSource {
    if (!this.isShown) return source;
    return {
      ...source,
      prepare: async () => {
        this.#begin(source);
        await source.prepare?.();
      },
      read: (report, onBroken) => this.#read(source, report, onBroken),
    };
  }

  /** Takes the line away. */
  end(): void {
    this.#progress?.end();
  }

  #begin({ label }: ContentSource): void {
    const work = { doing: `Reading ${label}`, noun: "lesson", total: this.expected, isAbout: true };
    this.#progress ??= new Progress(this.#terminal, work);
  }

  async *#read(source: ContentSource, report: Report, onBroken?: OnBroken): AsyncGenerator<SourceCourse> {
    this.#begin(source);
    this.#courses = 0;
    // Where lessons arrive while the source is prepared, they do not arrive again.
    if (source.prepare === undefined) this.#lessons = 0;
    for await (const course of source.read(report, onBroken)) {
      this.#courses++;
      this.#tell();
      yield course;
    }
  }

  #tell(): void {
    this.#progress?.tell(this.#lessons, this.#courses === 0 ? "" : formatCount(this.#courses, "course"));
  }
}
