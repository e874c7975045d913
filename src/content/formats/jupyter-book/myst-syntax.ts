// Syntax of MyST directives: name, argument, options and body.
import type { Token } from "markdown-it";

export interface Directive {
  name: string;
  argument: string;
  options: Map<string, string>;
  body: string;
  /** First line of the body, from 0. */
  line: number;
  token: Token;
  depth: number;
}

const INFO = /^\{([\w:+.-]{1,60})\}[ \t]*(.*)$/s;

/** Returns undefined for a code fence. */
export function readDirective(token: Token, depth: number): Directive | undefined {
  const [, name, argument = ""] = INFO.exec(token.info.trim()) ?? [];
  if (name === undefined) return undefined;
  const lines = token.content.split("\n");
  const options = new Map<string, string>();
  let start = 0;
  const isBlock = lines[0]?.trim() === "---";
  for (let index = isBlock ? 1 : 0; index < lines.length; index++) {
    const line = lines[index]?.trim() ?? "";
    if (isBlock && line === "---") {
      start = index + 1;
      break;
    }
    const [, key, value = ""] = (isBlock ? /^([\w-]+):[ \t]*(.*)$/ : /^:([\w-]+):[ \t]*(.*)$/).exec(line) ?? [];
    if (key !== undefined) options.set(key, value);
    else if (!isBlock) break;
    if (!isBlock) start = index + 1;
  }
  const body = lines.slice(start).join("\n");
  const line = (token.map?.[0] ?? 0) + 1 + start;
  return { name: name.toLowerCase(), argument: argument.trim(), options, body, line, token, depth };
}

/** The end of a gated directive, before token `end`; tokens up to `last` are consumed. */
export interface Gate {
  end: number;
  last: number;
}

/**
 * Returns the content of `{exercise-start}` or `{solution-start}`, up to its end or that of the surrounding block, so
 * that no solution is shown by mistake. Undefined for other directives.
 */
export function readGate({ name, token }: Directive, tokens: readonly Token[], start: number): Gate | undefined {
  const [, kind] = /^(exercise|solution)-start$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  let open = 1;
  for (let index = start + 1; index < tokens.length; index++) {
    const { type, level, info } = tokens[index] as Token;
    if (level < token.level) return { end: index, last: index - 1 };
    if (type !== "fence" || level !== token.level) continue;
    const [, other] = INFO.exec(info.trim()) ?? [];
    if (other === `${kind}-start`) open++;
    if (other === `${kind}-end` && --open === 0) return { end: index, last: index };
  }
  return { end: tokens.length, last: tokens.length - 1 };
}
