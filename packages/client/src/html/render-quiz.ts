// Checks quizzes whose answers are in the page. Sends and stores nothing.
import { findQuizWords, type QuizWords } from "./quiz-words.ts";
import { isTypedAnswer } from "./typed-answers.ts";

export interface QuizOptions {
  /** The course's language (BCP 47), for buttons and verdicts; English by default and for unknown languages. */
  language?: string | undefined;
}

/**
 * Makes the quizzes under `root` interactive, and moves each question to its position in the text. Questions without
 * published answers stay plain forms. Repeated calls change nothing.
 */
export function renderQuiz(root: ParentNode, { language = "" }: QuizOptions = {}): void {
  const words = findQuizWords(language);
  for (const question of root.querySelectorAll("fieldset")) {
    if (question.querySelector(JUDGED) === null || question.hasAttribute("data-ready")) continue;
    question.setAttribute("data-ready", "");
    prepareQuestion(question, words);
  }
  placeQuestions(root);
}

const JUDGED = "[data-correct], [data-answers]";

/** Moves each question to the empty element that marks its position in the text, below its heading and context. */
function placeQuestions(root: ParentNode): void {
  const places = new Map<string | null, Element>();
  for (const place of root.querySelectorAll("div[data-question]:empty")) {
    const number = place.getAttribute("data-question");
    if (!places.has(number)) places.set(number, place);
  }
  for (const question of root.querySelectorAll("fieldset[data-question]")) {
    const number = question.getAttribute("data-question");
    const place = places.get(number);
    const choice = question.querySelector(":scope > .choice");
    const form = question.closest(".quiz");
    if (place === undefined || choice === null) continue;
    places.delete(number);
    const legend = question.querySelector("legend");
    for (let each = choice.previousSibling; each !== null && each !== legend; each = choice.previousSibling)
      each.remove();
    legend?.classList.add("visually-hidden");
    question.classList.add("in-text");
    place.append(question);
    if (form?.textContent?.trim() === "" && form.querySelector("input, img, .embed") === null) form.remove();
  }
}

function prepareQuestion(question: HTMLFieldSetElement, words: QuizWords): void {
  const verdict = question.ownerDocument.createElement("p");
  verdict.className = "verdict";
  verdict.lang = words.language;
  verdict.setAttribute("role", "status");
  const judge = (): void => {
    const isRight = isAnsweredRightly(question);
    question.dataset["verdict"] = isRight ? "right" : "wrong";
    verdict.textContent = isRight ? `✓ ${words.right}` : `✗ ${words.wrong}`;
    for (const choice of question.querySelectorAll<HTMLInputElement>("input[data-correct]")) markChoice(choice);
  };
  if (question.querySelector('input[type="checkbox"], input[type="text"]') === null) {
    question.addEventListener("change", judge);
  } else {
    const button = question.ownerDocument.createElement("button");
    button.type = "button";
    button.lang = words.language;
    button.textContent = words.check;
    button.addEventListener("click", judge);
    question.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target instanceof HTMLInputElement) judge();
    });
    question.append(button);
  }
  question.append(verdict);
}

/** If the choice is checked, shows whether it is right, and why; otherwise reveals nothing about it. */
function markChoice(input: HTMLInputElement): void {
  const choice = input.closest(".choice");
  if (!(choice instanceof HTMLElement)) return;
  delete choice.dataset["verdict"];
  if (!input.checked) return;
  choice.dataset["verdict"] = input.dataset["correct"] === "true" ? "right" : "wrong";
  choice.querySelector("details")?.setAttribute("open", "");
}

function isAnsweredRightly(question: HTMLFieldSetElement): boolean {
  const inputs = [...question.querySelectorAll<HTMLInputElement>("input[data-correct]")];
  const menus = [...question.querySelectorAll("select")].filter((menu) => menu.querySelector(JUDGED) !== null);
  const texts = [...question.querySelectorAll<HTMLInputElement>("input[data-answers]")];
  return (
    inputs.every(({ checked, dataset }) => checked === (dataset["correct"] === "true")) &&
    menus.every(({ selectedOptions }) => selectedOptions[0]?.dataset["correct"] === "true") &&
    texts.every(({ value, inputMode, dataset }) => {
      const { answers = "", tolerance } = dataset;
      return isTypedAnswer(value, { answers, isNumber: inputMode === "decimal", tolerance });
    })
  );
}
