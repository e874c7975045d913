import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatAddress, formatLessonAddress } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { formatCount } from "../parts/format-value.ts";
import { followPreview, type Away } from "./preview-feed.ts";
import type { PreviewProblem, PreviewState } from "./preview-state.ts";
import { RELEASE_EVENT } from "./release-event.ts";

/** Shows a preview's problems in every view, those of the current lesson first. */
export function PreviewPanel({ findKey }: { findKey: () => string | undefined }): JSX.Element {
  const [state, setState] = useState<PreviewState>();
  const [away, setAway] = useState<Away>();
  const place = usePlace();
  useEffect(() => {
    const controller = new AbortController();
    let shown: number | undefined;
    const onState = (next: PreviewState): void => {
      setAway(undefined);
      setState(next);
      if (shown !== undefined && shown !== next.release) window.dispatchEvent(new Event(RELEASE_EVENT));
      shown = next.release;
    };
    void followPreview(findKey, onState, setAway, controller.signal);
    return () => controller.abort();
  }, [findKey]);
  const problems = state?.problems ?? [];
  const own = problems.filter((problem) => isAt(problem, place));
  const others = problems.filter((problem) => !isAt(problem, place));
  const hidden = (state?.errors ?? 0) + (state?.warnings ?? 0) - problems.length;
  const summary = describe(state, away);
  const [isOpen, setIsOpen] = useState(false);
  const hasErrors = (state?.errors ?? 0) > 0;
  // Opens if there are errors, because they explain why the page does not show a saved change.
  useEffect(() => setIsOpen(hasErrors), [hasErrors]);
  return (
    <aside class={`preview preview-${toMood(state, away)}`} aria-label="Preview">
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <span class="preview-dot" aria-hidden="true" /> Preview: <span role="status">{summary}</span>
        </summary>
        <div class="preview-list" tabIndex={0} role="region" aria-label="Status of the preview">
          {away === undefined ? null : <p>{AWAY_HELP[away]}</p>}
          <Problems title="This lesson" problems={own} place={place} />
          <Problems title={own.length === 0 ? "" : "Elsewhere"} problems={others} place={place} />
          {hidden > 0 ? <p>The terminal shows {formatCount(hidden, "more problem")}.</p> : null}
          <Drafts drafts={state?.drafts ?? []} />
          {away === undefined ? <p class="preview-note">The page updates when you save a file.</p> : null}
        </div>
      </details>
    </aside>
  );
}

const AWAY_HELP: Record<Away, string> = {
  "no answer": "The preview has stopped or is starting. This page reconnects automatically.",
  "another key": "Another preview is running here: open the URL that its terminal shows.",
};

interface Place {
  course: string;
  lesson: string;
}

function Problems(props: { title: string; problems: PreviewProblem[]; place: Place }): JSX.Element | null {
  const { title, problems, place } = props;
  if (problems.length === 0) return null;
  return (
    <>
      {title === "" ? null : <h2>{title}</h2>}
      <ul>
        {problems.map((problem) => (
          <li key={`${formatPlace(problem)} ${problem.message}`} class={`preview-${problem.severity}`}>
            <strong>{problem.severity}</strong> {problem.message}
            {problem.hints.map((hint) => (
              <span key={hint} class="preview-hint">
                {hint}
              </span>
            ))}
            <code>
              {problem.courseSlug === undefined || isAt(problem, place) ? (
                formatPlace(problem)
              ) : (
                <a href={formatLink(problem.courseSlug, problem.lessonId)}>{formatPlace(problem)}</a>
              )}
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Drafts({ drafts }: Pick<PreviewState, "drafts">): JSX.Element | null {
  if (drafts.length === 0) return null;
  return (
    <>
      <h2>Drafts</h2>
      <ul>
        {drafts.map(({ courseId, slug }) => (
          <li key={courseId}>
            <a href={formatLink(slug)}>{slug}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function usePlace(): Place {
  const address = useAddress();
  return {
    course: "course" in address ? address.course : "",
    lesson: address.kind === "lesson" ? address.lesson : "",
  };
}

function isAt({ courseId, courseSlug, lessonId }: PreviewProblem, { course, lesson }: Place): boolean {
  return lessonId !== undefined && lessonId === lesson && (course === courseId || course === courseSlug);
}

function toMood(state: PreviewState | undefined, away: Away | undefined): "away" | "bad" | "warn" | "good" {
  if (away !== undefined || state === undefined) return "away";
  if (state.errors > 0) return "bad";
  return state.warnings > 0 ? "warn" : "good";
}

function describe(state: PreviewState | undefined, away: Away | undefined): string {
  if (away !== undefined) return "not running";
  if (state === undefined) return "connecting";
  const { errors, warnings, release } = state;
  if (errors > 0)
    return `${formatCount(errors, "error")}; ${release === 0 ? "nothing to show yet" : `release ${release} stays`}`;
  return warnings > 0 ? `${formatCount(warnings, "warning")}, release ${release}` : `no problems, release ${release}`;
}

function formatPlace({ file, line, column }: PreviewProblem): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

function formatLink(course: string, lesson?: string): string {
  if (lesson !== undefined) return formatLessonAddress(course, lesson, undefined);
  return formatAddress({ kind: "course", course, release: undefined });
}
