// Converts QTI 1.2 questions to a quiz form.
import { escapeHtml } from "../../html/escape.ts";
import { toPlainText } from "../../html/plain-text.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";
import { findElement, isElement, listElements, textOf, type XmlElement } from "../../html/xml.ts";
import type { QuizChoice, QuizInput, QuizQuestion } from "../../quiz/quiz-form.ts";
import { renderUnavailable } from "../lesson-parts.ts";

/** Where readers can find skipped content. */
export const PLATFORM = "the course's own platform";
/** The maximum number of bank questions counted in one quiz: the file can state any number. */
const MAX_DRAWN = 1000;
/** The maximum number of text responses in an item that share their right answers. */
const MAX_REPEATS = 20;
const FOR_LEARNERS = /^(?:all|candidate)?$/i;

/** The questions of an assessment. */
export interface Assessment {
  questions: QuizQuestion[];
  /** The type of each unsupported question. */
  unknown: string[];
  /** The HTML of an assessment without supported questions; otherwise "". */
  text: string;
  /** The text above all questions; "" if absent. */
  introduction: string;
}

/** Reads the items of all sections, in order. */
export function readAssessment(root: XmlElement): Assessment {
  const questions: QuizQuestion[] = [];
  const unknown: string[] = [];
  const introduction: string[] = [];
  // Text between questions belongs to the next question.
  let text = "";
  const addItem = (item: XmlElement): void => {
    const read = readItem(item);
    if (read.unknown !== undefined) unknown.push(read.unknown);
    const [first] = read.questions;
    if (first === undefined) text += read.text;
    else {
      first.above = text + first.above;
      text = "";
      questions.push(...read.questions);
    }
  };
  const visit = (element: XmlElement): void => {
    for (const child of listElements(element)) {
      if (child.name === "item") addItem(child);
      else if (child.name === "rubric" || child.name === "presentation_material") {
        if (FOR_LEARNERS.test(child.attributes.get("view") ?? "")) introduction.push(readMaterial(child));
      } else {
        unknown.push(...listDrawn(child, MAX_DRAWN - unknown.length));
        visit(child);
      }
    }
  };
  visit(root);
  const last = questions.at(-1);
  if (last !== undefined) last.below += text;
  return { questions, unknown, text: last === undefined ? text : "", introduction: introduction.join("\n").trim() };
}

/** Lists one entry for each question drawn from a bank, since question banks are unsupported. */
function listDrawn(selection: XmlElement, most: number): string[] {
  if (selection.name !== "selection" || findElement(selection, "sourcebank_ref") === undefined) return [];
  const count = Number(textOf(findElement(selection, "selection_number") ?? selection));
  const length = Number.isInteger(count) ? Math.max(count, 1) : 1;
  return Array.from({ length: Math.max(Math.min(length, most), 0) }, () => "bank question");
}

interface Item {
  questions: QuizQuestion[];
  /** The text of an item without a supported question. */
  text: string;
  /** The item's type, if unsupported. */
  unknown: string | undefined;
}

function readItem(item: XmlElement): Item {
  const kind = findKind(item);
  const presentation = findElement(item, "presentation");
  if (kind === "text only") return { questions: [], text: withLine(readMaterial(item)), unknown: undefined };
  const unknown: Item = { questions: [], text: "", unknown: `${kind ?? "other"} question` };
  // A calculated question is unsupported: it generates new numbers each time.
  if (presentation === undefined || kind === "calculated") return unknown;
  const parts = listParts(presentation);
  const responses = parts.filter((part) => RESPONSES.includes(part.name));
  if (responses.length === 0) {
    // A question without a response element asks for a file upload, for example.
    const text = `${withLine(readMaterial(presentation))}${renderUnavailable(PLATFORM, "")}\n`;
    return { ...unknown, text };
  }
  const questions = toQuestions(item, parts, kind, responses.length === 1);
  if (questions === undefined) return unknown;
  const feedback = listElements(item, "itemfeedback");
  const told = feedback.map((each) => readMaterial(each)).filter((html) => html !== "");
  const last = questions.at(-1);
  if (last !== undefined) {
    last.hints = feedback.flatMap((each) => findAll(each, "hint").map((hint) => readMaterial(hint, false)));
    const solutions = [last.solution ?? "", ...told].filter((html) => html !== "");
    last.solution = solutions.length === 0 ? undefined : solutions.join("\n");
  }
  return { questions, text: "", unknown: undefined };
}

