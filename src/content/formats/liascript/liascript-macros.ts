// Macros of LiaScript: `@name: text` in the comment above a course, and `@name(a,b)` where the text stands.

/** The texts of macros by their names. */
export type Macros = ReadonlyMap<string, string>;

/** What is known of a use of a macro: its text, or that only LiaScript knows it. */
export interface MacroUse {
  name: string;
  end: number;
  /** Undefined where nothing of the course defines it. */
  text: string | undefined;
}

const MAX_MACROS = 1000;
const MAX_HEADER = 1_000_000;
/** Macros within macros. */
const MAX_DEPTH = 8;
/** Of all that the macros of one lesson become. */
const MAX_EXPANDED = 1_000_000;
// Parameters in back-ticks may hold commas and parentheses.
const USE = /@(?:\[([\w.]+)\]|([A-Za-z_][\w.]*))(?:\(([^()`\n]*(?:`[^`\n]*`[^()`\n]*)*)\)|\(([^()\n]*)\))?/y;
const PARAMETER = /([^,`]*(?:`[^`]*`[^,`]*)*)(?:,|$)/g;

/** Reads the macros of a course's comment: in one line, or up to a line `@end`. */
export function parseMacros(header: string): Macros {
  const macros = new Map<string, string>();
  const lines = header.slice(0, MAX_HEADER).split(/\r?\n/);
  const ends = lines.flatMap((line, index) => (line.trim() === "@end" ? [index] : [])).slice(0, MAX_MACROS);
  for (let index = 0; index < lines.length && macros.size < MAX_MACROS; index++) {
    const opening = /^\s*@([A-Za-z_][\w.]*)[ \t]*(?::[ \t]*(.*))?$/.exec(lines[index] ?? "");
    const name = opening?.[1];
    if (name === undefined || name === "end") continue;
    const inLine = opening?.[2]?.trim();
    if (inLine !== undefined && inLine !== "") {
      macros.set(name, inLine);
      continue;
    }
    const end = ends.find((at) => at > index);
    // Those in one line may follow.
    if (end === undefined) continue;
    macros.set(name, lines.slice(index + 1, end).join("\n"));
    index = end;
  }
  return macros;
}

/** Expands the uses of macros in the texts of one lesson. */
export class MacroExpander {
  #expanded = 0;
  readonly #macros: Macros;

  constructor(macros: Macros) {
    this.#macros = macros;
  }

  /** The use that begins at `start` with `@`; undefined where that is text. */
  read(text: string, start: number, within: readonly string[] = []): MacroUse | undefined {
    // An address has one within a word.
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
    const left = MAX_EXPANDED - this.#expanded;
    let taken = macro.length;
    const filled = macro.replace(/@'?(\d)/g, (_, index: string) => {
      const parameter = parameters[Number(index)] ?? "";
      taken += parameter.length;
      return taken > left ? "" : parameter;
    });
    this.#expanded += taken;
    if (taken > left) return { name, end, text: undefined };
    const isEndless = within.includes(name) || within.length >= MAX_DEPTH;
    return { name, end, text: isEndless ? undefined : this.#expandAll(filled, [...within, name]) };
  }

  /** Undefined where a macro of the course within it has no end. */
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
  // One back-tick alone is text.
  const isPaired = written.split("`").length % 2 === 1;
  const parts = isPaired ? Array.from(written.matchAll(PARAMETER), ([, part = ""]) => part) : written.split(",");
  return parts.map((part) => part.trim().replace(/^`(.*)`$/s, "$1"));
}
