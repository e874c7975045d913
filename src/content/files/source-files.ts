/** What stands behind a name in a folder. */
export type FileKind = "file" | "folder";

/**
 * An entry of a folder. A link counts as what it leads to: `outside` when that is not in the tree, `nothing` when it is
 * not there. `leadsToFolder` tells of what is outside only whether it is a folder; nothing else of it is looked at.
 */
export interface FileEntry {
  name: string;
  kind: FileKind | "outside" | "nothing";
  isLink: boolean;
  leadsToFolder: boolean;
}

/** What is known of a file or folder without reading it; `bytes` are those of a file. */
export interface FileStat {
  kind: FileKind;
  bytes: number;
}

/**
 * A tree of files with a fence around it: nothing outside is ever opened, whatever `..` and links in a path say. Paths are
 * relative to its root, with `/`; `.` is the root itself. What is neither a file nor a folder counts as not there.
 */
export interface SourceFiles {
  /** What the root is called where it lies. */
  readonly name: string;
  /** The path as an operator would type it, for messages. */
  toTypedPath(path: string): string;
  /** The entries of a folder, in no order. Throws when it cannot be read. */
  list(folder: string): Promise<FileEntry[]>;
  /** Undefined when nothing is there, or it cannot be looked at; `outside` when the path leads out of the tree. */
  stat(path: string): Promise<FileStat | "outside" | undefined>;
  /** The bytes of a file; of one with more than `maxBytes` only how many it has. Throws when it cannot be read. */
  read(path: string, maxBytes: number): Promise<Uint8Array | number>;
  /**
   * The bytes of a file that readers are to get, in parts, each of which holds until the next is asked for. Throws when it cannot be read, has more than `maxBytes`, or a link
   * in its path leads to a place whose name begins with a dot.
   */
  stream(path: string, maxBytes: number): AsyncIterable<Uint8Array>;
}