const RESPONSES = ["response_lid", "response_str", "response_num", "response_xy", "response_grp"];

/** Lists responses and the text between them, in order. */
function listParts(presentation: XmlElement): XmlElement[] {
  return listElements(presentation).flatMap((child) =>
    child.name === "material" || RESPONSES.includes(child.name) ? [child] : listParts(child),
  );
}

/** Converts each response to a question. Returns undefined if a response is unsupported. */
function toQuestions(
  item: XmlElement,
  parts: readonly XmlElement[],
  kind: string | undefined,
  isOne: boolean,
): QuizQuestion[] | undefined {
  const questions: QuizQuestion[] = [];
  const answers = listRightAnswers(item);
  const range = isOne ? findRange(item) : undefined;
  const repeats = new Map<ReadonlySet<string>, number>();
  let above = "";
  for (const part of parts) {
    if (!RESPONSES.includes(part.name)) {
      above += withLine(readMaterial(part));
      continue;
    }
    const right = answers.get(isOne ? "" : (part.attributes.get("ident") ?? "")) ?? new Set();
    const input = readInput(part, { kind, isOne, right, range });
    const count = (repeats.get(right) ?? 0) + 1;
    repeats.set(right, count);
    if (input === undefined || (input.kind === "text" && right.size > 0 && count > MAX_REPEATS)) return undefined;
    const solution = input.kind === "text" && input.pattern !== undefined ? `<p>${input.pattern}</p>` : undefined;
    questions.push({ legend: readLegend(part, kind), above, below: "", input, hints: [], solution });
    above = "";
  }
  const last = questions.at(-1);
  if (last !== undefined) last.below = above;
  return questions;
}

// Returns the text to match, or the name of a blank in the form used in the text, such as [color1].
function readLegend(response: XmlElement, kind: string | undefined): string {
  const material = listElements(response, "material").map((each) => readMaterial(each));
  const legend = unwrapParagraph(material.join(" ").trim());
  return legend !== "" && isBlanks(kind) ? `[${legend}]` : legend;
}

function isBlanks(kind: string | undefined): boolean {
  return kind === "fill in multiple blanks" || kind === "multiple dropdowns";
}

/** A response and its context in the item. */
interface Asked {
  kind: string | undefined;
  /** True if the item has no other response. */
  isOne: boolean;
  right: ReadonlySet<string>;
  range: Range | undefined;
}

function readInput(response: XmlElement, { kind, isOne, right, range }: Asked): QuizInput | undefined {
  if (response.name === "response_lid") {
    const labels = findAll(response, "response_label");
    if (labels.length === 0) return undefined;
    // The labels of a blank are its right answers.
    if (kind === "fill in multiple blanks") {
      return { kind: "text", isNumber: false, answers: labels.map((label) => toPlainText(readMaterial(label))) };
    }
    const choices = labels.map((label) => toChoice(label, right));
    const isSingle = response.attributes.get("rcardinality")?.toLowerCase() !== "multiple";
    if (isOne && !isBlanks(kind) && kind !== "matching") return { kind: "choices", isSingle, choices };
    if (!isSingle) return { kind: "choices", isSingle, choices };
    // An HTML option cannot contain markup.
    return {
      kind: "menu",
      choices: choices.map((choice) => ({ ...choice, text: escapeHtml(toPlainText(choice.text)) })),
    };
  }
  if (response.name !== "response_str" && response.name !== "response_num") return undefined;
  const isLong = kind === "essay";
  const isNumber =
    response.name === "response_num" ||
    kind === "numerical" ||
    findAll(response, "render_fib").some((field) =>
      /^(?:decimal|integer)$/i.test(field.attributes.get("fibtype") ?? ""),
    );
  if (isNumber && range !== undefined) return { kind: "text", isNumber, ...toAnswers(range, [...right]) };
  return { kind: "text", isNumber, isLong, answers: isLong ? [] : [...right] };
}

interface Range {
  low: string;
  high: string;
}

// Returns the range of right numbers; undefined if a bound is missing or both bounds are equal.
function findRange(item: XmlElement): Range | undefined {
  const [low] = [...findAll(item, "vargte"), ...findAll(item, "vargt")].map(textOf);
  const [high] = [...findAll(item, "varlte"), ...findAll(item, "varlt")].map(textOf);
  return low === undefined || high === undefined || Number(low) === Number(high) ? undefined : { low, high };
}

