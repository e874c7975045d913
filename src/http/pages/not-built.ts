import { respondWithoutBody } from "./without-body.ts";

/** The answer in place of a page that was not built: what it is, and how it is built. HTML. */
export function respondNotBuilt(request: Request, page: string): Response {
  const headers = new Headers({
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  });
  if (request.method === "HEAD") return respondWithoutBody(request, 503, headers);
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Lectern</title>
<h1>The ${page} is not built</h1>
<p>The API works. To have this page as well, run <code>npm run prepare</code>, or <code>npm ci</code> without
<code>--ignore-scripts</code>, where Lectern is installed, and start the server again.</p>
`;
  return new Response(text, { status: 503, headers });
}
