// Problems of Open edX as questions of a form. What tells their answers is left out of every text that is shown.
import { escapeHtml } from "../../html/escape.ts";
import { toPlainText } from "../../html/plain-text.ts";
import { isElement, listElements, textOf, type XmlElement, type XmlNode } from "../../html/xml.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";
import type { QuizChoice, QuizInput, QuizQuestion } from "../../lessons/quiz-form.ts";

/** What a problem asks. */
export interface OlxProblem {
  questions: QuizQuestion[];
  /** The kinds of response in it that no form can have, each as often as it is there. */
  unknown: string[];
  /** Its text as HTML where it asks nothing; "" where it does. */
  text: string;
}

const RESPONSES = new Set([
  "multiplechoiceresponse",
  "choiceresponse",
  "optionresponse",
  "numericalresponse",
  "stringresponse",
]);
const GROUPS = new Set([
  "choicegroup",
  "checkboxgroup",
  "radiogroup",
  "optioninput",
  "textline",
  "formulaequationinput",
]);
/** Older problems have their texts in or between these; none is an element of HTML. */
const WRAPPERS = new Set(["text", "startouttext", "endouttext"]);
// Hints of a choice tell whether it is right; those on demand do not.
const TELLING =
  /^(?:script|solution|additional_answer|answer|responseparam|targetedfeedback(?:set)?)$|hint(?:group|part)?$|response$/;
const VARIABLE = /\$\{?[a-z_]/i;

/** Reads a problem. */
export function readProblem(problem: XmlElement): OlxProblem {
  // Its texts and answers are made by the program when it is shown.
  if (findAll(problem, (name) => name === "script").length > 0 && VARIABLE.test(textOf(withoutTelling(problem)))) {
    return { questions: [], unknown: ["problem with a program"], text: "" };
  }
  const reader = new ProblemReader(problem);
  reader.visit(problem.children);
  return reader.finish();
}

class ProblemReader {
  readonly #questions: QuizQuestion[] = [];
  readonly #unknown: string[] = [];
  /** What stands before the next response. */
  #above: XmlNode[] = [];
  #legend: string | undefined;
  readonly #hints: string[];
  readonly #solutions: string[] = [];
  /** Elements with a response in them: their texts are taken apart. */
  readonly #around = new Set<XmlElement>();

  constructor(problem: XmlElement) {
    this.#hints = findAll(problem, (name) => name === "demandhint").flatMap((demanded) =>
      listElements(demanded, "hint").map((hint) => toHtml(hint.children)),
    );
    this.#findAround(problem);
  }

  visit(nodes: readonly XmlNode[]): void {
    for (const node of nodes) {
      if (!isElement(node)) this.#above.push(node);
      else if (node.name.endsWith("response")) this.#readResponse(node);
      else if (node.name === "solution") this.#solutions.push(toHtml(node.children));
      else if (node.name === "label") this.#legend = toHtml(node.children).trim();
      else if (this.#around.has(node)) this.visit(node.children);
      else if (!TELLING.test(node.name)) this.#above.push(node);
    }
  }

  finish(): OlxProblem {
    const last = this.#questions.at(-1);
    if (last !== undefined) {
      last.below += this.#takeAbove();
      last.hints.push(...this.#hints);
      if (this.#solutions.length > 0) last.solution = [last.solution ?? "", ...this.#solutions].join("");
    }
    const asksNothing = last === undefined && this.#unknown.length === 0;
    return { questions: this.#questions, unknown: this.#unknown, text: asksNothing ? this.#takeAbove() : "" };
  }

  #readResponse(response: XmlElement): void {
    if (!RESPONSES.has(response.name) || findAll(response, (name) => GROUPS.has(name)).length === 0) {
      const name = response.name.replace(/response$/, " response").trim();
      this.#unknown.push(name);
      this.#above.push({ text: `[${name}: available in Open edX]`, isRaw: false });
      return;
    }
    const [label] = findAll(response, (name) => name === "label");
    if (label !== undefined) this.#legend = toHtml(label.children).trim();
    this.#takeApart(response.children, response);
  }

  /** Parts what a response holds into inputs and what stands around them, in their order. */
  #takeApart(nodes: readonly XmlNode[], response: XmlElement): void {
    for (const node of nodes) {
      if (!isElement(node)) this.#above.push(node);
      else if (GROUPS.has(node.name)) this.#addQuestion(response, node);
      else if (node.name === "solution") this.#solutions.push(toHtml(node.children));
      else if (node.name === "label") this.#legend = toHtml(node.children).trim();
      else if (node.name === "description") this.#above.push({ ...node, name: "p" });
      else if (TELLING.test(node.name)) continue;
      else if (this.#around.has(node)) this.#takeApart(node.children, response);
      else this.#above.push(node);
    }
  }

  #addQuestion(response: XmlElement, group: XmlElement): void {
    const label = group.attributes.get("label");
    const legend = this.#legend ?? (label === undefined ? "" : escapeHtml(label));
    const input = readInput(response, group);
    const above = this.#takeAbove();
    // Older ones say the same again for those who hear the page.
    const isSaid = legend !== "" && toPlainText(above) === toPlainText(legend);
    // A unit, such as °C.
    const trailing = group.attributes.get("trailing_text")?.trim() ?? "";
    const below = trailing === "" ? "" : `${escapeHtml(trailing)}\n`;
    this.#questions.push({ legend, above: isSaid ? "" : above, below, input, hints: [], solution: tellPattern(input) });
    this.#legend = undefined;
  }

  #takeAbove(): string {
    const html = toHtml(this.#above).trim();
    this.#above = [];
    return html === "" ? "" : `${html}\n`;
  }

  #findAround(element: XmlElement): boolean {
    const { name } = element;
    let holds = name.endsWith("response") || GROUPS.has(name) || name === "solution" || name === "label";
    for (const child of listElements(element)) holds = this.#findAround(child) || holds;
    if (holds) this.#around.add(element);
    return holds;
  }
}

function readInput(response: XmlElement, group: XmlElement): QuizInput {
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
      return { kind: "text", isNumber: response.name === "numericalresponse", ...readAnswers(response) };
  }
}

