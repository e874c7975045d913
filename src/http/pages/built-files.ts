// Files that are built for browsers, from memory: what a page loads, and the page itself. `npm run prepare` builds them.
import { unknownPath } from "../request/errors.ts";
import { holdsAny, parseAcceptEncoding, respondWithoutBody, type Encoding } from "../request/negotiation.ts";

export interface BuiltFile {
  /** With a hash of its content, unless it is a document. */
  name: string;
  content: Uint8Array<ArrayBuffer>;
  gzip?: Uint8Array<ArrayBuffer> | undefined;
}

/** A set of built files: those, or "missing" where they were not built. Undefined where the server does not show them. */
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

  /** Browsers keep the file for good. Throws 404 for an unknown name, and for a document. */
  respondFile(request: Request, name: string): Response {
    if (isDocument(name)) throw unknownPath();
    return this.#respond(request, name, { "cache-control": "public, max-age=31536000, immutable" });
  }

  /** The scripts that stand in a document, as a Content-Security-Policy names them: `'sha256-…'`. */
  listScriptHashes(name: string): string[] {
    return this.#files.get(name)?.scriptHashes ?? [];
  }

  /** A document, which keeps its address when it changes: browsers ask again. Throws 404 for an unknown name. */
  respondDocument(request: Request, name: string, headers: Record<string, string>): Response {
    return this.#respond(request, name, { "cache-control": "no-cache", ...headers });
  }

  #respond(request: Request, name: string, own: Record<string, string>): Response {
    const held = this.#files.get(name);
    if (held === undefined) throw unknownPath();
    const { preferred } = parseAcceptEncoding(request.headers.get("accept-encoding"));
    const coding = held.bodies[preferred] === undefined ? "identity" : preferred;
    const body = held.bodies[coding] ?? new Blob();
    const headers = new Headers({
      ...own,
      "content-type": held.mediaType,
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
      etag: formatTag(held, coding),
    });
    if (coding !== "identity") headers.set("content-encoding", coding);
    // Browsers ask for fonts as another origin would, and the frame of a lesson has none.
    if (held.mediaType === MEDIA_TYPES["woff2"]) headers.set("access-control-allow-origin", "*");
    const tags = ["identity", "gzip"].map((each) => formatTag(held, each));
    if (holdsAny(request, tags)) return respondWithoutBody(request, 304, headers);
    if (request.method !== "HEAD") return new Response(body, { headers });
    headers.set("content-length", String(body.size));
    return respondWithoutBody(request, 200, headers);
  }
}

export function requireBuilt(set: BuiltSet): BuiltFiles {
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
