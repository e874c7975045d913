import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const NAME = "lectern-theme";
const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Returns the theme and a function that switches it. Follows the system until the reader chooses. */
export function useTheme(): [theme: Theme, toggle: () => void] {
  const [chosen, setChosen] = useState(readChoice);
  const [isSystemDark, setSystemDark] = useState(DARK.matches);
  useEffect(() => {
    const update = (): void => setSystemDark(DARK.matches);
    DARK.addEventListener("change", update);
    return () => DARK.removeEventListener("change", update);
  }, []);
  const theme = chosen ?? (isSystemDark ? "dark" : "light");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const toggle = (): void => {
    const other = theme === "dark" ? "light" : "dark";
    setChosen(other);
    try {
      localStorage.setItem(NAME, other);
    } catch {
      // Without storage, the choice lasts only as long as the page.
    }
  };
  return [theme, toggle];
}

function readChoice(): Theme | undefined {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === "light" || stored === "dark" ? stored : undefined;
  } catch {
    return undefined;
  }
}
