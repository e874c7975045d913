// One Markdown file as many lessons: parted at its headings.
import { toSlug } from "../../catalog/complete-course.ts";
import type { MarkdownSyntax } from "./markdown-environment.ts";
import { parseMarkdown } from "./markdown-parser.ts";
import { toText } from "./token-text.ts";

/** A heading with the text below it, up to the next heading of any level. */
export interface Section {
  /** 1 to 6; 0 for the text above the first heading. */
  level: number;
  title: string;
  /** The line of the heading, from 1. */
  line: number;
  /** Without the heading. */
  text: string;
  /** The line on which the text begins. */
  firstLine: number;
}

/**
 * Parts Markdown at its headings that begin with `#`, in their order; headings in lists, quotations, code and comments are
 * text. The first section is what stands above them. Throws UnreadableText.
 */
export function splitAtHeadings(markdown: string, syntax: MarkdownSyntax): Section[] {
  const tokens = parseMarkdown(markdown, syntax);
  const headings: Pick<Section, "level" | "title" | "line">[] = [{ level: 0, title: "", line: 0 }];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "heading_open" || token.level > 0 || !token.markup.startsWith("#")) continue;
    const title = toText(tokens[index + 1]?.children ?? []).trim();
    headings.push({ level: Number(token.tag.slice(1)), title, line: (token.map?.[0] ?? 0) + 1 });
  }
  // As the parser counts lines.
  const lines = markdown.split(/\r\n?|\n/);
  return headings.map((heading, index) => {
    const text = lines.slice(heading.line, (headings[index + 1]?.line ?? lines.length + 1) - 1).join("\n");
    return { ...heading, text, firstLine: heading.line + 1 };
  });
}

/** Names for the parts of a file, from their titles: unlike each other, and the same as long as the titles are. */
export function nameParts(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return titles.map((title) => {
    const slug = toSlug(title);
    let count = (counts.get(slug) ?? 0) + 1;
    // Another title may read like a numbered one.
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
