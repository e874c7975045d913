// Quizzes that tell which answers are right are judged in the page, as they are answered. Nothing is sent or kept.
import { findQuizWords, type QuizWords } from "./quiz-words.ts";
import { isTypedAnswer } from "./typed-answers.ts";

export interface QuizOptions {
  /** Of the course (BCP 47), for what buttons and verdicts say; English unless given, and for languages that are not known. */
  language?: string | undefined;
}

/**
 * Makes the quizzes under `root` answer, and takes each question to where the text asks it. Forms stay usable without; questions
 * whose right answers are withheld stay as they are. A question is prepared once, however often this is called.
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

/** The text has an empty element where a question stands: there, its heading and what leads to it are above it already. */
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

/** Tells of what was chosen whether it is right, and why; not which of the others would have been. */
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
