import type { ComponentChildren, JSX } from "preact";
import type { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { PAGE_FAULT, type Loaded } from "../reading/use-loaded.ts";

/** How the service says that what is missing is the release. */
const RELEASE_NOT_FOUND = "Release not found";

/** A message that stands where content would. */
export function Notice({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="notice" role="status">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/**
 * Why something is not there, and what helps. `what` is the thing, such as "course". Nothing where there is no error; a line above
 * the content where that is still shown.
 */
export function LoadFault({ loaded, what }: { loaded: Loaded<unknown>; what: string }): JSX.Element | null {
  const { error, isPassing, retry, value } = loaded;
  if (error === undefined) return null;
  const again = (
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  );
  if (isPassing) {
    return (
      <div class={value === undefined ? "notice" : "notice notice-line"} role="status">
        <h2>{describePassing(error)}</h2>
        <p>
          {value === undefined ? "" : `What you see is what was read before. `}
          The page asks again by itself.
        </p>
        {again}
      </div>
    );
  }
  if (error.status === 410 || error.message === RELEASE_NOT_FOUND) {
    return (
      <Notice title={error.status === 410 ? "This release is no longer kept" : "There is no such release"}>
        <p>
          {error.status === 410
            ? "Old releases are removed after a while. The current one is there."
            : "It may be one of another project or channel. The current one is there."}
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
          that your key does not read.
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
        {error.status === PAGE_FAULT ? "This page has a fault" : `The service answered ${error.status}`}:{" "}
        {error.message}
      </p>
      {again}
    </Notice>
  );
}

function describePassing({ status }: CatalogError): string {
  if (status === 0) return navigator.onLine ? "The server cannot be reached" : "You are offline";
  return status === 429 ? "Too many requests" : "The server cannot answer just now";
}
