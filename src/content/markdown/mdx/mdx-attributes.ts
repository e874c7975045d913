// Reads the attributes of a component tag: `title="Tea"`, `warning={true}`, `choices={[…]}`, `open`.
import { NoLiteral, parseLiteral, toShownValue, type LiteralValue } from "./js-literal.ts";
import { findBraceEnd } from "./jsx-items.ts";

const NAME = /[\w$:.-]+/y;
const BLANK = /[\s/]*/y;

/** A computed value, which cannot be read; `problem` says what was expected. */
export interface UnreadValue {
  problem: string;
  /** The offset of the problem in the tag's text. */
  offset: number;
}

export type Attributes = Map<string, { value: LiteralValue } | UnreadValue>;

/** Reads the attributes of the tag from `start`, at its `<`, to `end`, after its `>`. Never throws. */
export function readAttributes(text: string, start: number, end: number): Attributes {
  const attributes: Attributes = new Map();
  const stop = end - 1;
  let position = start + 1;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const taken = pattern.exec(text)?.[0] ?? "";
    position += taken.length;
    return taken;
  };
  take(NAME);
  for (;;) {
    take(BLANK);
    if (position >= stop) return attributes;
    const name = take(NAME);
    if (name === "") {
      // Skips computed attributes such as `{fw}` and `{...all}`.
      position = text[position] === "{" ? (findBraceEnd(text, position) ?? stop) : position + 1;
      continue;
    }
    take(BLANK);
    if (text[position] !== "=") {
      attributes.set(name, { value: true });
      continue;
    }
    position++;
    take(BLANK);
    const valueEnd = findValueEnd(text, position, stop);
    attributes.set(name, readValue(text, position, valueEnd));
    position = Math.max(valueEnd, position + 1);
  }
}

/** Returns the value of the first of these attributes that contains text; undefined if none does. */
export function findAttribute(attributes: Attributes, ...names: string[]): string | undefined {
  for (const name of names) {
    const attribute = attributes.get(name);
    if (attribute !== undefined && "value" in attribute && typeof attribute.value === "string") return attribute.value;
  }
  return undefined;
}

function findValueEnd(text: string, start: number, stop: number): number {
  const quote = text[start];
  if (quote === '"' || quote === "'") return text.indexOf(quote, start + 1) + 1;
  if (quote === "{") return findBraceEnd(text, start) ?? stop;
  const bare = /[^\s>]*/y;
  bare.lastIndex = start;
  return Math.min(start + (bare.exec(text)?.[0].length ?? 0), stop);
}

function readValue(text: string, start: number, end: number): { value: LiteralValue } | UnreadValue {
  const quote = text[start];
  // A backslash in quotes is literal, as in HTML.
  if (quote === '"' || quote === "'") return { value: text.slice(start + 1, end - 1) };
  if (quote !== "{") return { value: text.slice(start, end) };
  try {
    return { value: toShownValue(parseLiteral(text, start + 1, end - 1)) };
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    return { problem: error.message, offset: error.offset };
  }
}
