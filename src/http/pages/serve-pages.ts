// The web pages and the OpenAPI document. The pages contain no courses: they call the API with the reader's key.
import type { CorsPolicy } from "../request/cors.ts";
import { unknownPath } from "../request/errors.ts";
import { respondWithoutBody, holdsAny, parseAcceptEncoding, type Encoding } from "../request/negotiation.ts";
import type { AskedPage } from "../request/request-url.ts";

export interface BuiltPages {
  explorer?: BuiltSet;
  reference?: BuiltSet;
  description?: BuiltFiles;
}

export interface PageContext {
  pages: BuiltPages;
  cors: CorsPolicy;
}

/** The OpenAPI documents for `/openapi.json` and `/openapi.json/`, which contain different relative URLs. */
export const DESCRIPTION_NAME = "openapi.json";
export const DESCRIPTION_IN_FOLDER_NAME = "folder.json";

/** Hosts of video players and code examples in lessons. `src/explorer/lesson-frame/embeds.ts` uses the same hosts. */
const EMBED_HOSTS = ["https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://codepen.io"];

const EXPLORER_HEADERS = createPageHeaders([
  "style-src 'self'",
  // Thumbnails can come from any host.
  "img-src 'self' https: http:",
  `frame-src 'self' ${EMBED_HOSTS.join(" ")}`,
]);

const REFERENCE_HEADERS = createPageHeaders([
  // Scalar's scripts create inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
]);

const LESSON_FRAME = "lesson.html";

/** Allows a page to run its own scripts and call this server, and forbids framing it. `allowed` adds directives. */
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
  return requireBuilt(pages.explorer).respond(request, "index.html", EXPLORER_HEADERS);
}

/** Serves the sandbox in which the explorer shows lessons. It has no origin and never runs a lesson's scripts. */
export function serveLessonFrame({ request }: AskedPage, { pages }: PageContext): Response {
  const files = requireBuilt(pages.explorer);
  const policy = [
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    // The page's only script is inline; with 'strict-dynamic', scripts that it loads can run, too.
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
  return files.respond(request, LESSON_FRAME, headers);
}

export function serveDescription({ request, target }: AskedPage, { pages, cors }: PageContext): Response {
  if (pages.description === undefined) throw unknownPath();
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  const name = target.path.endsWith("/") ? DESCRIPTION_IN_FOLDER_NAME : DESCRIPTION_NAME;
  const response = pages.description.respond(request, name, headers);
  if (cors.variesByOrigin) response.headers.append("vary", "Origin");
  return response;
}

export function serveReference({ request, target }: AskedPage, { pages }: PageContext): Response {
  if (pages.reference === "missing") return respondNotBuilt(request, "reference");
  const name = target.path.endsWith("/") ? "folder.html" : "index.html";
  return requireBuilt(pages.reference).respond(request, name, REFERENCE_HEADERS);
}

/** Serves a file that a page loads. Browsers cache it forever, because its name contains a hash of its content. */
export function serveFileOf(page: "explorer" | "reference") {
  return ({ request, segments: [name = ""] }: AskedPage, { pages }: PageContext): Response => {
    if (isDocument(name)) throw unknownPath();
    return requireBuilt(pages[page]).respond(request, name, { "cache-control": "public, max-age=31536000, immutable" });
  };
}

/** Reports that this process is up. Does not read the store: without it, a server still serves its cache. */
export function serveHealth({ request }: AskedPage): Response {
  const headers = new Headers({
    "cache-control": "no-store",
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") return respondWithoutBody(request, 200, headers);
  return new Response("ok\n", { headers });
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
<p>The API works. To build this page, run <code>npm run prepare</code>, or <code>npm ci</code> without
<code>--ignore-scripts</code>, where Lectern is installed, and restart the server.</p>
`;
  return new Response(text, { status: 503, headers });
}

export interface BuiltFile {
  /** The file name. Unless the file is a document, the name contains a hash of the content. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
  gzip?: Uint8Array<ArrayBuffer> | undefined;
}

/** Built files: "missing" if they were not built, undefined if the server does not serve them. */
export type BuiltSet = BuiltFiles | "missing" | undefined;

const MEDIA_TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};

interface Held {
  mediaType: string;
  digest: string;
  scriptHashes: string[];
  bodies: Partial<Record<Encoding, Blob>>;
}

export class BuiltFiles {
  readonly #files: ReadonlyMap<string, Held>;

  constructor(files: Iterable<BuiltFile>) {
    this.#files = new Map(Array.from(files, (file) => [file.name, hold(file)]));
  }

  /** Lists the CSP sources of a document's inline scripts: `'sha256-…'`. */
  listScriptHashes(name: string): string[] {
    return this.#files.get(name)?.scriptHashes ?? [];
  }

  /**
   * Responds with a file. Unless `own` sets `cache-control`, browsers must revalidate the file, because a document's URL
   * does not change with its content. Throws 404 for an unknown name.
   */
  respond(request: Request, name: string, own: Record<string, string>): Response {
    const held = this.#files.get(name);
    if (held === undefined) throw unknownPath();
    const { preferred } = parseAcceptEncoding(request.headers.get("accept-encoding"));
    const coding = held.bodies[preferred] === undefined ? "identity" : preferred;
    const body = held.bodies[coding] ?? new Blob();
    const headers = new Headers({
      "cache-control": "no-cache",
      ...own,
      "content-type": held.mediaType,
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
      etag: formatTag(held, coding),
    });
    if (coding !== "identity") headers.set("content-encoding", coding);
    // Browsers request fonts with CORS; `*` also allows a lesson's frame, which has no origin.
    if (held.mediaType === MEDIA_TYPES["woff2"]) headers.set("access-control-allow-origin", "*");
    if (holdsAny(request, [formatTag(held, coding)])) return respondWithoutBody(request, 304, headers);
    headers.set("content-length", String(body.size));
    if (request.method !== "HEAD") return new Response(body, { headers });
    return respondWithoutBody(request, 200, headers);
  }
}

function requireBuilt(set: BuiltSet): BuiltFiles {
  if (set === undefined || set === "missing") throw unknownPath();
  return set;
}

function isDocument(name: string): boolean {
  return name.endsWith(".html");
}

function hold({ name, content, gzip }: BuiltFile): Held {
  const mediaType = MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  const digest = Bun.SHA256.hash(content, "hex").slice(0, 32);
  const bodies: Held["bodies"] = { identity: new Blob([content]) };
  if (gzip !== undefined) bodies.gzip = new Blob([gzip]);
  return { mediaType, digest, bodies, scriptHashes: isDocument(name) ? hashScripts(content) : [] };
}

function hashScripts(document: Uint8Array): string[] {
  const scripts = new TextDecoder().decode(document).matchAll(/<script>(.*?)<\/script>/gs);
  return Array.from(scripts, ([, script = ""]) => `'sha256-${Bun.SHA256.hash(script, "base64")}'`);
}

function formatTag({ digest }: Held, coding: string): string {
  return coding === "identity" ? `"${digest}"` : `"${digest}-${coding}"`;
}
