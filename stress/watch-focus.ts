// Locates the focus in a page and its lesson frame, and checks that it is visible.
import type { Locator, Page } from "playwright-core";

/** More Tab stops than any page needs. */
const MAX_TABS = 20;
/** Animation frames to wait for the focus. */
const MAX_FRAMES = 60;

export interface Watched {
  page: Page;
  /** Faults so far. */
  faults: string[];
}

/**
 * Presses Tab until `target` has the focus, which must be visible at every stop. Throws if `target` is never reached.
 */
export async function tabTo(walk: Watched, step: string, target: Locator, most = MAX_TABS, key = "Tab"): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < most; count++) {
    await walk.page.keyboard.press(key);
    await expectVisibleFocus(walk, `on the way to ${step}`);
    if (await target.evaluate(hasFocus)) return;
  }
  throw new Error(`${step}: not reached by ${most} × ${key}; the focus is on ${(await findFocus(walk.page)).html}`);
}

/** Waits until the view sets the focus, and checks that it is visible. */
export async function expectFocus(walk: Watched, step: string, target: Locator): Promise<void> {
  await target.waitFor();
  for (let frames = 0; !(await target.evaluate(hasFocus)); frames++) {
    if (frames === MAX_FRAMES)
      return void walk.faults.push(`${step}: the focus is on ${(await findFocus(walk.page)).html}`);
    await drawTwice(walk.page);
  }
  await expectVisibleFocus(walk, step);
}

/** Runs in the page, or in the lesson's frame. */
function hasFocus(element: unknown): boolean {
  const { document } = globalThis as unknown as { document: { activeElement: unknown; hasFocus(): boolean } };
  return document.hasFocus() && element === document.activeElement;
}

const drawTwice = (page: Page): Promise<unknown> =>
  page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");

interface Focus {
  html: string;
  /**
   * True if the element or an ancestor has an outline. Headings have none, since only scripts focus them; nor does a
   * lesson frame without focusable content, which Chromium focuses, too.
   */
  hasRing: boolean;
  /** Its box; undefined if nothing has the focus. */
  box?: { x: number; y: number; width: number; height: number };
}

/** Returns the focused element, in any frame. */
async function findFocus(page: Page): Promise<Focus> {
  // The frame itself, if nothing in it has the focus.
  for (const frame of page.frames().toReversed()) {
    const focus = (await frame.evaluate(`(() => {
      const found = document.activeElement;
      if (!document.hasFocus() || found === null || found.tagName === "BODY") return undefined;
      const hasOutline = (each) => each !== null && getComputedStyle(each).outlineStyle !== "none";
      const hasRing = /^(H[1-6]|IFRAME)$/.test(found.tagName) || hasOutline(found) || hasOutline(found.parentElement);
      return { html: found.outerHTML.slice(0, 90), hasRing };
    })()`)) as Focus | undefined;
    if (focus === undefined) continue;
    const element = (await frame.evaluateHandle("document.activeElement")).asElement();
    const box = await element?.boundingBox();
    return { ...focus, ...(box ? { box } : {}) };
  }
  return { html: "nothing", hasRing: false };
}

/**
 * Checks that the focused element is in the window, below the bar, and has a ring. Headings need none, since only
 * scripts focus them.
 */
async function expectVisibleFocus({ page, faults }: Watched, step: string): Promise<void> {
  // Scrolling ends with the next frame.
  await drawTwice(page);
  const { html, hasRing, box } = await findFocus(page);
  if (box === undefined) return void faults.push(`${step}: the focus is on ${html}`);
  const isSeen = await page.evaluate(`(() => {
    const { x, y, width, height } = ${JSON.stringify(box)};
    const [left, right] = [Math.max(x, 0), Math.min(x + width, innerWidth)];
    const [top, bottom] = [Math.max(y, 0), Math.min(y + height, innerHeight)];
    if (left >= right || top >= bottom) return false;
    const cover = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(".bar, .panel");
    return cover == null || cover.contains(document.activeElement);
  })()`);
  if (isSeen !== true) faults.push(`${step}: ${html} is out of sight, at ${Math.round(box.y)}`);
  if (!hasRing) faults.push(`${step}: ${html} has no focus ring`);
}
