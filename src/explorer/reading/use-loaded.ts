import { useEffect, useRef, useState } from "preact/hooks";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";

/** The statuses of transient failures: no answer, too many requests, an unavailable server or proxy. */
const TRANSIENT = [0, 429, 502, 503, 504];
/** The status that stands for an error in this page itself. */
export const PAGE_FAULT = -1;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

/** A value that a view loads. */
export interface Loaded<T> {
  /** Undefined until loaded. */
  value: T | undefined;
  /** Undefined unless the last attempt failed. */
  error: CatalogError | undefined;
  /** True during automatic retries. */
  isTransient: boolean;
  isLoading: boolean;
  /** Retries now. */
  retry: () => void;
}

/**
 * Loads the value for `key`. Aborts the request for an earlier key, so that old answers never replace newer ones. A new
 * `version` reloads the value and keeps the old one meanwhile. Retries transient failures after 1 to 15 seconds, and
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
        if (!TRANSIENT.includes(error.status)) return;
        timer = setTimeout(again, Math.min(FIRST_PAUSE_MS * 2 ** failures.current, MAX_PAUSE_MS));
        failures.current = Math.min(failures.current + 1, 8);
        window.addEventListener("online", again, { signal });
      },
    );
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
    // `load` is a new function for each rendering, but depends only on `key`.
  }, [key, version, attempt]);
  const isCurrent = state.key === key;
  const error = isCurrent ? state.error : undefined;
  return {
    value: isCurrent ? state.value : undefined,
    error,
    isTransient: error !== undefined && TRANSIENT.includes(error.status),
    isLoading: !isCurrent || state.isLoading,
    retry: () => setAttempt({}),
  };
}

function toCatalogError(cause: unknown): CatalogError {
  if (cause instanceof CatalogError) return cause;
  // Any other error is a bug in this page: the console shows its stack.
  reportError(cause);
  return new CatalogError(PAGE_FAULT, String(cause));
}
