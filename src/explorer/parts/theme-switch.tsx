import type { JSX } from "preact";
import { MoonIcon, SunIcon } from "./icons.tsx";
import type { Theme } from "./use-theme.ts";

export function ThemeSwitch({ theme, onToggle }: { theme: Theme; onToggle: () => void }): JSX.Element {
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Use ${other} colors`}
      title={`Use ${other} colors`}
      onClick={onToggle}
    >
      {theme === "dark" ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}
