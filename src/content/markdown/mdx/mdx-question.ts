// A question with choices: what a component of MDX says, as a part of a form that needs no script.
import { tellsAnswers, type Answers } from "../../quiz/answers.ts";
import { escapeHtml } from "../../html/escape.ts";
import { checkQuestionsSize, type SourceLimits } from "../../limits.ts";
import { nameExplanation } from "../../quiz/explanation-word.ts";
import { Markup, type LiteralValue } from "./js-literal.ts";
import type { Attributes } from "./mdx-attributes.ts";

/** Texts are Markdown, or markup as it stands. */
export interface Choice {
  text: string | Markup;
  /** Undefined where there is none. */
  explanation: string | Markup | undefined;
  isCorrect: boolean;
}

/** Why a component cannot be read; `offset` where that can be told. */
export interface UnreadQuestion {
  problem: string;
  offset: number | undefined;
}

/** Reads what a question is given. */
export function readQuestion(attributes: Attributes): { choices: Choice[] } | UnreadQuestion {
  const given = attributes.get("choices");
  if (given === undefined) return { problem: "it has no choices", offset: undefined };
  if ("problem" in given) return { problem: `its choices cannot be read: ${given.problem}`, offset: given.offset };
  if (!Array.isArray(given.value)) return { problem: "its choices are no list", offset: undefined };
  if (given.value.length === 0) return { problem: "it has no choices", offset: undefined };
  const choices: Choice[] = [];
  for (const value of given.value) {
    const choice = toChoice(value);
    if (choice === undefined) return { problem: `choice ${choices.length + 1} has no text`, offset: undefined };
    choices.push(choice);
  }
  return { choices };
}

function toChoice(value: LiteralValue): Choice | undefined {
  if (!(value instanceof Map)) return undefined;
  const text = toText(value.get("text"));
  if (text === undefined) return undefined;
  return { text, explanation: toText(value.get("explain")), isCorrect: value.get("correct") === true };
}

function toText(value: LiteralValue): string | Markup | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return value instanceof Markup ? value : undefined;
}

/** A question where it stands: `legend` and `context` are HTML of what stands above it. */
export interface AskedQuestion {
  choices: Choice[];
  /** Counts the questions of a lesson, from 1. */
  number: number;
  legend: string;
  context: string;
  /** On which readers are shown it: those of the branches around it. */
  conditions: readonly string[];
}

// Dialogs that are sent change no page, so a form that stands in none does nothing: the return key would load the page anew.
const OPENING = '<form class="quiz" method="dialog">\n';
const CLOSING = "</form>\n";

/** What a quiz is made with. */
export interface QuizOptions {
  limits: SourceLimits;
  answers: Answers;
  /** The language of the course (BCP 47); undefined: English. */
  language: string | undefined;
  /** Renders the text of a choice or an explanation. */
  toHtml: (text: string) => string;
}

/** One form with questions, in their order. Throws UnreadableText where it is too large. */
export function renderQuiz(questions: AskedQuestion[], options: QuizOptions): string {
  const parts = [OPENING];
  let size = 0;
  for (const question of questions) {
    const part = renderQuestion(question, options);
    size += part.length;
    checkQuestionsSize(size, options.limits);
    parts.push(part);
  }
  return [...parts, CLOSING].join("");
}

function renderQuestion(question: AskedQuestion, { answers, language, toHtml }: QuizOptions): string {
  const { choices, number, legend, context, conditions } = question;
  const isTold = tellsAnswers(answers, "self-check");
  const type = choices.filter(({ isCorrect }) => isCorrect).length === 1 ? "radio" : "checkbox";
  const render = (text: string | Markup): string => (text instanceof Markup ? text.html : toHtml(text));
  const lines = choices.map(({ text, explanation, isCorrect }, index) => {
    const answer = isTold ? ` data-correct="${isCorrect}"` : "";
    const input = `<input type="${type}" name="question-${number}" value="${index + 1}"${answer}>`;
    const details =
      explanation === undefined || !isTold
        ? ""
        : `\n<details><summary>${nameExplanation(language)}</summary>${render(explanation)}</details>`;
    return `<div class="choice"><label>${input} ${render(text)}</label>${details}</div>\n`;
  });
  const condition = conditions.length > 1 ? conditions.map((each) => `(${each})`).join(" && ") : conditions.join("");
  const shownIf = condition === "" ? "" : ` data-if="${escapeHtml(condition)}"`;
  return `<fieldset data-question="${number}"${shownIf}>\n<legend>${legend}</legend>\n${context}${lines.join("")}</fieldset>\n`;
}
