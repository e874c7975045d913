// Questions of QTI 1.2, as Common Cartridges have them, as questions of a form.
import { escapeHtml } from "../../html/escape.ts";
import { xmlToHtml } from "../../html/xml-to-html.ts";
import { findElement, isElement, listElements, textOf, type XmlElement } from "../../html/xml.ts";
import type { QuizChoice, QuizInput, QuizQuestion } from "../../lessons/quiz-form.ts";

/** What an assessment asks. */
export interface Assessment {
  questions: QuizQuestion[];
  /** The kinds of questions in it that no form can have, each as often as it is there. */
  unknown: string[];
  /** Its text as HTML where it asks nothing that a form can have; "" where it does. */
  text: string;
}

/** Reads an assessment: its sections' items in their order. */
export function readAssessment(root: XmlElement): Assessment {
  const questions: QuizQuestion[] = [];
  const unknown: string[] = [];
  // A text between questions stands above the next one.
  let text = "";
  for (const item of findAll(root, "item")) {
    if (findKind(item) === "text only") {
      text += withLine(readMaterial(item));
      continue;
    }
    const question = readItem(item);
    if (typeof question === "string") {
      unknown.push(question);
      continue;
    }
    questions.push({ ...question, above: text + question.above });
    text = "";
  }
  const last = questions.at(-1);
  if (last !== undefined) last.below += text;
  return { questions, unknown, text: last === undefined ? text : "" };
}

/** The kind of a question that no form can have, else the question. */
function readItem(item: XmlElement): QuizQuestion | string {
  const kind = findKind(item);
  const presentation = findElement(item, "presentation");
  const responses = presentation === undefined ? [] : RESPONSES.flatMap((name) => findAll(presentation, name));
  const [response] = responses;
  // The numbers of a calculated one are made when it is asked.
  const isOne = responses.length === 1 && kind !== "calculated";
  if (presentation === undefined || response === undefined || !isOne) return `${kind ?? "other"} question`;
  const input = readInput(item, response, kind);
  if (input === undefined) return `${kind ?? "other"} question`;
  const feedback = listElements(item, "itemfeedback");
  const told = feedback.map((each) => readMaterial(each)).filter((html) => html !== "");
  return {
    legend: "",
    above: withLine(readMaterial(presentation)),
    below: "",
    input,
    hints: feedback.flatMap((each) => findAll(each, "hint").map((hint) => readMaterial(hint, false))),
    solution: told.length === 0 ? undefined : told.join("\n"),
  };
}

const RESPONSES = ["response_lid", "response_str", "response_num", "response_xy", "response_grp"];

function readInput(item: XmlElement, response: XmlElement, kind: string | undefined): QuizInput | undefined {
  const right = listRightAnswers(item);
  if (response.name === "response_lid") {
    const isSingle = response.attributes.get("rcardinality")?.toLowerCase() !== "multiple";
    const labels = findAll(response, "response_label");
    const choices = labels.map((label) => toChoice(label, right));
    return choices.length === 0 ? undefined : { kind: "choices", isSingle, choices };
  }
  if (response.name !== "response_str" && response.name !== "response_num") return undefined;
  const isLong = kind === "essay";
  const isNumber = response.name === "response_num" || kind === "numerical";
  return { kind: "text", isNumber, isLong, answers: isLong ? [] : [...right] };
}

function toChoice(label: XmlElement, right: ReadonlySet<string>): QuizChoice {
  const id = label.attributes.get("ident") ?? "";
  // Words that need no markup: a label can hold no blocks.
  const html = readMaterial(label).replace(/^<p>([^]*)<\/p>$/, (whole, inner: string) =>
    /<p[\s>]/.test(inner) ? whole : inner,
  );
  return { text: html, isCorrect: right.size === 0 ? undefined : right.has(id), feedback: undefined };
}

// Those for which a condition gives points, but not what it forbids.
function listRightAnswers(item: XmlElement): Set<string> {
  const right = new Set<string>();
  const visit = (element: XmlElement): void => {
    for (const child of listElements(element)) {
      if (child.name === "varequal" || child.name === "varsubstring") right.add(textOf(child));
      else if (child.name !== "not") visit(child);
    }
  };
  for (const condition of findAll(item, "respcondition")) {
    const gives = listElements(condition, "setvar").some((set) => Number(textOf(set)) > 0);
    const conditions = findElement(condition, "conditionvar");
    if (gives && conditions !== undefined) visit(conditions);
  }
  return right;
}

/** The last word of the profile of a cartridge, or of Canvas's own name; undefined where there is none. */
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

// The texts of an element but for those of its responses; what is on demand is asked for by itself.
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
  // HTML that was not escaped is part of the document.
  return mattext.children.some(isElement) ? xmlToHtml(mattext.children, { isRawHtml: true }).trim() : textOf(mattext);
}

function withLine(html: string): string {
  return html === "" ? "" : `${html}\n`;
}

function findAll(element: XmlElement, name: string): XmlElement[] {
  return listElements(element).flatMap((child) => (child.name === name ? [child] : findAll(child, name)));
}
