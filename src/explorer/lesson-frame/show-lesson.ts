import { renderQuiz } from "../../../packages/client/src/html/render-quiz.ts";
import { findDirection } from "../parts/direction.ts";
import { cleanHtml } from "./clean-html.ts";
import { colourCode, listCode } from "./code.ts";
import type { PageMessage, Theme } from "./frame-messages.ts";
import { createLateSetting, yieldToBrowser, type LateSetting, type Sight } from "./late-setting.ts";
import { listParts, type LessonPart } from "./lesson-parts.ts";
import { loadScript, type TypesetMath } from "./loaded-scripts.ts";
import { listFormulas, mayHoldMath, setFormula } from "./math.ts";

/** The browser gets its turn after so long; what a reader sees first may take longer. */
const SLICE_MS = 30;
const FIRST_SLICE_MS = 80;
/** Elements and texts that are finished at once. */
const PIECE_NODES = 20;
/** Formulas that are set before the lesson is shown; the others when they come into sight. */
const SET_AT_ONCE = 30;
/** Characters of code in a line of text that stay together; they fit into a line of a phone. */
const MAX_WHOLE_CODE = 20;

/** A lesson that takes the place of another. */
export interface Showing {
  lesson: Extract<PageMessage, { kind: "show" }>;
  root: HTMLElement;
  /** What the reader sees now. */
  sight: () => Sight;
  /** False once another lesson is to be shown. */
  isCurrent: () => boolean;
  /** The lesson, or its beginning, now stands in `root`; `places` are the elements for embeds, and grows with it. */
  onBegin: (places: ReadonlyMap<HTMLElement, string>) => void;
  /** Called, also long after the lesson is shown, with each change to it. */
  onChange: (change: () => void) => void;
}

/** Of the lesson that is shown. */
let late: LateSetting | undefined;
/** The formulas that were set in it. When it is edited they are set at once, or all below them would move. */
let setFormulas = new Set<string>();

/** The reader sees another part of the lesson that is shown. */
export function lookAt(sight: Sight): void {
  late?.look(sight);
}

/** Sets what nobody has seen yet of the lesson that is shown. */
export function setAll(): void {
  late?.setAll();
}

/** Shows a lesson in place of the one that was there, a long one piece by piece. False when another one came meanwhile. */
export async function showLesson(showing: Showing): Promise<boolean> {
  const { lesson, root, isCurrent, onBegin } = showing;
  const places = new Map<HTMLElement, string>();
  const placeEmbed = (place: HTMLElement, address: string): unknown => places.set(place, address);
  const typeset = mayHoldMath(lesson.additionalText + lesson.quizHtml) ? await loadScript("typesetMath") : undefined;
  const setting = createLateSetting(showing.sight(), showing.onChange);
  const known = lesson.isUpdate ? setFormulas : new Set<string>();
  const parts = listParts(lesson, placeEmbed);
  let hasBegun = false;
  const prepareFormula = (element: HTMLElement, set: TypesetMath): void => {
    const source = element.textContent;
    const setNow = (): void => {
      known.add(source);
      setFormula(element, set);
    };
    // The beginning is what a reader sees first, and most lessons are no longer.
    if (known.size < SET_AT_ONCE || known.has(source)) setNow();
    else setting.add(element, setNow);
  };
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    late?.end();
    late = setting;
    setFormulas = known;
    late.look(showing.sight());
    setLanguage(root, lesson.language);
    root.replaceChildren(...parts.map(({ element }) => element));
    onBegin(places);
  };
  const giveUp = (): false => {
    if (late !== setting) setting.end();
    return false;
  };
  const startedAt = performance.now();
  let [sliceEnd, addAt] = [startedAt + FIRST_SLICE_MS, startedAt + FIRST_SLICE_MS];
  for (const part of parts) {
    const ready = document.createDocumentFragment();
    for (const piece of listPieces(part)) {
      cleanHtml(piece, placeEmbed, lesson.release);
      wrapTables(piece);
      keepShortCodeWhole(piece);
      applyTheme(piece, lesson.theme);
      for (const code of listCode(piece)) setting.add(code, () => void colourCode(code));
      if (typeset !== undefined) for (const each of listFormulas(piece)) prepareFormula(each, typeset);
      ready.append(piece);
      const now = performance.now();
      if (now < sliceEnd) continue;
      if (!isCurrent()) return giveUp();
      const isFirst = !hasBegun;
      if (now >= addAt) {
        part.element.append(ready);
        begin();
        // Each addition lays out the page anew: there are few of them, however long the lesson is.
        addAt = now + (now - startedAt);
      }
      await (isFirst && hasBegun ? waitForPaint() : yieldToBrowser());
      sliceEnd = performance.now() + SLICE_MS;
    }
    part.element.append(ready);
    renderQuiz(part.element, lesson);
  }
  if (!isCurrent()) return giveUp();
  begin();
  // Now text and quiz stand together: questions move to where the text asks them.
  renderQuiz(root, lesson);
  removeEmptyQuiz(root);
  return true;
}

/** All of its questions now stand in the text. */
function removeEmptyQuiz(root: HTMLElement): void {
  const quiz = root.querySelector(".quiz-part");
  if (quiz !== null && [...quiz.children].every(({ localName }) => localName === "h2")) quiz.remove();
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

/** `-w` is not to be read as `-`, and `w` on the next line. */
function keepShortCodeWhole(piece: DocumentFragment): void {
  for (const code of piece.querySelectorAll(":not(pre) > code")) {
    if ((code.textContent?.length ?? 0) <= MAX_WHOLE_CODE) code.classList.add("whole");
  }
}

function setLanguage(root: HTMLElement, language: string): void {
  document.documentElement.lang = language === "" ? "en" : language;
  root.dir = language === "" ? "auto" : findDirection(language, "");
}

/** A tab in the background paints nothing, and goes on all the same. */
async function waitForPaint(): Promise<void> {
  await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 200))]);
  await yieldToBrowser();
}
