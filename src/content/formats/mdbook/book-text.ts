// The text of a book's chapters: what mdBook and its common preprocessors make of it, and without what others would.
import { createLineCounter } from "../../html/line-counter.ts";
import { MarkdownCode } from "../../markdown/markdown-code.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { editOutsideCode, type Replacement } from "../../markdown/outside-code.ts";
import type { PreparedText, PrepareText } from "../../markdown/prepared-text.ts";
import { cutText } from "../../quote.ts";
import type { Tell } from "../../source.ts";
import { ESCAPED, type BookIncludes } from "./book-includes.ts";

/** Makes what prepares the chapters of one book. */
export function createBookText(includes: BookIncludes, syntax: MarkdownSyntax): PrepareText {
  return async (written, report) => {
    const assembled = await includes.expand(written, report);
    const assembledText = assembled.toPrepared();
    const prepared = { ...assembledText, text: showAdmonitions(assembledText.text, syntax) };
    return { ...prepared, text: new ChapterReader(prepared, syntax, report).read().replaceAll(`${ESCAPED}{{`, "{{") };
  };
}

// A name, or the sign of a section and a name; other braces are text: `{{ 1 }}`.
const DIRECTIVE = /\{\{\s*[#/%][ \t]*[A-Za-z_][^{}\n]*\}\}/y;
const MAY_HOLD_SYNTAX = /\{\{|<\/?Listing/;
const LISTING = /^<Listing\b((?:[^<>"]|"[^"]*")*)>|^<\/Listing>/;
/** No tag of a listing is longer. */
const MAX_TAG = 4000;

/** Drops directives of unknown preprocessors outside code, and lays out listings. Line breaks stay where they are. */
class ChapterReader {
  readonly #captions: string[] = [];
  readonly #dropped = new Map<string, { line: number; count: number }>();
  readonly #lineAt: (offset: number) => number;

  readonly #prepared: Pick<PreparedText, "text" | "placeOf">;
  readonly #syntax: MarkdownSyntax;
  readonly #report: Tell;

  constructor(prepared: Pick<PreparedText, "text" | "placeOf">, syntax: MarkdownSyntax, report: Tell) {
    this.#prepared = prepared;
    this.#syntax = syntax;
    this.#lineAt = createLineCounter(prepared.text);
    this.#report = report;
  }

  read(): string {
    const { text } = this.#prepared;
    if (!MAY_HOLD_SYNTAX.test(text)) return text;
    const edited = editOutsideCode(text, new MarkdownCode(text, this.#syntax), "<{", (start) =>
      text[start] === "{" ? this.#readDirective(start) : this.#readListing(start),
    );
    this.#reportDropped();
    return edited;
  }

  #readDirective(start: number): Replacement | undefined {
    DIRECTIVE.lastIndex = start;
    const directive = DIRECTIVE.exec(this.#prepared.text)?.[0];
    if (directive === undefined) return undefined;
    const end = start + directive.length;
    if (this.#prepared.text[start - 1] === ESCAPED) return { end, by: directive };
    const name = /[#/%]\s*[\w-]+/.exec(directive)?.[0].replace(/\s+/, "") ?? "";
    const known = this.#dropped.get(name);
    if (known === undefined) this.#dropped.set(name, { line: this.#lineAt(start), count: 1 });
    else known.count++;
    return { end, by: "" };
  }

  // Of The Rust Programming Language and its translations.
  #readListing(start: number): Replacement | undefined {
    const tag = LISTING.exec(this.#prepared.text.slice(start, start + MAX_TAG));
    if (tag === null) return undefined;
    const end = start + tag[0].length;
    if (tag[1] === undefined) {
      const caption = this.#captions.pop();
      return { end, by: caption === undefined ? "" : `${caption}</figure>` };
    }
    const attributes = new Map(
      Array.from(tag[1].matchAll(/([\w-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, value]),
    );
    const number = attributes.get("number");
    const title = [number === undefined ? "" : `Listing ${number}`, attributes.get("caption") ?? ""].filter(
      (part) => part !== "",
    );
    this.#captions.push(title.length === 0 ? "" : `<figcaption>${toHtml(title.join(": "))}</figcaption>`);
    const fileName = attributes.get("file-name");
    const file = fileName === undefined ? "" : `<p class="file-name">${toHtml(fileName)}</p>`;
    return { end, by: `<figure class="listing">${file}` };
  }

  #reportDropped(): void {
    for (const [name, { line, count }] of this.#dropped) {
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      const shown = `{{${cutText(name, 60)} …}}`;
      this.#report({
        kind: "dropped-component",
        ...this.#prepared.placeOf(line),
        message: `directive ${shown} is dropped: it needs a preprocessor${times}`,
        tally: [{ what: `directive ${shown}`, plural: `directives ${shown}`, count, isKept: false }],
      });
    }
  }
}

// Captions hold `code`.
function toHtml(text: string): string {
  return text
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/`([^`]+)`/g, "<code>$1</code>");
}

const ADMONITION = /^([ \t>]*)(?:`{3,}|~{3,})[ \t]*admonish\b[ \t]*([\w-]*)([^]*)$/;
// By the names that mdbook-admonish has.
const CALLOUTS: Record<string, string> = {
  bug: "CAUTION",
  caution: "WARNING",
  danger: "CAUTION",
  error: "CAUTION",
  fail: "CAUTION",
  failure: "CAUTION",
  hint: "TIP",
  important: "IMPORTANT",
  success: "TIP",
  tip: "TIP",
  warning: "WARNING",
};

/** Makes callouts of the blocks of mdbook-admonish; what stands in other code stays. */
function showAdmonitions(text: string, syntax: MarkdownSyntax): string {
  if (!text.includes("admonish")) return text;
  let shown = "";
  let copiedTo = 0;
  for (const { start, end, info } of new MarkdownCode(text, syntax).listFences()) {
    if (!/^\s*admonish\b/.test(info)) continue;
    shown += text.slice(copiedTo, start) + showAdmonition(text.slice(start, end));
    copiedTo = end;
  }
  return shown + text.slice(copiedTo);
}

function showAdmonition(block: string): string {
  const [first = "", ...lines] = block.split("\n");
  const [whole, indentation = "", kind = "", rest = ""] = ADMONITION.exec(first) ?? [];
  if (whole === undefined) return block;
  const title = /(?:title=)?"([^"]*)"|title='([^']*)'/.exec(rest);
  const last = lines.findLastIndex((line) => line !== "");
  const inner = lines.map((line, index) => {
    if (index >= last) return index === last && /^[ \t>]*[`~]{3,}[ \t\r]*$/.test(line) ? indentation.trimEnd() : line;
    return `${indentation}> ${line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart()}`;
  });
  return [`${indentation}> [!${CALLOUTS[kind] ?? "NOTE"}] ${title?.[1] ?? title?.[2] ?? ""}`.trimEnd(), ...inner].join(
    "\n",
  );
}
