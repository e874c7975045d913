// Renders XML elements that represent HTML.
import { escapeHtml } from "./escape.ts";
import { isElement, type XmlElement, type XmlNode, type XmlText } from "./xml.ts";

// https://html.spec.whatwg.org/#void-elements
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements without visible text. */
const SILENT = new Set(["script", "style"]);
/** Attributes that are not HTML and reveal answers. */
const ANSWERS = new Set(["correct", "answer", "answers", "explanation", "expect"]);

export interface HtmlOptions {
  /** True if CDATA sections contain HTML, false if they contain text. */
  isRawHtml: boolean;
  /** Replaces an element with HTML; undefined keeps the element. */
  replace?: (element: XmlElement) => string | undefined;
}

/** Renders nodes as HTML, without scripts, styles and attributes that reveal answers. */
export function xmlToHtml(nodes: readonly XmlNode[], options: HtmlOptions): string {
  return nodes.map((node) => (isElement(node) ? elementToHtml(node, options) : textToHtml(node, options))).join("");
}

function textToHtml({ text, isRaw }: XmlText, { isRawHtml }: HtmlOptions): string {
  return isRaw && isRawHtml ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function elementToHtml(element: XmlElement, options: HtmlOptions): string {
  const replaced = options.replace?.(element);
  if (replaced !== undefined) return replaced;
  const { name, attributes, children } = element;
  if (SILENT.has(name.toLowerCase()) || !/^[a-z][\w-]*$/i.test(name)) return "";
  const written = Array.from(attributes)
    .filter(([attribute]) => /^[a-z_][\w-]*$/i.test(attribute) && !ANSWERS.has(attribute.toLowerCase()))
    .map(([attribute, value]) => ` ${attribute}="${escapeHtml(value)}"`)
    .join("");
  const tag = `<${name}${written}>`;
  return VOID.has(name.toLowerCase()) ? tag : `${tag}${xmlToHtml(children, options)}</${name}>`;
}
