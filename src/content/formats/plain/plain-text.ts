// The text of pages for builders of sites: without what their templates would make of it.
import type { SourceTree } from "../../files/source-tree.ts";
import { createLineCounter } from "../../html/line-counter.ts";
import { cutText } from "../../quote.ts";
import type { Location } from "../../source.ts";
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { MarkdownCode } from "../../markdown/markdown-code.ts";
import { editOutsideCode } from "../../markdown/outside-code.ts";
import type { PrepareText } from "../../markdown/prepared-text.ts";

// {{< figure src="a.png" >}}, {{% notice %}} of Hugo; {% include a.html %} of Jekyll.
// Over lines too, but not over a blank one.
const WITHIN = String.raw`(?![\w-])(?:[^{}\n]|\n(?![ \t]*\r?\n))*`;
const TAG = new RegExp(
  String.raw`\{\{(?:<[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}>|%[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}%)\}\}|\{%-?[ \t]*([\w-]+)${WITHIN}%\}`,
  "y",
);
// {{</* figure */>}} shows {{< figure >}}, in code as well.
const ESCAPED = /\{\{([<%])\/\*((?:[^{}\n*]|\*(?!\/))*)\*\/([<>%])\}\}/g;
const RAW = /\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g;

const MAY_HOLD_TAG = /\{\{[<%]|\{%/;

/** Makes what prepares pages in a dialect: tags of templates are dropped, what they enclose stays. */
export function preparePlainText({ tree, dialect }: { tree: SourceTree; dialect: MarkdownDialect }): PrepareText {
  return async ({ path, text, firstLine }, report) => {
    const file = tree.toTypedPath(path);
    const placeOf = (line: number): Location => ({ file, line: line + firstLine - 1 });
    if (!MAY_HOLD_TAG.test(text)) return { text, placeOf };
    const lineAt = createLineCounter(text);
    const dropped = new Map<string, { line: number; count: number }>();
    // What stands before it is carried out by nobody.
    const lastRawEnd = text.lastIndexOf("endraw");
    const code = new MarkdownCode(text, { dialect, limits: tree.limits });
    const edited = editOutsideCode(text, code, "{", (start) => {
      TAG.lastIndex = start;
      const tag = TAG.exec(text);
      if (tag === null) return undefined;
      const end = TAG.lastIndex;
      if (tag[3] === "raw" && end < lastRawEnd) {
        const rawEnd = text.indexOf("endraw", end);
        return { end: rawEnd, by: text.slice(start, rawEnd) };
      }
      if (tag[3] === "comment") return { end: findCommentEnd(text, end), by: "" };
      const isAddress = text.startsWith("](", start - 2);
      const shown = isAddress ? showAddress(tag[0]) : showTag(tag[1] ?? tag[2] ?? "", tag[3] ?? "", tag[0]);
      if (shown !== undefined) return { end, by: shown };
      const name = tag[3] === undefined ? `{{<${tag[1] ?? tag[2] ?? ""}>}}` : `{% ${tag[3]} %}`;
      const isEnd = /^\{\{[<%][ \t]*\//.test(tag[0]) || /^end|^raw$/.test(tag[3] ?? "");
      const known = dropped.get(name);
      if (known !== undefined) known.count += isEnd ? 0 : 1;
      else if (!isEnd) dropped.set(name, { line: lineAt(start), count: 1 });
      return { end, by: "" };
    });
    for (const [name, { line, count }] of dropped) {
      const label = cutText(name, 60);
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      report({
        kind: "dropped-component",
        ...placeOf(line),
        message: `tag ${label} is dropped: it needs the site's templates${times}`,
        tally: [{ what: `tag ${label}`, plural: `tags ${label}`, count, isKept: false }],
      });
    }
    const shown = edited.replace(ESCAPED, "{{$1$2$3}}");
    // Its tags are none of readers in code either.
    return { text: lastRawEnd === -1 ? shown : shown.replace(RAW, ""), placeOf };
  };
}

// Without its end all that follows is a comment.
function findCommentEnd(text: string, start: number): number {
  const closing = /\{%-?[ \t]*endcomment[ \t]*-?%\}/g;
  closing.lastIndex = start;
  return closing.exec(text) === null ? text.length : closing.lastIndex;
}

/** The path that a tag in the place of a link's address names; undefined where it names none. */
function showAddress(written: string): string | undefined {
  const page = /^\{\{[<%][ \t]*(?:rel)?ref[ \t]+(?:path=)?["'`]?([^\s"'`<>]+)/.exec(written)?.[1];
  if (page !== undefined) return page;
  const file = /^\{%-?[ \t]*link[ \t]+([^\s%]+)/.exec(written)?.[1];
  // Counted from the site's folder.
  return file === undefined ? undefined : `/${file}`;
}

/** The tags that every site of a kind has, as Markdown; undefined for one that only its own templates know. */
function showTag(shortcode: string, liquid: string, written: string): string | undefined {
  if (liquid === "highlight") return `\`\`\`${/highlight[ \t]+([\w+#-]+)/.exec(written)?.[1] ?? ""}`;
  if (liquid === "endhighlight") return "```";
  if (shortcode === "highlight") return `\`\`\`${/highlight[ \t]+"?([\w+#-]+)/.exec(written)?.[1] ?? ""}`;
  if (shortcode === "figure") {
    const { src, alt, title, caption } = readParameters(written);
    if (src === undefined) return undefined;
    const texts = [title && ` **${title}**`, caption && ` *${caption}*`];
    return `![${alt ?? caption ?? title ?? ""}](<${src}>)${texts.join("")}`;
  }
  const film = /^\{\{[<%][ \t]*vimeo[ \t]+(?:id=)?"?(\d+)/.exec(written)?.[1];
  if (film !== undefined) return `<https://vimeo.com/${film}>`;
  if (shortcode !== "youtube") return undefined;
  const id = /youtube[ \t]+(?:id=)?"?([\w-]+)/.exec(written)?.[1];
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
