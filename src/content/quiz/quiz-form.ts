// Renders questions as a form that works without scripts and hides answers by default.
import { findByLanguage } from "../by-language.ts";
import { publishesAnswers, type AnswerCount, type Answers, type QuestionKind } from "./answers.ts";
import { escapeHtml } from "../html/escape.ts";

/** A choice, whose texts are HTML. */
export interface QuizChoice {
  text: string;
  /** Whether the choice is right, if known. */
  isCorrect: boolean | undefined;
  /** Explains why the choice is right or wrong, if given. */
  feedback: string | undefined;
}

export type QuizInput =
  | { kind: "choices"; isSingle: boolean; choices: QuizChoice[] }
  | { kind: "menu"; choices: QuizChoice[] }
  /**
   * `pattern` matches right answers that cannot be listed; `tolerance` is how far off a number can be, such as `0.5` or
   * `2%`.
   */
  | { kind: "text"; isNumber: boolean; isLong?: boolean; answers: string[]; pattern?: string; tolerance?: string };

export interface QuizQuestion {
  /** The question, as HTML without blocks. */
  legend: string;
  /** The HTML above the input. */
  above: string;
  below: string;
  input: QuizInput;
  /** Hints shown before answering. */
  hints: string[];
  solution: string | undefined;
  /** The condition for showing the question; absent if every reader sees it. */
  condition?: string;
}

export interface QuizFormOptions {
  answers: Answers;
  /** The course's language, if known. */
  language: string | undefined;
  /** The kind of the questions; "question" by default. */
  kind?: QuestionKind;
  /** The number of the first question; 1 by default. */
  firstNumber?: number;
}

// Submitting a dialog form does not navigate. In other forms, the Enter key would reload the page.
const OPENING = '<form class="quiz" method="dialog">\n';
const CLOSING = "</form>\n";

/** Counts the questions with answers. Returns undefined if there are none. */
export function countAnswers(questions: readonly QuizQuestion[], answers: Answers): AnswerCount | undefined {
  const count = questions.filter(hasAnswer).length;
  return count === 0 ? undefined : { kind: "question", count, isTold: publishesAnswers(answers, "question") };
}

function hasAnswer({ input, solution }: QuizQuestion): boolean {
  if (solution !== undefined) return true;
  if (input.kind === "text") return input.answers.length > 0;
  return input.choices.some(({ isCorrect, feedback }) => isCorrect !== undefined || feedback !== undefined);
}

/** Renders one form with all questions, in order; "" if there are none. */
export function renderQuizForm(questions: readonly QuizQuestion[], options: QuizFormOptions): string {
  return renderQuizPieces(questions, options).join("");
}

/** Returns the form's opening tag, questions and closing tag; an empty list without questions. */
export function renderQuizPieces(questions: readonly QuizQuestion[], options: QuizFormOptions): string[] {
  if (questions.length === 0) return [];
  const { firstNumber = 1 } = options;
  return [
    OPENING,
    ...questions.map((question, index) => renderQuestion(question, firstNumber + index, options)),
    CLOSING,
  ];
}

function renderQuestion(
  question: QuizQuestion,
  number: number,
  { answers, language, kind = "question" }: QuizFormOptions,
): string {
  const isTold = publishesAnswers(answers, kind);
  const { legend, above, below, input, condition } = question;
  const shownIf = condition === undefined ? "" : ` data-if="${escapeHtml(condition)}"`;
  const parts = [
    `<fieldset data-question="${number}"${shownIf}>\n<legend>${legend || `Question ${number}`}</legend>\n`,
    above,
    renderInput(input, `question-${number}`, isTold, language),
    below,
    renderHelp(question, { answers, language, kind }),
  ];
  return [...parts, "</fieldset>\n"].join("");
}

/** Renders hints and, if answers are published, the solution. */
export function renderHelp(
  { hints, solution }: Pick<QuizQuestion, "hints" | "solution">,
  { answers, language, kind = "question" }: QuizFormOptions,
): string {
  const parts = hints.map((hint) => `<details class="hint"><summary>Hint</summary>${hint}</details>\n`);
  if (publishesAnswers(answers, kind) && solution !== undefined)
    parts.push(renderExplanation(solution, language), "\n");
  return parts.join("");
}

function renderInput(input: QuizInput, name: string, isTold: boolean, language: string | undefined): string {
  if (input.kind === "text") return renderTextInput(input, name, isTold);
  const answerOf = ({ isCorrect }: QuizChoice): string =>
    isTold && isCorrect !== undefined ? ` data-correct="${isCorrect}"` : "";
  if (input.kind === "menu") {
    const options = input.choices.map((choice, index) => {
      return `<option value="${index + 1}"${answerOf(choice)}>${choice.text}</option>\n`;
    });
    return `<select name="${name}">\n<option value=""></option>\n${options.join("")}</select>\n`;
  }
  const type = input.isSingle ? "radio" : "checkbox";
  const choices = input.choices.map((choice, index) => {
    const box = `<input type="${type}" name="${name}" value="${index + 1}"${answerOf(choice)}>`;
    const explanation =
      isTold && choice.feedback !== undefined ? `\n${renderExplanation(choice.feedback, language)}` : "";
    return `<div class="choice"><label>${box} ${choice.text}</label>${explanation}</div>\n`;
  });
  return choices.join("");
}

function renderTextInput(
  { isNumber, isLong = false, answers, tolerance }: Extract<QuizInput, { kind: "text" }>,
  name: string,
  isTold: boolean,
): string {
  if (isLong) return `<textarea name="${name}" rows="6" aria-label="Answer"></textarea>\n`;
  const mode = isNumber ? ' inputmode="decimal"' : "";
  const within = tolerance === undefined ? "" : ` data-tolerance="${escapeHtml(tolerance)}"`;
  const known = isTold && answers.length > 0 ? ` data-answers="${escapeHtml(JSON.stringify(answers))}"${within}` : "";
  return `<input type="text" name="${name}"${mode} autocomplete="off" aria-label="Answer"${known}>\n`;
}

function renderExplanation(html: string, language: string | undefined): string {
  return `<details><summary>${nameExplanation(language)}</summary>${html}</details>`;
}

const WORDS: Record<string, string> = {
  ar: "الشرح",
  bn: "ব্যাখ্যা",
  de: "Erklärung",
  en: "Explanation",
  es: "Explicación",
  fa: "توضیح",
  fr: "Explication",
  hi: "व्याख्या",
  id: "Penjelasan",
  it: "Spiegazione",
  ja: "解説",
  ko: "설명",
  nl: "Uitleg",
  pl: "Wyjaśnienie",
  pt: "Explicação",
  ru: "Объяснение",
  th: "คำอธิบาย",
  tr: "Açıklama",
  uk: "Пояснення",
  vi: "Giải thích",
  zh: "解释",
  "zh-hant": "解釋",
};

/** Returns the label of explanations in a language (BCP 47), or in English if the language is unknown. */
function nameExplanation(language: string | undefined): string {
  return findByLanguage(WORDS, language) ?? "Explanation";
}
