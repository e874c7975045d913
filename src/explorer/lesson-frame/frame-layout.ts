import type { EmbedPlace } from "./frame-messages.ts";

/** How many times in a row a lesson can grow because its frame has grown, as with a height of 110vh. */
const MAX_FEEDBACKS = 8;
const GROWS_FOREVER = "keeps-height";

export interface FrameLayout {
  /** Begins a new lesson in `root`. `places` maps elements that reserve space to the URLs of their embeds. */
  begin(places: ReadonlyMap<HTMLElement, string>, mayShrink: boolean): void;
  /** Call it after changing the lesson. */
  update(): void;
  /** Call it when the lesson is complete: the frame can shrink from then on. */
  complete(): void;
}

/** Reports the height of the lesson in `root` and the positions of its embeds after each change. */
export function watchLayout(root: HTMLElement, send: (height: number, places: EmbedPlace[]) => void): FrameLayout {
  let placed: ReadonlyMap<HTMLElement, string> = new Map();
  let sentHeight = 0;
  let sentText = "";
  let mayShrink = true;
  let feedbacks = 0;
  let isComplete = false;
  const measure = (): void => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (document.documentElement.classList.contains(GROWS_FOREVER) || (!mayShrink && height < sentHeight)) return;
    const places = [...placed].map(([element, address]) => toPlace(element, address));
    const text = JSON.stringify([height, places]);
    if (text === sentText) return;
    [sentHeight, sentText] = [height, text];
    send(height, places);
  };
  const makeFocusable = (): void => {
    // Keyboard users must be able to focus scrolling elements.
    for (const box of root.querySelectorAll<HTMLElement>("pre, .wide")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  let [width, isAwaited] = [window.innerWidth, false];
  new ResizeObserver(() => {
    if (isAwaited && isComplete && Math.ceil(root.getBoundingClientRect().height) > sentHeight) feedbacks++;
    else feedbacks = 0;
    isAwaited = false;
    if (feedbacks > MAX_FEEDBACKS) document.documentElement.classList.add(GROWS_FOREVER);
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
      document.documentElement.classList.remove(GROWS_FOREVER);
      [placed, mayShrink, feedbacks, sentText, isComplete] = [places, shrinks, 0, "", false];
    },
    update() {
      [isAwaited, feedbacks] = [false, 0];
      measure();
    },
    complete() {
      mayShrink = true;
      isComplete = true;
      sentText = "";
      makeFocusable();
      measure();
    },
  };
}

function toPlace(element: HTMLElement, address: string): EmbedPlace {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { address, left: Math.max(left, 0), top: Math.max(top + window.scrollY, 0), width, height };
}
