import { useLayoutEffect, useState } from "preact/hooks";
import { formatAddress, parseAddress, type Address } from "./address.ts";

/** The address that the page shows, as the browser's address bar has it; reload and back lead to it again. */
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

/** Goes to an address. */
export function goTo(address: Address): void {
  location.hash = formatAddress(address);
}

/** Shows another address in place of this one, to which back does not lead. */
export function replaceAddress(address: Address): void {
  const fragment = formatAddress(address);
  if (fragment === location.hash) return;
  history.replaceState(history.state, "", fragment);
  window.dispatchEvent(new PopStateEvent("popstate"));
}
