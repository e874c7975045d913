// Where the parts of a lesson come from that other sites serve: pages in frames, videos, sounds, scripts.
import { readHtml } from "./read-html.ts";

const EMBEDDING_TAGS = new Set(["iframe", "embed", "object", "video", "audio", "source", "script"]);
/** Most texts embed nothing, and need not be read for it. */
const MAY_EMBED = new RegExp(`<(?:${[...EMBEDDING_TAGS].join("|")})`, "i");

/** The origin of each page, video, sound and script that HTML embeds by an absolute URL; one entry for each. */
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

/** `https://www.example.org`, or the scheme of a URL without a host, such as `data:`. Undefined for any other text. */
export function findOrigin(text: string): string | undefined {
  // One that begins with // takes the scheme of the reader's page.
  const url = URL.parse(/^\s*\/\//.test(text) ? `https:${text.trim()}` : text);
  if (url === null || url.protocol === "javascript:") return undefined;
  return url.origin === "null" ? url.protocol : url.origin;
}
