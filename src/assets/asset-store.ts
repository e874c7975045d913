// Files that travel with releases, as the rest of the program asks for them. Wherever they are kept, there is one content per
// digest, in pieces, so that no file is ever in memory as a whole.
import { ExpectedError } from "../catalog/expected-error.ts";

/** Pieces of content are so long, but for the last. Stored content depends on it: it never changes. */
export const PIECE_BYTES = 64 * 1024;
/** What nothing refers to is kept this long after an import has last relied on it: imports store first and refer later. */
export const MARK_LIFE_MS = 24 * 60 * 60 * 1000;

/** A file by its content, and the name under which it is served. */
export interface NamedAsset {
  /** The first 32 hex digits of the content's SHA-256. */
  digest: string;
  name: string;
  bytes: number;
}

/** An asset as it is stored; it can be read as long as something refers to it. */
export interface StoredAsset extends NamedAsset {
  /** As it was decided when the name was stored. */
  mediaType: string;
  /** Where the content is. Never used again for another. */
  contentId: number;
  inFolder: boolean;
}

/** What a server asks. */
export interface AssetReader {
  /** Undefined unless an import has stored this content under this name. */
  findAsset(digest: string, name: string): Promise<StoredAsset | undefined>;
  /**
   * The bytes from `from` to the end of the piece that holds it, `end` at most. Throws ContentMissing when there is no such
   * content any more.
   */
  readPiece(asset: StoredAsset, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** What publishing asks. `at` is the time, a UTC timestamp. */
export interface AssetStore extends AssetReader {
  /** Those of these digests for which there is no content. Only looks. */
  listMissing(digests: string[]): Promise<Set<string>>;
  /**
   * Marks assets as relied on from now, in a transaction, and adds their names to content that is there. Returns the digests
   * of those whose content is not.
   */
  markAssets(assets: NamedAsset[], at: string): Promise<Set<string>>;
  /**
   * Stores content and its name. `read` gives the bytes. Throws ContentDiffers, and stores nothing, when they are not those of
   * the digest.
   */
  storeAsset(asset: NamedAsset, read: () => AsyncIterable<Uint8Array>, at: string): Promise<void>;
  /** Removes what no release refers to and no import has relied on for a day; and what interrupted imports left. */
  pruneAssets(at: string): Promise<{ assets: number; bytes: number }>;
}

/** Which content: no two uploads have the same id, so no two have the same file. */
export interface ContentPlace {
  digest: string;
  contentId: number;
}

/** Contents as files of a folder. */
export interface AssetFolder {
  /** Writes a file; complete and on the disk when it resolves. What fails may leave a part of it. */
  write(place: ContentPlace, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Throws ContentMissing when the file is not there or is shorter. */
  read(place: ContentPlace, from: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  holds(place: ContentPlace, bytes: number): Promise<boolean>;
  /** Does nothing when there is no such file. */
  remove(place: ContentPlace): Promise<void>;
}

/** A file changed between the two times that it was read. */
export class ContentDiffers extends ExpectedError {}

/** There is a record of the content, but not the content: a folder that is not there, or not the right one. */
export class ContentMissing extends Error {}
