// What stands for components of MDX while its Markdown is read: marks in the text, which the parser's rules make HTML of
// again. HTML in their place would need blank lines around it, which move the lines, and end lists and paragraphs.
import type { Token } from "markdown-it";
import type { Choice } from "./mdx-question.ts";

/** HTML for a place in the text: all of it, or what stands before and after other text. */
export interface MdxMark {
  role: "whole" | "opening" | "closing";
  /** True where it has its lines for itself. */
  isBlock: boolean;
  html: string;
  /** What the author wrote. */
  source: string;
  /** How it is called where it cannot be shown, and its line, from 1. */
  name: string;
  line: number;
  /** Of a branch that readers are shown on a condition. */
  condition?: string | undefined;
  /** A question has no HTML until it is known what stands above it. */
  choices?: Choice[];
  /** The mark that ends what this one begins. */
  closing?: number;
}

/** The marks of a text, by their numbers, and which of them were shown. */
export class MdxMarks {
  readonly #marks: MdxMark[] = [];
  readonly #shown = new Set<number>();

  /** Adds a mark, and answers what stands for it in the text. */
  add(mark: MdxMark): { id: number; text: string } {
    const id = this.#marks.push(mark) - 1;
    return { id, text: `${SIGN}${id}>` };
  }

  get(id: number): MdxMark | undefined {
    return this.#marks[id];
  }

  /** Notes that readers see it. */
  show(id: number): MdxMark | undefined {
    this.#shown.add(id);
    return this.#marks[id];
  }

  isShown(id: number): boolean {
    return this.#shown.has(id);
  }

  /** The first question; undefined when there is none. */
  findQuestion(): MdxMark | undefined {
    return this.#marks.find(({ choices }) => choices !== undefined);
  }

  /** What stands somewhere where no HTML can be, such as in the address of a link. */
  listUnshown(): MdxMark[] {
    return this.#marks.filter(({ role }, id) => role !== "closing" && !this.#shown.has(id));
  }
}

// No file of UTF-8 holds half a surrogate pair, so no author can write a mark. The parser looks at what begins with <.
export const HALF_PAIR = "\ud800";
/** What a mark begins with; its number and `>` follow. */
export const SIGN = `<${HALF_PAIR}`;

/** The number of the mark that a token is; undefined for other tokens. */
export function findMarkId(token: Token): number | undefined {
  return metaOf(token)?.mdxMark;
}

/** What the rules say of a mark: its number, and whether both its ends stand in the same part of the text. */
export function metaOf({ meta }: Token): { mdxMark?: number; isPaired?: boolean } | null {
  return meta;
}
