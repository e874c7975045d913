// Expands LiaScript macros: `@name: text` in the header comment defines a macro; `@name(a,b)` in the text uses it.
import type { SourceTree } from "../../files/source-tree.ts";
import { MAX_GROWTH } from "../../limits.ts";
import { cutText } from "../../quote.ts";

/** The text of each macro, by name. */
export type Macros = ReadonlyMap<string, string>;

/** A use of a macro in the text. */
export interface MacroUse {
  name: string;
  end: number;
  /** The expansion; undefined for a macro that is unknown or endless. */
  text: string | undefined;
}

/** The maximum number of nested macros. */
const MAX_DEPTH = 8;
/** The maximum total length of the expanded macros in a lesson. */
const MAX_EXPANDED = 1_000_000;
/** The maximum total length of the expanded macros in a course. */
const MAX_OF_COURSE = 4_000_000;
/** The maximum total length of the expanded macros in a source. */
const MAX_OF_SOURCE = 16_000_000;
// Parameters in backticks can contain commas and parentheses.
const USE = /@(?:\[([\w.]+)\]|([A-Za-z_][\w.]*))(?:\(([^()`\n]*(?:`[^`\n]*`[^()`\n]*)*)\)|\(([^()\n]*)\))?/y;
const PARAMETER = /([^,`]*(?:`[^`]*`[^,`]*)*)(?:,|$)/g;

/** Reads the macros of a header comment: single lines, or blocks up to `@end`. */
export function parseMacros(header: string): Macros {
  const macros = new Map<string, string>();
  const lines = header.split(/\r?\n/);
  const ends = lines.flatMap((line, index) => (line.trim() === "@end" ? [index] : [])).toReversed();
  for (let index = 0; index < lines.length; index++) {
    const opening = /^\s*@([A-Za-z_][\w.]*)[ \t]*(?::(.*))?$/.exec(lines[index] ?? "");
    const name = opening?.[1];
    if (name === undefined || name === "end") continue;
    const inLine = opening?.[2]?.trim();
    if (inLine !== undefined && inLine !== "") {
      macros.set(name, inLine);
      continue;
    }
    while ((ends.at(-1) ?? Infinity) <= index) ends.pop();
    const end = ends.at(-1);
    // Skips a block without an end, since single-line macros can follow.
    if (end === undefined) continue;
    macros.set(name, lines.slice(index + 1, end).join("\n"));
    index = end;
  }
  return macros;
}

/** Expands the macros of one lesson. */
export class MacroExpander {
  /** Describes the first macro beyond a limit. */
  fault: string | undefined;
  #expanded = 0;
  readonly #macros: Macros;
  readonly #tree: SourceTree;

  constructor(macros: Macros, tree: SourceTree) {
    this.#macros = macros;
    this.#tree = tree;
  }

  /** Returns the macro whose `@` is at `start`; undefined if the `@` is text. */
  read(text: string, start: number, within: readonly string[] = []): MacroUse | undefined {
    // An `@` within a word is text, as in an e-mail address.
    if (/[\w.]/.test(text[start - 1] ?? "")) return undefined;
    USE.lastIndex = start;
    const use = USE.exec(text);
    const name = use?.[1] ?? use?.[2];
    if (use === null || name === undefined) return undefined;
    const macro = this.#macros.get(name);
    const end = USE.lastIndex;
    const written = use[3] ?? use[4];
    if (macro === undefined) {
      return written !== undefined || name.includes(".") ? { name, end, text: undefined } : undefined;
    }
    const parameters = splitParameters(written ?? "");
    if (!this.#take(macro)) return { name, end, text: undefined };
    let fits = true;
    const filled = macro.replace(/@'?(\d)/g, (_, index: string) => {
      const parameter = parameters[Number(index)] ?? "";
      fits = this.#take(parameter);
      return fits ? parameter : "";
    });
    if (!fits) return { name, end, text: undefined };
    if (within.includes(name)) return { name, end, text: undefined };
    if (within.length >= MAX_DEPTH) {
      this.fault ??= `too deep: macro @${cutText(name)} is within ${MAX_DEPTH} other macros, which is the limit`;
      return { name, end, text: undefined };
    }
    return { name, end, text: this.#expandAll(filled, [...within, name]) };
  }

  /** Counts expanded text. Returns false beyond the limit of the lesson, the course or the source. */
  #take({ length }: string): boolean {
    const { included, includedByCourse } = this.#tree;
    this.#expanded += length;
    includedByCourse.macros += length;
    included.macros += length;
    if (this.#expanded > MAX_EXPANDED) this.#giveUp("lesson", MAX_EXPANDED);
    else if (includedByCourse.macros > MAX_OF_COURSE) this.#giveUp("course", MAX_OF_COURSE);
    else if (included.macros > this.#maxOfSource) this.#giveUp("source of this size", this.#maxOfSource);
    return this.fault === undefined;
  }

  get #maxOfSource(): number {
    return Math.min(MAX_OF_SOURCE, MAX_EXPANDED + MAX_GROWTH * this.#tree.readSize);
  }

  #giveUp(what: string, most: number): void {
    this.fault ??= `too large: the expanded macros of a ${what} are limited to ${most.toLocaleString("en-US")} characters`;
    this.#tree.includedByCourse.isExhausted = true;
  }

  /** Expands all macros in text. Returns undefined if an inner macro is endless or too long. */
  #expandAll(text: string, within: readonly string[]): string | undefined {
    let expanded = "";
    let copiedTo = 0;
    for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at)) {
      const use = this.read(text, at, within);
      if (use !== undefined && use.text === undefined && this.#macros.has(use.name)) return undefined;
      if (use?.text === undefined) {
        at++;
        continue;
      }
      expanded += text.slice(copiedTo, at) + use.text;
      copiedTo = at = use.end;
    }
    return expanded + text.slice(copiedTo);
  }
}

function splitParameters(written: string): string[] {
  // Unless the number of backticks is even, all of them are text.
  const isPaired = written.split("`").length % 2 === 1;
  const parts = isPaired ? Array.from(written.matchAll(PARAMETER), ([, part = ""]) => part) : written.split(",");
  return parts.map((part) => part.trim().replace(/^`(.*)`$/s, "$1"));
}
