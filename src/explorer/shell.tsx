// The frame around every view: bar, request panel, live region.
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { formatAddress, type Address } from "./address/address.ts";
import { useAddress } from "./address/use-address.ts";
import { CompareView } from "./compare/compare-view.tsx";
import { Bar } from "./parts/bar.tsx";
import { PinnedLine } from "./parts/release-picker.tsx";
import { RequestPanel } from "./parts/request-panel.tsx";
import type { Theme } from "./parts/use-theme.ts";
import { RELEASE_EVENT } from "./preview/release-event.ts";
import { ReadingContext, type Reading } from "./reading/reading-context.ts";
import type { Session } from "./reading/session.ts";
import { CatalogView } from "./views/catalog-view.tsx";
import { CourseFrame } from "./views/course-frame.tsx";

const REFUSED = "The service rejects this key. Perhaps it has expired or was revoked. Enter another key.";

interface ShellProps {
  session: Session;
  /** Called to forget the key, with the reason, or with "" if the reader chose to forget it. */
  onLeave: (reason: string) => void;
  theme: Theme;
  onToggleTheme: () => void;
}

/** Shows the catalog that the key reads. */
export function Shell({ session, onLeave, theme, onToggleTheme }: ShellProps): JSX.Element {
  const address = useAddress();
  const [revision, setRevision] = useState(0);
  const [said, announce] = useState("");
  const [showsRequests, setShowsRequests] = useState(false);
  const reload = useCallback((): void => setRevision((before) => before + 1), []);
  useEffect(
    () => session.subscribe((event) => (event === "refused" ? onLeave(REFUSED) : reload())),
    [session, onLeave, reload],
  );
  useEffect(() => {
    window.addEventListener(RELEASE_EVENT, reload);
    return () => window.removeEventListener(RELEASE_EVENT, reload);
  }, [reload]);
  const place = formatAddress(address);
  // A layout effect, which runs before the effects in which views send their requests.
  useLayoutEffect(() => session.log.turnPage(), [session, place]);
  const reading = useMemo<Reading>(
    () => ({ session, address, revision, reload, announce }),
    // `address` is a new object for each rendering, but `place` changes only with its content.
    [session, place, revision, reload],
  );
  return (
    <ReadingContext.Provider value={reading}>
      <a class="skip-link" href="#main" onClick={skipToContent}>
        Skip to content
      </a>
      <Bar
        theme={theme}
        onToggleTheme={onToggleTheme}
        onForget={() => onLeave("")}
        showsRequests={showsRequests}
        onToggleRequests={() => setShowsRequests(!showsRequests)}
      />
      <PinnedLine />
      <main id="main" tabIndex={-1}>
        <CurrentView address={address} theme={theme} />
      </main>
      <footer class="page-foot small muted">
        <a href="docs">API reference</a>
        <span>
          <kbd>/</kbd> search, <kbd>←</kbd> <kbd>→</kbd> lessons
        </span>
      </footer>
      {showsRequests ? <RequestPanel log={session.log} onClose={() => setShowsRequests(false)} /> : null}
      <div class="visually-hidden" role="status" aria-live="polite">
        {said}
      </div>
    </ReadingContext.Provider>
  );
}

function CurrentView({ address, theme }: { address: Address; theme: Theme }): JSX.Element {
  switch (address.kind) {
    case "catalog":
      return <CatalogView address={address} />;
    case "course":
      return <CourseFrame course={address.course} theme={theme} />;
    case "lesson":
      return <CourseFrame course={address.course} lesson={address} theme={theme} />;
    case "compare":
      return <CompareView address={address} />;
  }
}

// The URL's fragment is the view's address, so it cannot be an element's id.
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
