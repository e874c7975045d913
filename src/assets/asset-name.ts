export const ASSET_PATH = "/assets/";
const MAX_NAME_LENGTH = 120;
const MAX_EXTENSION_LENGTH = 16;

export function isAssetDigest(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Normalizes a name to NFC, replaces characters unsafe in paths and headers, and keeps at most 120 characters. */
export function toAssetName(fileName: string): string {
  const name = fileName
    .normalize("NFC")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD\\/]/gu, "-");
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION_LENGTH ? name.slice(dot) : "";
  const stem = name.slice(0, name.length - extension.length);
  const cut = stem.slice(0, MAX_NAME_LENGTH - extension.length).replace(/[\uD800-\uDBFF]$/, "");
  const whole = cut + extension;
  return /^\.{0,2}$/.test(whole) ? "file" : whole;
}

export function isAssetName(text: string): boolean {
  return toAssetName(text) === text;
}

/** Returns the URL path under which the API serves an asset, such as `/assets/6f…/map%20of%20Peru.png`. */
export function formatAssetPath(digest: string, name: string): string {
  const encoded = encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${ASSET_PATH}${digest}/${encoded}`;
}
