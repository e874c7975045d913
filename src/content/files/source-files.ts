import type { Hides } from "./fence.ts";

export type FileKind = "file" | "folder";

/** The reason why an existing path is not available. */
export type Refusal = "outside" | "hidden";

/**
 * An entry of a folder. A link has the kind of its target: `outside` beyond the tree, `hidden` by the fence, `nothing`
 * if missing. `leadsToFolder` is all that is read of an outside target.
 */
export interface FileEntry {
  name: string;
  kind: FileKind | Refusal | "nothing";
  isLink: boolean;
  leadsToFolder: boolean;
}

/** Kind and size; `bytes` only for files. */
export interface FileStat {
  kind: FileKind;
  bytes: number;
}

/**
 * A fenced file tree: never opens anything outside, nor a path, link or target that `hides` rejects. Paths are relative
 * to the root, with `/`; `.` is the root. Special files count as missing.
 */
export interface SourceFiles {
  /** The base name of the root. */
  readonly name: string;
  /** Returns the path as typed by an operator, for messages. */
  toTypedPath(path: string): string;
  /** Lists a folder, unordered, including hidden names. Throws if it cannot be read. */
  list(folder: string, hides: Hides): Promise<FileEntry[]>;
  /** Returns undefined for a missing or inaccessible path. */
  stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined>;
  /** Returns the bytes of a file, or only its size above `maxBytes`. Throws if it cannot be read. */
  read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number>;
  /** Streams a file in parts, each valid until the next. Throws if it cannot be read or exceeds `maxBytes`. */
  stream(path: string, maxBytes: number, hides: Hides): AsyncIterable<Uint8Array>;
}
