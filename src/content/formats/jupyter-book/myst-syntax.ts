// Parses MyST directives: name, argument, options and body.
import type { Token } from "markdown-it";
import { readAttributes, type Attributes } from "../../markdown/rules/attributes.ts";

export interface Directive {
  name: string;
  argument: string;
  options: Map<string, string>;
  body: string;
  /** The body's first line, from 0. */
  line: number;
  token: Token;
  depth: number;
}

// Attributes can follow the name: `{tip .dropdown open="true"} Title`. https://mystmd.org/guide/inline-options
const INFO = /^\{(?:([A-Za-z][\w:+.-]{0,59})(?=[ \t}]))?([^{}]*)\}[ \t]*(.*)$/s;

/** Reads a directive. Returns undefined for a code fence. */
export function readDirective(token: Token, depth: number): Directive | undefined {
  const [written, given, attributes = "", argument = ""] = INFO.exec(token.info.trim()) ?? [];
  const inline = attributes.trim() === "" ? undefined : readAttributes(`{${attributes}}`, 0);
  // A fence of colons without a name, such as `::: {.wide}`, is a box.
  const isBox = given === undefined && inline !== undefined && token.markup.startsWith(":");
  const name = isBox ? "div" : given;
  if (written === undefined || name === undefined) return undefined;
  const lines = token.content.split("\n");
  const { options, start } = readOptions(lines);
  if (inline !== undefined) addInline(options, inline);
  const body = lines.slice(start).join("\n");
  const line = (token.map?.[0] ?? 0) + 1 + start;
  return { name: name.toLowerCase(), argument: argument.trim(), options, body, line, token, depth };
}

/** Reads the options above a body, and the index of the body's first line. */
function readOptions(lines: readonly string[]): { options: Map<string, string>; start: number } {
  const written = new Map<string, string[]>();
  const isBlock = lines[0]?.trim() === "---";
  let last: string[] | undefined;
  let index = isBlock ? 1 : 0;
  let start: number | undefined;
  for (; index < lines.length; index++) {
    const line = lines[index]?.trim() ?? "";
    if (isBlock && line === "---") {
      start = index + 1;
      break;
    }
    const [, key, value = ""] = (isBlock ? /^([\w-]+):(?:[ \t]+(.*))?$/s : /^:([\w-]+):[ \t]*(.*)$/s).exec(line) ?? [];
    if (key !== undefined) written.set(key, (last = /^[|>][+-]?$/.test(value) ? [] : [unquote(key, value)]));
    else if (!isBlock) break;
    // A YAML list or a text can extend over several lines.
    else if (!line.startsWith("#")) last?.push(line.replace(/^- /, ""));
  }
  const options = new Map(
    written.entries().map(([key, texts]) => [key, texts.filter((text) => text !== "").join(" ")] as const),
  );
  return { options, start: start ?? (isBlock ? 0 : index) };
}

// Keeps the quotation marks of a table's header, which is a row of quoted values.
function unquote(key: string, value: string): string {
  const [, , text] = key === "header" ? [] : (/^(["'])(.*)\1$/.exec(value) ?? []);
  return text ?? value;
}

function addInline(options: Map<string, string>, { id, classes, values }: Attributes): void {
  for (const [key, value] of values) options.set(key, value);
  if (id !== undefined) options.set("label", id);
  if (classes.length > 0) options.set("class", [...classes, options.get("class") ?? ""].join(" ").trim());
}

/** Reads the words in a list: `[hide-input, thebe]`, `"a", "b"`. */
export function readWords(list: string): string[] {
  return list.split(/[\s,[\]"']+/).filter((word) => word !== "");
}

/** The content of a gated directive ends before the token at `end`; the directive's last token is at `last`. */
export interface Gate {
  end: number;
  last: number;
}

/**
 * Finds where an `{exercise-start}` or `{solution-start}` ends: at its `-end` directive, or else at the end of the
 * enclosing block, so that no solution is shown by mistake. Returns undefined for other directives.
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

/** Reads an admonition's title: its argument, or a heading above its text. In Sphinx, a sole argument is the text. */
export function readTitle({ name, argument, body }: Directive): Pick<Directive, "argument" | "body"> {
  if (body.trim() === "" && name !== "admonition") return { argument: "", body: argument };
  const [heading = "", title = ""] = argument === "" ? (/^\s*#{1,6}[ \t]+([^ \t\n][^\n]*)\n/.exec(body) ?? []) : [];
  if (heading === "") return { argument, body };
  return { argument: title.trim(), body: heading.replace(/[^\n]/g, "") + body.slice(heading.length) };
}
