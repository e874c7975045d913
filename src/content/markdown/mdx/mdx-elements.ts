// Elements of HTML as MDX writes them: `<div className="a" style={{color: "red"}} />`. Browsers know neither values in braces nor
// an end within the tag: they would take all that follows to be in the element.
import { escapeHtml } from "../../html/escape.ts";
import { cutText } from "../../quote.ts";
import { countLineBreaks } from "../prepared-text.ts";
import { findBraceEnd } from "./jsx-items.ts";
import { NoLiteral, parseLiteral, toShownValue, type LiteralValue } from "./js-literal.ts";

/** An attribute whose value only a program has, and how many lines of its tag are above it. */
export interface DroppedAttribute {
  name: string;
  breaks: number;
}

/** The tag of an element as HTML. */
export interface ElementTag {
  html: string;
  dropped: DroppedAttribute[];
}

// In the order in which they are tried. A quote may hold braces.
const PART = /(?<quoted>"[^"]*"|'[^']*')|(?<name>[^\s=/"'{}<>]+)(?:=(?<value>"[^"]*"|'[^']*'|(?=\{)))?|(?<brace>\{)/g;
/** HTML has no ends of these. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

/** Makes the tag of an element, from `<` to `>`, one of HTML. */
export function toHtmlTag(tag: string): ElementTag {
  const [opening = "", element = ""] = /^<\/?([\w.-]+)/.exec(tag) ?? [];
  const dropped: DroppedAttribute[] = [];
  const drop = (name: string, offset: number): string => {
    dropped.push({
      name: `attribute ${cutText(name.replace(/\s+/g, " "))} of <${cutText(element)}>`,
      breaks: countLineBreaks(tag.slice(0, offset)),
    });
    return "";
  };
  let html = opening;
  let copiedTo = opening.length;
  PART.lastIndex = copiedTo;
  for (let part = PART.exec(tag); part !== null; part = PART.exec(tag)) {
    const { name, value, brace } = part.groups ?? {};
    const start = part.index;
    if (name === undefined && brace === undefined) continue;
    const valueStart = brace === undefined ? PART.lastIndex : start;
    const isComputed = brace !== undefined || value === "";
    const end = isComputed ? (findBraceEnd(tag, valueStart) ?? tag.length - 1) : PART.lastIndex;
    const shown = name === "className" ? "class" : name === "htmlFor" ? "for" : name;
    let by: string;
    if (shown === undefined) by = drop(tag.slice(start, end), start);
    else if (!isComputed) by = shown + tag.slice(start + (name ?? "").length, end);
    else by = toAttribute(shown, tag.slice(valueStart + 1, end - 1)) ?? drop(name ?? "", start);
    html += tag.slice(copiedTo, start) + by;
    PART.lastIndex = copiedTo = end;
  }
  html += tag.slice(copiedTo);
  return { html: html.endsWith("/>") && !VOID.test(element) ? `${html.slice(0, -2)}></${element}>` : html, dropped };
}

/** An attribute whose value is written in braces; undefined where only a program has the value. */
function toAttribute(name: string, written: string): string | undefined {
  const value = readValue(written);
  if (name === "style" && value instanceof Map) return toStyle(value);
  if (value === true) return name;
  if (value === false || value === null) return "";
  return typeof value === "string" || typeof value === "number" ? `${name}="${escapeHtml(String(value))}"` : undefined;
}

function readValue(written: string): LiteralValue {
  try {
    return toShownValue(parseLiteral(written, 0, written.length));
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    return undefined;
  }
}

/** Numbers of these are no lengths. */
const UNITLESS =
  /^(?:opacity|order|orphans|widows|zoom|z-index|line-height|tab-size|font-weight|aspect-ratio|column-count|flex(?:-grow|-shrink)?|(?:fill|stroke)-opacity|grid-(?:row|column|area)(?:-start|-end)?|--.*)$/;

function toStyle(style: Map<string, LiteralValue>): string | undefined {
  const declarations: string[] = [];
  for (const [name, value] of style) {
    const property = name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const unit = typeof value === "number" && value !== 0 && !UNITLESS.test(property) ? "px" : "";
    declarations.push(escapeHtml(`${property}: ${value}${unit}`.replace(/\s+/g, " ")));
  }
  return `style="${declarations.join("; ")}"`;
}
