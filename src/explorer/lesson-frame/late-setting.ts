// Defers the slow rendering of formulas and code outside the viewport: a lesson can contain thousands of them.

/** The visible part of the frame, in pixels from the frame's top. The frame is as tall as its lesson. */
export interface Sight {
  top: number;
  bottom: number;
}

/** Renders elements of one lesson as they come near the viewport. */
export interface LateSetting {
  add(element: Element, set: () => void): void;
  /** Call it after scrolling. */
  updateSight(sight: Sight): void;
  /** Renders the rest at once, for printing. */
  setAll(): void;
  /** Stops. Call it when the lesson is replaced. */
  end(): void;
}

/** The time after which rendering yields to the browser. */
const SLICE_MS = 30;
/** Elements within this many pixels of the viewport are always rendered. */
const NEAR = 1000;
/** When the range to render moves, it extends this many pixels beyond the viewport, so that it rarely has to move. */
const WATCHED = 3000;

/** Calls `change` with a function that renders a small batch. `change` must call it, and can measure its effect. */
export function createLateSetting(sight: Sight, change: (makeSettings: () => void) => void): LateSetting {
  const waiting = new Map<Element, () => void>();
  const near = new Set<Element>();
  let watched = sight;
  let observer: IntersectionObserver | undefined;
  let isSetting = false;
  const set = (element: Element): void => {
    const setting = waiting.get(element);
    waiting.delete(element);
    near.delete(element);
    observer?.unobserve(element);
    setting?.();
  };
  const setSlice = (): void => {
    const end = performance.now() + SLICE_MS;
    for (const element of near) {
      set(element);
      if (performance.now() > end) break;
    }
  };
  const setNear = async (): Promise<void> => {
    if (isSetting) return;
    isSetting = true;
    for (; near.size > 0; await yieldToBrowser()) change(setSlice);
    isSetting = false;
  };
  const onSeen = (entries: IntersectionObserverEntry[]): void => {
    const seen = entries.filter(({ isIntersecting }) => isIntersecting);
    // Renders content above the viewport last, and from the bottom up.
    const isAbove = ({ boundingClientRect }: IntersectionObserverEntry): boolean =>
      boundingClientRect.bottom < sight.top;
    for (const { target } of seen) if (waiting.has(target)) near.add(target);
    for (const { target } of seen.filter(isAbove).toReversed()) {
      if (near.delete(target)) near.add(target);
    }
    void setNear();
  };
  const watch = (): void => {
    observer?.disconnect();
    near.clear();
    watched = { top: sight.top - WATCHED, bottom: sight.bottom + WATCHED };
    // To the browser, all of a frame as tall as its lesson is visible, so the margins select the part to watch.
    const rootMargin = `${-watched.top}px 0px ${watched.bottom - window.innerHeight}px 0px`;
    observer = new IntersectionObserver(onSeen, { root: document, rootMargin });
    for (const element of waiting.keys()) observer.observe(element);
  };
  watch();
  window.addEventListener("resize", watch);
  return {
    add(element, setting) {
      waiting.set(element, setting);
      observer?.observe(element);
    },
    updateSight(next) {
      sight = next;
      if (sight.top - NEAR < watched.top || sight.bottom + NEAR > watched.bottom) watch();
    },
    setAll: () => change(() => [...waiting.keys()].forEach(set)),
    end() {
      window.removeEventListener("resize", watch);
      observer?.disconnect();
      waiting.clear();
      near.clear();
    },
  };
}

/** Lets the browser handle pending tasks. */
export async function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
