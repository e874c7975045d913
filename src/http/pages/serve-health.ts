import { respondWithoutBody } from "../request/negotiation.ts";
import type { AskedPage } from "../request/request-url.ts";

/** Reports that this process is up. Does not read the store: a server that lost it still serves its cache. */
export function serveHealth({ request }: AskedPage): Response {
  const headers = new Headers({
    "cache-control": "no-store",
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") return respondWithoutBody(request, 200, headers);
  return new Response("ok\n", { headers });
}
