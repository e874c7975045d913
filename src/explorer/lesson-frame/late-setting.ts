// What takes a browser long and is seen late: formulas and the colours of code far below. A lesson may have thousands.

/** What of the frame the reader sees, in pixels from its upper edge; above it less than 0. The frame is as tall as its lesson. */
export interface Sight {
  top: number;
  bottom: number;
}

/** Sets elements of one lesson, each when it comes near what the reader sees. */
export interface LateSetting {
  add(element: Element, set: () => void): void;
  /** The reader sees another part of the lesson. */
  look(sight: Sight): void;
  /** Sets all that is left at once, as a printer wants it. */
  setAll(): void;
  /** The lesson is not shown any more. */
  end(): void;
}

/** The browser gets its turn after so long. */
const SLICE_MS = 30;
/** Pixels above and below what is seen: what comes nearer is set, ... */
const NEAR = 1000;
/** ... and these are watched, so that the watch need not change with each step. */
const WATCHED = 3000;

/** `change` is called with each few settings: it makes them, and may look what they do to the page. */
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
    // What stands above is seen after what comes.
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
    // To the browser all of a frame is seen that is as tall as its lesson: the margins leave the part that is.
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
    look(next) {
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

/** Lets the browser do what else waits. */
export async function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
