import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SearchPage, SearchResult } from "../../../packages/client/src/catalog-client.ts";
import { formatAddress } from "../address/address.ts";
import { useReading } from "../reading/reading-context.ts";
import { useLoaded } from "../reading/use-loaded.ts";
import { formatCount } from "./format-value.ts";

/** The delay between the last keystroke and the request. */
const PAUSE_MS = 120;
const NOTHING: SearchPage = { total: 0, results: [] };

/** Shows the lessons that match the typed text, grouped by course; nothing if the service has no search. */
export function SearchResults({ text, onLeave }: { text: string; onLeave: () => void }): JSX.Element | null {
  const { session, address, revision, announce } = useReading();
  const { release } = address;
  const asked = useSettled(text.trim());
  const { value, error } = useLoaded(JSON.stringify([asked, release]), revision, async (signal) =>
    asked === "" ? NOTHING : (await session.reading(release)).search(asked, { signal }),
  );
  const said = value === undefined || asked === "" ? "" : describe(value);
  useEffect(() => {
    if (said !== "") announce(said);
  }, [said, announce]);
  if (error?.status === 404 || asked === "") return null;
  return (
    <div class="search-results">
      <p class="muted small">{error === undefined ? said : error.message}</p>
      {groupByCourse(value?.results ?? []).map(([courseId, results]) => (
        <section key={courseId}>
          <h2 class="small">{results[0]?.courseName}</h2>
          <ul>
            {results.map((result) => (
              <li key={result.lessonId}>
                <a href={toAddress(result, release)} onClick={onLeave} dir="auto">
                  <strong>{[result.lessonName, result.heading].filter(Boolean).join(" › ") || "The course"}</strong>
                  {/* The service escapes everything except `mark`. */}
                  <span class="small muted" dangerouslySetInnerHTML={{ __html: result.excerpt }} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setSettled, PAUSE_MS, text);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function describe({ total, results }: SearchPage): string {
  if (total === 0) return "No lesson or course matches this search.";
  return total > results.length
    ? `The first ${results.length} of ${formatCount(total, "result")}`
    : formatCount(total, "result");
}

function groupByCourse(results: readonly SearchResult[]): [courseId: string, results: SearchResult[]][] {
  return [...Map.groupBy(results, ({ courseId }) => courseId)];
}

function toAddress({ courseId: course, lessonId: lesson, headingId: heading }: SearchResult, release?: number): string {
  return formatAddress(
    lesson === "" ? { kind: "course", course, release } : { kind: "lesson", course, lesson, heading, release },
  );
}

/**
 * Moves the focus between the field and the links below it. Returns false if `key` is not a vertical arrow, or if the
 * focus is elsewhere.
 */
export function moveBetween(search: HTMLElement, { key }: KeyboardEvent): boolean {
  const stops = [...search.querySelectorAll<HTMLElement>("input, .search-results a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || at === -1) return false;
  stops[at + step]?.focus();
  return true;
}
