// Quizzes that tell which answers are right are judged here, as they are answered. Nothing is sent or kept.
import type { QuizWords } from "./quiz-words.ts";
import { isTypedAnswer } from "./typed-answers.ts";

const JUDGED = "[data-correct], [data-answers]";

/** Makes the questions under `root` answer. Those whose right answers are not told stay as they are. */
export function prepareQuiz(root: ParentNode, words: QuizWords): void {
  for (const question of root.querySelectorAll("fieldset")) {
    if (question.querySelector(JUDGED) !== null) prepareQuestion(question, words);
  }
}

/**
 * Takes questions into the text, which has an empty element where each of them stood: there, its heading and what leads to it are
 * above it already. Others stay in the quiz, which goes when none is left.
 */
export function placeQuestions(root: HTMLElement): void {
  const quiz = root.querySelector(".quiz-part");
  if (quiz === null) return;
  const places = new Map<string | null, Element>();
  for (const place of root.querySelectorAll(".text div[data-question]:empty")) {
    const number = place.getAttribute("data-question");
    if (!places.has(number)) places.set(number, place);
  }
  for (const question of quiz.querySelectorAll("fieldset[data-question]")) {
    const number = question.getAttribute("data-question");
    const place = places.get(number);
    const choice = question.querySelector(":scope > .choice");
    if (place === undefined || choice === null) continue;
    places.delete(number);
    const legend = question.querySelector("legend");
    for (let each = choice.previousSibling; each !== null && each !== legend; each = choice.previousSibling)
      each.remove();
    legend?.classList.add("visually-hidden");
    question.classList.add("in-text");
    place.append(question);
  }
  const isEmpty = ({ localName, textContent }: Element): boolean => localName === "h2" || textContent.trim() === "";
  if ([...quiz.children].every(isEmpty) && quiz.querySelector("fieldset, input, img, .embed") === null) quiz.remove();
}

function prepareQuestion(question: HTMLFieldSetElement, words: QuizWords): void {
  const verdict = document.createElement("p");
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
    const button = document.createElement("button");
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
