// A tree of files as everything that reads content sees it: without what is never read, and with problems reported.
import { basename, extname, join } from "node:path/posix";
import { describeTooLarge, type SourceLimits } from "../limits.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import type { Location, Report } from "../source.ts";
import { IGNORE_FILE, parseIgnoreFile, type IsIgnored } from "./ignored-files.ts";
import type { FileEntry, FileKind, SourceFiles } from "./source-files.ts";

/** A file or folder of the source; `path` is relative to the root, with `/`. */
export interface SourceEntry {
  name: string;
  path: string;
  isFolder: boolean;
  isLink: boolean;
}

export class SourceTree {
  readonly limits: SourceLimits;
  readonly #files: SourceFiles;
  readonly #isContent: (name: string) => boolean;
  #isIgnored: IsIgnored | undefined;
  /** By folder. */
  readonly #given = new Map<string, (path: string) => boolean>();
  // A folder is listed more than once; a link in it is reported once.
  readonly #reportedLinks = new Set<string>();

  /** `isContent` tells by its name whether a file may be a lesson or an outline. */
  constructor(files: SourceFiles, limits: SourceLimits, isContent: (name: string) => boolean) {
    this.#files = files;
    this.limits = limits;
    this.#isContent = isContent;
  }

  /** Leaves out of all lists from now on what the source's .lecternignore names, if there is one; what is wrong in it is reported. */
  async readIgnoreFile(report: Report): Promise<void> {
    const found = await this.find(IGNORE_FILE);
    const text = found === undefined ? undefined : await this.readText(IGNORE_FILE, report);
    if (text !== undefined) this.#isIgnored = parseIgnoreFile(text, this.toTypedPath(IGNORE_FILE), report);
  }

  /** The path as the operator would type it. */
  toTypedPath(path: string): string {
    return this.#files.toTypedPath(path);
  }

  /** The name of a folder; that of the root is the one it has where it lies. */
  nameOf(folder: string): string {
    return folder === "." ? this.#files.name : basename(folder);
  }

  /**
   * The entries of a folder, folders and files only, in code-unit order; without those that begin with a dot, and
   * `node_modules`. A link that leads outside the source or to nothing is left out, which is reported once, if there is a
   * `report`: as an error where a lesson, an outline or a folder may be behind it, else as a warning.
   */
  async list(folder: string, report?: Report): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    // In the order in which problems are told, too: systems list a folder in any.
    const found = await this.#readFolder(folder, report);
    for (const entry of found.sort((a, b) => compareCodeUnits(a.name, b.name))) {
      const { name, kind, isLink } = entry;
      if (name.startsWith(".") || name === "node_modules") continue;
      const path = join(folder, name);
      if (this.#isIgnored?.(path, kind === "folder") === true) continue;
      if (kind === "file" || kind === "folder") entries.push({ name, path, isFolder: kind === "folder", isLink });
      else this.#reportLink(path, entry, report);
    }
    return entries;
  }

  async #readFolder(folder: string, report: Report | undefined): Promise<FileEntry[]> {
    try {
      return await this.#files.list(folder);
    } catch (error) {
      report?.({
        severity: "error",
        kind: "unreadable",
        file: this.toTypedPath(folder),
        message: `cannot be read: ${messageOf(error)}`,
      });
      return [];
    }
  }

  #reportLink(path: string, entry: FileEntry, report: Report | undefined): void {
    if (report === undefined || this.#reportedLinks.has(path)) return;
    this.#reportedLinks.add(path);
    const where = entry.kind === "nothing" ? "to nothing" : "outside the source folder";
    const message = `is a link that leads ${where}, and is not read`;
    const severity = this.#mayBeRead(entry) ? "error" : "warning";
    report({ severity, kind: "unreadable", file: this.toTypedPath(path), message });
  }

  // By the names alone, but for a folder: what is behind a link that leads outside is not read.
  #mayBeRead({ name, kind, leadsToFolder }: FileEntry): boolean {
    if (this.#isContent(name)) return true;
    // What is not there may have been a folder, unless its name has an ending.
    return kind === "nothing" ? extname(name) === "" : leadsToFolder;
  }

  /** Whether there is such a file or folder: undefined when not, or `outside` when it leads outside the source. */
  async find(path: string): Promise<FileKind | "outside" | undefined> {
    const found = await this.#files.stat(path);
    return typeof found === "object" ? found.kind : found;
  }

  /** Gives readers only those files of a folder for which `isGiven` is true, asked with the path from there. */
  restrictGiven(folder: string, isGiven: (path: string) => boolean): void {
    this.#given.set(folder, isGiven);
  }

  /** True unless a name on the way says that it is never read, or the file's own that it may be a lesson or an outline. */
  mayBeGiven(path: string): boolean {
    const names = path.split("/");
    for (const [folder, isGiven] of this.#given) {
      if (folder === "." && !isGiven(path)) return false;
      if (path.startsWith(`${folder}/`) && !isGiven(path.slice(folder.length + 1))) return false;
    }
    return !this.#isContent(basename(path)) && !names.some((name) => name.startsWith(".") || name === "node_modules");
  }

  /** The bytes of a file; 0 for what is none. */
  async measure(path: string): Promise<number> {
    const found = await this.#files.stat(path);
    return typeof found === "object" ? found.bytes : 0;
  }

  /** See SourceFiles. */
  stream(path: string, maxBytes: number): AsyncIterable<Uint8Array> {
    return this.#files.stream(path, maxBytes);
  }

  /**
   * The text of a file without its byte order mark. Undefined when it leads outside, is too large, cannot be read or is
   * not UTF-8; that is reported.
   */
  async readText(path: string, report: Report): Promise<string | undefined> {
    const bytes = await this.readBytes(path, report);
    return bytes && decodeUtf8(bytes, { file: this.toTypedPath(path) }, report);
  }

  /** The bytes of a file that is a text in some encoding. Undefined as for `readText`. */
  async readBytes(path: string, report: Report): Promise<Uint8Array | undefined> {
    const place: Location = { file: this.toTypedPath(path) };
    const fail = (message: string, kind: ProblemKind = "unreadable"): undefined => {
      report({ severity: "error", kind, ...place, message });
    };
    try {
      const { maxFileBytes } = this.limits;
      const bytes = await this.#files.read(path, maxFileBytes);
      if (typeof bytes !== "number") return bytes;
      return fail(describeTooLarge(bytes, maxFileBytes, "a lesson or outline file", "max-file-size"), "too-large");
    } catch (error) {
      if ((await this.find(path)) === "outside") return fail("leads outside the source folder, and is not read");
      return fail(`cannot be read: ${messageOf(error)}`);
    }
  }
}

function decodeUtf8(bytes: Uint8Array, place: Location, report: Report): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const line = findBrokenLine(bytes);
    report({
      severity: "error",
      kind: "unreadable",
      ...place,
      line,
      message: "is not valid UTF-8; save the file as UTF-8",
    });
    return undefined;
  }
}

// A line break is one byte that no other UTF-8 character holds, so the lines can be decoded one by one.
function findBrokenLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end === -1 ? bytes.length : end);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(part);
    } catch {
      return line;
    }
    start = end === -1 ? bytes.length : end + 1;
  }
  return line;
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
