// Withholds answers in a notebook that is saved as Markdown:
// https://jupytext.readthedocs.io/en/latest/formats-markdown.html
import { marksSolution } from "../answer-marks.ts";
import { AssembledText, type WrittenText } from "../markdown/prepared-text.ts";
import type { PlacedFields } from "../resolve/placed-value.ts";
import { holdsAnswer, isAnswerMark, withoutAnswers } from "./notebook-answers.ts";

/** Returns true for R Markdown, and for text whose front matter describes a notebook, as Jupytext's does. */
export function isNotebookText(path: string, fields: PlacedFields): boolean {
  return /\.rmd$/i.test(path) || ["jupytext", "jupyter", "kernelspec"].some((name) => fields.has(name));
}

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/s;
const REGION = /^\s*<!--\s*#(region|endregion)\b(.*)-->\s*$/;
const BREAK = /^\+\+\+(.*)$/;

/** Returns the text without its answers, and the number of answers; undefined if there are none. */
export function withholdAnswers({ text, firstLine }: WrittenText, file: string) {
  const lines = text.split(/\r?\n/);
  const into = new AssembledText();
  let count = 0;
  const add = (line: string, at: number): void => into.add(`${line}\n`, file, firstLine + at);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const end = findEnd(lines, index);
    if (end !== undefined) {
      count++;
      index = end;
      continue;
    }
    add(line, index);
    const [, marker, info = ""] = FENCE.exec(line) ?? [];
    if (marker === undefined) continue;
    const closing = findBelow(lines, index, (each) => isClosing(each, marker));
    const last = closing === -1 ? lines.length : closing;
    const code = lines.slice(index + 1, last);
    const options = code.slice(0, code.findIndex((each) => !/^(?:[:#-]|\s|\w+:)/.test(each)) >>> 0);
    const isSolution = marksSolution(info) || marksSolution(options.join("\n"));
    const cell = { lines: code, fileLines: code.map((_, at) => index + 1 + at), tags: new Set<string>(), isSolution };
    const isAnswer = holdsAnswer(cell);
    if (isAnswer) count++;
    const left = isAnswer ? withoutAnswers(cell) : cell;
    for (const [at, each] of left.lines.entries()) add(each, left.fileLines[at] ?? index);
    if (closing !== -1) add(lines[closing] ?? "", closing);
    index = last;
  }
  return count === 0 ? undefined : { prepared: into.toPrepared(), count };
}

function findBelow(lines: readonly string[], start: number, isWanted: (line: string) => boolean): number {
  for (let at = start + 1; at < lines.length; at++) if (isWanted(lines[at] ?? "")) return at;
  return -1;
}

const isClosing = (line: string, marker: string): boolean =>
  line.trim().length >= marker.length && /^(?:`+|~+)$/.test(line.trim()) && line.trim().startsWith(marker);

/**
 * Returns the index of the last line of the answer that begins at line `start`, outside code: the line of its end mark,
 * else the last line of its cell or of the text. Returns undefined if no answer begins there.
 */
function findEnd(lines: readonly string[], start: number): number | undefined {
  const line = lines[start] ?? "";
  const [, region, ofRegion = ""] = REGION.exec(line) ?? [];
  const [, ofCell] = BREAK.exec(line) ?? [];
  const isRegion = region === "region" && marksSolution(ofRegion);
  if (!isRegion && !isAnswerMark(line) && (ofCell === undefined || !marksSolution(ofCell))) return undefined;
  const end = findBelow(lines, start, (each) => {
    if (isRegion) return REGION.exec(each)?.[1] === "endregion";
    if (ofCell !== undefined) return BREAK.test(each) || /^```+\{code-cell/.test(each);
    return isAnswerMark(each) && /\bEND\b/.test(each);
  });
  if (end === -1) return lines.length;
  return ofCell === undefined ? end : end - 1;
}
