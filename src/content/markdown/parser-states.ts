// Extends the parser's states: counts nodes, keeps lines, and holds the rules' caches.
import createMarkdownIt, { type Ruler, type StateBlock, type StateInline, type Token } from "markdown-it";
import { countNode, environmentOf } from "./markdown-environment.ts";

/** Formulas known to be unclosed: a range of lines at an indentation. */
export interface UnclosedMath {
  from: number;
  to: number;
  indent: number;
}

/** The next position of each closing delimiter, valid for formulas that begin before that position. */
export type KnownCloses = Map<string, { from: number; found: number }>;

export class BlockState extends createMarkdownIt.StateBlock {
  /** The number of open tags with Markdown content, by name. */
  readonly openTags = new Map<string, number>();
  /** No comment ends before this line. */
  noCommentEndTo = 0;
  /** The first line at or after `from` that begins like a list, heading or fence. */
  nextMark = { from: 0, line: -1 };
  /** The indentation of the innermost open definition's body. */
  definitionIndent: number | undefined;
  readonly unclosedMath = new Map<string, UnclosedMath>();
  /** Lines stripped of list and quotation markers because they are nested too deep. */
  readonly flatLines = new Set<number>();
  isToldFlat = false;

  override push(...args: Parameters<StateBlock["push"]>): Token {
    countNode(environmentOf(this));
    return super.push(...args);
  }
}

// The parser has no offsets within a paragraph: an inline token's `map` counts from its first line.
export class InlineState extends createMarkdownIt.StateInline {
  readonly mathCloses: KnownCloses = new Map();
  #lineBreaks = 0;
  #nextLineBreak = this.src.indexOf("\n");

  override push(...args: Parameters<StateInline["push"]>): Token {
    countNode(environmentOf(this));
    const token = super.push(...args);
    while (this.#nextLineBreak !== -1 && this.#nextLineBreak < this.pos) {
      this.#lineBreaks++;
      this.#nextLineBreak = this.src.indexOf("\n", this.#nextLineBreak + 1);
    }
    token.map = [this.#lineBreaks, this.#lineBreaks];
    return token;
  }
}

/** Gets a parser rule by name. There is no public access, so this compares the rules before and after disabling it. */
export function takeRule<Args extends unknown[], Result>(
  ruler: Ruler<Args, Result>,
  name: string,
): (...args: Args) => Result {
  const rules = ruler.getRules("");
  ruler.disable(name);
  const others = new Set(ruler.getRules(""));
  ruler.enable(name);
  const rule = rules.find((each) => !others.has(each));
  if (rule === undefined) throw new Error(`the Markdown parser has no rule ${name}`);
  return rule;
}
