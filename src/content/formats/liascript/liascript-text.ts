// LiaScript's preprocessing: expands macros and removes scripts.
import type { Answers } from "../../quiz/answers.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import type { MarkdownSyntax } from "../../markdown/markdown-environment.ts";
import { AssembledText, countLineBreaks, type PrepareText } from "../../markdown/prepared-text.ts";
import { listCode } from "./liascript-code.ts";
import { MacroExpander, type Macros } from "./liascript-macros.ts";
import { LiaScriptReading } from "./liascript-reading.ts";

export interface LiaScriptOptions {
  tree: SourceTree;
  macros: Macros;
  syntax: MarkdownSyntax;
  answers: Answers;
}

const STOP = /[\\@<]/g;
const SCRIPT = /<script\b[^>]{0,1000}>/iy;
// ``` js   @eval(1)
const IN_INFO = /@\[?([A-Za-z_][\w.]*)\]?(?:\([^()]*\))?/y;

/** Creates the text preparation of one course. */
export function createLiaScriptText(options: LiaScriptOptions): PrepareText {
  return async ({ path, text, firstLine }) => {
    const reading = new LiaScriptReading(options);
    const assembled = new AssembledText();
    new MacroPass(options, reading, assembled, options.tree.toTypedPath(path)).read(
      text.replace(/\r\n?/g, "\n"),
      firstLine,
    );
    return { ...assembled.toPrepared(), reading };
  };
}

class MacroPass {
  readonly #macros: MacroExpander;
  readonly #syntax: MarkdownSyntax;
  readonly #reading: LiaScriptReading;
  readonly #assembled: AssembledText;
  readonly #file: string;

  constructor({ macros, syntax }: LiaScriptOptions, reading: LiaScriptReading, assembled: AssembledText, file: string) {
    this.#macros = new MacroExpander(macros);
    this.#syntax = syntax;
    this.#reading = reading;
    this.#assembled = assembled;
    this.#file = file;
  }

  /** Throws UnreadableText. */
  read(text: string, firstLine: number): void {
    let copiedTo = 0;
    let line = firstLine;
    for (const { start, end, by } of this.#listEdits(text)) {
      this.#assembled.add(text.slice(copiedTo, start), this.#file, line);
      line += countLineBreaks(text.slice(copiedTo, start));
      // Each line of a macro maps to its use.
      for (const part of by.split(/(?<=\n)/)) this.#assembled.add(part, this.#file, line);
      const lineBreaks = countLineBreaks(text.slice(start, end));
      this.#assembled.add("\n".repeat(lineBreaks), this.#file, line);
      line += lineBreaks;
      copiedTo = end;
    }
    this.#assembled.add(text.slice(copiedTo), this.#file, line);
  }

  *#listEdits(text: string): Generator<{ start: number; end: number; by: string }> {
    if (!/@|<script/i.test(text)) return;
    const code = listCode(text, this.#syntax);
    let next = 0;
    const scriptEnd = /<\/script[ \t]*>/gi;
    let hasScriptEnd = true;
    STOP.lastIndex = 0;
    for (let found = STOP.exec(text); found !== null; found = STOP.exec(text)) {
      const start = found.index;
      while ((code[next]?.end ?? Infinity) <= start) next++;
      const around = code[next];
      let end = start + 1;
      let by: string | undefined;
      if (around !== undefined && around.start <= start) {
        if (start < around.infoEnd) [end, by] = this.#readInfo(text, start);
        else end = around.end;
      } else if (found[0] === "\\") end += text[end] === "\n" ? 0 : 1;
      else if (found[0] === "@") [end, by] = this.#readMacro(text, start);
      else if (hasScriptEnd && beginsScript(text, start)) {
        scriptEnd.lastIndex = start;
        hasScriptEnd = scriptEnd.test(text);
        if (hasScriptEnd) [end, by] = [scriptEnd.lastIndex, ""];
        // A script runs the code above it, or checks the quiz above it.
        if (hasScriptEnd) this.#reading.count("script");
      }
      if (by !== undefined) yield { start, end, by };
      STOP.lastIndex = end;
    }
  }

  #readMacro(text: string, start: number): [end: number, by: string | undefined] {
    const use = this.#macros.read(text, start);
    if (use === undefined) return [start + 1, undefined];
    if (use.text !== undefined && !/<script\b/i.test(use.text)) return [use.end, use.text];
    this.#reading.countMacro(use.name);
    return [use.end, ""];
  }

  #readInfo(text: string, start: number): [end: number, by: string | undefined] {
    IN_INFO.lastIndex = start;
    const name = IN_INFO.exec(text)?.[1];
    if (name === undefined) return [start + 1, undefined];
    this.#reading.countMacro(name);
    return [IN_INFO.lastIndex, ""];
  }
}

function beginsScript(text: string, start: number): boolean {
  SCRIPT.lastIndex = start;
  return SCRIPT.test(text);
}
