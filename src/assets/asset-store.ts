// Course files. Stores keep content once per digest, in pieces, so that no whole file is ever in memory.
import { ExpectedError } from "../catalog/expected-error.ts";

/** The length of every piece but the last. Never change it: stored content depends on it. */
export const PIECE_BYTES = 64 * 1024;
/**
 * How long unreferenced assets stay after an import last marked them, since imports store assets before their courses.
 */
export const MARK_LIFE_MS = 24 * 60 * 60 * 1000;

export interface NamedAsset {
  digest: string;
  name: string;
  bytes: number;
}

export interface StoredAsset extends NamedAsset {
  /** The media type, which is fixed when the name is stored. */
  mediaType: string;
  /** Locates the content. Never reused. */
  contentId: number;
  inFolder: boolean;
}

export interface AssetReader {
  /** Finds an asset. Returns undefined if no import stored this content under this name. */
  findAsset(digest: string, name: string): Promise<StoredAsset | undefined>;
  /** Reads from `from` to the end of its piece, or to `end` if that is earlier. Throws ContentMissing. */
  readPiece(asset: StoredAsset, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface AssetStore extends AssetReader {
  /** Returns the digests whose content is missing; without a folder, its content counts as present. Marks nothing. */
  listMissing(digests: string[]): Promise<Set<string>>;
  /** Marks assets as in use and adds names to stored content. Returns the digests whose content is missing. */
  markAssets(assets: NamedAsset[], at: string): Promise<Set<string>>;
  /**
   * Stores an asset. Returns true if it is new. If the bytes do not match the digest, throws ContentDiffers and stores
   * nothing. Throws ExpectedError if the folder's disk is full.
   */
  storeAsset(asset: NamedAsset, read: () => AsyncIterable<Uint8Array>, at: string): Promise<boolean>;
  /** Deletes new assets of a failed import that marked them `at`, if no release and no other import uses them. */
  discardAssets(digests: Iterable<string>, at: string): Promise<void>;
  /**
   * Deletes assets that no release refers to and no import has marked for a day, and leftovers of interrupted imports.
   */
  pruneAssets(at: string): Promise<{ assets: number; bytes: number }>;
  /** Counts the assets that no release refers to; a prune after `until` deletes them all. */
  measureUnreferenced(): Promise<{ assets: number; bytes: number; until: string }>;
}

export class ContentDiffers extends ExpectedError {}

export class ContentMissing extends Error {}
