// Creates contents of assets and stores them as an import does.
import { formatAssetPath } from "../../src/assets/asset-name.ts";
import type { NamedAsset } from "../../src/assets/asset-store.ts";
import { ContentDigest } from "../../src/catalog/content-digest.ts";
import type { Store } from "../../src/store/open-store.ts";

/** Bytes that differ from piece to piece. */
export function createContent(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: bytes }, (_, index) => (index * 7 + (index >> 8) * 13 + seed) & 0xff);
}

/** The asset of a content. */
export function nameContent(content: Uint8Array, name: string): NamedAsset {
  const digest = new ContentDigest();
  digest.add(content);
  return { digest: digest.finish(), name, bytes: content.byteLength };
}

/** Yields content in parts unrelated to pieces, as file reads do. */
export async function* readParts(content: Uint8Array, partBytes = 50_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < content.byteLength; from += partBytes) yield content.subarray(from, from + partBytes);
}

/** Stores a file and returns its path on the API's port. */
export async function storeFile(
  { assets }: Store,
  name: string,
  content: Uint8Array<ArrayBuffer> | string,
  at = "2026-01-01T00:00:00.000Z",
): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const asset = nameContent(bytes, name);
  await assets.storeAsset(asset, () => readParts(bytes), at);
  return formatAssetPath(asset.digest, name);
}
