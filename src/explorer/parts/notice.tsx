import type { ComponentChildren, JSX } from "preact";
import type { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { PAGE_FAULT, type Loaded } from "../reading/use-loaded.ts";

/** The service's message for a missing release. */
const RELEASE_NOT_FOUND = "Release not found";

/** Shows a message in place of content. */
export function Notice({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="notice" role="status">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/**
 * Explains a failed load and its remedy; renders nothing without an error. If content is still shown, a transient error
 * takes one line. `what` names the content, such as "course".
 */
export function LoadFault({ loaded, what }: { loaded: Loaded<unknown>; what: string }): JSX.Element | null {
  const { error, isTransient, retry, value } = loaded;
  if (error === undefined) return null;
  const again = (
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  );
  if (isTransient) {
    return (
      <div class={value === undefined ? "notice" : "notice notice-line"} role="status">
        <h2>{describePassing(error)}</h2>
        <p>
          {value === undefined ? "" : `The page shows content loaded earlier. `}
          The page retries automatically.
        </p>
        {again}
      </div>
    );
  }
  if (error.status === 410 || error.message === RELEASE_NOT_FOUND) {
    return (
      <Notice title={error.status === 410 ? "This release is no longer kept" : "Release not found in this channel"}>
        <p>
          {error.status === 410
            ? "Old releases are pruned. Read the current one."
            : "It might belong to another project or channel. Read the current one."}
        </p>
        <a class="button" href="#/">
          Read the current release
        </a>
      </Notice>
    );
  }
  if (error.status === 404) {
    return (
      <Notice title={`This ${what} is not in the catalog`}>
        <p>
          The service says: {error.message}. It may have been removed or renamed, be in another release, or be a draft
          that your key cannot read.
        </p>
        <a class="button" href="#/">
          All courses
        </a>
      </Notice>
    );
  }
  return (
    <Notice title={`The ${what} cannot be shown`}>
      <p>
        {error.status === PAGE_FAULT ? "This page failed because of a bug" : `The service answered ${error.status}`}:{" "}
        {error.message}
      </p>
      {again}
    </Notice>
  );
}

function describePassing({ status }: CatalogError): string {
  if (status === 0) return navigator.onLine ? "The server cannot be reached" : "You are offline";
  return status === 429 ? "Too many requests" : "The server is unavailable";
}
