// Stores the key in the tab's session storage, which no other tab can read.
const NAME = "lectern-key";
/** Matches valid keys. Headers cannot contain some of the other characters. */
const KEY = /^[!-~]{1,255}$/;

/** Returns the tab's key; undefined without a key or without storage. */
export function findStoredKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores the key until the tab closes. Without storage, a reload loses the key. */
export function storeKey(key: string): void {
  try {
    sessionStorage.setItem(NAME, key);
  } catch {
    // No storage: the page keeps the key in memory.
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing is stored.
  }
}

/**
 * Moves the key in `#key=…` from the URL and the history to storage; `lectern preview` opens such URLs. For other URLs,
 * changes nothing and returns undefined.
 */
export function takeKeyFromAddress(): string | undefined {
  const [, encoded, rest = ""] = /^#key=([^&]*)(?:&(.*))?$/.exec(location.hash) ?? [];
  if (encoded === undefined) return undefined;
  history.replaceState(history.state, "", `${location.pathname}${location.search}#${rest}`);
  // replaceState fires no event, but a view might already have read the old address, so fire one here.
  window.dispatchEvent(new PopStateEvent("popstate"));
  try {
    const key = decodeURIComponent(encoded);
    if (!KEY.test(key)) return undefined;
    storeKey(key);
    return key;
  } catch {
    // Malformed percent-encoding.
    return undefined;
  }
}
