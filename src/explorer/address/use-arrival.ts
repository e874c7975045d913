import { useEffect, useRef } from "preact/hooks";

interface HistoryState {
  scrollY?: number;
}

/** True once a view was shown: the first one is where the browser puts the focus, the others are where we put it. */
let hasArrived = false;

/**
 * What happens when a view is there: its title becomes that of the page, the focus goes to its heading, from which a screen reader goes
 * on, and the page scrolls to where it was, when back has led here, or else to its beginning. `place` names the view; `isReady` says
 * that its heading and as much of it as is to be scrolled to are there.
 */
export function useArrival(place: string, title: string, isReady: boolean): void {
  const arrivedAt = useRef<string>(undefined);
  useEffect(() => {
    if (isReady) document.title = title === "" ? "Lectern" : `${title} · Lectern`;
  }, [title, isReady]);
  useEffect(() => {
    if (!isReady || arrivedAt.current === place) return;
    arrivedAt.current = place;
    const { scrollY = 0 } = (history.state ?? {}) as HistoryState;
    if (hasArrived) document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    if (hasArrived || scrollY > 0) window.scrollTo({ top: scrollY, behavior: "instant" });
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
