// Pages for people, and the description of the interface for programs. They hold no content: they ask the API with the reader's key.
import type { CorsPolicy } from "../request/cors.ts";
import { unknownPath } from "../request/errors.ts";
import { respondWithoutBody } from "../request/negotiation.ts";
import type { AskedPage } from "../request/route.ts";
import { requireBuilt, type BuiltFiles, type BuiltSet } from "./built-files.ts";

export interface BuiltPages {
  explorer?: BuiltSet;
  reference?: BuiltSet;
  description?: BuiltFiles;
}

export interface PageContext {
  pages: BuiltPages;
  cors: CorsPolicy;
}

/** The description among the files of its set, and the one for an address that ends in a slash, since addresses in it are relative. */
export const DESCRIPTION_NAME = "openapi.json";
export const DESCRIPTION_IN_FOLDER_NAME = "folder.json";

/** Hosts whose players and sandboxes lessons may embed: those of `src/explorer/lesson-frame/embeds.ts`, which runs in browsers. */
const EMBED_HOSTS = ["https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://codepen.io"];

const EXPLORER_HEADERS = createPageHeaders([
  "style-src 'self'",
  // Thumbnails come from any host.
  "img-src 'self' https: http:",
  `frame-src 'self' ${EMBED_HOSTS.join(" ")}`,
]);

const REFERENCE_HEADERS = createPageHeaders([
  // Scalar's page makes its styles by script; nothing else that is inline is allowed.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
]);

const LESSON_FRAME = "lesson.html";

/** A page runs its own scripts alone, requests from this server alone, and cannot be framed. `allowed` are further directives. */
function createPageHeaders(allowed: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ...allowed,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };
}

export function serveExplorer({ request }: AskedPage, { pages }: PageContext): Response {
  if (pages.explorer === "missing") return respondNotBuilt(request, "explorer");
  return requireBuilt(pages.explorer).respondDocument(request, "index.html", EXPLORER_HEADERS);
}

export function serveExplorerFile({ request, segments: [name = ""] }: AskedPage, { pages }: PageContext): Response {
  return requireBuilt(pages.explorer).respondFile(request, name);
}

/** The sandbox in which the explorer shows lessons: no origin, its own script alone. */
export function serveLessonFrame({ request }: AskedPage, { pages }: PageContext): Response {
  const files = requireBuilt(pages.explorer);
  const policy = [
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    // The one script is inline; what it loads itself may run, too.
    `script-src ${files.listScriptHashes(LESSON_FRAME).join(" ")} 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src https: http: data:",
    "media-src https: http: data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ];
  const headers = { "content-security-policy": policy.join("; "), "referrer-policy": "no-referrer" };
  return files.respondDocument(request, LESSON_FRAME, headers);
}

export function serveDescription({ request, target }: AskedPage, { pages, cors }: PageContext): Response {
  if (pages.description === undefined) throw unknownPath();
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  const name = target.path.endsWith("/") ? DESCRIPTION_IN_FOLDER_NAME : DESCRIPTION_NAME;
  const response = pages.description.respondDocument(request, name, headers);
  if (cors.variesByOrigin) response.headers.append("vary", "Origin");
  return response;
}

export function serveReference({ request, target }: AskedPage, { pages }: PageContext): Response {
  if (pages.reference === "missing") return respondNotBuilt(request, "reference");
  const name = target.path.endsWith("/") ? "folder.html" : "index.html";
  return requireBuilt(pages.reference).respondDocument(request, name, REFERENCE_HEADERS);
}

export function serveReferenceFile({ request, segments: [name = ""] }: AskedPage, { pages }: PageContext): Response {
  return requireBuilt(pages.reference).respondFile(request, name);
}

function respondNotBuilt(request: Request, page: string): Response {
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
