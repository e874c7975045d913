import { renderQuiz } from "../../../packages/client/src/html/render-quiz.ts";
import { findDirection } from "../parts/direction.ts";
import { cleanHtml } from "./clean-html.ts";
import { colorCode, listCode } from "./code.ts";
import type { PageMessage, Theme } from "./frame-messages.ts";
import { createLateSetting, yieldToBrowser, type LateSetting, type Sight } from "./late-setting.ts";
import { listParts, type LessonPart } from "./lesson-parts.ts";
import { loadScript, type TypesetMath } from "./loaded-scripts.ts";
import { listFormulas, mayHoldMath, setFormula } from "./math.ts";

/** How long rendering runs before it yields to the browser, after the first part is visible and before that. */
const SLICE_MS = 30;
const FIRST_SLICE_MS = 80;
/** The number of top-level nodes processed without a break. */
const PIECE_NODES = 20;
/** The number of formulas rendered before the lesson is shown. Others follow when they are near the viewport. */
const SET_AT_ONCE = 30;
/** Inline code of at most this many characters does not wrap, because it fits on one line of a phone. */
const MAX_WHOLE_CODE = 20;

/** What `showLesson` needs to show another lesson. */
export interface Showing {
  lesson: Extract<PageMessage, { kind: "show" }>;
  root: HTMLElement;
  /** Returns the part of the frame that is visible now. */
  sight: () => Sight;
  /** Returns false once another lesson is requested. */
  isCurrent: () => boolean;
  /** Called when the lesson's start is in `root`. `places` maps elements to embeds, and grows as the lesson does. */
  onBegin: (places: ReadonlyMap<HTMLElement, string>) => void;
  /** Makes each later change of the lesson by calling `change`. */
  onChange: (change: () => void) => void;
}

/** The deferred rendering of the current lesson. */
let late: LateSetting | undefined;
/** The sources of rendered formulas. After an edit, such formulas are rendered immediately, so that nothing moves. */
let setFormulas = new Set<string>();

/** Call it after scrolling. */
export function updateSight(sight: Sight): void {
  late?.updateSight(sight);
}

/** Renders the rest of the lesson at once. */
export function setAll(): void {
  late?.setAll();
}

/** Replaces the current lesson, in pieces if the new one is long. Returns false if another lesson interrupts. */
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
    if (known.size < SET_AT_ONCE || known.has(source)) setNow();
    else setting.add(element, setNow);
  };
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    late?.end();
    late = setting;
    setFormulas = known;
    late.updateSight(showing.sight());
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
      for (const code of listCode(piece)) setting.add(code, () => void colorCode(code));
      if (typeset !== undefined) for (const each of listFormulas(piece)) prepareFormula(each, typeset);
      ready.append(piece);
      const now = performance.now();
      if (now < sliceEnd) continue;
      if (!isCurrent()) return giveUp();
      const isFirst = !hasBegun;
      if (now >= addAt) {
        part.element.append(ready);
        begin();
        // Each addition triggers a layout, so the intervals grow with the elapsed time.
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
  // Text and quiz are complete, so that questions can move to their places in the text.
  renderQuiz(root, lesson);
  removeEmptyQuiz(root);
  return true;
}

/** Removes a quiz whose questions are all in the text. */
function removeEmptyQuiz(root: HTMLElement): void {
  const quiz = root.querySelector(".quiz-part");
  if (quiz !== null && [...quiz.children].every(({ localName }) => localName === "h2")) quiz.remove();
}

/** Chooses between the text's images for dark and light pages. */
export function applyTheme(root: ParentNode, theme: Theme): void {
  for (const source of root.querySelectorAll<HTMLSourceElement>('source[data-theme="dark"]')) {
    source.media = theme === "dark" ? "all" : "not all";
  }
}

/** Yields the author's HTML in fragments outside the document, each with a few top-level nodes. */
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

/** Wraps tables, so that wide ones scroll separately. */
function wrapTables(piece: DocumentFragment): void {
  for (const table of piece.querySelectorAll("table")) {
    if (table.parentElement?.closest("table") !== null && table.parentElement !== null) continue;
    const box = piece.ownerDocument.createElement("div");
    box.className = "wide";
    table.replaceWith(box);
    box.append(table);
  }
}

/** Keeps short inline code, such as `-w`, from wrapping after a hyphen. */
function keepShortCodeWhole(piece: DocumentFragment): void {
  for (const code of piece.querySelectorAll(":not(pre) > code")) {
    if ((code.textContent?.length ?? 0) <= MAX_WHOLE_CODE) code.classList.add("whole");
  }
}

function setLanguage(root: HTMLElement, language: string): void {
  document.documentElement.lang = language === "" ? "en" : language;
  root.dir = language === "" ? "auto" : findDirection(language, "");
}

/** Waits for the next paint, but at most 200 ms, because a background tab never paints. */
async function waitForPaint(): Promise<void> {
  await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 200))]);
  await yieldToBrowser();
}
