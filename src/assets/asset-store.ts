// Files that travel with releases, as the rest of the program asks for them. Wherever they are kept, there is one content per
// digest, in pieces, so that no file is ever in memory as a whole.
import { ExpectedError } from "../catalog/expected-error.ts";

/** Pieces of content are so long, but for the last. Stored content depends on it: it never changes. */
export const PIECE_BYTES = 64 * 1024;
/** What nothing refers to is kept this long after an import has last relied on it: imports store first and refer later. */
export const MARK_LIFE_MS = 24 * 60 * 60 * 1000;

export interface NamedAsset {
  digest: string;
  name: string;
  bytes: number;
}

export interface StoredAsset extends NamedAsset {
  /** As it was decided when the name was stored. */
  mediaType: string;
  /** Where the content is. Never used again for another. */
  contentId: number;
  inFolder: boolean;
}

export interface AssetReader {
  /** Undefined unless an import has stored this content under this name. */
  findAsset(digest: string, name: string): Promise<StoredAsset | undefined>;
  /** The bytes from `from` to the end of its piece, at most to `end`. Throws ContentMissing. */
  readPiece(asset: StoredAsset, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** What publishing asks. `at` is the time, a UTC timestamp. */
export interface AssetStore extends AssetReader {
  /** Those of these digests for which there is no content. Only looks. */
  listMissing(digests: string[]): Promise<Set<string>>;
  /** Marks assets as in use and adds their names to content that is stored. Returns the digests of missing content. */
  markAssets(assets: NamedAsset[], at: string): Promise<Set<string>>;
  /** Throws ContentDiffers, and stores nothing, when the bytes that `read` gives do not match the digest. */
  storeAsset(asset: NamedAsset, read: () => AsyncIterable<Uint8Array>, at: string): Promise<void>;
  /** Removes what no release refers to and no import has relied on for a day; and what interrupted imports left. */
  pruneAssets(at: string): Promise<{ assets: number; bytes: number }>;
}

export class ContentDiffers extends ExpectedError {}

/** There is a record of the content, but not the content: a folder that is not there, or not the right one. */
export class ContentMissing extends Error {}
