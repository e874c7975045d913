// Generates the HTML of MDX components.
import { escapeHtml } from "../../html/escape.ts";
import { readHtml } from "../../html/read-html.ts";
import { findCalloutKind, titleCallout, type CalloutKind } from "../rules/callouts.ts";
import type { LiteralValue } from "./js-literal.ts";
import { findAttribute, type Attributes } from "./mdx-attributes.ts";
import type { ComponentForm } from "./mdx-components.ts";

/** HTML before and after a component's content. */
export interface AroundText {
  tag: string;
  end: string;
  /** The condition for showing the content, if any. */
  condition?: string;
}

export function toAround(form: ComponentForm, attributes: Attributes, language: string | undefined): AroundText {
  if (form.as === "callout") {
    const type = form.hasType === true ? findAttribute(attributes, "type") : undefined;
    return toCallout(findCalloutKind(type ?? "") ?? form.kind, attributes, language);
  }
  if (form.as === "details") {
    const title = findAttribute(attributes, "title", "summary", "label");
    const summary = title === undefined ? "" : `<summary>${escapeHtml(title)}</summary>\n`;
    return { tag: `<details>\n${summary}`, end: "</details>\n" };
  }
  const id = findAttribute(attributes, ...(form.as === "option" ? OPTION_NAMES : OPTIONS_NAMES)) ?? "";
  if (form.as !== "option") return { tag: `<div class="options" data-options="${escapeHtml(id)}">\n`, end: "</div>\n" };
  const label = findAttribute(attributes, "label", "title") ?? id;
  const title = `<p class="option-title">${escapeHtml(label)}</p>`;
  return { tag: `<div class="option" data-option="${escapeHtml(id)}">\n${title}\n`, end: "</div>\n" };
}

// The attributes that name an alternative, and those that name a group of alternatives.
const OPTION_NAMES = ["id", "value", "label", "title"] as const;
const OPTIONS_NAMES = ["id", "groupId"] as const;

function toCallout(kind: CalloutKind, attributes: Attributes, language: string | undefined): AroundText {
  const warning = attributes.get("warning");
  const isWarning = warning !== undefined && "value" in warning && warning.value === true;
  const shown = isWarning ? "warning" : kind;
  const title = findAttribute(attributes, "title") ?? titleCallout(shown, language);
  const tag = `<aside class="callout" data-callout="${shown}">\n<p class="callout-title">${escapeHtml(title)}</p>\n`;
  return { tag, end: "</aside>\n" };
}

/** Wraps a conditional branch in a `div` or, within a paragraph, in a `span`. */
export function toBranch(condition: string, element: "div" | "span"): AroundText {
  const tag = `<${element} data-if="${escapeHtml(condition)}">`;
  return element === "div" ? { tag: `${tag}\n`, end: "</div>\n", condition } : { tag, end: "</span>", condition };
}

export function toVideoFrame(url: string, title: string): string {
  return (
    `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" loading="lazy" allowfullscreen ` +
    'referrerpolicy="strict-origin-when-cross-origin"></iframe>\n'
  );
}

/**
 * Returns a list of the links in `[{label, value}]`, followed by `helpUrl` if given; "" if there are no links. Returns
 * undefined for other values, and if a URL would run a script.
 */
export function toLinkList(
  value: LiteralValue,
  helpUrl: string | undefined,
  isLink: (url: string) => boolean,
): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const links = value.map((link) => (link instanceof Map ? { label: link.get("label"), url: link.get("value") } : {}));
  if (helpUrl !== undefined) links.push({ label: helpUrl, url: helpUrl });
  const rows: string[] = [];
  for (const { label, url } of links) {
    if (typeof label !== "string" || typeof url !== "string" || !isLink(url)) return undefined;
    rows.push(`<li><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></li>\n`);
  }
  return rows.length === 0 ? "" : `<ul class="notebooks">\n${rows.join("")}</ul>\n`;
}

/**
 * Combines a light and a dark image: readers see the light one unless a dark page enables the `<source>`. Returns
 * undefined for other images.
 */
export function toPicture(one: string, other: string): string | undefined {
  const [first, second] = [readImage(one), readImage(other)];
  if (first === undefined || second === undefined || first.theme === second.theme) return undefined;
  const [light, dark] = first.theme === "light" ? [first, second] : [second, first];
  const source = `<source srcset="${escapeHtml(toCandidate(dark.src))}" media="not all" data-theme="dark">`;
  return `<picture>${source}${light.tag}</picture>`;
}

// Escapes spaces and commas, which would end a srcset URL.
function toCandidate(url: string): string {
  return url.trim().replace(/\s/g, "%20").replaceAll(",", "%2C");
}

function readImage(tag: string): { tag: string; src: string; theme: "light" | "dark" } | undefined {
  let className = "";
  let src = "";
  readHtml(tag, {
    isWanted: (_, attribute) => attribute === "class" || attribute === "src",
    onTag: ({ attributes }) => {
      for (const { name, value } of attributes) {
        if (name === "class") className = value;
        else src = value;
      }
    },
  });
  const classes = className.split(/\s+/);
  if (src === "") return undefined;
  const withoutTheme = tag.replace(className, classes.filter((each) => !THEME_CLASS.test(each)).join(" "));
  const shown = withoutTheme.replace(/(?<!\s)\s+class(?:Name)?=(["'])\s*\1/, "");
  if (classes.includes("dark:hidden")) return { tag: shown, src, theme: "light" };
  const isDark = classes.includes("hidden") && classes.some((each) => /^dark:(?!hidden)/.test(each));
  return isDark ? { tag: shown, src, theme: "dark" } : undefined;
}

const THEME_CLASS = /^(?:dark:(?:hidden|block|inline|inline-block|flex)|hidden|block|inline|inline-block)$/;
