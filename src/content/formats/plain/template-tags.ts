// Reads template tags: Hugo's {{< figure src="a.png" >}}, {{% notice %}}; Jekyll's {% include a.html %}.
import type { TextRemark } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { createLineCounter } from "../../html/source-lines.ts";
import type { Location } from "../../source.ts";
import { countLineBreaks, type PrepareText } from "../../markdown/prepared-text.ts";
import type { Schedule } from "../site-builders.ts";

export interface TemplateTag {
  written: string;
  end: number;
  /** The name of a Hugo shortcode; "" for other tags. */
  shortcode: string;
  /** The name of a Liquid tag; "" for other tags. */
  liquid: string;
}

// A tag can extend over several lines, but not over a blank line.
const WITHIN = String.raw`(?![\w-])(?:[^{}\n]|\n(?![ \t]*\r?\n))*`;
const TAG = new RegExp(
  String.raw`\{\{(?:<[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}>|%[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}%)\}\}|\{%-?[ \t]*([\w-]+)${WITHIN}%\}`,
  "y",
);
// {{</* figure */>}} shows {{< figure >}}, even in code.
const ESCAPED = /\{\{([<%])\/\*((?:[^{}\n*]|\*(?!\/))*)\*\/([<>%])\}\}/;
const ESCAPED_HERE = new RegExp(ESCAPED, "y");
const ALL_ESCAPED = new RegExp(ESCAPED, "g");

/** Returns the tag at `start`, if any. */
export function readTag(text: string, start: number): TemplateTag | undefined {
  TAG.lastIndex = start;
  const [written, angular = "", percent = "", liquid = ""] = TAG.exec(text) ?? [];
  return written === undefined ? undefined : { written, end: TAG.lastIndex, shortcode: angular || percent, liquid };
}

/** Returns the unescaped text of an escaped shortcode at `start`, if any. */
export function readEscaped(text: string, start: number): { end: number; shown: string } | undefined {
  ESCAPED_HERE.lastIndex = start;
  const [written, sign = "", name = "", end = ""] = ESCAPED_HERE.exec(text) ?? [];
  return written === undefined ? undefined : { end: ESCAPED_HERE.lastIndex, shown: `{{${sign}${name}${end}}}` };
}

/** Unescapes shortcodes. */
export function showEscaped(text: string): string {
  return text.replace(ALL_ESCAPED, "{{$1$2$3}}");
}

const ENDS = new Map(
  ["raw", "comment", "highlight"].map((name) => [name, new RegExp(String.raw`\{%-?[ \t]*end${name}[ \t]*-?%\}`, "g")]),
);
const HIGHLIGHT_END = /\{\{[<%][ \t]*\/[ \t]*highlight[ \t]*[%>]\}\}/g;
const COMMENT_END = /\{\{[<%][ \t]*\/[ \t]*comment[ \t]*[%>]\}\}/g;

