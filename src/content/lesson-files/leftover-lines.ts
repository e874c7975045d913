import { listLeftovers, type Leftover } from "../html/leftovers.ts";
import type { TextRemark } from "../markdown/markdown-environment.ts";

/** Of what an author wrote, so much is looked for: what follows may read otherwise in the HTML. */
const MAX_SEARCHED = 30;

/** The syntax of other programs that readers of a lesson see, with the lines of its file where they are found again, else the first. */
export function remarkLeftovers(html: string, body: string): TextRemark[] {
  const leftovers = listLeftovers(html);
  if (leftovers.length === 0) return [];
  const lines = findLines(body, leftovers);
  return leftovers.map((leftover): TextRemark => {
    return { line: lines.get(leftover) ?? 1, kind: "leftover-syntax", message: leftover.message };
  });
}

function findLines(body: string, leftovers: readonly Leftover[]): Map<Leftover, number> {
  const found = new Map<Leftover, number>();
  let fence: string | undefined;
  for (const [index, line] of body.split("\n").entries()) {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    const text = fence === undefined ? line.replace(/(`+)[^`]*\1/g, "") : line;
    for (const leftover of leftovers) {
      const { written, isCode } = leftover;
      if (found.has(leftover) || isCode !== (fence !== undefined)) continue;
      if (text.includes(written.slice(0, MAX_SEARCHED))) found.set(leftover, index + 1);
    }
    if (found.size === leftovers.length) break;
  }
  return found;
}
