// Converts Open edX problems to quiz forms. Removes answers from every visible text.
import { escapeHtml } from "../../html/escape.ts";
import { toPlainText } from "../../html/plain-text.ts";
import { isElement, listElements, textOf, type XmlElement, type XmlNode } from "../../html/xml.ts";
import type { QuizChoice, QuizInput, QuizQuestion } from "../../quiz/quiz-form.ts";
import { renderUnavailable } from "../lesson-parts.ts";
import { findAll, revealsAnswer, keepText, RESPONSE, toHtml, withoutAnswers } from "./olx-problem-text.ts";

/** Where readers find skipped content. */
export const PLATFORM = "Open edX";

/** The questions of a problem. */
export interface OlxProblem {
  questions: QuizQuestion[];
  /** The type of each unsupported response. */
  unknown: string[];
  /** The HTML of a problem without supported questions; otherwise "". */
  text: string;
}

const RESPONSES = new Set(
  "multiplechoiceresponse choiceresponse optionresponse numericalresponse stringresponse".split(" "),
);
const GROUPS = new Set("choicegroup checkboxgroup radiogroup optioninput textline formulaequationinput".split(" "));
/** Inputs that accept every answer of their response. */
const LINES = new Set(["textline", "formulaequationinput"]);
/** The maximum number of such inputs in a response, since each repeats all answers. */
const MAX_LINES = 20;
const VARIABLE = /\$\{?[a-z_]/i;

/** Reads a problem; `title` is "" if the problem has no name. */
export function readProblem(problem: XmlElement, title: string): OlxProblem {
  const isProgrammed = findAll(problem, (name) => name === "script").length > 0;
  // The problem's text contains variables that its script fills in.
  if (isProgrammed && VARIABLE.test(textOf(withoutAnswers(problem)))) {
    const what = "problem with a program";
    return { questions: [], unknown: [what], text: renderUnavailable(PLATFORM, escapeHtml(title || what)) };
  }
  const reader = new ProblemReader(problem, title, isProgrammed);
  reader.visit(problem.children);
  return reader.finish();
}

class ProblemReader {
  readonly #questions: QuizQuestion[] = [];
  readonly #unknown: string[] = [];
  /** The nodes above the next response. The HTML of unsupported parts, `#shown`, precedes them. */
  #above: XmlNode[] = [];
  #shown = "";
  /** The next question's text, if any. */
  #legend: string | undefined;
  /** The title of the problem until the first question shows it; then "". */
  #title: string;
  readonly #isProgrammed: boolean;
  readonly #hints: string[];
  readonly #solutions: string[] = [];
  /** Elements that contain a response, an input, a solution or a label: their children are read one by one. */
  readonly #around = new Set<XmlElement>();

  constructor(problem: XmlElement, title: string, isProgrammed: boolean) {
    this.#title = escapeHtml(title);
    this.#isProgrammed = isProgrammed;
    this.#hints = findAll(problem, (name) => name === "demandhint").flatMap((demanded) =>
      listElements(demanded, "hint").map((hint) => toHtml(hint.children)),
    );
    this.#findAround(problem);
  }

  visit(nodes: readonly XmlNode[]): void {
    for (const node of nodes) {
      if (!isElement(node)) this.#above.push(node);
      else if (RESPONSE.test(node.name)) this.#readResponse(node);
      else if (node.name === "solution") this.#solutions.push(toHtml(node.children));
      else if (node.name === "label") this.#legend = toHtml(node.children).trim();
      else if (this.#around.has(node)) this.visit(node.children);
      else if (!revealsAnswer(node)) this.#above.push(node);
    }
  }

  finish(): OlxProblem {
    const last = this.#questions.at(-1);
    if (last !== undefined) {
      last.below += this.#takeAbove();
      last.hints.push(...this.#hints);
      if (this.#solutions.length > 0) last.solution = [last.solution ?? "", ...this.#solutions].join("");
    }
    return { questions: this.#questions, unknown: this.#unknown, text: last === undefined ? this.#takeAbove() : "" };
  }

  #readResponse(response: XmlElement): void {
    const [label] = findAll(response, (name) => name === "label");
    if (label !== undefined) this.#legend = toHtml(label.children).trim();
    const inputs = RESPONSES.has(response.name) ? findAll(response, (name) => GROUPS.has(name)) : [];
    const isAsked = inputs.length > 0 && inputs.filter(({ name }) => LINES.has(name)).length <= MAX_LINES;
    if (isAsked) this.#takeApart(response.children, response);
    else this.#showUnknown(response);
  }

  // Shows the author's text, and where to answer.
  #showUnknown(response: XmlElement): void {
    const what = response.name.replace(RESPONSE, " response").trim();
    this.#unknown.push(what);
    this.#above.push(...keepText(response.children));
    const legend = this.#takeLegend("");
    const above = this.#takeAbove();
    this.#shown = `${above}${renderUnavailable(PLATFORM, legend === "" && above === "" ? what : legend)}\n`;
  }

  /** Splits a response into inputs and the text around them, in order. */
  #takeApart(nodes: readonly XmlNode[], response: XmlElement): void {
    for (const node of nodes) {
      if (!isElement(node)) this.#above.push(node);
      else if (GROUPS.has(node.name)) this.#addQuestion(response, node);
      else if (node.name === "solution") this.#solutions.push(toHtml(node.children));
      else if (node.name === "label") this.#legend = toHtml(node.children).trim();
      else if (node.name === "description") this.#above.push({ ...node, name: "p" });
      else if (revealsAnswer(node)) continue;
      else if (this.#around.has(node)) this.#takeApart(node.children, response);
      else this.#above.push(node);
    }
  }

  #addQuestion(response: XmlElement, group: XmlElement): void {
    const legend = this.#takeLegend(escapeHtml(group.attributes.get("label") ?? ""));
    const input = readInput(response, group, this.#isProgrammed);
    const above = this.#takeAbove();
    // Older problems repeat the question for screen readers.
    const isSaid = legend !== "" && toPlainText(above) === toPlainText(legend);
    // The text after an input, such as the unit °C.
    const trailing = group.attributes.get("trailing_text")?.trim() ?? "";
    const below = trailing === "" ? "" : `${escapeHtml(trailing)}\n`;
    this.#questions.push({
      legend,
      above: isSaid ? "" : above,
      below,
      input,
      hints: [],
      solution: describePattern(input),
    });
  }

  #takeLegend(label: string): string {
    const legend = this.#legend ?? (label || this.#title);
    this.#legend = undefined;
    this.#title = "";
    return legend;
  }

  #takeAbove(): string {
    const html = toHtml(this.#above).trim();
    const above = this.#shown + (html === "" ? "" : `${html}\n`);
    this.#above = [];
    this.#shown = "";
    return above;
  }

  #findAround(element: XmlElement): boolean {
    const { name } = element;
    let holds = RESPONSE.test(name) || GROUPS.has(name) || name === "solution" || name === "label";
    for (const child of listElements(element)) holds = this.#findAround(child) || holds;
    if (holds) this.#around.add(element);
    return holds;
  }
}

