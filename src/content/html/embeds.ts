// Lists the origins of embedded content: frames, videos, audio, scripts.
import { readHtml } from "./read-html.ts";

const EMBEDDING_TAGS = new Set(["iframe", "embed", "object", "video", "audio", "source", "script"]);
/** A quick check: most texts embed nothing. */
const MAY_EMBED = new RegExp(`<(?:${[...EMBEDDING_TAGS].join("|")})`, "i");

/** Returns the distinct origins of pages, videos, audio and scripts embedded by absolute URL. */
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
 * `https://www.example.org`, or the scheme of a URL without a host, such as `data:`. Returns undefined for other text.
 */
export function findOrigin(text: string): string | undefined {
  // A URL with leading // takes the page's scheme.
  const url = URL.parse(/^\s*\/\//.test(text) ? `https:${text.trim()}` : text);
  if (url === null || url.protocol === "javascript:") return undefined;
  return url.origin === "null" ? url.protocol : url.origin;
}
