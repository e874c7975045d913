// Hugo and Jekyll expand tags before Markdown, even in code.
import type { SourceTree } from "../../files/source-tree.ts";
import { createLineCounter } from "../../html/source-lines.ts";
import type { Location } from "../../source.ts";
import { countLineBreaks, type PrepareText } from "../../markdown/prepared-text.ts";
import type { Schedule } from "../site-builders.ts";
import {
  DroppedTags,
  endOf,
  languageOf,
  readTag,
  showAddress,
  showEscaped,
  showTag,
  type TemplateTag,
} from "./template-tags.ts";

/** Creates the text preparation for a site's pages: expands or drops its tags and keeps their content. */
export function createSiteText(tree: SourceTree, builder: Schedule["builder"]): PrepareText {
  const opening = builder === "Hugo" ? "{{" : "{%";
  return async ({ path, text, firstLine }, report) => {
    const file = tree.toTypedPath(path);
    const placeOf = (line: number): Location => ({ file, line: line + firstLine - 1 });
    const dropped = new DroppedTags();
    const shown = carryOut(text, opening, dropped);
    for (const { line, ...remark } of dropped.list()) report({ ...placeOf(line), ...remark });
    return { text: builder === "Hugo" ? showEscaped(shown) : shown, placeOf };
  };
}

function carryOut(text: string, opening: string, dropped: DroppedTags): string {
  const lineAt = createLineCounter(text);
  let shown = "";
  let copiedTo = 0;
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at)) {
    const tag = readTag(text, at);
    if (tag === undefined) {
      at += opening.length;
      continue;
    }
    const { end, by } = readWhole(text, at, tag);
    if (by === undefined) dropped.add(tag, lineAt(at));
    shown += text.slice(copiedTo, at) + (by ?? "");
    // Keeps line numbers below the tag correct.
    shown += "\n".repeat(Math.max(0, countLineBreaks(text.slice(at, end)) - countLineBreaks(by ?? "")));
    copiedTo = at = end;
  }
  return shown + text.slice(copiedTo);
}

/** Returns the replacement of a tag; `by` is undefined for a dropped one. */
function readWhole(text: string, start: number, tag: TemplateTag): { end: number; by: string | undefined } {
  const { end, liquid, shortcode } = tag;
  if (liquid === "raw" || liquid === "comment") {
    const closing = endOf(tag) as RegExp;
    closing.lastIndex = end;
    const found = closing.exec(text);
    if (liquid === "raw")
      return found === null ? { end, by: "" } : { end: closing.lastIndex, by: text.slice(end, found.index) };
    // An unclosed comment extends to the end.
    return { end: found === null ? text.length : closing.lastIndex, by: "" };
  }
  if (shortcode === "highlight" || /^(?:end)?highlight$/.test(liquid)) return { end, by: `\`\`\`${languageOf(tag)}` };
  return {
    end,
    by: /(?:\]\(|=["']?)$/.test(text.slice(Math.max(0, start - 2), start)) ? showAddress(tag) : showTag(tag),
  };
}
