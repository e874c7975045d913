// What tells of the interface: its description for programs (OpenAPI), and a page for people that shows it and sends requests, with
// the reader's key, to the server that it comes from.
import type { CorsPolicy } from "../request/cors.ts";
import { unknownPath } from "../request/errors.ts";
import type { AskedPage } from "../request/route.ts";
import { requireBuilt, type BuiltFiles, type BuiltSet } from "./built-files.ts";
import { respondNotBuilt } from "./not-built.ts";
import { createPageHeaders } from "./page-headers.ts";

/** The name of the description among the files of its set. */
export const DESCRIPTION_NAME = "openapi.json";
/** That of the one for an address with a slash at its end, from which relative addresses start at another place. */
export const DESCRIPTION_IN_FOLDER_NAME = "folder.json";

/** What answering needs. */
export interface ReferenceContext {
  pages: { description?: BuiltFiles; reference?: BuiltSet };
  cors: CorsPolicy;
}

const DOCUMENT_HEADERS = createPageHeaders([
  // Scalar's page makes its styles by script; nothing else that is inline is allowed.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
]);

/** Answers a request for the description, which tools of any origin may read. Throws 404 where there is none. */
export function serveDescription({ request, target }: AskedPage, { pages, cors }: ReferenceContext): Response {
  if (pages.description === undefined) throw unknownPath();
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  const name = target.path.endsWith("/") ? DESCRIPTION_IN_FOLDER_NAME : DESCRIPTION_NAME;
  const response = pages.description.respondDocument(request, name, headers);
  if (cors.variesByOrigin) response.headers.append("vary", "Origin");
  return response;
}

/** Answers a request for the reference. Throws 404 where there is none. */
export function serveReference({ request, target }: AskedPage, { pages }: ReferenceContext): Response {
  if (pages.reference === "missing") {
    return respondNotBuilt(request, "reference");
  }
  // Addresses in the document are relative, and start from another place then.
  const name = target.path.endsWith("/") ? "folder.html" : "index.html";
  return requireBuilt(pages.reference).respondDocument(request, name, DOCUMENT_HEADERS);
}

/** Answers a request for a file that the reference loads. Throws 404. */
export function serveReferenceFile({ request, segments }: AskedPage, { pages }: ReferenceContext): Response {
  const [name = ""] = segments;
  return requireBuilt(pages.reference).respondFile(request, name);
}
