import type { JSX } from "preact";
import { useCallback, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { expectFocus } from "./address/use-arrival.ts";
import { useTheme } from "./parts/use-theme.ts";
import { findStoredKey, forgetKey, storeKey, takeKeyFromAddress } from "./reading/key-storage.ts";
import { createSession } from "./reading/session.ts";
import { Shell } from "./shell.tsx";
import { KeyView } from "./views/key-view.tsx";

/** The whole page: the catalog if there is a key, otherwise a form that asks for one. */
export function App(): JSX.Element {
  const [theme, toggleTheme] = useTheme();
  const [key, setKey] = useState(findStoredKey);
  const [reason, setReason] = useState("");
  const session = useMemo(() => (key === undefined ? undefined : createSession(key)), [key]);
  const enter = useCallback((entered: string): void => {
    storeKey(entered);
    setReason("");
    expectFocus();
    setKey(entered);
  }, []);
  // A layout effect, because a link with a key can open in this tab while the page loads: a later effect would miss it.
  useLayoutEffect(() => {
    const take = (): void => {
      const taken = takeKeyFromAddress();
      if (taken !== undefined) enter(taken);
    };
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [enter]);
  const leave = useCallback((why: string): void => {
    forgetKey();
    setReason(why);
    setKey(undefined);
  }, []);
  if (session === undefined) return <KeyView reason={reason} onKey={enter} theme={theme} onToggleTheme={toggleTheme} />;
  // Keyed by API key: no state carries over to another key.
  return <Shell key={key} session={session} onLeave={leave} theme={theme} onToggleTheme={toggleTheme} />;
}