// A range or a regular expression is no answer that one could type.
function tellPattern(input: QuizInput): string | undefined {
  return input.kind === "text" && input.pattern !== undefined
    ? `<p><code>${escapeHtml(input.pattern)}</code></p>`
    : undefined;
}

// `stringequalhint` names answers that are wrong.
function readAnswers(response: XmlElement): { answers: string[]; pattern?: string; tolerance?: string } {
  const more = findAll(response, (name) => name === "additional_answer");
  const written = [response, ...more].map(({ attributes }) => attributes.get("answer")?.trim() ?? "");
  const answers = written.filter((answer) => answer !== "");
  const isPattern =
    response.name === "numericalresponse"
      ? answers.some((answer) => /^[[(].*,.*[\])]$/s.test(answer))
      : /\bregexp\b/.test(response.attributes.get("type") ?? "");
  if (isPattern) return { answers: [], pattern: answers.join("\n") };
  const given = listElements(response, "responseparam").find(
    ({ attributes }) => attributes.get("type") === "tolerance",
  );
  const tolerance = given?.attributes.get("default")?.replaceAll(" ", "") ?? "";
  return /^\d*\.?\d+(?:e-?\d+)?%?$/i.test(tolerance) ? { answers, tolerance } : { answers };
}

function toChoice(choice: XmlElement): QuizChoice {
  const hints = listElements(choice).filter(({ name }) => name.endsWith("hint"));
  return {
    text: toHtml(choice.children).trim(),
    isCorrect: toTruth(choice.attributes.get("correct")),
    feedback: hints.length === 0 ? undefined : hints.map((hint) => toHtml(hint.children).trim()).join("<br>"),
  };
}

// <option correct="True">, or options="('red','green')" correct="red".
function listOptions(input: XmlElement): QuizChoice[] {
  const options = listElements(input, "option");
  if (options.length > 0) {
    return options.map((option) => ({ ...toChoice(option), text: escapeHtml(textOf(withoutTelling(option))) }));
  }
  const correct = input.attributes.get("correct");
  const listed = (input.attributes.get("options") ?? "").matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g);
  return Array.from(listed, ([, single, double]) => {
    const text = (single ?? double ?? "").replace(/\\(.)/g, "$1");
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

function findAll(element: XmlElement, isWanted: (name: string) => boolean): XmlElement[] {
  return listElements(element).flatMap((child) => [
    ...(isWanted(child.name) ? [child] : []),
    ...findAll(child, isWanted),
  ]);
}

function withoutTelling(element: XmlElement): XmlElement {
  const children = element.children
    .filter((child) => !isElement(child) || !TELLING.test(child.name))
    .map((child) => (isElement(child) ? withoutTelling(child) : child));
  return { ...element, children };
}

// Text in CDATA is text in a problem.
function toHtml(nodes: readonly XmlNode[]): string {
  return xmlToHtml(nodes, {
    isRawHtml: false,
    replace: ({ name, children }) => {
      if (TELLING.test(name)) return "";
      return WRAPPERS.has(name) ? toHtml(children) : undefined;
    },
  });
}
