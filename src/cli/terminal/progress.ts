// Shows the progress of long work at a terminal. Does nothing elsewhere.
import type { ContentSource, SourceOptions } from "../../content/source.ts";
import { formatCount, formatNumber } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/** Call `end` however the work ends. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #doing: string;
  readonly #noun: string;
  readonly #total: number | undefined;

  constructor(terminal: Terminal, doing: string, noun: string, total?: number) {
    this.#terminal = terminal;
    this.#doing = doing;
    this.#noun = noun;
    this.#total = total;
    this.update(0);
  }

  update(done: number): void {
    const total = this.#total ?? 0;
    const count =
      total < done ? formatCount(done, this.#noun) : `${formatNumber(done)} of ${formatCount(total, this.#noun)}`;
    const text = done === 0 ? this.#doing : `${this.#doing}: ${count}`;
    this.#terminal.showProgress((columns) => Bun.sliceAnsi(text, 0, columns, "…"));
  }

  end(): void {
    this.#terminal.showProgress(undefined);
  }
}

/** Counts the lessons of a source. Call `end` however the work ends. */
export class SourceProgress {
  readonly #terminal: Terminal;
  #progress: Progress | undefined;
  #lessons = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly options: Pick<SourceOptions, "onLesson"> = {
    onLesson: () => this.#progress?.update(++this.#lessons),
  };

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
        // A source that prepares has counted its lessons then.
        if (source.prepare === undefined) this.#lessons = 0;
        return source.read(report, onBroken);
      },
    };
  }

  end(): void {
    this.#progress?.end();
  }
}
