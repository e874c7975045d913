// Preprocesses LiaScript: expands macros and removes scripts.
import type { Answers } from "../../quiz/answers.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { AssembledText, countLineBreaks, type PrepareText } from "../../markdown/prepared-text.ts";
import { MacroExpander, type Macros } from "./liascript-macros.ts";
import { LiaScriptReading } from "./liascript-reading.ts";
import type { Token } from "markdown-it";
import { parseMarkdown } from "../../markdown/create-parser.ts";

export interface LiaScriptOptions {
  tree: SourceTree;
  macros: Macros;
  syntax: MarkdownSyntax;
  answers: Answers;
}

const STOP = /[\\@<]/g;
const SCRIPT = /<script\b[^>]{0,1000}>/iy;
// Matches a macro in the opening line of a fence: ``` js   @eval(1)
const IN_INFO = /@\[?([A-Za-z_][\w.]*)\]?(?:\([^()]*\))?/y;

/** Creates the function that prepares the texts of one course. */
export function createLiaScriptText(options: LiaScriptOptions): PrepareText {
  return async ({ path, text: written, firstLine }, report) => {
    const macros = new MacroExpander(options.macros, options.tree);
    const reading = new LiaScriptReading(options);
    const assembled = new AssembledText();
    const text = written.replace(/\r\n?/g, "\n");
    const file = options.tree.toTypedPath(path);
    let copiedTo = 0;
    let line = firstLine;
    for (const { start, end, by } of listEdits(text, options.syntax, { macros, reading })) {
      assembled.add(text.slice(copiedTo, start), file, line);
      line += countLineBreaks(text.slice(copiedTo, start));
      if (macros.fault !== undefined) {
        report({ kind: "too-large", file, line, message: macros.fault });
        return undefined;
      }
      // Problems in a macro's lines are reported at the line that uses the macro.
      for (const part of by.split(/(?<=\n)/)) assembled.add(part, file, line);
      const lineBreaks = countLineBreaks(text.slice(start, end));
      // A solution below a script must stay near its quiz.
      if (by !== "") assembled.add("\n".repeat(lineBreaks), file, line);
      line += lineBreaks;
      copiedTo = end;
    }
    assembled.add(text.slice(copiedTo), file, line);
    return { ...assembled.toPrepared(), reading };
  };
}

/** Lists the macros and scripts in text, each with its replacement. Throws UnreadableText. */
function* listEdits(
  text: string,
  syntax: MarkdownSyntax,
  { macros, reading }: { macros: MacroExpander; reading: LiaScriptReading },
): Generator<{ start: number; end: number; by: string }> {
  if (!/@|<script/i.test(text)) return;
  const code = listCode(text, syntax);
  let next = 0;
  const scriptEnd = /<\/script[ \t]*>/gi;
  let hasScriptEnd = true;
  STOP.lastIndex = 0;
  for (let found = STOP.exec(text); found !== null; found = STOP.exec(text)) {
    const start = found.index;
    while ((code[next]?.end ?? Infinity) <= start) next++;
    const around = code[next];
    let end = start + 1;
    let by: string | undefined;
    if (around !== undefined && around.start <= start) {
      if (start < around.infoEnd) [end, by] = readInfo(text, start, reading);
      else end = around.end;
    } else if (found[0] === "\\") end += text[end] === "\n" ? 0 : 1;
    else if (found[0] === "@") [end, by] = readMacro(text, start, macros, reading);
    else if (hasScriptEnd && beginsScript(text, start)) {
      scriptEnd.lastIndex = start;
      hasScriptEnd = scriptEnd.test(text);
      if (hasScriptEnd) [end, by] = [scriptEnd.lastIndex, ""];
      // Counts the script: without it, the code above does not run or the quiz above is not checked.
      if (hasScriptEnd) reading.count("script");
    }
    if (by !== undefined) yield { start, end, by };
    STOP.lastIndex = end;
  }
}

function readMacro(
  text: string,
  start: number,
  macros: MacroExpander,
  reading: LiaScriptReading,
): [end: number, by: string | undefined] {
  const use = macros.read(text, start);
  if (use === undefined) return [start + 1, undefined];
  if (use.text !== undefined && !/<script\b/i.test(use.text)) return [use.end, use.text];
  reading.countMacro(use.name);
  return [use.end, ""];
}

function readInfo(text: string, start: number, reading: LiaScriptReading): [end: number, by: string | undefined] {
  IN_INFO.lastIndex = start;
  const name = IN_INFO.exec(text)?.[1];
  if (name === undefined) return [start + 1, undefined];
  reading.countMacro(name);
  return [IN_INFO.lastIndex, ""];
}

function beginsScript(text: string, start: number): boolean {
  SCRIPT.lastIndex = start;
  return SCRIPT.test(text);
}

/** A range of code in text. */
interface CodeRange {
  start: number;
  end: number;
  /** The end of the fence's opening line; equals `start` for code without a fence. */
  infoEnd: number;
}

/** Inline code recorded by `liascript-rules.ts`, as offsets in its block's text. */
interface CodeSpan {
  start: number;
  end: number;
}

/** Matches comments, and elements whose content is not LiaScript. */
const VERBATIM = /^\s*<(?:(?:pre|style|textarea)[\s>]|!--)/i;

/** Lists, in order, the code in text whose lines end with `\n`. Throws UnreadableText. */
function listCode(text: string, syntax: MarkdownSyntax): CodeRange[] {
  const code: CodeRange[] = [];
  const lineStarts = listLineStarts(text);
  const offsetOf = (line: number): number => lineStarts[line] ?? text.length;
  let cursor = 0;
  for (const token of parseMarkdown(text, { ...syntax, readsHtml: true })) {
    const { type, map, content } = token;
    if (map === null) continue;
    const [start, end] = [offsetOf(map[0]), offsetOf(map[1])];
    if (type === "fence") code.push({ start, end, infoEnd: offsetOf(map[0] + 1) });
    else if (type === "code_block") code.push({ start, end, infoEnd: start });
    else if (type === "html_block" && VERBATIM.test(content)) {
      const commentEnd = content.trimStart().startsWith("<!--") ? text.indexOf("-->", start) : -1;
      code.push({ start, end: commentEnd === -1 ? end : Math.min(end, commentEnd), infoEnd: start });
    } else if (type === "inline") {
      cursor = Math.max(cursor, start);
      for (const span of placeSpans(text, token, cursor)) {
        code.push({ ...span, infoEnd: span.start });
        cursor = span.end;
      }
    }
  }
  return code;
}

// Finds the offsets of inline code in the source: the parser strips list markers, quotation markers and blanks.
function placeSpans(text: string, { content, children }: Token, start: number): CodeSpan[] {
  const spans = (children ?? []).flatMap(({ type, meta }) =>
    type === "code_inline" ? [meta as unknown as CodeSpan] : [],
  );
  if (spans.length === 0) return [];
  let offset = 0;
  let found = start;
  const lines = content.split("\n").map((line) => {
    found = Math.max(found, text.indexOf(line, found));
    const place = { offset, shift: found - offset };
    offset += line.length + 1;
    found += line.length;
    return place;
  });
  let at = 0;
  const toSource = (inContent: number): number => {
    while ((lines[at + 1]?.offset ?? Infinity) <= inContent) at++;
    return inContent + (lines[at]?.shift ?? 0);
  };
  return spans.map((span) => ({ start: toSource(span.start), end: toSource(span.end) }));
}

function listLineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}