/** Returns the pattern of a tag's closing tag; undefined for a single tag. */
export function endOf({ shortcode, liquid, written }: Omit<TemplateTag, "end">): RegExp | undefined {
  if (shortcode === "highlight") return /^\{\{[<%][ \t]*\//.test(written) ? undefined : HIGHLIGHT_END;
  return ENDS.get(liquid);
}

/** Returns the language in a `highlight` tag; "" if absent. */
export function languageOf({ written }: TemplateTag): string {
  return /highlight[ \t]+"?([\w+#-]+)/.exec(written)?.[1] ?? "";
}

/** Returns the path in a tag that is used as a link's URL; undefined for other tags. */
export function showAddress({ written }: TemplateTag): string | undefined {
  const page = /^\{\{[<%][ \t]*(?:rel)?ref[ \t]+(?:path=)?["'`]?([^\s"'`<>]+)/.exec(written)?.[1];
  if (page !== undefined) return page;
  const file = /^\{%-?[ \t]*link[ \t]+([^\s%]+)/.exec(written)?.[1];
  // The path is relative to the site's folder.
  return file === undefined ? undefined : `/${file}`;
}

/** Renders a builder's standard tags as Markdown. Returns undefined for a site's own tags. */
export function showTag({ shortcode, written }: TemplateTag): string | undefined {
  if (shortcode === "figure") {
    const { src, alt, title, caption } = readParameters(written);
    if (src === undefined) return undefined;
    const texts = [title && ` **${title}**`, caption && ` *${caption}*`];
    return `![${alt ?? caption ?? title ?? ""}](<${src}>)${texts.join("")}`;
  }
  const film = /^\{\{[<%][ \t]*vimeo[ \t]+(?:id=)?"?(\d+)/.exec(written)?.[1];
  if (film !== undefined) return `<https://vimeo.com/${film}>`;
  const id = shortcode === "youtube" ? /youtube[ \t]+(?:id=)?"?([\w-]+)/.exec(written)?.[1] : undefined;
  return id === undefined ? undefined : `<https://www.youtube.com/watch?v=${id}>`;
}

function readParameters(written: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(
      written.matchAll(/(?<![\w-])([\w-]+)=(?:"([^"]*)"|`([^`]*)`|'([^']*)')/g),
      ([, name = "", ...values]) => [name, values.join("")],
    ),
  );
}

/** Counts the dropped tags on a page. */
export class DroppedTags {
  readonly #dropped = new Map<string, { line: number; count: number }>();

  /** Adds a tag at a line, counted from 1. Ignores closing tags. */
  add({ written, shortcode, liquid }: TemplateTag, line: number): void {
    if (/^\{\{[<%][ \t]*\//.test(written) || /^end|^raw$/.test(liquid)) return;
    const name = liquid === "" ? `{{<${shortcode}>}}` : `{% ${liquid} %}`;
    const known = this.#dropped.get(name);
    if (known === undefined) this.#dropped.set(name, { line, count: 1 });
    else known.count++;
  }

  list(): TextRemark[] {
    return Array.from(this.#dropped, ([name, { line, count }]) => {
      const label = cutText(name, 60);
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      return {
        line,
        kind: "dropped-component",
        message: `tag ${label} is dropped: it needs the site's templates${times}`,
        tally: [{ what: `tag ${label}`, plural: `tags ${label}`, count, isKept: false }],
      };
    });
  }
}

// A comment, or a code block, in which it is text: https://kramdown.gettalong.org/syntax.html#extensions
const KRAMDOWN_COMMENT = /^ {0,3}(`{3,}|~{3,})[^]*?(?:^ {0,3}\1|$(?![^]))|^\{::comment\}[^]*?\{:\/(?:comment)?\}/gm;

/** Replaces kramdown's comments with their line breaks. An unclosed comment is text. */
function dropKramdownComments(text: string): string {
  // Each comment before the last end has an end.
  const end = Math.max(text.lastIndexOf("{:/}"), text.lastIndexOf("{:/comment}")) + "{:/comment}".length;
  const drop = (found: string, fence?: string): string => (fence === undefined ? found.replace(/[^\n]+/g, "") : found);
  return text.slice(0, end).replace(KRAMDOWN_COMMENT, drop) + text.slice(end);
}

/** Creates the function that prepares a site's pages: it expands or drops tags and keeps their content. */
export function createSiteText(tree: SourceTree, builder: Schedule["builder"]): PrepareText {
  const opening = builder === "Hugo" ? "{{" : "{%";
  return async ({ path, text, firstLine }, report) => {
    const file = tree.toTypedPath(path);
    const placeOf = (line: number): Location => ({ file, line: line + firstLine - 1 });
    const dropped = new DroppedTags();
    const written = builder === "Hugo" ? text : dropKramdownComments(text);
    const shown = carryOut(written, opening, dropped);
    for (const { line, ...remark } of dropped.list()) report({ ...placeOf(line), ...remark });
    return { text: builder === "Hugo" ? showEscaped(shown) : shown, placeOf };
  };
}

function carryOut(text: string, opening: string, dropped: DroppedTags): string {
  const lineAt = createLineCounter(text);
  // The closing tags that the rest of the text does not contain.
  const missing = new Set<RegExp>();
  let shown = "";
  let copiedTo = 0;
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at)) {
    const tag = readTag(text, at);
    if (tag === undefined) {
      at += opening.length;
      continue;
    }
    const { end, by } = readWhole(text, at, tag, missing);
    if (by === undefined) dropped.add(tag, lineAt(at));
    shown += text.slice(copiedTo, at) + (by ?? "");
    // Adds the line breaks of the tag, so that line numbers below stay correct.
    shown += "\n".repeat(Math.max(0, countLineBreaks(text.slice(at, end)) - countLineBreaks(by ?? "")));
    copiedTo = at = end;
  }
  return shown + text.slice(copiedTo);
}

/** Returns the replacement of a tag; `by` is undefined for a dropped tag. */
function readWhole(
  text: string,
  start: number,
  tag: TemplateTag,
  missing: Set<RegExp>,
): { end: number; by: string | undefined } {
  const { end, liquid, shortcode } = tag;
  const isComment = /^\{\{[<%][ \t]*comment[ \t]*[%>]/.test(tag.written);
  if (liquid === "raw" || liquid === "comment" || isComment) {
    const closing = isComment ? COMMENT_END : (endOf(tag) as RegExp);
    closing.lastIndex = end;
    const found = missing.has(closing) ? null : closing.exec(text);
    if (found === null) missing.add(closing);
    if (found === null && isComment) return { end, by: undefined };
    if (liquid === "raw")
      return found === null ? { end, by: "" } : { end: closing.lastIndex, by: text.slice(end, found.index) };
    // A comment without an end extends to the end of the page.
    return { end: found === null ? text.length : closing.lastIndex, by: "" };
  }
  if (shortcode === "highlight" || /^(?:end)?highlight$/.test(liquid)) return { end, by: `\`\`\`${languageOf(tag)}` };
  return {
    end,
    by: /(?:\]\(|=["']?)$/.test(text.slice(Math.max(0, start - 2), start)) ? showAddress(tag) : showTag(tag),
  };
}
