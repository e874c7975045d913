// A lesson that is put together from parts of another system: texts, a video, questions, and what cannot be shown.
import { escapeHtml } from "../html/escape.ts";
import { mapRelativeUrls } from "../html/links.ts";
import { countAnswers, renderQuizPieces, type QuizFormOptions, type QuizQuestion } from "../quiz/quiz-form.ts";
import type { PlacedFields, PlacedValue } from "../resolve/placed-value.ts";
import type { Location, Tell } from "../source.ts";
import { countInto, type TallyEntry } from "../tally.ts";

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
  readonly #texts: Piece[] = [];
  readonly #questions: QuizQuestion[] = [];
  /** Of each question. */
  readonly #questionPlaces: (Location | undefined)[] = [];
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
    if (html !== "") this.#texts.push({ html, place });
  }

  /** Adds questions; `place` is where their author wrote them. */
  addQuestions(questions: readonly QuizQuestion[], place?: Location): void {
    for (const question of questions) {
      this.#questions.push(question);
      this.#questionPlaces.push(place);
    }
  }

  /** Adds a line for something that readers do not get. */
  addUnavailable(name: Pick<TallyEntry, "what" | "plural">, title: string): void {
    this.addText(renderUnavailable(this.#system, escapeHtml(title === "" ? name.what : title)));
    this.count({ ...name, isKept: false });
  }

  count(entry: Counted): void {
    countInto(this.#tally, entry);
  }

  /** The fields of the lesson, without its name; `mapUrl` gives other URLs for relative ones. What was counted is reported. */
  finish({ place, mapUrl, ...quiz }: FinishOptions, report: Tell): PlacedFields {
    const join = (pieces: readonly Piece[], separator: string): PlacedValue => {
      const placed = pieces.map(({ html, place: own = place }) => {
        return { html: mapRelativeUrls(this.#markFormulas(html), (url) => mapUrl(url, own)), place: own };
      });
      return joinPieces(placed, separator, place);
    };
    // The form begins and ends outside of its questions.
    const form = renderQuizPieces(this.#questions, quiz).map((html, index) => {
      return { html, place: this.#questionPlaces[index - 1] };
    });
    const fields = {
      url: { value: this.url ?? "", place },
      quizHtml: join(form, ""),
      additionalText: join(this.#texts, "\n"),
    };
    const tally = [...this.#tally.values()];
    const answers = countAnswers(this.#questions, quiz.answers);
    const message = "has parts that are counted";
    if (tally.length > 0) report({ kind: "counted", ...place, message, tally, answers });
    return new Map(Object.entries(fields).filter(([, { value }]) => value !== ""));
  }
}

export interface FinishOptions extends QuizFormOptions {
  place: Location;
  /** `place` is where the URL stands. */
  mapUrl: (url: string, place: Location) => string | undefined;
}

/** A piece of a text; `place` is where its author wrote it, undefined for that of the lesson. */
interface Piece {
  html: string;
  place: Location | undefined;
}

function joinPieces(pieces: readonly Piece[], separator: string, place: Location): PlacedValue {
  const ends: number[] = [];
  let end = 0;
  for (const { html } of pieces) {
    end += html.length + separator.length;
    ends.push(end);
  }
  const placeAt = (offset: number): Location => {
    // The first piece that ends behind it.
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return pieces[low]?.place ?? place;
  };
  return { value: pieces.map(({ html }) => html).join(separator), place, placeAt };
}
