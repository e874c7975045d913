// Collects the questions, video and skipped parts of a LiaScript lesson.
import { escapeHtml } from "../../html/escape.ts";
import { checkQuestionsSize } from "../../limits.ts";
import { cutText } from "../../quote.ts";
import { countInto, type TallyEntry } from "../../tally.ts";
import { renderFragment } from "../../markdown/create-parser.ts";
import type { MarkdownSyntax, ReadParts, TextReading } from "../../markdown/markdown-environment.ts";
import type { Answers } from "../../quiz/answers.ts";
import { countAnswers, renderHelp, renderQuizForm, type QuizInput, type QuizQuestion } from "../../quiz/quiz-form.ts";
import type { Gap, QuizBlock, QuizRest } from "./liascript-quiz.ts";

/** The maximum number of questions per lesson. */
const MAX_QUESTIONS = 1000;
/** The maximum length of a question's context; a longer text appears only in the lesson. */
const MAX_ABOVE = 2000;
/** The maximum length of the text on each side of a gap. */
const MAX_BESIDE = MAX_ABOVE / 2;
/** The maximum number of macro names in one message. */
const MAX_KINDS = 50;
const KINDS = {
  narration: { what: "comment for a narrator", plural: "comments for a narrator", isKept: false },
  script: { what: "script of LiaScript", plural: "scripts of LiaScript", isKept: false },
  quiz: { what: "quiz", plural: "quizzes", isKept: true },
  survey: { what: "survey", isKept: true },
  surplus: {
    what: "quiz above the limit of 1,000 in a lesson",
    plural: "quizzes above the limit of 1,000 in a lesson",
    isKept: false,
  },
} satisfies Record<string, Omit<TallyEntry, "count">>;

/** Collects the findings of macro expansion and parser rules. */
export class LiaScriptReading implements TextReading {
  /** The URL of the first video. */
  videoUrl: string | undefined;
  /** The number of open animation blocks, which are between lines of stars. */
  openStars = 0;
  readonly #questions: QuizQuestion[] = [];
  readonly #tally = new Map<string, TallyEntry>();
  readonly #syntax: MarkdownSyntax;
  readonly #answers: Answers;
  #size = 0;

  constructor({ syntax, answers }: { syntax: MarkdownSyntax; answers: Answers }) {
    this.#syntax = syntax;
    this.#answers = answers;
  }

  finish(): ReadParts {
    const { videoUrl } = this;
    const quizHtml = renderQuizForm(this.#questions, { answers: this.#answers, language: this.#syntax.language });
    const tally = [...this.#tally.values()];
    if (tally.length === 0) return { quizHtml, videoUrl, remark: undefined };
    const answers = countAnswers(this.#questions, this.#answers);
    const dropped = tally.filter(({ isKept }) => !isKept);
    if (dropped.length === 0) {
      const message = "has parts that are shown in another form";
      return { quizHtml, videoUrl, remark: { kind: "counted", message, tally, answers } };
    }
    const parts = dropped.map(({ what, plural, count }) => `${count} ${count === 1 ? what : (plural ?? `${what}s`)}`);
    const message = `is shown without ${parts.join(", ")}`;
    return { quizHtml, videoUrl, remark: { kind: "dropped-component", message, tally, answers } };
  }

  count(kind: keyof typeof KINDS): void {
    countInto(this.#tally, KINDS[kind]);
  }

  countMacro(written: string): void {
    const isNamed = this.#tally.size < MAX_KINDS || this.#tally.has(`macro @${cutText(written)} of LiaScript`);
    const name = isNamed ? ` @${cutText(written)}` : "";
    countInto(this.#tally, { what: `macro${name} of LiaScript`, plural: `macros${name} of LiaScript`, isKept: false });
  }

  /**
   * Adds a quiz's questions up to the limit and returns their HTML. `above` is the preceding paragraph. Throws
   * UnreadableText if the HTML is too large.
   */
  addBlock({ inputs, hints, solution, isSurvey }: QuizBlock, above: string): string {
    const first = this.#questions.length + 1;
    const asked = inputs.slice(0, MAX_QUESTIONS - first + 1);
    if (asked.length > 0) this.count(isSurvey ? "survey" : "quiz");
    if (asked.length < inputs.length) this.count("surplus");
    if (asked.length === 0) return "…";
    const context = above.length > MAX_ABOVE ? "" : above;
    for (const [index, { label, input }] of asked.entries()) {
      const isLast = index === asked.length - 1;
      this.#questions.push({
        legend: label === "" ? "" : this.#render(label),
        above: index === 0 && context !== "" ? `<p>${this.#render(context)}</p>\n` : "",
        below: "",
        input: this.#renderInput(input),
        hints: isLast ? hints.map((hint) => this.#render(hint)) : [],
        solution: isLast && solution !== undefined ? this.#render(solution) : undefined,
      });
    }
    return asked.map((_, index) => `<span data-question="${first + index}"></span>`).join("");
  }

  /** Adds the question of the gap at `start` and returns its HTML. Throws UnreadableText if the HTML is too large. */
  addGap({ input, isSurvey, end }: Gap, text: string, start: number): string {
    if (this.#questions.length >= MAX_QUESTIONS) {
      this.count("surplus");
      return "…";
    }
    this.count(isSurvey ? "survey" : "quiz");
    const legend = this.#render(toAsked(text, start, end));
    this.#questions.push({
      legend,
      above: "",
      below: "",
      input: this.#renderInput(input),
      hints: [],
      solution: undefined,
    });
    return `<span data-question="${this.#questions.length}">…</span>`;
  }

  /** Renders what follows a text with gaps. Throws UnreadableText if the HTML is too large. */
  renderRest({ hints, solution }: QuizRest): string {
    const help = {
      hints: hints.map((hint) => this.#render(hint)),
      solution: solution === undefined ? undefined : this.#render(solution),
    };
    return renderHelp(help, { answers: this.#answers, language: this.#syntax.language });
  }

  #renderInput(input: QuizInput): QuizInput {
    if (input.kind === "text") return input;
    const isMenu = input.kind === "menu";
    // A menu can contain only text.
    const choices = input.choices.map((choice) => ({
      ...choice,
      text: isMenu ? escapeHtml(choice.text) : this.#render(choice.text),
    }));
    return { ...input, choices };
  }

  /**
   * Renders Markdown. Each row of a matrix repeats the columns' texts, so short sources can have a large output. Throws
   * UnreadableText if the total output is too large.
   */
  #render(markdown: string): string {
    const html = renderFragment(markdown, this.#syntax).trim();
    this.#size += html.length;
    checkQuestionsSize(this.#size, this.#syntax.limits);
    return html;
  }
}

/** Returns the line around a gap, cut to a question's length, with the gap as "…". */
function toAsked(text: string, start: number, end: number): string {
  // One more character shows whether the line is cut.
  const before = text.slice(Math.max(0, start - MAX_BESIDE - 1), start).replace(/^[^]*\n/, "");
  const after = text.slice(end, end + MAX_BESIDE + 1).replace(/\n[^]*$/, "");
  const [near, next] = [before.slice(-MAX_BESIDE), after.slice(0, MAX_BESIDE)];
  // A cut through another gap would reveal that gap's answer.
  const shown = near.length < before.length ? near.replace(/^\[?[^[\]]*\]+/, "") : near;
  return `${shown}…${next.length < after.length ? next.replace(/\[(?:->)?\[?[^[\]]*\]?$/, "") : next}`;
}
