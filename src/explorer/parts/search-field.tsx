import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EMPTY_CATALOG } from "../address/address.ts";
import { goTo, replaceAddress } from "../address/use-address.ts";
import { useReading } from "../reading/reading-context.ts";
import { SearchIcon } from "./icons.tsx";
import { isTyping } from "./is-typing.ts";

/** How long nothing is typed before the service is asked. */
const PAUSE_MS = 120;

/** Searches the names of courses while it is typed in, from every view. `/` leads to it. */
export function SearchField(): JSX.Element {
  const { address } = useReading();
  const searched = address.kind === "catalog" ? address.search : "";
  const [text, setText] = useState(searched);
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
    if (text === searched || document.activeElement !== field.current) return undefined;
    const timer = setTimeout(search, PAUSE_MS, text);
    return () => clearTimeout(timer);
  }, [text, searched, address]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <search class="search">
      <SearchIcon />
      <input
        ref={field}
        id="search"
        type="search"
        value={text}
        placeholder="Search courses"
        aria-label="Search courses by name"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={(event) => search(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </search>
  );
}
