// What tells of the interface: its description for programs (OpenAPI), and a page for people that shows it and sends requests, with
// the reader's key, to the server that it comes from.
import type { CorsPolicy } from "../request/cors.ts";
import { unknownPath } from "../request/errors.ts";
import type { AskedPage } from "../request/route.ts";
import type { BuiltFiles, BuiltSet } from "./built-files.ts";
import { respondNotBuilt } from "./not-built.ts";

/** The name of the description among the files of its set. */
export const DESCRIPTION_NAME = "openapi.json";

/** What answering needs. */
export interface ReferenceContext {
  pages: { description?: BuiltFiles; reference?: BuiltSet };
  cors: CorsPolicy;
}

/** Scalar's page makes its styles by script; nothing else that is inline is allowed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const DOCUMENT_HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Answers a request for the description, which tools of any origin may read. Throws 404 where there is none. */
export function serveDescription({ request }: AskedPage, { pages, cors }: ReferenceContext): Response {
  if (pages.description === undefined) throw unknownPath();
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  const response = pages.description.respondDocument(request, DESCRIPTION_NAME, headers);
  if (cors.variesByOrigin) response.headers.append("vary", "Origin");
  return response;
}

/** Answers a request for the reference. */
export function serveReference({ request, target }: AskedPage, { pages }: ReferenceContext): Response {
  if (pages.reference === undefined) throw unknownPath();
  if (pages.reference === "missing") {
    return respondNotBuilt(request, "reference", "<code>npm ci</code> (without <code>--omit=dev</code>)");
  }
  // Addresses in the document are relative, and start from another place then.
  const name = target.path.endsWith("/") ? "folder.html" : "index.html";
  return pages.reference.respondDocument(request, name, DOCUMENT_HEADERS);
}

/** Answers a request for a file that the reference loads. Throws 404. */
export function serveReferenceFile({ request, segments }: AskedPage, { pages }: ReferenceContext): Response {
  const [name = ""] = segments;
  // Documents have a policy of their own.
  if (pages.reference === undefined || pages.reference === "missing" || name.endsWith(".html")) throw unknownPath();
  return pages.reference.respondFile(request, name);
}
