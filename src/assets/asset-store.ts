// Storage of course files. Identical content is stored once, and in pieces, so that no whole file is ever in memory.
import { ExpectedError } from "../catalog/expected-error.ts";

/** The length of every piece except the last. Never change this value: stored content depends on it. */
export const PIECE_BYTES = 64 * 1024;
/** How long a mark protects an unreferenced asset: imports store assets before the courses that refer to them. */
export const MARK_LIFE_MS = 24 * 60 * 60 * 1000;

export interface NamedAsset {
  digest: string;
  name: string;
  bytes: number;
}

export interface StoredAsset extends NamedAsset {
  /** The media type, determined by the name's extension. */
  mediaType: string;
  /** Identifies the content. Never reused. */
  contentId: number;
  inFolder: boolean;
}

export interface AssetReader {
  /** Finds an asset. Returns undefined if no import has stored this content under this name. */
  findAsset(digest: string, name: string): Promise<StoredAsset | undefined>;
  /** Reads from the offset `from` to `end` or the end of the piece, whichever is first. Throws ContentMissing. */
  readPiece(asset: StoredAsset, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface AssetStore extends AssetReader {
  /** Returns the digests whose content is missing. If no folder is given, content in a folder counts as present. */
  listMissing(digests: string[]): Promise<Set<string>>;
  /** Marks assets as in use and adds their names to stored content. Returns the digests whose content is missing. */
  markAssets(assets: NamedAsset[], at: string): Promise<Set<string>>;
  /**
   * Stores an asset. Returns true if the asset is new. If the bytes do not match the digest, throws ContentDiffers and
   * stores nothing. Throws ExpectedError if the folder's disk is full.
   */
  storeAsset(asset: NamedAsset, read: () => AsyncIterable<Uint8Array>, at: string): Promise<boolean>;
  /** Deletes the new assets that a failed import marked at `at`, unless a release or another import uses them. */
  discardAssets(digests: Iterable<string>, at: string): Promise<void>;
  /**
   * Deletes assets that no release refers to and that no import has marked for a day. Also deletes leftovers of
   * interrupted imports.
   */
  pruneAssets(at: string): Promise<{ assets: number; bytes: number }>;
  /** Measures the assets that no release refers to. A prune after `until` deletes all of them. */
  measureUnreferenced(): Promise<{ assets: number; bytes: number; until: string }>;
}

export class ContentDiffers extends ExpectedError {}

/** A prune deleted assets of an import that has not published: by a clock a day off, or because the import took a day. */
export class AssetsPruned extends ExpectedError {
  constructor() {
    super(
      "Files of this import were pruned meanwhile. Nothing was published. Check the clocks, and run the command again.",
    );
  }
}

export class ContentMissing extends Error {}
