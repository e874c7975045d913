import type { Hides } from "./fence.ts";

export type FileKind = "file" | "folder";

/** The reason why an existing path is not available. */
export type Refusal = "outside" | "hidden";

/**
 * An entry of a folder. For a link, `kind` describes the target: `outside` the tree, `hidden` by the fence, or
 * `nothing` if the target is missing. For an outside target, only `leadsToFolder` is determined.
 */
export interface FileEntry {
  name: string;
  kind: FileKind | Refusal | "nothing";
  isLink: boolean;
  leadsToFolder: boolean;
}

/** `bytes` is 0 for a folder. */
export interface FileStat {
  kind: FileKind;
  bytes: number;
  /** Equal for all paths that lead to the same file or folder. */
  identity: unknown;
}

/**
 * A file tree that opens nothing outside its root, and no path, link or target for which `hides` returns true. Paths
 * are relative to the root, with `/` as the separator; `.` is the root. Devices, pipes and sockets count as missing.
 */
export interface SourceFiles {
  /** The base name of the root. */
  readonly name: string;
  /** Returns the path as an operator would type it, for messages. */
  toTypedPath(path: string): string;
  /** Lists a folder in no particular order, including hidden names. Throws if the folder cannot be read. */
  list(folder: string, hides: Hides): Promise<FileEntry[]>;
  /** Returns undefined for a missing or inaccessible path. */
  stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined>;
  /** Returns the bytes of a file, or its size if that exceeds `maxBytes`. Throws if the file cannot be read. */
  read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number>;
  /** Streams a file in parts, each valid until the next. Throws if the file cannot be read or exceeds `maxBytes`. */
  stream(path: string, maxBytes: number, hides: Hides): AsyncIterable<Uint8Array>;
}
