// Converts elements of MDX, such as `<div className="a" style={{color: "red"}} />`, to HTML. Browsers know neither
// braces nor self-closing tags and would misread what follows.
import { escapeHtml } from "../../html/escape.ts";
import { cutText } from "../../quote.ts";
import { countLineBreaks } from "../prepared-text.ts";
import { findBraceEnd } from "./jsx-items.ts";
import { NoLiteral, parseLiteral, toShownValue, type LiteralValue } from "./js-literal.ts";

/** An attribute with a computed value, and the number of line breaks before it in the tag. */
export interface DroppedAttribute {
  name: string;
  breaks: number;
}

/** An element's tag, converted to HTML. */
export interface ElementTag {
  html: string;
  dropped: DroppedAttribute[];
}

// Alternatives in order of priority. A quoted value can contain braces.
const PART = /(?<quoted>"[^"]*"|'[^']*')|(?<name>[^\s=/"'{}<>]+)(?:=(?<value>"[^"]*"|'[^']*'|(?=\{)))?|(?<brace>\{)/g;
/** Void elements of HTML. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

/** Converts a tag, which includes `<` and `>`, to HTML. */
export function toHtmlTag(tag: string): ElementTag {
  const [opening = "", element = ""] = /^<\/?([\w.-]+)/.exec(tag) ?? [];
  const dropped: DroppedAttribute[] = [];
  let breaks = 0;
  let countedTo = 0;
  const drop = (name: string, offset: number): string => {
    breaks += countLineBreaks(tag.slice(countedTo, offset));
    countedTo = offset;
    dropped.push({ name: `attribute ${cutText(name.replace(/\s+/g, " "))} of <${cutText(element)}>`, breaks });
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

/** Converts an attribute with a value in braces; returns undefined for a computed value. */
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

/** Properties whose numbers have no unit. */
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
