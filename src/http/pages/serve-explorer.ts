// The explorer: a page on which people read a catalog. It has no content of its own; it asks the API, with the reader's key.
import type { AskedPage } from "../request/route.ts";
import { requireBuilt, type BuiltSet } from "./built-files.ts";
import { respondNotBuilt } from "./not-built.ts";
import { createPageHeaders } from "./page-headers.ts";

/** What answering needs. */
export interface ExplorerContext {
  pages: { explorer?: BuiltSet };
}

/** Hosts whose players and sandboxes lessons may embed: those of `src/explorer/lesson-frame/embeds.ts`, which runs in browsers. */
const EMBED_HOSTS = ["https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://codepen.io"];

const DOCUMENT_HEADERS = createPageHeaders([
  "style-src 'self'",
  // Thumbnails come from any host.
  "img-src 'self' https: http:",
  `frame-src 'self' ${EMBED_HOSTS.join(" ")}`,
]);

/** Answers a request for the explorer's page. Throws 404 where it is off. */
export function serveExplorer({ request }: AskedPage, { pages }: ExplorerContext): Response {
  if (pages.explorer === "missing") {
    return respondNotBuilt(request, "explorer");
  }
  return requireBuilt(pages.explorer).respondDocument(request, "index.html", DOCUMENT_HEADERS);
}

/** Answers a request for a file that the explorer loads. Throws 404. */
export function serveExplorerFile({ request, segments }: AskedPage, { pages }: ExplorerContext): Response {
  const [name = ""] = segments;
  return requireBuilt(pages.explorer).respondFile(request, name);
}
