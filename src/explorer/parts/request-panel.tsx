import { Fragment, type JSX } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { formatCurl, type LoggedRequest, type RequestLog } from "../reading/request-log.ts";
import { formatBytes } from "./format-value.ts";
import { CloseIcon } from "./icons.tsx";

interface RequestPanelProps {
  log: RequestLog;
  onClose: () => void;
}

/** Shows the requests behind a view and their answers. */
export function RequestPanel({ log, onClose }: RequestPanelProps): JSX.Element {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const heading = useRef<HTMLHeadingElement>(null);
  // The ids of open entries: they stay open when a new view moves them to the other list.
  const { current: opened } = useRef(new Set<number>());
  useEffect(() => log.subscribe(() => renderAgain(undefined)), [log]);
  useEffect(() => {
    heading.current?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      document.getElementById("requests-button")?.focus();
    };
  }, []);
  const here = log.entries.filter(({ page }) => page === log.page);
  const before = log.entries.filter(({ page }) => page !== log.page);
  return (
    <aside class="panel" aria-labelledby="requests-heading">
      <div class="panel-head">
        <h2 id="requests-heading" ref={heading} tabIndex={-1}>
          Requests
        </h2>
        <button type="button" class="icon-button" aria-label="Close the requests" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      <p class="small muted">
        This page's requests and their answers. To send one yourself, first set a variable to your key:{" "}
        <code>export LECTERN_KEY=…</code>
      </p>
      <RequestList title="For this view" entries={here} opened={opened} />
      <RequestList title="Before" entries={before} opened={opened} />
    </aside>
  );
}

interface RequestListProps {
  title: string;
  entries: readonly LoggedRequest[];
  opened: Set<number>;
}

function RequestList({ title, entries, opened }: RequestListProps): JSX.Element | null {
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="requests">
        {entries.map((entry) => (
          <li key={entry.id}>
            <RequestEntry entry={entry} opened={opened} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RequestEntry({ entry, opened }: { entry: LoggedRequest; opened: Set<number> }): JSX.Element {
  const { id, url, status, durationMs, bytes, headers, knownTag, fault } = entry;
  const { pathname, search } = new URL(url);
  const [isOpen, setOpen] = useState(opened.has(id));
  const note = (isNowOpen: boolean): void => {
    setOpen(isNowOpen);
    if (isNowOpen) opened.add(id);
    else opened.delete(id);
  };
  return (
    <details open={isOpen} onToggle={(event) => note(event.currentTarget.open)}>
      <summary>
        <span class={`status status-${describeStatus(status)}`}>
          {status === undefined ? "…" : status === 0 ? "—" : status}
        </span>
        <span class="request-path" dir="ltr">
          {pathname.split("/").map((segment, index) => (
            <Fragment key={index}>
              {/* A line can break after a slash. */}
              {index === 0 ? "" : "/"}
              <wbr />
              {segment}
            </Fragment>
          ))}
          {search}
        </span>
        <span class="request-facts muted">
          {status === undefined
            ? "in progress"
            : fault === ""
              ? `${Math.round(durationMs)} ms · ${formatBytes(bytes)}`
              : fault}
        </span>
      </summary>
      {isOpen ? (
        <div class="request-detail" dir="ltr">
          <CopyBlock text={formatCurl(entry)} />
          <h4>Request</h4>
          <HeaderList
            headers={[
              ["x-api-key", "$LECTERN_KEY"],
              ...(knownTag === undefined ? [] : [["if-none-match", knownTag] as [string, string]]),
            ]}
          />
          <h4>{status === 304 ? "Not modified: the page already has the current content" : "Answer"}</h4>
          <HeaderList headers={sortHeaders(headers)} />
          <Body entry={entry} />
        </div>
      ) : null}
    </details>
  );
}

function describeStatus(status = 0): string {
  if (status === 0) return "none";
  if (status === 304) return "kept";
  return status < 300 ? "good" : "bad";
}

/** The most informative headers, which are shown first. */
const FIRST_HEADERS = [
  "catalog-release",
  "etag",
  "cache-control",
  "link",
  "content-location",
  "content-encoding",
  "content-length",
];

function sortHeaders(headers: LoggedRequest["headers"]): LoggedRequest["headers"] {
  const places = headers.map((header) => ({ header, place: FIRST_HEADERS.indexOf(header[0]) }));
  const rank = (place: number): number => (place === -1 ? FIRST_HEADERS.length : place);
  return places.sort((a, b) => rank(a.place) - rank(b.place)).map(({ header }) => header);
}

function HeaderList({ headers }: { headers: [name: string, value: string][] }): JSX.Element {
  return (
    <dl class="headers">
      {headers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Body({ entry: { body, isCut } }: { entry: LoggedRequest }): JSX.Element | null {
  if (body === "") return null;
  return (
    <pre class="body" tabIndex={0} aria-label="Body">
      {isCut ? body : layOut(body)}
      {isCut ? "\n… only the beginning is shown" : ""}
    </pre>
  );
}

function layOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function CopyBlock({ text }: { text: string }): JSX.Element {
  const [state, setState] = useState("Copy");
  const copy = (): void => {
    // Browsers offer the clipboard only to pages on https or localhost.
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    writing.then(
      () => setState("Copied"),
      () => setState("Select and copy by hand"),
    );
  };
  return (
    <div class="copy-block">
      <pre tabIndex={0} aria-label="Command">
        {text}
      </pre>
      <button type="button" class="button button-small" onClick={copy} aria-live="polite">
        {state}
      </button>
    </div>
  );
}
