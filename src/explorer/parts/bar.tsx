import type { JSX } from "preact";
import { EMPTY_CATALOG, formatAddress } from "../address/address.ts";
import { useReading } from "../reading/reading-context.ts";
import { BrandIcon, KeyIcon, RequestsIcon } from "./icons.tsx";
import { ReleasePicker } from "./release-picker.tsx";
import { SearchField } from "./search-field.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import type { Theme } from "./use-theme.ts";

interface BarProps {
  theme: Theme;
  onToggleTheme: () => void;
  onForget: () => void;
  showsRequests: boolean;
  onToggleRequests: () => void;
}

/** The bar at the top of the page. */
export function Bar({ theme, onToggleTheme, onForget, showsRequests, onToggleRequests }: BarProps): JSX.Element {
  const { release } = useReading().address;
  return (
    <header class="bar">
      <a class="brand" href={formatAddress({ ...EMPTY_CATALOG, tags: [], release })} aria-label="Lectern: all courses">
        <BrandIcon />
        <span>Lectern</span>
      </a>
      <SearchField />
      <ReleasePicker />
      <div class="bar-buttons">
        <button
          type="button"
          id="requests-button"
          class="icon-button with-text"
          aria-expanded={showsRequests}
          title="This page's requests"
          onClick={onToggleRequests}
        >
          <RequestsIcon />
          <span>Requests</span>
        </button>
        <ThemeSwitch theme={theme} onToggle={onToggleTheme} />
        <button type="button" class="icon-button" aria-label="Forget the key" title="Forget the key" onClick={onForget}>
          <KeyIcon />
        </button>
      </div>
    </header>
  );
}
