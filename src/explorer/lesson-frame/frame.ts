// The lesson frame's script. Shows the lessons that the page sends, and reports heights, positions and clicks.
import { describeMissing } from "./clean-html.ts";
import { watchLayout } from "./frame-layout.ts";
import { PAGE_KEYS, type FrameMessage, type PageMessage, type Theme } from "./frame-messages.ts";
import { measureShift } from "./keep-place.ts";
import type { Sight } from "./late-setting.ts";
import { findTarget, watchLinks } from "./links.ts";
import { applyTheme, updateSight, setAll, showLesson } from "./show-lesson.ts";

/** The page's origin, from the frame's URL: the frame's own origin is opaque. */
const { origin } = new URL(document.URL);
const page = window.parent;
const root = document.createElement("div");
document.body.replaceChildren(root);

let show = 0;
let sight: Sight = { top: 0, bottom: window.screen.height };
const send = (message: FrameMessage): void => page.postMessage(message, origin);
const layout = watchLayout(root, (height, places) => send({ kind: "layout", show, height, places }));
const goTo = (target: Element): void => {
  if (target instanceof HTMLElement) {
    if (target.tabIndex < 0) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
  for (let each = target.parentElement; each !== null; each = each.parentElement) {
    if (each instanceof HTMLDetailsElement) each.open = true;
  }
  send({ kind: "scroll", show, top: Math.max(target.getBoundingClientRect().top, 0) });
};
watchLinks(root, {
  openLesson: (courseId, lessonId, fragment) => send({ kind: "open-lesson", courseId, lessonId, fragment }),
  goTo,
});
document.addEventListener("keydown", onKey);
root.addEventListener("error", onError, { capture: true });
window.addEventListener("beforeprint", setAll);
if (page !== window) {
  window.addEventListener("message", onMessage);
  send({ kind: "ready" });
}

function onMessage(event: MessageEvent<PageMessage>): void {
  if (event.source !== page || event.origin !== origin) return;
  const message = event.data;
  if (message.kind === "sight") {
    sight = message;
    updateSight(sight);
  } else if (message.kind === "theme") {
    setTheme(message.theme);
    applyTheme(root, message.theme);
  } else if (message.kind === "go") {
    goToFragment(message.fragment);
  } else {
    void onShow(message);
  }
}

/** Changes the lesson. Asks the page to keep the reader's position, because the frame itself does not scroll. */
function changeInPlace(change: () => void): void {
  const shift = measureShift(root, sight, change);
  layout.update();
  if (Math.abs(shift) >= 0.5) send({ kind: "shift", show, by: shift });
}

function goToFragment(fragment: string): void {
  const target = fragment === "" ? undefined : findTarget(root, fragment);
  if (target !== undefined) goTo(target);
}

async function onShow(message: Extract<PageMessage, { kind: "show" }>): Promise<void> {
  show = message.show;
  setTheme(message.theme);
  const isCurrent = (): boolean => show === message.show;
  const onBegin = (places: ReadonlyMap<HTMLElement, string>): void => layout.begin(places, !message.isUpdate);
  if (!(await showLesson({ lesson: message, root, sight: () => sight, isCurrent, onBegin, onChange: changeInPlace })))
    return;
  layout.complete();
  send({ kind: "shown", show });
  goToFragment(message.fragment);
}

function setTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

/** Forwards the page's shortcuts, except from elements that use these keys themselves. */
function onKey({ key, target, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey || shiftKey || !PAGE_KEYS.includes(key)) return;
  // Radio buttons and check boxes use only the arrow keys.
  const isChoice = target instanceof HTMLInputElement && /^(radio|checkbox)$/.test(target.type);
  const keeps = "input, select, textarea, video, audio, pre, .wide";
  if (target instanceof Element && target.closest(keeps) !== null && (!isChoice || key.startsWith("Arrow"))) return;
  send({ kind: "key", key });
}

function onError({ target }: Event): void {
  if (!(target instanceof HTMLImageElement)) return;
  const address = target.currentSrc || target.src;
  target.replaceWith(describeMissing(target, address, ["did not load"]));
}
