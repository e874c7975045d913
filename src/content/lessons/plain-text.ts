// The text of pages for builders of sites: without what their templates would make of it.
import type { SourceTree } from "../files/source-tree.ts";
import { createLineCounter } from "../html/line-counter.ts";
import { cutText } from "../quote.ts";
import { editOutsideCode } from "./outside-code.ts";
import type { PrepareText } from "./prepared-text.ts";

// {{< figure src="a.png" >}}, {{% notice %}} of Hugo; {% include a.html %} of Jekyll.
const TAG =
  /\{\{(?:<[ \t]*\/?[ \t]*([\w-]+)[^{}\n]*>|%[ \t]*\/?[ \t]*([\w-]+)[^{}\n]*%)\}\}|\{%-?[ \t]*([\w-]+)[^{}\n]*%\}/y;

/** Makes what prepares pages: tags of templates are dropped, what they enclose stays. */
export function preparePlainText(tree: SourceTree): PrepareText {
  return async ({ path, text, firstLine }, report) => {
    const file = tree.toTypedPath(path);
    const lineAt = createLineCounter(text);
    const dropped = new Map<string, { line: number; count: number }>();
    const edited = editOutsideCode(text, "{", (start) => {
      TAG.lastIndex = start;
      const tag = TAG.exec(text);
      if (tag === null) return undefined;
      const shown = showTag(tag[1] ?? tag[2] ?? "", tag[3] ?? "", tag[0]);
      if (shown !== undefined) return { end: TAG.lastIndex, by: shown };
      const name = tag[3] === undefined ? `{{<${tag[1] ?? tag[2] ?? ""}>}}` : `{% ${tag[3]} %}`;
      const isEnd = /^\{\{[<%][ \t]*\//.test(tag[0]) || /^end|^raw$/.test(tag[3] ?? "");
      const known = dropped.get(name);
      if (known !== undefined) known.count += isEnd ? 0 : 1;
      else if (!isEnd) dropped.set(name, { line: lineAt(start), count: 1 });
      return { end: TAG.lastIndex, by: "" };
    });
    for (const [name, { line, count }] of dropped) {
      const label = cutText(name, 60);
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      report({
        severity: "warning",
        kind: "dropped-component",
        file,
        line: line + firstLine - 1,
        message: `tag ${label} is dropped: it needs the site's templates${times}`,
        tally: [{ what: `tag ${label}`, plural: `tags ${label}`, count, isKept: false }],
      });
    }
    return { text: edited, placeOf: (line) => ({ file, line: line + firstLine - 1 }) };
  };
}

/** The tags that every site of a kind has, as Markdown; undefined for one that only its own templates know. */
function showTag(shortcode: string, liquid: string, written: string): string | undefined {
  if (liquid === "highlight") return `\`\`\`${/highlight[ \t]+([\w+#-]+)/.exec(written)?.[1] ?? ""}`;
  if (liquid === "endhighlight") return "```";
  if (shortcode === "figure") {
    const { src, alt, caption } = readParameters(written);
    return src === undefined
      ? undefined
      : `![${alt ?? caption ?? ""}](<${src}>)${caption === undefined ? "" : ` *${caption}*`}`;
  }
  if (shortcode !== "youtube") return undefined;
  const id = /youtube[ \t]+(?:id=)?"?([\w-]+)/.exec(written)?.[1];
  return id === undefined ? undefined : `<https://www.youtube.com/watch?v=${id}>`;
}

function readParameters(written: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(written.matchAll(/([\w-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, value]),
  );
}
