// Files of courses. Every store keeps one content per digest, in pieces, so that no file is in memory as a whole.
import { ExpectedError } from "../catalog/expected-error.ts";

/** Length of all pieces but the last. Stored content depends on it: it never changes. */
export const PIECE_BYTES = 64 * 1024;
/** How long unreferenced assets stay after an import's last mark: imports store first and refer later. */
export const MARK_LIFE_MS = 24 * 60 * 60 * 1000;

export interface NamedAsset {
  digest: string;
  name: string;
  bytes: number;
}

export interface StoredAsset extends NamedAsset {
  /** Fixed when the name is stored. */
  mediaType: string;
  /** Locates the content. Never reused. */
  contentId: number;
  inFolder: boolean;
}

export interface AssetReader {
  /** Undefined unless an import stored this content under this name. */
  findAsset(digest: string, name: string): Promise<StoredAsset | undefined>;
  /** The bytes from `from` to the end of its piece, at most to `end`. Throws ContentMissing. */
  readPiece(asset: StoredAsset, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface AssetStore extends AssetReader {
  /** The digests without content. Does not mark. */
  listMissing(digests: string[]): Promise<Set<string>>;
  /** Marks assets as in use and adds names to stored content. Returns the digests of missing content. */
  markAssets(assets: NamedAsset[], at: string): Promise<Set<string>>;
  /** Throws ContentDiffers and stores nothing when the bytes do not match the digest. */
  storeAsset(asset: NamedAsset, read: () => AsyncIterable<Uint8Array>, at: string): Promise<void>;
  /** Removes assets that no release refers to and no import marked for a day, and leftovers of interrupted imports. */
  pruneAssets(at: string): Promise<{ assets: number; bytes: number }>;
  /** The assets that no release refers to; a prune after `until` removes them all. */
  measureUnreferenced(): Promise<{ assets: number; bytes: number; until: string }>;
}

export class ContentDiffers extends ExpectedError {}

export class ContentMissing extends Error {}
