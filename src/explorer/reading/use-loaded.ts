import { useEffect, useRef, useState } from "preact/hooks";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";

/** What passes: no answer, too many requests, a server or a proxy that cannot answer now. */
const PASSING = [0, 429, 502, 503, 504];
/** The status of an error that no answer has caused. */
export const PAGE_FAULT = -1;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** What a view has of what it asked for. */
export interface Loaded<T> {
  /** Undefined while nothing has come. */
  value: T | undefined;
  /** Undefined unless the last attempt failed. */
  error: CatalogError | undefined;
  /** True where it is asked for again by itself. */
  isPassing: boolean;
  isLoading: boolean;
  /** Asks again now. */
  retry: () => void;
}

/**
 * Loads what `key` stands for. A request for another key is given up, so that an old answer never takes the place of a newer one.
 * `version` asks again for the same key, while what was there stays. What passes is asked for again after 1 to 15 seconds, and
 * when the browser is online again.
 */
export function useLoaded<T>(key: string, version: unknown, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: CatalogError; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [attempt, setAttempt] = useState({});
  const failures = useRef(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: number | undefined;
    const again = (): void => setAttempt({});
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    load(signal).then(
      (value) => {
        if (signal.aborted) return;
        failures.current = 0;
        setState({ key, value, isLoading: false });
      },
      (cause: unknown) => {
        if (signal.aborted) return;
        const error = toCatalogError(cause);
        setState(({ value, ...before }) => {
          const kept = before.key === key && value !== undefined ? { value } : {};
          return { key, ...kept, error, isLoading: false };
        });
        if (!PASSING.includes(error.status)) return;
        timer = setTimeout(again, Math.min(FIRST_PAUSE_MS * 2 ** failures.current, MAX_PAUSE_MS));
        failures.current = Math.min(failures.current + 1, 8);
        window.addEventListener("online", again, { signal });
      },
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
    // `load` is another function each time, and does what `key` says.
  }, [key, version, attempt]);
  const isCurrent = state.key === key;
  const error = isCurrent ? state.error : undefined;
  return {
    value: isCurrent ? state.value : undefined,
    error,
    isPassing: error !== undefined && PASSING.includes(error.status),
    isLoading: !isCurrent || state.isLoading,
    retry: () => setAttempt({}),
  };
}

function toCatalogError(cause: unknown): CatalogError {
  if (cause instanceof CatalogError) return cause;
  // A fault of this page. It is told in the console as well, with its stack.
  reportError(cause);
  return new CatalogError(PAGE_FAULT, String(cause));
}
