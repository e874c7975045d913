// Cells that Markdown drops: those of a row of a table beyond the columns that its head has.
import type { Token } from "markdown-it";

/** Lists the lines with such cells, from 1 at the start of the Markdown. */
export function listDroppedCells(markdown: string, tokens: readonly Token[]): number[] {
  const dropped: number[] = [];
  let lines: string[] | undefined;
  let columns = 0;
  for (const { type, map } of tokens) {
    if (type === "thead_open") columns = 0;
    else if (type === "th_open") columns++;
    else if (type === "tr_open" && map !== null && columns > 0) {
      lines ??= markdown.split(/\r\n?|\n/);
      const [, ...cells] = ` ${(lines[map[0]] ?? "").replace(/^[ \t>]*\|/, "")}`.split(/(?<!\\)\|/);
      if (cells.slice(columns - 1).some((cell) => cell.trim() !== "")) dropped.push(map[0] + 1);
    }
  }
  return dropped;
}
