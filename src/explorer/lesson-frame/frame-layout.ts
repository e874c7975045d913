import type { EmbedPlace } from "./frame-messages.ts";

/** So often in a row a lesson may grow because its frame did. Then it is one that grows for ever, such as one with 110vh. */
const MAX_FEEDBACKS = 8;
const GROWS_FOR_EVER = "keeps-height";

export interface FrameLayout {
  /** Begins with a new lesson, which stands in `root`; `places` are the elements that stand for embeds. */
  begin(places: ReadonlyMap<HTMLElement, string>, mayShrink: boolean): void;
  /** Something in the lesson was changed, not by its frame. */
  update(): void;
  /** The lesson is all there: from now on the frame may get lower, too. */
  complete(): void;
}

/** Tells the height that the lesson in `root` needs, and where its embeds belong, whenever that changes. */
export function watchLayout(root: HTMLElement, tell: (height: number, places: EmbedPlace[]) => void): FrameLayout {
  let placed: ReadonlyMap<HTMLElement, string> = new Map();
  let told = 0;
  let toldText = "";
  let mayShrink = true;
  let feedbacks = 0;
  let isComplete = false;
  const measure = (): void => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (document.documentElement.classList.contains(GROWS_FOR_EVER) || (!mayShrink && height < told)) return;
    const places = [...placed].map(([element, address]) => toPlace(element, address));
    const text = JSON.stringify([height, places]);
    if (text === toldText) return;
    [told, toldText] = [height, text];
    tell(height, places);
  };
  const makeFocusable = (): void => {
    // What scrolls must be reached by keyboard.
    for (const box of root.querySelectorAll<HTMLElement>("pre, .wide")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  let [width, isAwaited] = [window.innerWidth, false];
  new ResizeObserver(() => {
    if (isAwaited && isComplete && Math.ceil(root.getBoundingClientRect().height) > told) feedbacks++;
    else feedbacks = 0;
    isAwaited = false;
    if (feedbacks > MAX_FEEDBACKS) document.documentElement.classList.add(GROWS_FOR_EVER);
    measure();
  }).observe(root);
  window.addEventListener("resize", () => {
    isAwaited = window.innerWidth === width;
    if (!isAwaited) makeFocusable();
    width = window.innerWidth;
  });
  root.addEventListener("toggle", measure, { capture: true });
  return {
    begin(places, shrinks) {
      document.documentElement.classList.remove(GROWS_FOR_EVER);
      [placed, mayShrink, feedbacks, toldText, isComplete] = [places, shrinks, 0, "", false];
    },
    update() {
      [isAwaited, feedbacks] = [false, 0];
      measure();
    },
    complete() {
      mayShrink = true;
      isComplete = true;
      toldText = "";
      makeFocusable();
      measure();
    },
  };
}

function toPlace(element: HTMLElement, address: string): EmbedPlace {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { address, left: Math.max(left, 0), top: Math.max(top + window.scrollY, 0), width, height };
}
