// Splits a LiaScript file into lessons at its headings.
import { toSlug } from "../../../catalog/complete-course.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { parseMarkdown } from "../../markdown/create-parser.ts";
import { countLineBreaks } from "../../markdown/prepared-text.ts";
import { toText } from "../../markdown/tokens.ts";

/** A heading with its text, up to the next heading. */
export interface Section {
  /** The heading's level, 1 to 6; 0 for the text above the first heading. */
  level: number;
  title: string;
  /** The line of the heading, from 1. */
  line: number;
  /** The text without the heading. */
  text: string;
  /** The first line of the text. */
  firstLine: number;
}

const HEADING = /(#{1,6})[ \t]+\S[^\r\n]*/y;
const TAG = /<(\/?)([a-z][\w-]*)(?:[^<>"']|"[^"]*"|'[^']*'){0,4000}>/gi;

/**
 * Splits text at its `#` headings, except headings in code, comments and HTML elements. The first section precedes all
 * headings. Throws UnreadableText.
 */
export function splitAtHeadings(markdown: string, syntax: MarkdownSyntax): Section[] {
  const text = markdown.replace(/\r\n?/g, "\n");
  const sections: Section[] = [];
  let section: Omit<Section, "text"> = { level: 0, title: "", line: 0, firstLine: 1 };
  let start = 0;
  let line = 1;
  for (const heading of listHeadings(text, { ...syntax, readsHtml: true })) {
    const above = text.slice(start, heading.start);
    sections.push({ ...section, text: above.replace(/\n$/, "") });
    line += countLineBreaks(above);
    section = { level: heading.level, title: readTitle(heading.written, syntax), line, firstLine: line + 1 };
    start = heading.start + heading.written.length + 1;
    line++;
  }
  return [...sections, { ...section, text: text.slice(start) }];
}

interface Heading {
  start: number;
  level: number;
  written: string;
}

// Like LiaScript's preprocessor, finds headings at line starts and ignores those inside HTML elements.
function listHeadings(text: string, syntax: MarkdownSyntax): Heading[] {
  const headings: Heading[] = [];
  const elements = new OpenElements();
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  let commentEnd = 0;
  for (const { type, level, map, content, children } of parseMarkdown(text, syntax)) {
    const start = lineStarts[map?.[0] ?? -1] ?? text.length;
    if (type === "heading_open" && level === 0 && start >= commentEnd) {
      HEADING.lastIndex = start;
      const [written, signs = ""] = HEADING.exec(text) ?? [];
      if (written !== undefined) headings.push({ start, level: signs.length, written });
    }
    const html = type === "html_block" ? [content] : [];
    for (const child of children ?? []) {
      if (child.type === "html_inline") html.push(child.content);
      // The parser does not recognize a comment that contains headings.
      else if (child.type === "text" && child.content.includes("<!--"))
        commentEnd = text.indexOf("-->", text.lastIndexOf("<!--", lineStarts[map?.[1] ?? -1] ?? text.length));
    }
    for (const [, slash, name = ""] of html
      .filter((each) => !/^\s*<!--/.test(each))
      .join("")
      .matchAll(TAG)) {
      if (slash === "") elements.open(name.toLowerCase(), headings.length);
      else headings.length = elements.close(name.toLowerCase()) ?? headings.length;
    }
  }
  return headings;
}

/** The elements open at some point in the text, each with the number of headings above it. */
class OpenElements {
  readonly #open: { name: string; above: number }[] = [];
  readonly #counts = new Map<string, number>();

  open(name: string, above: number): void {
    this.#open.push({ name, above });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /**
   * Closes the innermost element with this name, and the elements inside it. Returns the number of headings above that
   * element; undefined if no such element is open.
   */
  close(name: string): number | undefined {
    if ((this.#counts.get(name) ?? 0) === 0) return undefined;
    for (;;) {
      const last = this.#open.pop();
      if (last === undefined) return undefined;
      this.#counts.set(last.name, (this.#counts.get(last.name) ?? 0) - 1);
      if (last.name === name) return last.above;
    }
  }
}

function readTitle(heading: string, syntax: MarkdownSyntax): string {
  return toText(parseMarkdown(heading, syntax)[1]?.children ?? []).trim();
}

/** Returns unique names for parts, derived only from their titles. */
export function nameParts(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return titles.map((title) => {
    const slug = toSlug(title);
    let count = (counts.get(slug) ?? 0) + 1;
    // A title can itself end with a number, as in "Water 2".
    while (taken.has(numberName(slug, count))) count++;
    counts.set(slug, count);
    const name = numberName(slug, count);
    taken.add(name);
    return name;
  });
}

function numberName(slug: string, count: number): string {
  return count === 1 ? slug : `${slug}-${count}`;
}
