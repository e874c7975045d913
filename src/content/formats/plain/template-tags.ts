// Tags of templates in pages for builders of sites: {{< figure src="a.png" >}}, {{% notice %}} of Hugo; {% include a.html %} of Jekyll.
import type { TextRemark } from "../../markdown/markdown-environment.ts";
import { cutText } from "../../quote.ts";

export interface TemplateTag {
  written: string;
  end: number;
  /** The name of a shortcode of Hugo; "" for another tag. */
  shortcode: string;
  /** The name of a tag of Liquid; "" for another. */
  liquid: string;
}

// Over lines too, but not over a blank one.
const WITHIN = String.raw`(?![\w-])(?:[^{}\n]|\n(?![ \t]*\r?\n))*`;
const TAG = new RegExp(
  String.raw`\{\{(?:<[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}>|%[ \t]*(?:\/[ \t]*)?([\w-]+)${WITHIN}%)\}\}|\{%-?[ \t]*([\w-]+)${WITHIN}%\}`,
  "y",
);
// {{</* figure */>}} shows {{< figure >}}, in code as well.
const ESCAPED = /\{\{([<%])\/\*((?:[^{}\n*]|\*(?!\/))*)\*\/([<>%])\}\}/;
const ESCAPED_HERE = new RegExp(ESCAPED, "y");
const ALL_ESCAPED = new RegExp(ESCAPED, "g");

/** The tag that begins at `start`; undefined where none does. */
export function readTag(text: string, start: number): TemplateTag | undefined {
  TAG.lastIndex = start;
  const [written, angular = "", percent = "", liquid = ""] = TAG.exec(text) ?? [];
  return written === undefined ? undefined : { written, end: TAG.lastIndex, shortcode: angular || percent, liquid };
}

/** The escaped shortcode that begins at `start`, as it is shown; undefined where none does. */
export function readEscaped(text: string, start: number): { end: number; shown: string } | undefined {
  ESCAPED_HERE.lastIndex = start;
  const [written, sign = "", name = "", end = ""] = ESCAPED_HERE.exec(text) ?? [];
  return written === undefined ? undefined : { end: ESCAPED_HERE.lastIndex, shown: `{{${sign}${name}${end}}}` };
}

/** A text with its escaped shortcodes as they are shown. */
export function showEscaped(text: string): string {
  return text.replace(ALL_ESCAPED, "{{$1$2$3}}");
}

const ENDS = new Map(
  ["raw", "comment", "highlight"].map((name) => [name, new RegExp(String.raw`\{%-?[ \t]*end${name}[ \t]*-?%\}`, "g")]),
);
const HIGHLIGHT_END = /\{\{[<%][ \t]*\/[ \t]*highlight[ \t]*[%>]\}\}/g;

/** What ends the text that belongs to a tag; undefined for a tag by itself. */
export function endOf({ shortcode, liquid, written }: Omit<TemplateTag, "end">): RegExp | undefined {
  if (shortcode === "highlight") return /^\{\{[<%][ \t]*\//.test(written) ? undefined : HIGHLIGHT_END;
  return ENDS.get(liquid);
}

/** The language of a `highlight`; "" where it names none. */
export function languageOf({ written }: TemplateTag): string {
  return /highlight[ \t]+"?([\w+#-]+)/.exec(written)?.[1] ?? "";
}

/** The path that a tag in the place of a link's address names; undefined where it names none. */
export function showAddress({ written }: TemplateTag): string | undefined {
  const page = /^\{\{[<%][ \t]*(?:rel)?ref[ \t]+(?:path=)?["'`]?([^\s"'`<>]+)/.exec(written)?.[1];
  if (page !== undefined) return page;
  const file = /^\{%-?[ \t]*link[ \t]+([^\s%]+)/.exec(written)?.[1];
  // Counted from the site's folder.
  return file === undefined ? undefined : `/${file}`;
}

/** The tags that every site of a kind has, as Markdown; undefined for one that only its own templates know. */
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

/** The tags of a text that readers do not get. */
export class DroppedTags {
  readonly #dropped = new Map<string, { line: number; count: number }>();

  /** Lines count from 1. Ends of tags do not count. */
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
