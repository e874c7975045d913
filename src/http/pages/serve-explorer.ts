// The explorer: a page on which people read a catalog. It has no content of its own; it asks the API, with the reader's key.
import { unknownPath } from "../request/errors.ts";
import type { AskedPage } from "../request/route.ts";
import type { BuiltFiles, BuiltSet } from "./built-files.ts";
import { respondNotBuilt } from "./not-built.ts";

/** What answering needs. */
export interface ExplorerContext {
  pages: { explorer?: BuiltSet };
}

/** Hosts whose players and sandboxes lessons may embed. */
const EMBED_HOSTS = ["https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://codepen.io"];

/** Thumbnails come from any host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: http:",
  "connect-src 'self'",
  `frame-src 'self' ${EMBED_HOSTS.join(" ")}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const DOCUMENT_HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Answers a request for the explorer's page. Throws 404 where it is off. */
export function serveExplorer({ request }: AskedPage, { pages }: ExplorerContext): Response {
  if (pages.explorer === "missing") {
    return respondNotBuilt(request, "explorer", "<code>npm run prepare</code>");
  }
  return requireShown(pages).respondDocument(request, "index.html", DOCUMENT_HEADERS);
}

/** Answers a request for a file that the explorer loads. Throws 404. */
export function serveExplorerFile({ request, segments }: AskedPage, { pages }: ExplorerContext): Response {
  const [name = ""] = segments;
  // Documents have a policy of their own.
  if (name.endsWith(".html")) throw unknownPath();
  return requireShown(pages).respondFile(request, name);
}

/** The files of the explorer. Throws 404 where it is off or not built. */
export function requireShown({ explorer }: ExplorerContext["pages"]): BuiltFiles {
  if (explorer === undefined || explorer === "missing") throw unknownPath();
  return explorer;
}