// Returns a single answer with a margin, as in Canvas, if the range is centered on the answer; otherwise the bounds.
function toAnswers(
  { low, high }: Range,
  answers: string[],
): { answers: string[]; pattern?: string; tolerance?: string } {
  const [answer] = answers;
  const margins = [Number(answer) - Number(low), Number(high) - Number(answer)].map((margin) => margin.toPrecision(9));
  const [below, above] = margins;
  return answers.length === 1 && below === above && Number(above) > 0
    ? { answers, tolerance: String(Number(above)) }
    : { answers: [], pattern: `${escapeHtml(low)} – ${escapeHtml(high)}` };
}

function toChoice(label: XmlElement, right: ReadonlySet<string>): QuizChoice {
  const id = label.attributes.get("ident") ?? "";
  const html = unwrapParagraph(readMaterial(label));
  return { text: html, isCorrect: right.size === 0 ? undefined : right.has(id), feedback: undefined };
}

// Unwraps a single paragraph, since labels cannot contain blocks.
function unwrapParagraph(html: string): string {
  return html.replace(/^<p>([^]*)<\/p>$/, (whole, inner: string) => (/<p[\s>]/.test(inner) ? whole : inner));
}

/** The right answers by response id; the key "" collects those of all responses. */
type RightAnswers = ReadonlyMap<string, ReadonlySet<string>>;

// Lists the answers that score points, except those inside `not`.
function listRightAnswers(item: XmlElement): RightAnswers {
  const right = new Map<string, Set<string>>();
  const add = (response: string, answer: string): void => {
    const known = right.get(response);
    if (known === undefined) right.set(response, new Set([answer]));
    else known.add(answer);
  };
  const visit = (element: XmlElement): void => {
    for (const child of listElements(element)) {
      if (child.name === "varequal" || child.name === "varsubstring") {
        for (const response of new Set(["", child.attributes.get("respident") ?? ""])) add(response, textOf(child));
      } else if (child.name !== "not") visit(child);
    }
  };
  for (const condition of findAll(item, "respcondition")) {
    const gives = listElements(condition, "setvar").some((set) => Number(textOf(set)) > 0);
    const conditions = findElement(condition, "conditionvar");
    if (gives && conditions !== undefined) visit(conditions);
  }
  return right;
}

/** Returns the question type in words, from the cartridge profile or Canvas's field; undefined if absent. */
function findKind(item: XmlElement): string | undefined {
  for (const field of findAll(item, "qtimetadatafield")) {
    const label = findElement(field, "fieldlabel");
    const entry = findElement(field, "fieldentry");
    if (label === undefined || entry === undefined || !/^(?:cc_profile|question_type)$/.test(textOf(label))) continue;
    return textOf(entry)
      .replace(/^cc\.|\.v\d+p\d+$|_question$/g, "")
      .replaceAll("_", " ");
  }
  return undefined;
}

// Reads the element's own text: responses and hints are read separately.
function readMaterial(element: XmlElement, skipsHints = true): string {
  const parts: string[] = [];
  const visit = (parent: XmlElement): void => {
    for (const child of listElements(parent)) {
      const { name, attributes } = child;
      if (name === "mattext" || name === "matemtext") parts.push(textToHtml(child));
      else if (name === "matimage") parts.push(`<img src="${escapeHtml(attributes.get("uri") ?? "")}" alt="">`);
      else if (!RESPONSES.includes(name) && !(skipsHints && name === "hint")) visit(child);
    }
  };
  visit(element);
  return parts.filter((part) => part !== "").join("\n");
}

function textToHtml(mattext: XmlElement): string {
  const isHtml = mattext.attributes.get("texttype")?.toLowerCase().includes("html") ?? false;
  if (!isHtml) return escapeHtml(textOf(mattext));
  // Unescaped HTML is parsed as elements of the XML document.
  return mattext.children.some(isElement) ? xmlToHtml(mattext.children, { isRawHtml: true }).trim() : textOf(mattext);
}

function withLine(html: string): string {
  return html === "" ? "" : `${html}\n`;
}

function findAll(element: XmlElement, name: string): XmlElement[] {
  return listElements(element).flatMap((child) => (child.name === name ? [child] : findAll(child, name)));
}
