// Locates code in a text, where macros are plain text.
import type { Token } from "markdown-it";
import { parseMarkdown } from "../../markdown/create-parser.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";

/** Offsets of code in a text. */
export interface CodeRange {
  start: number;
  end: number;
  /** End of the fence line; `start` without a fence. */
  infoEnd: number;
}

/** Inline code recorded by `liascript-rules.ts`, as offsets in its block's text. */
export interface CodeSpan {
  start: number;
  end: number;
}

/** Elements without text content, and comments. */
const VERBATIM = /^\s*<(?:(?:pre|style|textarea)[\s>]|!--)/i;

/** Lists the code of a text with `\n` line ends, in order. Throws UnreadableText. */
export function listCode(text: string, syntax: MarkdownSyntax): CodeRange[] {
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

// The parser strips list and quotation markers and blanks from lines.
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
