// Assembles a lesson from another system's parts: texts, a video, questions, and notes on unsupported parts.
import { escapeHtml } from "../html/escape.ts";
import { mapRelativeUrls } from "../html/links.ts";
import { describeTooLarge, type SourceLimits } from "../limits.ts";
import { countAnswers, renderQuizPieces, type QuizFormOptions, type QuizQuestion } from "../quiz/quiz-form.ts";
import { cutText } from "../quote.ts";
import type { PlacedFields, PlacedValue } from "../resolve/placed-value.ts";
import type { Location, ReportFinding } from "../source.ts";
import { countInto, type TallyEntry } from "../tally.ts";

/** The replacement for a URL that only the other system can resolve. */
export const DEAD_LINK = "#";

/** Returns a line for content that readers find only in the other system; `title` is HTML, or "" if absent. */
export function renderUnavailable(system: string, title: string): string {
  const shown = title === "" ? "" : `<strong>${title}</strong><br>`;
  return `<p class="unavailable">${shown}available in ${system}</p>`;
}

type Counted = Omit<TallyEntry, "count">;

/** Collects a lesson's parts in order and counts them by kind. */
export class LessonParts {
  /** The URL of the first video. */
  url: string | undefined;
  readonly #texts: Piece[] = [];
  readonly #questions: QuizQuestion[] = [];
  /** The location of each question. */
  readonly #questionPlaces: (Location | undefined)[] = [];
  readonly #tally = new Map<string, TallyEntry>();
  /** The name of the other system, which shows the skipped parts. */
  readonly #system: string;
  readonly #markFormulas: (html: string) => string;

  /** `markFormulas` marks the formulas in each text. */
  constructor(system: string, markFormulas: (html: string) => string) {
    this.#system = system;
    this.#markFormulas = markFormulas;
  }

  /** `place` is where the author wrote the HTML. */
  addText(html: string, place?: Location): void {
    if (html !== "") this.#texts.push({ html, place });
  }

  /** `place` is where the author wrote the questions. */
  addQuestions(questions: readonly QuizQuestion[], place?: Location): void {
    for (const question of questions) {
      this.#questions.push(question);
      this.#questionPlaces.push(place);
    }
  }

  /** Adds a line for an unsupported part. Cuts a long title, since many parts can have the same one. */
  addUnavailable(name: Pick<TallyEntry, "what" | "plural">, title: string): void {
    this.addText(renderUnavailable(this.#system, escapeHtml(title === "" ? name.what : cutText(title))));
    this.count({ ...name, isKept: false });
  }

  count(entry: Counted): void {
    countInto(this.#tally, entry);
  }

  /** Returns the lesson's fields, without its name; `mapUrl` maps relative URLs. Reports the counts. */
  finish({ place, mapUrl, limits: { maxLessonBytes }, ...quiz }: FinishOptions, report: ReportFinding): PlacedFields {
    let urlLength = 0;
    // Many links can get one long URL. Beyond the limit they stay as written.
    const map = (url: string, own: Location): string | undefined => {
      if (urlLength > maxLessonBytes) return undefined;
      const mapped = mapUrl(url, own);
      urlLength += mapped?.length ?? 0;
      return mapped;
    };
    const join = (pieces: readonly Piece[], separator: string): PlacedValue => {
      const placed = pieces.map(({ html, place: own = place }) => {
        return { html: mapRelativeUrls(this.#markFormulas(html), (url) => map(url, own)), place: own };
      });
      return joinPieces(placed, separator, place);
    };
    // The first and the last piece are the form's own tags.
    const form = renderQuizPieces(this.#questions, quiz).map((html, index) => {
      return { html, place: this.#questionPlaces[index - 1] };
    });
    const fields = {
      url: { value: this.url ?? "", place },
      quizHtml: join(form, ""),
      additionalText: join(this.#texts, "\n"),
    };
    if (urlLength > maxLessonBytes) {
      const message = describeTooLarge(urlLength, maxLessonBytes, "a lesson's link URLs", "max-lesson-size");
      report({ kind: "too-large", ...place, message });
    }
    const tally = [...this.#tally.values()];
    const answers = countAnswers(this.#questions, quiz.answers);
    const message = "has parts that are counted";
    if (tally.length > 0) report({ kind: "counted", ...place, message, tally, answers });
    return new Map(Object.entries(fields).filter(([, { value }]) => value !== ""));
  }
}

export interface FinishOptions extends QuizFormOptions {
  place: Location;
  limits: Pick<SourceLimits, "maxLessonBytes">;
  /** `place` is the location of the URL. */
  mapUrl: (url: string, place: Location) => string | undefined;
}

/** A piece of text; `place` is undefined for the lesson's own text. */
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
    // Uses binary search to find the first piece that ends after the offset.
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
