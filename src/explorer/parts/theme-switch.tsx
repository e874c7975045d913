import type { JSX } from "preact";
import { MoonIcon, SunIcon } from "./icons.tsx";
import type { Theme } from "./use-theme.ts";

export function ThemeSwitch({ theme, onToggle }: { theme: Theme; onToggle: () => void }): JSX.Element {
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Show in ${other} colors`}
      title={`Show in ${other} colors`}
      onClick={onToggle}
    >
      {theme === "dark" ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}
