// Builds a lesson's quiz: each question with the context above it, so that the question makes sense without the
// lesson's text.
import type { Token } from "markdown-it";
import type { Answers } from "../../quiz/answers.ts";
import { renderQuizPieces, type QuizQuestion } from "../../quiz/quiz-form.ts";
import { checkQuestionsSize } from "../../limits.ts";
import type { MarkdownSyntax } from "../markdown-environment.ts";
import { renderFragment, renderTokens } from "../create-parser.ts";
import { jsxOf } from "./show-components.ts";
import type { JsxItem } from "./jsx-items.ts";
import { toQuizQuestion } from "./mdx-question.ts";

/** The maximum length of a question's context. Longer text above the question is left out. */
const MAX_CONTEXT = 2000;

/** Where to show questions. */
export type QuizPlace = "quiz" | "text";

export interface PlacedQuestions {
  /** The quiz; "" if there are no questions or if they are in the text. */
  quizHtml: string;
  questions: number;
}

/**
 * Renders the questions of a text and changes its tokens. For `quiz`, collects the questions in one form and leaves
 * empty elements in their places; for `text`, puts a form in the place of each question. Throws UnreadableText beyond
 * the lesson limit.
 */
export function placeQuestions(
  tokens: Token[],
  syntax: MarkdownSyntax,
  { quizPlace: place, answers }: { quizPlace: QuizPlace; answers: Answers },
): PlacedQuestions {
  const { limits, language } = syntax;
  const asked: QuizQuestion[] = [];
  const above = new AboveQuestion(tokens);
  const branches: { closing: JsxItem; condition: string | undefined }[] = [];
  const toHtml = (text: string): string => renderFragment(text, syntax);
  let size = 0;
  const render = (questions: QuizQuestion[], firstNumber: number): string => {
    const pieces = renderQuizPieces(questions, { answers, language, kind: "self-check", firstNumber });
    for (const piece of pieces) checkQuestionsSize((size += piece.length), limits);
    return pieces.join("");
  };
  const isApart = place === "quiz";
  for (const [index, token] of tokens.entries()) {
    above.pass(token, index);
    const { item, shown } = jsxOf(token) ?? {};
    if (item !== undefined && branches.at(-1)?.closing === item) branches.pop();
    if (shown?.opens?.condition !== undefined) branches.push(shown.opens);
    if (shown?.choices === undefined) continue;
    const number = asked.length + 1;
    const question = toQuizQuestion(
      shown.choices,
      {
        legend: isApart ? above.findLegend(number) : String(number),
        above: isApart ? above.findContext(index) : "",
        conditions: isApart ? branches.map(({ condition = "" }) => condition) : [],
      },
      toHtml,
    );
    above.startAfter(index);
    token.content = isApart ? `<div data-question="${number}"></div>\n` : render([question], number);
    asked.push(question);
    size += question.legend.length + question.above.length + (question.condition?.length ?? 0);
    checkQuestionsSize(size, limits);
  }
  size = 0;
  return { quizHtml: isApart ? render(asked, 1) : "", questions: asked.length };
}

/** Finds the context of a question: the last heading, and the blocks since that heading or the previous question. */
class AboveQuestion {
  #heading: Token | undefined;
  #start = 0;

  readonly #tokens: Token[];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  pass(token: Token, index: number): void {
    if (token.type !== "heading_close") return;
    this.#heading = this.#tokens[index - 1];
    this.startAfter(index);
  }

  startAfter(index: number): void {
    this.#start = index + 1;
  }

  findLegend(number: number): string {
    const legend = this.#heading === undefined ? "" : renderTokens([this.#heading]).trim();
    return legend === "" ? String(number) : legend;
  }

  /**
   * Returns the context if it is short and complete HTML, else its last block; "" if the block is not short and
   * complete, either.
   */
  findContext(index: number): string {
    const blocks = this.#listBlocks(index);
    for (const part of [blocks, blocks.slice(-1)]) {
      const tokens = part.flat();
      const size = tokens.reduce((sum, { content }) => sum + content.length, 0);
      if (size === 0 || size > MAX_CONTEXT) continue;
      const html = renderTokens(tokens);
      if (isBalanced(html)) return html;
    }
    return "";
  }

  /** Lists the blocks above the question at its level, without thematic breaks, videos and notebook links. */
  #listBlocks(index: number): Token[][] {
    const level = this.#tokens[index]?.level ?? 0;
    let blocks: Token[][] = [];
    let block: Token[] = [];
    for (const token of this.#tokens.slice(this.#start, index)) {
      if (token.level < level) {
        [blocks, block] = [[], []];
        continue;
      }
      block.push(token);
      if (token.level > level || token.nesting === 1) continue;
      if (token.type !== "hr" && !isEmbedded(token)) blocks.push(block);
      block = [];
    }
    return blocks;
  }
}

function isEmbedded({ content, type }: Token): boolean {
  return type === "html_block" && /^<(?:iframe|ul class="notebooks")/.test(content);
}

const HTML_TAG = /<(\/?)([a-z][\w-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
const VOID_TAG = /^(?:area|br|col|embed|hr|img|input|link|source|track|wbr)$/i;

function isBalanced(html: string): boolean {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of html.matchAll(HTML_TAG)) {
    if (VOID_TAG.test(name) || tag.endsWith("/>")) continue;
    if (slash === "") open.push(name.toLowerCase());
    else if (open.pop() !== name.toLowerCase()) return false;
  }
  return open.length === 0;
}
