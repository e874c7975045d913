// Reads MDX's multiple-choice questions.
import type { QuizQuestion } from "../../quiz/quiz-form.ts";
import { Markup, type LiteralValue } from "./js-literal.ts";
import type { Attributes } from "./mdx-attributes.ts";

/** A choice, as Markdown or JSX markup. */
export interface Choice {
  text: string | Markup;
  explanation: string | Markup | undefined;
  isCorrect: boolean;
}

/** Why a question cannot be read; `offset` is undefined if the place is unknown. */
export interface UnreadQuestion {
  problem: string;
  offset: number | undefined;
}

/** Reads a question's choices from its attributes. */
export function readQuestion(attributes: Attributes): { choices: Choice[] } | UnreadQuestion {
  const given = attributes.get("choices");
  if (given === undefined) return { problem: "it has no choices", offset: undefined };
  if ("problem" in given) return { problem: `its choices are invalid: ${given.problem}`, offset: given.offset };
  if (!Array.isArray(given.value)) return { problem: "its choices are not a list", offset: undefined };
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

/** Converts choices to a quiz question; `toHtml` renders Markdown. */
export function toQuizQuestion(
  choices: readonly Choice[],
  asked: Pick<QuizQuestion, "legend" | "above"> & { conditions: readonly string[] },
  toHtml: (text: string) => string,
): QuizQuestion {
  const { legend, above, conditions } = asked;
  const render = (text: string | Markup): string => (text instanceof Markup ? text.html : toHtml(text));
  const condition = conditions.length > 1 ? conditions.map((each) => `(${each})`).join(" && ") : conditions[0];
  return {
    legend,
    above,
    below: "",
    input: {
      kind: "choices",
      isSingle: choices.filter(({ isCorrect }) => isCorrect).length === 1,
      choices: choices.map(({ text, explanation, isCorrect }) => ({
        text: render(text),
        isCorrect,
        feedback: explanation === undefined ? undefined : render(explanation),
      })),
    },
    hints: [],
    solution: undefined,
    ...(condition === undefined || condition === "" ? {} : { condition }),
  };
}
