// The document in which the explorer shows what authors wrote. Lessons are HTML of any kind: it has no origin, runs no script but
// its own, and loads nothing but what texts show.
import type { AskedPage } from "../request/route.ts";
import { requireBuilt } from "./built-files.ts";
import type { ExplorerContext } from "./serve-explorer.ts";

const DOCUMENT = "lesson.html";

/** The one script stands in the document, by its hash; what it loads itself may run, too. */
function createPolicy(scriptHashes: string[]): string {
  return [
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    `script-src ${scriptHashes.join(" ")} 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src https: http: data:",
    "media-src https: http: data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** Answers a request for the frame's document. Throws 404 where the explorer is off or not built. */
export function serveLessonFrame({ request }: AskedPage, { pages }: ExplorerContext): Response {
  const files = requireBuilt(pages.explorer);
  return files.respondDocument(request, DOCUMENT, {
    "content-security-policy": createPolicy(files.listScriptHashes(DOCUMENT)),
    "referrer-policy": "no-referrer",
  });
}
