import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface HistoryState {
  scrollY?: number;
}

/** True after the first view, in which the browser sets the focus itself. */
let hasArrived = false;

/** Makes even the first view focus its heading, because the element that had the focus is gone. */
export function expectFocus(): void {
  hasArrived = true;
}

/**
 * Completes navigation once a view is ready: sets the page's title, focuses the heading for screen readers, and
 * restores the scroll position when the reader goes back, or else scrolls to the top. `place` identifies the view.
 * `isReady` is true if the view's heading and scrollable content exist.
 */
export function useArrival(place: string, title: string, isReady: boolean): void {
  const arrivedAt = useRef<string>(undefined);
  const scrollY = useRef(0);
  useEffect(() => {
    if (isReady) document.title = title === "" ? "Lectern" : `${title} · Lectern`;
  }, [title, isReady]);
  useLayoutEffect(() => {
    scrollY.current = ((history.state ?? {}) as HistoryState).scrollY ?? 0;
    if (hasArrived && scrollY.current === 0) window.scrollTo({ top: 0, behavior: "instant" });
  }, [place]);
  useEffect(() => {
    if (!isReady || arrivedAt.current === place) return;
    arrivedAt.current = place;
    // Do not move the focus of a reader who is typing a search or choosing a release.
    const isAtWork = ["search", "release"].includes(document.activeElement?.id ?? "");
    if (hasArrived && !isAtWork) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    if (scrollY.current > 0) window.scrollTo({ top: scrollY.current, behavior: "instant" });
    hasArrived = true;
  }, [place, isReady]);
}

/** Stores the scroll position in each history entry, so that going back restores it. */
export function keepScrollPositions(): void {
  history.scrollRestoration = "manual";
  let timer: number | undefined;
  const note = (): void => {
    timer = undefined;
    history.replaceState({ ...(history.state as HistoryState | null), scrollY: window.scrollY }, "");
  };
  // Delayed, because browsers limit history updates to a hundred in half a minute.
  window.addEventListener("scroll", () => (timer ??= setTimeout(note, 400)), { passive: true });
  window.addEventListener("pagehide", note);
}
