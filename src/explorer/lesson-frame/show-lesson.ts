import { cleanHtml } from "./clean-html.ts";
import { createCodeColours, type CodeColours } from "./code.ts";
import type { PageMessage, Theme } from "./frame-messages.ts";
import { listParts, type LessonPart } from "./lesson-parts.ts";
import { loadScript } from "./loaded-scripts.ts";
import { mayHoldMath, typesetAll } from "./math.ts";
import { placeQuestions, prepareQuiz } from "./quiz.ts";

/** The browser gets its turn after so long; what a reader sees first may take longer. */
const SLICE_MS = 30;
const FIRST_SLICE_MS = 80;
/** Elements and texts that are finished at once. */
const PIECE_NODES = 20;
const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]);

/** A lesson that takes the place of another. */
export interface Showing {
  lesson: Extract<PageMessage, { kind: "show" }>;
  root: HTMLElement;
  /** False once another lesson is to be shown. */
  isCurrent: () => boolean;
  /** The lesson, or its beginning, now stands in `root`; `places` are the elements for embeds, and grows with it. */
  onBegin: (places: ReadonlyMap<HTMLElement, string>) => void;
}

let shownColours: CodeColours | undefined;

/** Shows a lesson in place of the one that was there, a long one piece by piece. False when another one came meanwhile. */
export async function showLesson({ lesson, root, isCurrent, onBegin }: Showing): Promise<boolean> {
  const places = new Map<HTMLElement, string>();
  const placeEmbed = (place: HTMLElement, address: string): unknown => places.set(place, address);
  const finish = await createFinish(lesson, placeEmbed);
  const colours = createCodeColours();
  const parts = listParts(lesson, placeEmbed);
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    shownColours?.end();
    shownColours = colours;
    setLanguage(root, lesson.language);
    root.replaceChildren(...parts.map(({ element }) => element));
    onBegin(places);
  };
  const startedAt = performance.now();
  let [sliceEnd, addAt] = [startedAt + FIRST_SLICE_MS, startedAt + FIRST_SLICE_MS];
  for (const part of parts) {
    const ready = document.createDocumentFragment();
    for (const piece of listPieces(part)) {
      finish(piece);
      colours.add(piece);
      ready.append(piece);
      const now = performance.now();
      if (now < sliceEnd) continue;
      if (!isCurrent()) return false;
      if (now >= addAt) {
        part.element.append(ready);
        begin();
        // Each addition lays out the page anew: there are few of them, however long the lesson is.
        addAt = now + (now - startedAt);
      }
      await yieldToBrowser();
      sliceEnd = performance.now() + SLICE_MS;
    }
    part.element.append(ready);
    prepareQuiz(part.element);
  }
  if (!isCurrent()) return false;
  begin();
  placeQuestions(root);
  return true;
}

/** Images for dark pages and for light ones: the text has both. */
export function applyTheme(root: ParentNode, theme: Theme): void {
  for (const source of root.querySelectorAll<HTMLSourceElement>('source[data-theme="dark"]')) {
    source.media = theme === "dark" ? "all" : "not all";
  }
}

/** What an author wrote, a few top-level nodes at a time. None of them is in a document yet. */
function* listPieces({ html }: LessonPart): Generator<DocumentFragment> {
  const template = document.createElement("template");
  template.innerHTML = html;
  const { content } = template;
  while (content.firstChild !== null) {
    const piece = content.ownerDocument.createDocumentFragment();
    for (let taken = 0; taken < PIECE_NODES && content.firstChild !== null; taken++) piece.append(content.firstChild);
    yield piece;
  }
}

/** What happens to each piece before it is shown. */
async function createFinish(
  { additionalText, quizHtml, theme }: Showing["lesson"],
  placeEmbed: (place: HTMLElement, address: string) => void,
): Promise<(piece: DocumentFragment) => void> {
  const hasMath = mayHoldMath(additionalText) || mayHoldMath(quizHtml);
  const typeset = hasMath ? await loadScript("typesetMath") : undefined;
  return (piece) => {
    cleanHtml(piece, placeEmbed);
    wrapTables(piece);
    applyTheme(piece, theme);
    if (typeset !== undefined) typesetAll(piece, typeset);
  };
}

/** Wide tables scroll on their own. */
function wrapTables(piece: DocumentFragment): void {
  for (const table of piece.querySelectorAll("table")) {
    if (table.parentElement?.closest("table") !== null && table.parentElement !== null) continue;
    const box = piece.ownerDocument.createElement("div");
    box.className = "wide";
    table.replaceWith(box);
    box.append(table);
  }
}

function setLanguage(root: HTMLElement, language: string): void {
  document.documentElement.lang = language === "" ? "en" : language;
  const [name = ""] = language.toLowerCase().split("-");
  if (language === "") root.dir = "auto";
  else root.dir = RIGHT_TO_LEFT.has(name) ? "rtl" : "ltr";
}

async function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
