// Defers slow rendering outside the viewport: formulas and highlighting. A lesson may have thousands.

/** The visible part of the frame, in pixels from its top; negative above it. The frame is as tall as its lesson. */
export interface Sight {
  top: number;
  bottom: number;
}

/** Renders elements of one lesson as they come near the viewport. */
export interface LateSetting {
  add(element: Element, set: () => void): void;
  /** Called after scrolling. */
  updateSight(sight: Sight): void;
  /** Renders the rest at once, for printing. */
  setAll(): void;
  /** Stops. Call it when the lesson is replaced. */
  end(): void;
}

/** Yields to the browser after this time. */
const SLICE_MS = 30;
/** Elements within this many pixels of the viewport are rendered. */
const NEAR = 1000;
/** Elements within this many pixels are watched, so that the watched range rarely changes. */
const WATCHED = 3000;

/** Calls `change` with each small batch of renderings, which it runs and may measure. */
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
    // Renders content below first.
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
    // To the browser, a frame as tall as its lesson is wholly visible: the margins select the visible part.
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
