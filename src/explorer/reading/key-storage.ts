// The key of this tab: in its session storage, which no other tab reads and which goes with the tab.
const NAME = "lectern-key";
/** A key has no other signs; many of them no header can hold. */
const KEY = /^[!-~]{1,255}$/;

/** The key of this tab; undefined when there is none, or where the browser keeps nothing. */
export function findStoredKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the key until the tab is closed. Where the browser keeps nothing, it is lost when the page is loaded again. */
export function storeKey(key: string): void {
  try {
    sessionStorage.setItem(NAME, key);
  } catch {
    // A browser that stores nothing: the page goes on with the key that it holds.
  }
}

/** Forgets the key. */
export function forgetKey(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // There is nothing to forget.
  }
}

/**
 * Takes the key out of the address `#key=…`, which `lectern preview` opens, so that it stands neither in the address bar nor in the
 * history; and keeps it. Undefined, and nothing done, with another address.
 */
export function takeKeyFromAddress(): string | undefined {
  const [, encoded, rest = ""] = /^#key=([^&]*)(?:&(.*))?$/.exec(location.hash) ?? [];
  if (encoded === undefined) return undefined;
  history.replaceState(history.state, "", `${location.pathname}${location.search}#${rest}`);
  // That fires no event, and the view may have read the address already.
  window.dispatchEvent(new PopStateEvent("popstate"));
  try {
    const key = decodeURIComponent(encoded);
    if (!KEY.test(key)) return undefined;
    storeKey(key);
    return key;
  } catch {
    // Malformed percent-encoding is no key.
    return undefined;
  }
}
