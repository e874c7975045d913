import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveLimits } from "../limits.ts";
import type { ArchiveTree, MemberFile } from "./archive-tree.ts";
import type { Hides } from "./fence.ts";
import { nameTypedPath } from "./folder-files.ts";
import type { FileEntry, FileStat, Refusal, SourceFiles } from "./source-files.ts";

export interface OpenArchive {
  tree: ArchiveTree;
  /** True if the file contains data after the end of the archive. Such data is ignored. */
  hasMore: boolean;
  close: () => Promise<void>;
}

const ENDINGS = /\.(?:zip|imscc|tar|tgz|tar\.gz)$/i;
/** The first bytes that identify each format. A ZIP without members begins with its end record. */
const MAGICS: [packing: "zip" | "gzip", magic: number[]][] = [
  ["zip", [0x50, 0x4b, 3, 4]],
  ["zip", [0x50, 0x4b, 5, 6]],
  ["gzip", [0x1f, 0x8b, 8]],
];

/** Returns true if a file's name or first bytes identify it as an archive. Throws if these bytes cannot be read. */
export function isArchive(typedPath: string): boolean {
  return ENDINGS.test(typedPath) || findPacking(typedPath) !== undefined;
}

/**
 * Detects ZIP or gzip by the first bytes, since the names of downloads are unreliable. Returns undefined for other
 * files, including a plain tar.
 */
function findPacking(typedPath: string): "zip" | "gzip" | undefined {
  const file = openSync(typedPath, "r");
  try {
    const bytes = Buffer.alloc(4);
    const bytesRead = readSync(file, bytes, 0, 4, 0);
    if (bytesRead < 4) return undefined;
    return MAGICS.find(([, magic]) => magic.every((byte, at) => bytes[at] === byte))?.[0];
  } finally {
    closeSync(file);
  }
}

/** Opens an archive, which the caller must close. Throws BadArchive if it is damaged, hostile or over a limit. */
export async function openArchiveFiles(typedPath: string, limits: ArchiveLimits): Promise<ArchiveFiles> {
  const packing = findPacking(typedPath);
  const archive =
    packing === "zip"
      ? await (await import("./zip-archive.ts")).openZip(typedPath, limits)
      : await (await import("./tar-archive.ts")).openTar(typedPath, packing === "gzip", limits);
  return new ArchiveFiles(typedPath, archive);
}

/** The files of an archive or of its only top-level folder. */
export class ArchiveFiles implements SourceFiles {
  readonly name: string;
  readonly #typedPath: string;
  readonly #archive: OpenArchive;

  constructor(typedPath: string, archive: OpenArchive, name = nameTypedPath(typedPath).replace(ENDINGS, "")) {
    this.#typedPath = typedPath;
    this.#archive = archive;
    this.name = name;
  }

  /** Returns the top-level folder that contains all visible entries; undefined if there is none. */
  findOnlyFolder(): ArchiveFiles | undefined {
    const found = this.#archive.tree.findOnlyFolder();
    if (found === undefined) return undefined;
    const { name, tree } = found;
    return new ArchiveFiles(join(this.#typedPath, name), { ...this.#archive, tree }, name);
  }

  get hasMore(): boolean {
    return this.#archive.hasMore;
  }

  listCaseClashes(): Iterable<{ path: string; twin: string }> {
    return this.#archive.tree.listCaseClashes();
  }

  toTypedPath(path: string): string {
    return join(this.#typedPath, path);
  }

  async list(folder: string, hides: Hides): Promise<FileEntry[]> {
    return this.#archive.tree.list(folder, hides);
  }

  async stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined> {
    return this.#archive.tree.stat(path, hides);
  }

  async read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number> {
    const file = this.#find(path, hides);
    if (file.bytes > maxBytes) return file.bytes;
    const parts: Uint8Array[] = [];
    for await (const part of file.stream()) parts.push(part);
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  async *stream(path: string, maxBytes: number, hides: Hides): AsyncGenerator<Uint8Array> {
    const file = this.#find(path, hides);
    if (file.bytes > maxBytes) throw new Error("it is too large");
    yield* file.stream();
  }

  #find(path: string, hides: Hides): MemberFile {
    const file = this.#archive.tree.findFile(path, hides);
    if (file === undefined) throw new Error("there is no such file");
    return file;
  }

  close(): Promise<void> {
    return this.#archive.close();
  }
}
