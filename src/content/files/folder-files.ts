// A real folder as a tree of files. Of all that reads content, only this file knows the file system.
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { ChangingFiles, FindMark } from "./recorded-files.ts";
import type { FileEntry, FileStat } from "./source-files.ts";

const STREAMED_BYTES = 256 * 1024;
/** Folders whose real paths are known; all are forgotten beyond it. */
const MAX_KNOWN_FOLDERS = 10_000;
/** Sizes below are no part of the mark of a kind: every limit of files is larger. */
const MIN_TOLD_BYTES = 1024 * 1024;
/** Systems count the time of a change in steps of some milliseconds; within one, a file may change and keep its time. */
const TIME_STEP_MS = 20;

/** Opens a folder; `typedPath` is the way to it as the operator typed it. Throws an Error with a message for people when there is none. */
export async function openFolderFiles(typedPath: string): Promise<ChangingFiles> {
  const realRoot = await realpath(typedPath).catch(() => undefined);
  if (realRoot === undefined) throw new Error(`there is no folder ${typedPath}`);
  if (!(await stat(realRoot)).isDirectory()) throw new Error(`${typedPath} is not a folder`);
  return new FolderFiles(typedPath, realRoot);
}

/** The own name of a folder or file, however the way to it was typed. */
export function nameTypedPath(typedPath: string): string {
  return basename(resolve(typedPath));
}

class FolderFiles implements ChangingFiles {
  readonly name: string;
  readonly #typedPath: string;
  readonly #realRoot: string;
  // To find the real path of a file costs as much as to read it, and most files are beside others.
  readonly #realFolders = new Map<string, string>();

  constructor(typedPath: string, realRoot: string) {
    this.name = nameTypedPath(typedPath);
    this.#typedPath = typedPath;
    this.#realRoot = realRoot;
  }

  toTypedPath(path: string): string {
    return join(this.#typedPath, path);
  }

  async list(folder: string): Promise<FileEntry[]> {
    const entries: FileEntry[] = [];
    this.#realFolders.delete(join(this.#realRoot, folder));
    const { target } = await this.#findInside(folder);
    for (const entry of await readdir(target, { withFileTypes: true })) {
      const { name } = entry;
      if (entry.isSymbolicLink()) {
        const linked = await this.#followLink(join(this.#realRoot, folder, name));
        if (linked !== undefined) entries.push({ name, isLink: true, ...linked });
      } else if (entry.isDirectory()) entries.push({ name, kind: "folder", isLink: false, leadsToFolder: true });
      else if (entry.isFile()) entries.push({ name, kind: "file", isLink: false, leadsToFolder: false });
    }
    return entries;
  }

  async stat(path: string): Promise<FileStat | "outside" | undefined> {
    if (leadsUp(path)) return "outside";
    try {
      const { target, found } = await this.#find(path);
      if (!this.#holds(target)) return "outside";
      if (found.isDirectory()) return { kind: "folder", bytes: 0 };
      return found.isFile() ? { kind: "file", bytes: found.size } : undefined;
    } catch {
      return undefined;
    }
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | number> {
    const { target, found } = await this.#findInside(path);
    return found.size > maxBytes ? found.size : readFileSync(target);
  }

  async *stream(path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
    const { target } = await this.#findInside(path);
    // `.git/config` of a checkout may hold a token.
    if (
      relative(this.#realRoot, target)
        .split(sep)
        .some((part) => part.startsWith("."))
    ) {
      throw new Error("it is a link to something hidden");
    }
    const file = await open(target);
    try {
      const buffer = new Uint8Array(STREAMED_BYTES);
      for (let bytes = 0; ;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.byteLength);
        if (bytesRead === 0) return;
        bytes += bytesRead;
        if (bytes > maxBytes) throw new Error("it grows while it is read");
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  readonly findMark: FindMark = (look, path) => {
    const full = join(this.#realRoot, path);
    try {
      if (look === "entries") return markEntries(full);
      const found = statSync(full);
      const { dev, ino, size, mtimeMs, ctimeMs } = found;
      const kind = found.isDirectory() ? "folder" : found.isFile() ? "file" : "other";
      if (look === "kind") return size < MIN_TOLD_BYTES || kind === "folder" ? kind : `${kind} ${size}`;
      // A mark unlike all others, so that it is looked at again.
      const isNew = Math.abs(Date.now() - Math.max(mtimeMs, ctimeMs)) < TIME_STEP_MS;
      return [dev, ino, size, mtimeMs, ctimeMs, isNew ? Math.random() : ""].join(" ");
    } catch (error) {
      return `none ${(error as NodeJS.ErrnoException).code}`;
    }
  };

  async #followLink(path: string): Promise<Pick<FileEntry, "kind" | "leadsToFolder"> | undefined> {
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined) return { kind: "nothing", leadsToFolder: false };
    const found = await stat(target).catch(() => undefined);
    // What cannot be looked at may be one.
    if (!this.#holds(target)) return { kind: "outside", leadsToFolder: found?.isDirectory() ?? true };
    if (found === undefined) return undefined;
    if (found.isDirectory()) return { kind: "folder", leadsToFolder: true };
    return found.isFile() ? { kind: "file", leadsToFolder: false } : undefined;
  }

  /** What is at a path, and where that really is. Throws when it leads outside, or nothing is there. */
  async #findInside(path: string): Promise<{ target: string; found: Stats }> {
    const found = leadsUp(path) ? undefined : await this.#find(path);
    if (found === undefined || !this.#holds(found.target)) throw new Error("it leads outside the source folder");
    return found;
  }

  async #find(path: string): Promise<{ target: string; found: Stats }> {
    const full = join(this.#realRoot, path);
    const target = full === this.#realRoot ? full : join(this.#findRealFolder(dirname(full)), basename(full));
    // Many are looked for, and most are there: a thread for each costs far more than the look.
    const found = lstatSync(target);
    if (!found.isSymbolicLink()) return { target, found };
    const linked = await realpath(target);
    return { target: linked, found: await stat(linked) };
  }

  #findRealFolder(folder: string): string {
    const known = this.#realFolders.get(folder);
    if (known !== undefined) return known;
    const real = realpathSync.native(folder);
    if (this.#realFolders.size >= MAX_KNOWN_FOLDERS) this.#realFolders.clear();
    this.#realFolders.set(folder, real);
    return real;
  }

  #holds(realTarget: string): boolean {
    return realTarget === this.#realRoot || !leadsUp(relative(this.#realRoot, realTarget).replaceAll(sep, "/"));
  }
}

function leadsUp(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

// By names, not by time: many editors write a file beside the one that they replace. Hidden ones are never read.
function markEntries(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  const kindOf = (entry: (typeof entries)[number]): string =>
    entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";
  return entries
    .map((entry) => `${kindOf(entry)} ${entry.name}`)
    .sort()
    .join("\n");
}
