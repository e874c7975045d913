import { cutToWidth, formatAge, formatCount, formatNumber } from "./format.ts";
import type { Terminal } from "./terminal.ts";

/** What is counted before a rate says something. */
const RATE_AFTER_MS = 1000;

/** Work that takes its time. */
export interface Work {
  /** What is done, such as `Reading folder courses`. */
  doing: string;
  /** What is counted, in the singular. */
  noun: string;
  /** How many there are; undefined where nobody knows. */
  total?: number | undefined;
  /** True where the total is what there was the last time. */
  isAbout?: boolean;
}

/** Tells a terminal how far a work is: what is done, how fast, and how long the rest takes. Elsewhere it does nothing. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #startedAt: number;
  #work: Work;
  #done = 0;
  #more = "";

  constructor(terminal: Terminal, work: Work) {
    this.#terminal = terminal;
    this.#work = work;
    this.#startedAt = terminal.now().getTime();
    this.#show();
  }

  /** Says how many are done by now, and what else there is to tell. */
  tell(done: number, more = this.#more): void {
    this.#done = done;
    this.#more = more;
    this.#show();
  }

  add(count = 1): void {
    this.tell(this.#done + count);
  }

  /** How many there are, once that is known. */
  expect(total: number, isAbout = false): void {
    this.#work = { ...this.#work, total, isAbout };
  }

  /** Takes the line away. */
  end(): void {
    this.#terminal.showProgress(undefined);
  }

  #show(): void {
    this.#terminal.showProgress((columns) => this.#format(columns));
  }

  #format(columns: number): string {
    const { doing, noun, total, isAbout } = this.#work;
    const elapsedMs = this.#terminal.now().getTime() - this.#startedAt;
    const rate = elapsedMs < RATE_AFTER_MS ? 0 : (this.#done * 1000) / elapsedMs;
    // An estimate that was passed says nothing.
    const known = total !== undefined && total >= this.#done && total > 0 ? total : undefined;
    const of = known === undefined ? "" : ` of ${isAbout === true ? "about " : ""}${formatNumber(known)}`;
    const count = of === "" ? formatCount(this.#done, noun) : `${formatNumber(this.#done)}${of} ${noun}s`;
    const parts = [
      { text: count, rank: 0 },
      { text: this.#more, rank: 3 },
      { text: rate === 0 ? "" : formatRate(rate), rank: 2 },
      {
        text:
          rate === 0 || known === undefined || known === this.#done
            ? ""
            : formatLeft(((known - this.#done) / rate) * 1000),
        rank: 1,
      },
    ];
    return fitParts(doing, this.#done === 0 ? [] : parts.filter(({ text }) => text !== ""), columns);
  }
}

function formatRate(perSecond: number): string {
  return perSecond < 1
    ? `${formatNumber(Math.round(perSecond * 60))} a minute`
    : `${formatNumber(Math.round(perSecond))} a second`;
}

function formatLeft(ms: number): string {
  return `${formatAge(Math.ceil(ms / 1000) * 1000)} left`;
}

/** One line of what matters most: what does not fit goes, the name of the work before the least of the counts. */
function fitParts(doing: string, parts: { text: string; rank: number }[], columns: number): string {
  const candidates: { name: string; most: number }[] = [
    { name: doing, most: 3 },
    { name: doing, most: 2 },
    { name: "", most: 3 },
    { name: "", most: 2 },
    { name: "", most: 1 },
    { name: "", most: 0 },
  ];
  for (const { name, most } of candidates) {
    const shown = parts.filter(({ rank }) => rank <= most).map(({ text }) => text);
    const line = [name, shown.join(", ")].filter((text) => text !== "").join(": ");
    if (line !== "" && Bun.stringWidth(line) <= columns) return line;
  }
  return cutToWidth(parts[0]?.text ?? doing, columns);
}
