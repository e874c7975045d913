// Shows the progress of long work at a terminal. Does nothing elsewhere.
import type { ContentSource } from "../../content/source.ts";
import { formatCount, formatNumber } from "./format.ts";
import type { Terminal } from "./terminal.ts";

export type Progress = ReturnType<typeof startProgress>;

/** Shows a count. Always call `end`, even after an error. */
export function startProgress(terminal: Terminal, doing: string, noun: string, total = 0) {
  const update = (done: number): void => {
    const count = total < done ? formatCount(done, noun) : `${formatNumber(done)} of ${formatCount(total, noun)}`;
    const text = done === 0 ? doing : `${doing}: ${count}`;
    terminal.showProgress((columns) => Bun.sliceAnsi(text, 0, columns, "…"));
  };
  update(0);
  return { update, end: (): void => terminal.showProgress(undefined) };
}

/** Shows how many lessons of a source have been read. Always call `end`, even after an error. */
export function startReading(terminal: Terminal) {
  let progress: Progress | undefined;
  let lessons = 0;
  return {
    onLesson: (): void => progress?.update(++lessons),
    end: (): void => progress?.end(),
    watch(source: ContentSource): ContentSource {
      const begin = (): void => void (progress ??= startProgress(terminal, `Reading ${source.label}`, "lesson"));
      return {
        ...source,
        prepare: async () => {
          begin();
          await source.prepare?.();
        },
        read: (report, onBroken) => {
          begin();
          // A source with `prepare` has already counted its lessons there.
          if (source.prepare === undefined) lessons = 0;
          return source.read(report, onBroken);
        },
      };
    },
  };
}
