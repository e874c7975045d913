// The parser's states: they count what is read, keep its lines, and hold what rules remember of the text that they read.
import createMarkdownIt, { type Ruler, type StateBlock, type StateInline, type Token } from "markdown-it";
import { countNode, environmentOf } from "./markdown-environment.ts";

/** Formulas that are known not to be closed: from a line on, up to one that ends whatever is indented so far. */
export interface UnclosedMath {
  from: number;
  to: number;
  indent: number;
}

/** For each delimiter that closes, where the next one is for every formula that begins between. */
export type KnownCloses = Map<string, { from: number; found: number }>;

export class BlockState extends createMarkdownIt.StateBlock {
  /** How many tags of each name are open that hold Markdown. */
  readonly openTags = new Map<string, number>();
  /** The line up to which no comment ends, counted from where one was looked for. */
  noCommentEndTo = 0;
  /** How far the body of the innermost open definition is indented. */
  definitionIndent: number | undefined;
  readonly unclosedMath = new Map<string, UnclosedMath>();
  /** Lines whose marks of lists and quotations are taken off, since they are too deep. */
  readonly flatLines = new Set<number>();
  isToldFlat = false;

  override push(...args: Parameters<StateBlock["push"]>): Token {
    countNode(environmentOf(this));
    return super.push(...args);
  }
}

// The parser keeps no places within a paragraph: `map` of a part of one counts from its first line.
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

/** A rule of the parser, which does not hand one out by its name: this one is what is gone when it is disabled. */
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
