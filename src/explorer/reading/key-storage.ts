// Stores the key in the tab's session storage, which no other tab reads.
const NAME = "lectern-key";
/** The characters of valid keys; headers reject many others. */
const KEY = /^[!-~]{1,255}$/;

/** Returns the tab's key; undefined if there is none or no storage. */
export function findStoredKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores the key until the tab closes. Without storage, a reload loses it. */
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
 * Moves the key of `#key=…`, which `lectern preview` opens, from the URL and history to storage. Returns undefined and
 * changes nothing for other URLs.
 */
export function takeKeyFromAddress(): string | undefined {
  const [, encoded, rest = ""] = /^#key=([^&]*)(?:&(.*))?$/.exec(location.hash) ?? [];
  if (encoded === undefined) return undefined;
  history.replaceState(history.state, "", `${location.pathname}${location.search}#${rest}`);
  // replaceState fires no event, and a view may have read the address already.
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
