// A lesson that is put together from parts of another system: texts, a video, questions, and what cannot be shown.
import { escapeHtml } from "../html/escape.ts";
import { mapRelativeUrls } from "../html/html-urls.ts";
import { renderQuizForm, type QuizFormOptions, type QuizQuestion } from "../lessons/quiz-form.ts";
import type { PlacedFields } from "../placed/placed-value.ts";
import type { Location, Report } from "../source.ts";
import type { TallyEntry } from "../tally.ts";

/** What becomes of an address that only the other system knows: it stays a link, to nowhere. */
export const LOST_LINK = "#";

/** The line for something that readers find in another system only; `title` is HTML, "" for none. */
export function renderUnavailable(system: string, title: string): string {
  const shown = title === "" ? "" : `<strong>${title}</strong><br>`;
  return `<p class="unavailable">${shown}available in ${system}</p>`;
}

type Counted = Omit<TallyEntry, "count">;

/** Collects the parts of one lesson in their order, and counts them by kind. */
export class LessonParts {
  /** Of the first video; undefined as long as there is none. */
  url: string | undefined;
  readonly #texts: string[] = [];
  readonly #questions: QuizQuestion[] = [];
  /** By their files, where the author wrote the texts and the questions. */
  readonly #textPlaces = new Map<string, Location>();
  readonly #questionPlaces = new Map<string, Location>();
  readonly #tally = new Map<string, TallyEntry>();
  /** The system in which people find what is not shown. */
  readonly #system: string;
  readonly #markFormulas: (html: string) => string;

  /** `markFormulas` is given each text. */
  constructor(system: string, markFormulas: (html: string) => string) {
    this.#system = system;
    this.#markFormulas = markFormulas;
  }

  /** Adds HTML; `place` is where its author wrote it. */
  addText(html: string, place?: Location): void {
    if (html === "") return;
    this.#texts.push(html);
    if (place !== undefined) this.#textPlaces.set(place.file, place);
  }

  /** Adds questions; `place` is where their author wrote them. */
  addQuestions(questions: readonly QuizQuestion[], place?: Location): void {
    if (questions.length === 0) return;
    for (const question of questions) this.#questions.push(question);
    if (place !== undefined) this.#questionPlaces.set(place.file, place);
  }

  /** Adds a line for something that readers do not get. */
  addUnavailable(name: Pick<TallyEntry, "what" | "plural">, title: string): void {
    this.addText(renderUnavailable(this.#system, escapeHtml(title === "" ? name.what : title)));
    this.count({ ...name, isKept: false });
  }

  count(entry: Counted): void {
    const known = this.#tally.get(entry.what);
    if (known === undefined) this.#tally.set(entry.what, { ...entry, count: 1 });
    else known.count++;
  }

  /** The fields of the lesson, without its name; `mapUrl` gives other URLs for relative ones. What was counted is reported. */
  finish({ place, mapUrl, ...quiz }: FinishOptions, report: Report): PlacedFields {
    const toHtml = (html: string, fieldPlace: Location): string =>
      mapRelativeUrls(this.#markFormulas(html), (url) => mapUrl(url, fieldPlace));
    const places = {
      url: place,
      quizHtml: findOnly(this.#questionPlaces) ?? place,
      additionalText: findOnly(this.#textPlaces) ?? place,
    };
    const texts = {
      url: this.url ?? "",
      quizHtml: toHtml(renderQuizForm(this.#questions, quiz), places.quizHtml),
      additionalText: toHtml(this.#texts.join("\n"), places.additionalText),
    };
    const tally = [...this.#tally.values()];
    const message = "has parts that are counted";
    if (tally.length > 0) report({ severity: "note", kind: "dropped-component", ...place, message, tally });
    const given = Object.entries(texts).filter(([, value]) => value !== "");
    return new Map(given.map(([field, value]) => [field, { value, place: places[field as keyof typeof texts] }]));
  }
}

export interface FinishOptions extends QuizFormOptions {
  place: Location;
  /** `place` is where the URL stands. */
  mapUrl: (url: string, place: Location) => string | undefined;
}

// Which of several it is cannot be told any more.
function findOnly(places: ReadonlyMap<string, Location>): Location | undefined {
  return places.size === 1 ? places.values().next().value : undefined;
}
