import type { Sight } from "./late-setting.ts";

/** Offsets from the upper visible edge, in pixels: several, so that one hits content rather than a gap. */
const PROBES = [8, 40, 80, 140, 220, 320];

/** Changes the lesson in `root` and returns how many pixels the topmost visible content moved down. */
export function measureShift(root: HTMLElement, { top }: Sight, change: () => void): number {
  // If `top` is not positive, the lesson begins in or below the viewport, and its beginning does not move.
  const anchor = top > 0 ? findAnchor(root, top) : undefined;
  const before = anchor?.getBoundingClientRect().top ?? 0;
  change();
  return anchor?.isConnected ? anchor.getBoundingClientRect().top - before : 0;
}

function findAnchor(root: HTMLElement, top: number): Element | undefined {
  for (const probe of PROBES) {
    const found = document.elementFromPoint(window.innerWidth / 2, top + probe);
    // Typesetting a formula replaces its parts, so the anchor is the whole formula.
    const element = found?.closest(".math") ?? found;
    if (element && root.contains(element) && element !== root && element.parentElement !== root) return element;
  }
  return undefined;
}
