// What tells of the interface: its description for programs (OpenAPI), and a page for people that shows it.
import type { CorsPolicy } from "../request/cors.ts";
import { unknownPath } from "../request/errors.ts";
import type { AskedPage } from "../request/route.ts";
import type { BuiltFiles } from "./built-files.ts";

/** The name of the description among the files of its set. */
export const DESCRIPTION_NAME = "openapi.json";

/** What answering needs. */
export interface ReferenceContext {
  pages: { description?: BuiltFiles };
  cors: CorsPolicy;
}

/** Answers a request for the description, which tools of any origin may read. Throws 404 where there is none. */
export function serveDescription({ request }: AskedPage, { pages, cors }: ReferenceContext): Response {
  if (pages.description === undefined) throw unknownPath();
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  const response = pages.description.respondDocument(request, DESCRIPTION_NAME, headers);
  if (cors.variesByOrigin) response.headers.append("vary", "Origin");
  return response;
}