function readInput(response: XmlElement, group: XmlElement, isProgrammed: boolean): QuizInput {
  switch (group.name) {
    case "choicegroup":
    case "checkboxgroup":
    case "radiogroup": {
      const choices = listElements(group, "choice").map(toChoice);
      const isSingle = response.name === "multiplechoiceresponse" || group.name === "radiogroup";
      return { kind: "choices", isSingle, choices };
    }
    case "optioninput":
      return { kind: "menu", choices: listOptions(group) };
    default:
      return { kind: "text", isNumber: response.name === "numericalresponse", ...readAnswers(response, isProgrammed) };
  }
}

// The solution describes a range or a regular expression, since a reader cannot type one as the answer.
function describePattern(input: QuizInput): string | undefined {
  return input.kind === "text" && input.pattern !== undefined
    ? `<p><code>${escapeHtml(input.pattern)}</code></p>`
    : undefined;
}

// Ignores `stringequalhint`, which contains wrong answers.
function readAnswers(
  response: XmlElement,
  isProgrammed: boolean,
): { answers: string[]; pattern?: string; tolerance?: string } {
  const more = findAll(response, (name) => name === "additional_answer");
  const written = [response, ...more].map(({ attributes }) => attributes.get("answer")?.trim() ?? "");
  const answers = written.filter((answer) => answer !== "" && !(isProgrammed && VARIABLE.test(answer)));
  const isPattern =
    response.name === "numericalresponse"
      ? answers.some((answer) => answer.includes(",") && /^[[(].*[\])]$/s.test(answer))
      : /\bregexp\b/.test(response.attributes.get("type") ?? "");
  if (isPattern) return { answers: [], pattern: answers.join("\n") };
  const given = listElements(response, "responseparam").find(
    ({ attributes }) => attributes.get("type") === "tolerance",
  );
  const tolerance = given?.attributes.get("default")?.replaceAll(" ", "") ?? "";
  return /^(?:\d+|\d*\.\d+)(?:e-?\d+)?%?$/i.test(tolerance) ? { answers, tolerance } : { answers };
}

function toChoice(choice: XmlElement): QuizChoice {
  const hints = listElements(choice).filter(({ name }) => name.endsWith("hint"));
  return {
    text: toHtml(choice.children).trim(),
    isCorrect: toTruth(choice.attributes.get("correct")),
    feedback: hints.length === 0 ? undefined : hints.map((hint) => toHtml(hint.children).trim()).join("<br>"),
  };
}

// Reads <option correct="True">, or options="('red','green')" correct="red".
function listOptions(input: XmlElement): QuizChoice[] {
  const options = listElements(input, "option");
  if (options.length > 0) {
    return options.map((option) => ({ ...toChoice(option), text: escapeHtml(textOf(withoutAnswers(option))) }));
  }
  const correct = input.attributes.get("correct");
  // The last alternative takes an unclosed option, so that the search for its end is not repeated.
  const listed = (input.attributes.get("options") ?? "").matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|['"].*/gs);
  const written = Array.from(listed, ([, single, double]) => single ?? double).filter((text) => text !== undefined);
  return written.map((option) => {
    const text = option.replace(/\\(.)/g, "$1");
    return {
      text: escapeHtml(text),
      isCorrect: correct === undefined ? undefined : text === correct,
      feedback: undefined,
    };
  });
}

function toTruth(text: string | undefined): boolean | undefined {
  const lowered = text?.toLowerCase();
  return lowered === "true" || lowered === "false" ? lowered === "true" : undefined;
}
