// Extends the parser's states, so that they count nodes, record lines and contain the rules' caches.
import createMarkdownIt, { type Ruler, type StateBlock, type StateInline, type Token } from "markdown-it";
import { countNode, environmentOf } from "./markdown-environment.ts";

/** A range of lines in which formulas with this or a deeper indentation are known to be unclosed. */
export interface UnclosedMath {
  from: number;
  to: number;
  indent: number;
}

/** The next position of each closing delimiter, valid for formulas that begin between `from` and that position. */
export type KnownCloses = Map<string, { from: number; found: number }>;

export class BlockState extends createMarkdownIt.StateBlock {
  /** The number of open tags with Markdown content, by name. */
  readonly openTags = new Map<string, number>();
  /** The sum of the counts in `openTags`. */
  openTagCount = 0;
  /** The line before which an open comment is known not to end. */
  noCommentEndTo = 0;
  /** The first line at or after `from` that begins like a list, heading or fence. */
  nextMark = { from: 0, line: -1 };
  /** The indentation of the innermost open definition's body. */
  definitionIndent: number | undefined;
  readonly unclosedMath = new Map<string, UnclosedMath>();
  /** Lines stripped of list and quotation markers because they are nested too deeply. */
  readonly flatLines = new Set<number>();
  isToldFlat = false;

  override push(...args: Parameters<StateBlock["push"]>): Token {
    countNode(environmentOf(this));
    return super.push(...args);
  }
}

// The parser does not know the lines of inline tokens. Here, the `map` of such a token counts from the first line of
// its paragraph.
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

/**
 * Returns a parser rule by name. The parser offers no method for this, so the function finds the rule that disabling
 * the name removes.
 */
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
