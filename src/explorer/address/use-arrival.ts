import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface HistoryState {
  scrollY?: number;
}

/** True once a view was shown: the first one is where the browser puts the focus, the others are where we put it. */
let hasArrived = false;

/** Says that the focus is to go to the heading of the first view too: what had it is gone. */
export function expectFocus(): void {
  hasArrived = true;
}

/**
 * What happens when a view is there: its title becomes that of the page, the focus goes to its heading, from which a screen reader goes
 * on, and the page scrolls to where it was, when back has led here, or else to its beginning. `place` names the view; `isReady` says
 * that its heading and as much of it as is to be scrolled to are there.
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
    // Who types a search goes on typing, and who chooses among the releases goes on choosing.
    const isAtWork = ["search", "release"].includes(document.activeElement?.id ?? "");
    if (hasArrived && !isAtWork) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    if (scrollY.current > 0) window.scrollTo({ top: scrollY.current, behavior: "instant" });
    hasArrived = true;
  }, [place, isReady]);
}

/** Notes with each entry of the history how far its page was scrolled, so that back finds it there again. */
export function keepScrollPositions(): void {
  history.scrollRestoration = "manual";
  let timer: number | undefined;
  const note = (): void => {
    timer = undefined;
    history.replaceState({ ...(history.state as HistoryState | null), scrollY: window.scrollY }, "");
  };
  // Browsers refuse to note more than a hundred times in half a minute.
  window.addEventListener("scroll", () => (timer ??= setTimeout(note, 400)), { passive: true });
  window.addEventListener("pagehide", note);
}
