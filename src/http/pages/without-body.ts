/**
 * An answer without its body, to HEAD or as a 304. Bun leaves `Date` out of answers to HEAD, which should have the header fields of
 * GET (RFC 9110 §9.3.2): it is added to `headers`.
 */
export function respondWithoutBody(request: Request, status: number, headers: Headers): Response {
  if (request.method === "HEAD") headers.set("date", new Date().toUTCString());
  return new Response(null, { status, headers });
}
