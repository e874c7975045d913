import { readHtml } from "./read-html.ts";

const EMBEDDING_TAGS = new Set(["iframe", "embed", "object", "video", "audio", "source", "script"]);
/** A quick test, to avoid parsing most texts, which embed nothing. */
const MAY_EMBED = new RegExp(`<(?:${[...EMBEDDING_TAGS].join("|")})`, "i");

/** Returns the origin of each page, video, audio file and script that is embedded by absolute URL. */
export function listEmbedOrigins(html: string): string[] {
  const origins: string[] = [];
  if (!MAY_EMBED.test(html)) return origins;
  readHtml(html, {
    isWanted: isEmbed,
    onTag({ attributes: [url] }) {
      const origin = url === undefined ? undefined : findOrigin(url.value);
      if (origin !== undefined) origins.push(origin);
    },
  });
  return origins;
}

function isEmbed(tag: string, attribute: string): boolean {
  return EMBEDDING_TAGS.has(tag) && attribute === (tag === "object" ? "data" : "src");
}

/**
 * Returns the origin of an absolute URL, such as `https://www.example.org`, or its scheme if it has no host, such as
 * `data:`. Returns undefined for a `javascript:` URL and for text that is not an absolute URL.
 */
export function findOrigin(text: string): string | undefined {
  // A URL that begins with // takes the scheme of the page, which is assumed to be HTTPS.
  const url = URL.parse(/^\s*\/\//.test(text) ? `https:${text.trim()}` : text);
  if (url === null || url.protocol === "javascript:") return undefined;
  return url.origin === "null" ? url.protocol : url.origin;
}
