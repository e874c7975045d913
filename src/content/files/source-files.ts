import type { Hides } from "./fence.ts";

/** What stands behind a name in a folder. */
export type FileKind = "file" | "folder";

/** Why a path leads to no file or folder of the tree, though something is there. */
export type Refusal = "outside" | "hidden";

/**
 * An entry of a folder. A link counts as what it leads to: `outside` when that is not in the tree, `hidden` when the fence
 * hides it or a place on the way, `nothing` when it is not there. `leadsToFolder` tells of what is outside only whether it
 * is a folder; nothing else of it is looked at.
 */
export interface FileEntry {
  name: string;
  kind: FileKind | Refusal | "nothing";
  isLink: boolean;
  leadsToFolder: boolean;
}

/** What is known of a file or folder without reading it; `bytes` are those of a file. */
export interface FileStat {
  kind: FileKind;
  bytes: number;
}

/**
 * A tree of files with a fence around it: nothing outside is ever opened, nor what `hides` says of the path, of a link on
 * the way, or of what a link leads to. Paths are relative to its root, with `/`; `.` is the root itself. What is neither a
 * file nor a folder counts as not there.
 */
export interface SourceFiles {
  /** What the root is called where it lies. */
  readonly name: string;
  /** The path as an operator would type it, for messages. */
  toTypedPath(path: string): string;
  /** The entries of a folder, in no order; hidden names may be among them. Throws when it cannot be read. */
  list(folder: string, hides: Hides): Promise<FileEntry[]>;
  /** Undefined when nothing is there, or it cannot be looked at. */
  stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined>;
  /** The bytes of a file; of one with more than `maxBytes` only how many it has. Throws when it cannot be read. */
  read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number>;
  /** The bytes of a file in parts, each of which holds until the next is asked for. Throws when it cannot be read, or has more than `maxBytes`. */
  stream(path: string, maxBytes: number, hides: Hides): AsyncIterable<Uint8Array>;
}
