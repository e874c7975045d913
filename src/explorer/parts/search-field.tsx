import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EMPTY_CATALOG } from "../address/address.ts";
import { goTo, replaceAddress } from "../address/use-address.ts";
import { useReading } from "../reading/reading-context.ts";
import { SearchIcon } from "./icons.tsx";
import { isTyping } from "./is-typing.ts";
import { moveBetween, SearchResults } from "./search-results.tsx";

/** The delay between the last keystroke and the request. */
const PAUSE_MS = 120;

/**
 * Searches lessons in every view, and course names in the catalog, while the reader types. `/` and Ctrl-K focus the
 * field.
 */
export function SearchField(): JSX.Element {
  const { address } = useReading();
  const searched = address.kind === "catalog" ? address.search : "";
  const [text, setText] = useState(searched);
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(searched);
  }, [searched]);
  const search = (typed: string): void => {
    if (typed === searched) return;
    if (address.kind === "catalog") replaceAddress({ ...address, search: typed });
    else goTo({ ...EMPTY_CATALOG, tags: [], search: typed, release: address.release });
  };
  useEffect(() => {
    // In other views, results appear below the field, and only Enter opens the catalog.
    if (address.kind !== "catalog" || text === searched || document.activeElement !== field.current) return undefined;
    const timer = setTimeout(search, PAUSE_MS, text);
    return () => clearTimeout(timer);
  }, [text, searched, address]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const hasCommand = event.ctrlKey || event.metaKey;
      const isShortcut = hasCommand ? event.key.toLowerCase() === "k" : event.key === "/" && !isTyping(event);
      if (!isShortcut || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <search
      class="search"
      onFocusIn={() => setOpen(true)}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          field.current?.focus();
          setOpen(false);
        } else if (moveBetween(event.currentTarget, event)) event.preventDefault();
      }}
    >
      <SearchIcon />
      <input
        ref={field}
        id="search"
        type="search"
        value={text}
        placeholder="Search"
        aria-label="Search courses and lessons"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          search(event.currentTarget.value);
          setOpen(false);
        }}
        onBlur={(event) => {
          if (address.kind === "catalog") search(event.currentTarget.value);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {isOpen ? <SearchResults text={text} onLeave={() => setOpen(false)} /> : null}
    </search>
  );
}
