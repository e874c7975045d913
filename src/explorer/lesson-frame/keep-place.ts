import type { Sight } from "./late-setting.ts";

/** Pixels below the upper edge of what is seen, at one of which something stands that is no gap. */
const LOOKS = [8, 40, 80, 140, 220, 320];

/** Makes a change to the lesson in `root`, and tells by how many pixels what the reader sees first has moved down by it. */
export function measureShift(root: HTMLElement, { top }: Sight, change: () => void): number {
  // Above that the reader sees nothing of the lesson, or its beginning.
  const anchor = top > 0 ? findAnchor(root, top) : undefined;
  const before = anchor?.getBoundingClientRect().top ?? 0;
  change();
  return anchor?.isConnected ? anchor.getBoundingClientRect().top - before : 0;
}

function findAnchor(root: HTMLElement, top: number): Element | undefined {
  for (const look of LOOKS) {
    const found = document.elementFromPoint(window.innerWidth / 2, top + look);
    // What holds a formula stays when it is set.
    const element = found?.closest(".math") ?? found;
    if (element && root.contains(element) && element !== root && element.parentElement !== root) return element;
  }
  return undefined;
}
