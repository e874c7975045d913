// The questions of one lesson of LiaScript: of quizzes below a text, and of gaps in it.
import { escapeHtml } from "../../html/escape.ts";
import { checkQuestionsSize, type SourceLimits } from "../../limits.ts";
import type { TallyEntry } from "../../tally.ts";
import { readGap, type QuizBlock } from "./liascript-quiz.ts";
import type { MarkdownCode } from "../../markdown/markdown-code.ts";
import type { Replacement } from "../../markdown/outside-code.ts";
import type { QuizInput, QuizQuestion } from "../../quiz/quiz-form.ts";

/** A lesson has no more questions. */
const MAX_QUESTIONS = 1000;
/** A question's context is no longer than this; more is the lesson's text. */
const MAX_ABOVE = 2000;
const QUIZ = { what: "quiz", plural: "quizzes", isKept: true };
const SURVEY = { what: "survey", isKept: true };
const SURPLUS = { what: "quiz above 1,000 of a lesson", plural: "quizzes above 1,000 of a lesson", isKept: false };

interface QuestionsOptions {
  /** HTML of Markdown with what LiaScript adds to it. */
  render: (markdown: string) => string;
  /** HTML of what stands around a gap. */
  renderAsked: (markdown: string) => string;
  findCode: (markdown: string) => MarkdownCode;
  count: (kind: Omit<TallyEntry, "count">) => void;
  limits: SourceLimits;
}

/** Gathers the questions of a lesson, in their order. */
export class LiaScriptQuestions {
  readonly all: QuizQuestion[] = [];
  #size = 0;
  readonly #options: QuestionsOptions;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Adds the questions of a quiz, those that the lesson still may have; gives what stands in its place. `above` is what a lesson shows before it. */
  addBlock({ inputs, hints, solution, isSurvey }: QuizBlock, above: readonly string[]): string {
    if (this.all.length >= MAX_QUESTIONS) return this.#dropQuiz();
    this.#options.count(isSurvey ? SURVEY : QUIZ);
    const context = findParagraph(above);
    const first = this.all.length + 1;
    const asked = inputs.slice(0, MAX_QUESTIONS - this.all.length);
    for (const [index, { label, input }] of asked.entries()) {
      const isFirst = index === 0;
      const isLast = index === asked.length - 1;
      this.all.push({
        legend: label === "" ? "" : this.#render(label),
        above: isFirst && context !== "" ? `<p>${this.#render(context)}</p>\n` : "",
        below: "",
        input: this.#renderInput(input),
        hints: isLast ? hints.map((hint) => this.#render(hint)) : [],
        solution: isLast && solution !== undefined ? this.#render(solution) : undefined,
      });
    }
    if (asked.length < inputs.length) this.#options.count(SURPLUS);
    const marks = asked.map((_, index) => `<span data-question="${first + index}"></span>`);
    // A paragraph of its own, whatever stands around it.
    return `\n${marks.join("")}\n`.trim();
  }

  /** Adds the question of the gap that begins at `start` of a text with that code; undefined where none does. */
  readGap(text: string, code: MarkdownCode, start: number): Replacement | undefined {
    // A choice where none is read, such as in a quotation: which is right is not told.
    const choice = /^\[\([ \t]*[Xx]?[ \t]*\)\]/.exec(text.slice(start, start + 20));
    if (choice !== null) return { end: start + choice[0].length, by: "○" };
    const gap = readGap(text, start);
    // [[a]](b) and [[a]: b] are links.
    if (gap === undefined || /^[(:[]/.test(text.slice(gap.end))) return undefined;
    if (this.all.length >= MAX_QUESTIONS) return { end: gap.end, by: this.#dropQuiz() };
    const asked = findLineAround(text, code, start, gap.end);
    this.#options.count(gap.isSurvey ? SURVEY : QUIZ);
    this.all.push({
      legend: this.#options.renderAsked(asked.replace(/^[\s>*+#-]+/, "")),
      above: "",
      below: "",
      input: this.#renderInput(gap.input),
      hints: [],
      solution: undefined,
    });
    return { end: gap.end, by: `<span data-question="${this.all.length}">…</span>` };
  }

  // Its text may tell the answer.
  #dropQuiz(): string {
    this.#options.count(SURPLUS);
    return "…";
  }

  #renderInput(input: QuizInput): QuizInput {
    if (input.kind === "text") return input;
    const isMenu = input.kind === "menu";
    // A menu holds text only.
    const choices = input.choices.map((choice) => ({
      ...choice,
      text: isMenu ? escapeHtml(choice.text) : this.#render(choice.text),
    }));
    return { ...input, choices };
  }

  /** Throws UnreadableText where all that was rendered is too large: each row of a matrix repeats the texts above its columns. */
  #render(markdown: string): string {
    const text = markdown.trim();
    const html = this.#options.render(hideGaps(text, this.#options.findCode(text)));
    this.#size += html.length;
    checkQuestionsSize(this.#size, this.#options.limits);
    return html;
  }
}

/** The line around a gap, or so much of it as a question needs, with the gap as "…". */
function findLineAround(text: string, code: MarkdownCode, start: number, end: number): string {
  const from = Math.max(0, start - MAX_ABOVE / 2);
  const before = text.slice(from, start);
  const after = text.slice(end, end + MAX_ABOVE / 2);
  const lineStart = before.lastIndexOf("\n") + 1;
  const lineEnd = after.indexOf("\n");
  // What is cut off within another gap would tell its answer.
  const cutStart = lineStart > 0 || from === 0 ? lineStart : (/^\[?[^[\]]*\]+/.exec(before)?.[0].length ?? 0);
  const shownAfter = lineEnd === -1 ? after.replace(/\[(?:->)?\[?[^[\]]*\]?$/, "") : after.slice(0, lineEnd);
  return `${hideGaps(before.slice(cutStart), code, from + cutStart)}…${hideGaps(shownAfter, code, end)}`;
}

/** `text` begins at an offset of the text that has the code. */
function hideGaps(text: string, code: MarkdownCode, offset = 0): string {
  return text.replace(/\[(?:->)?\[[^[\]]*\]\]?\](?![(:[])/g, (gap, at: number) =>
    code.findEnd(offset + at) === undefined ? "…" : gap,
  );
}

/** What stands directly above a quiz: what it asks. */
function findParagraph(lines: readonly string[]): string {
  let end = lines.length;
  while (end > 0 && (lines[end - 1] ?? "").trim() === "") end--;
  let start = end;
  while (start > 0 && (lines[start - 1] ?? "").trim() !== "" && end - start < 30) start--;
  const text = lines.slice(start, end).join("\n").trim();
  const isBlock = /^(?:[`~]{3}|\||<|#|>|[-*+][ \t]|\d+[.)][ \t])/m.test(text) || text.includes("data-question");
  return isBlock || text.length > MAX_ABOVE ? "" : text;
}
