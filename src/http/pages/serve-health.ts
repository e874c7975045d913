import { respondWithoutBody } from "../request/negotiation.ts";
import type { AskedPage } from "../request/request-url.ts";

/** Tells proxies that this process answers. Asks nothing of the store: a server without it goes on with what it holds. */
export function serveHealth({ request }: AskedPage): Response {
  const headers = new Headers({
    "cache-control": "no-store",
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") return respondWithoutBody(request, 200, headers);
  return new Response("ok\n", { headers });
}
