import { useLayoutEffect, useState } from "preact/hooks";
import { formatAddress, parseAddress, type Address } from "./address.ts";

/** Returns the address in the URL. Renders the component again when the address changes. */
export function useAddress(): Address {
  const [fragment, setFragment] = useState(location.hash);
  useLayoutEffect(() => {
    const update = (): void => setFragment(location.hash);
    window.addEventListener("popstate", update);
    window.addEventListener("hashchange", update);
    return () => {
      window.removeEventListener("popstate", update);
      window.removeEventListener("hashchange", update);
    };
  }, []);
  return parseAddress(fragment);
}

/** Navigates to an address. */
export function goTo(address: Address): void {
  location.hash = formatAddress(address);
}

/** Replaces the address without adding a history entry. */
export function replaceAddress(address: Address): void {
  const fragment = formatAddress(address);
  if (fragment === location.hash) return;
  history.replaceState(history.state, "", fragment);
  window.dispatchEvent(new PopStateEvent("popstate"));
}
