// A lesson that is put together from parts of another system: texts, a video, questions, and what cannot be shown.
import { escapeHtml } from "../html/escape.ts";
import { mapRelativeUrls } from "../html/html-urls.ts";
import { renderQuizForm, type QuizFormOptions, type QuizQuestion } from "../lessons/quiz-form.ts";
import type { PlacedFields } from "../placed/placed-value.ts";
import type { Location, Report } from "../source.ts";
import type { TallyEntry } from "../tally.ts";

/** What becomes of an address that only the other system knows: it stays a link, to nowhere. */
export const LOST_LINK = "#";

type Counted = Omit<TallyEntry, "count">;

/** Collects the parts of one lesson in their order, and counts them by kind. */
export class LessonParts {
  /** Of the first video; undefined as long as there is none. */
  url: string | undefined;
  readonly #texts: string[] = [];
  readonly #questions: QuizQuestion[] = [];
  readonly #tally = new Map<string, TallyEntry>();
  /** The system in which people find what is not shown. */
  readonly #system: string;
  readonly #markFormulas: (html: string) => string;

  /** `markFormulas` is given each text. */
  constructor(system: string, markFormulas: (html: string) => string) {
    this.#system = system;
    this.#markFormulas = markFormulas;
  }

  /** Adds HTML. */
  addText(html: string): void {
    if (html !== "") this.#texts.push(html);
  }

  addQuestions(questions: readonly QuizQuestion[]): void {
    this.#questions.push(...questions);
  }

  /** Adds a line for something that readers do not get. */
  addUnavailable(name: Pick<TallyEntry, "what" | "plural">, title: string): void {
    const shown = escapeHtml(title === "" ? name.what : title);
    this.addText(`<p class="unavailable"><strong>${shown}</strong><br>available in ${this.#system}</p>`);
    this.count({ ...name, isKept: false });
  }

  count(entry: Counted): void {
    const known = this.#tally.get(entry.what);
    if (known === undefined) this.#tally.set(entry.what, { ...entry, count: 1 });
    else known.count++;
  }

  /** The fields of the lesson, without its name; `mapUrl` gives other URLs for relative ones. What was counted is reported. */
  finish({ place, mapUrl, ...quiz }: FinishOptions, report: Report): PlacedFields {
    const texts = {
      url: this.url ?? "",
      quizHtml: mapRelativeUrls(this.#markFormulas(renderQuizForm(this.#questions, quiz)), mapUrl),
      additionalText: mapRelativeUrls(this.#markFormulas(this.#texts.join("\n")), mapUrl),
    };
    const tally = [...this.#tally.values()];
    const message = "has parts that are counted";
    if (tally.length > 0) report({ severity: "note", kind: "dropped-component", ...place, message, tally });
    const given = Object.entries(texts).filter(([, value]) => value !== "");
    return new Map(given.map(([field, value]) => [field, { value, place }]));
  }
}

export interface FinishOptions extends QuizFormOptions {
  place: Location;
  mapUrl: (url: string) => string | undefined;
}
