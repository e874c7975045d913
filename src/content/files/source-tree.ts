// A tree of files as everything that reads content sees it: without what is never read, and with problems reported.
import { basename, dirname, extname, join } from "node:path/posix";
import { describeTooLarge, type SourceLimits } from "../limits.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import type { Location, Tell } from "../source.ts";
import { decodeText } from "./decode-text.ts";
import { createFence, IGNORE_FILE, mayBeOpened, openFence, type Hides } from "./fence.ts";
import type { FileEntry, FileKind, Refusal, SourceFiles } from "./source-files.ts";

/** A file or folder of the source; `path` is relative to the root, with `/`. */
export interface SourceEntry {
  name: string;
  path: string;
  isFolder: boolean;
  isLink: boolean;
}

/** Where a link leads that is not read, for messages. */
const WHERE_LINKS_LEAD = {
  outside: "outside the source folder",
  hidden: "to something hidden or ignored",
  nothing: "to nothing",
} as const;

export class SourceTree {
  readonly limits: SourceLimits;
  /** What the includes of all its books have used. */
  readonly included = { directives: 0, bytes: 0 };
  readonly #files: SourceFiles;
  readonly #isContent: (name: string) => boolean;
  #isIgnored: Hides = () => false;
  #hides = createFence();
  #leftOut: ReadonlySet<string> = new Set();
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

  /** Hides from now on what the source's .lecternignore names, if there is one; what is wrong in it is reported. */
  async readIgnoreFile(report: Tell): Promise<void> {
    const text = await this.readDotFile(IGNORE_FILE, report);
    if (text !== undefined) {
      const { parseIgnoreFile } = await import("./ignored-files.ts");
      this.#isIgnored = parseIgnoreFile(text, this.toTypedPath(IGNORE_FILE), report);
      this.#hides = createFence(this.#isIgnored);
    }
  }

  /**
   * The text of a file that says how the source is read, and whose name begins with a dot. Undefined when there is none, or
   * it cannot be read; that is reported, also where a link leads to it.
   */
  async readDotFile(path: string, report: Tell): Promise<string | undefined> {
    const hides: Hides = (place, isFolder) => (isFolder ? this.#hides(place, true) : place !== path);
    const found = (await this.#files.stat(path, hides)) ?? "nothing";
    if (typeof found === "object") return found.kind === "file" ? this.readText(path, report, hides) : undefined;
    if (this.#hides(dirname(path), true)) return undefined;
    if (found === "nothing" && !(await this.#isLink(path, hides))) return undefined;
    const message = "is reached through a link, and is not read; put the file itself there";
    report({ kind: "unreadable", file: this.toTypedPath(path), message });
    return undefined;
  }

  /** True for a link in a folder, also for one that leads to nothing. */
  async #isLink(path: string, hides: Hides): Promise<boolean> {
    const entries = await this.#files.list(dirname(path), hides).catch(() => []);
    return entries.some(({ name, isLink }) => isLink && name === basename(path));
  }

  /** Leaves files and folders out of all lists from now on; they can be read, and be linked to. */
  leaveOut(paths: ReadonlySet<string>): void {
    this.#leftOut = paths;
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
   * The entries of a folder, folders and files only, in code-unit order, without what is hidden or ignored. A link that
   * leads to that, outside the source or to nothing is left out, which is reported once, if there is a `report`: as an error
   * where a lesson, an outline or a folder may be lost, else as a warning.
   */
  async list(folder: string, report?: Tell): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    // In the order in which problems are told, too: systems list a folder in any.
    const found = await this.#readFolder(folder, report);
    for (const entry of found.sort((a, b) => compareCodeUnits(a.name, b.name))) {
      const { name, kind, isLink, leadsToFolder } = entry;
      const path = join(folder, name);
      if (this.#hides(path, leadsToFolder) || this.#leftOut.has(path)) continue;
      if (kind === "file" || kind === "folder") entries.push({ name, path, isFolder: leadsToFolder, isLink });
      else this.#reportLink(path, { ...entry, kind }, report);
    }
    return entries;
  }

  async #readFolder(folder: string, report: Tell | undefined): Promise<FileEntry[]> {
    try {
      return await this.#files.list(folder, this.#hides);
    } catch (error) {
      report?.({
        kind: "unreadable",
        file: this.toTypedPath(folder),
        message: `cannot be read: ${messageOf(error)}`,
      });
      return [];
    }
  }

  #reportLink(
    path: string,
    entry: FileEntry & { kind: keyof typeof WHERE_LINKS_LEAD },
    report: Tell | undefined,
  ): void {
    if (report === undefined || this.#reportedLinks.has(path)) return;
    this.#reportedLinks.add(path);
    const message = `is a link that leads ${WHERE_LINKS_LEAD[entry.kind]}, and is not read`;
    const isLost = entry.kind !== "hidden" && this.#mayBeRead(entry);
    report({ kind: isLost ? "unreadable" : "skipped-part", file: this.toTypedPath(path), message });
  }

  // By the names alone, but for a folder: what is behind a link that leads outside is not read.
  #mayBeRead({ name, kind, leadsToFolder }: FileEntry): boolean {
    if (this.#isContent(name)) return true;
    // What is not there may have been a folder, unless its name has an ending.
    return kind === "nothing" ? extname(name) === "" : leadsToFolder;
  }

  /** Whether there is such a file or folder; undefined when not. */
  async find(path: string): Promise<FileKind | Refusal | undefined> {
    const found = await this.#files.stat(path, this.#hides);
    return typeof found === "object" ? found.kind : found;
  }

  /**
   * As `find`, for a file in a folder that a configuration names, whose name may begin with a dot; `read` reads it. That of a program
   * stays closed, such as `.git`.
   */
  async findIn(folder: string, path: string) {
    const hides = mayBeOpened(folder) ? openFence(this.#hides, this.#isIgnored, folder) : this.#hides;
    const found = await this.#files.stat(path, hides);
    const kind = typeof found === "object" ? found.kind : found;
    return { kind, read: (report: Tell): Promise<string | undefined> => this.readText(path, report, hides) };
  }

  /** Gives readers only those files of a folder for which `isGiven` is true, asked with the path from there. */
  restrictGiven(folder: string, isGiven: (path: string) => boolean): void {
    this.#given.set(folder, isGiven);
  }

  /** True unless its name says that it may be a lesson or an outline, or `restrictGiven` has excluded it. */
  mayBeGiven(path: string): boolean {
    for (const [folder, isGiven] of this.#given) {
      if (folder === "." && !isGiven(path)) return false;
      if (path.startsWith(`${folder}/`) && !isGiven(path.slice(folder.length + 1))) return false;
    }
    return !this.#isContent(basename(path));
  }

  /** The bytes of a file; 0 for what is none. */
  async measure(path: string): Promise<number> {
    const found = await this.#files.stat(path, this.#hides);
    return typeof found === "object" ? found.bytes : 0;
  }

  /** See SourceFiles. */
  stream(path: string, maxBytes: number): AsyncIterable<Uint8Array> {
    return this.#files.stream(path, maxBytes, this.#hides);
  }

  /**
   * The text of a file without its byte order mark. Undefined when it leads outside, is hidden, too large, no text or
   * cannot be read; that is reported.
   */
  async readText(path: string, report: Tell, hides = this.#hides): Promise<string | undefined> {
    const bytes = await this.readBytes(path, report, hides);
    return bytes && decodeText(bytes, this.toTypedPath(path), report);
  }

  /** The bytes of a file that is a text in some encoding. Undefined as for `readText`. */
  async readBytes(path: string, report: Tell, hides = this.#hides): Promise<Uint8Array | undefined> {
    const place: Location = { file: this.toTypedPath(path) };
    const fail = (message: string, kind: ProblemKind = "unreadable"): undefined => {
      report({ kind, ...place, message });
    };
    try {
      const { maxFileBytes } = this.limits;
      const bytes = await this.#files.read(path, maxFileBytes, hides);
      if (typeof bytes !== "number") return bytes;
      return fail(describeTooLarge(bytes, maxFileBytes, "a lesson or outline file", "max-file-size"), "too-large");
    } catch (error) {
      const found = await this.find(path);
      if (found === "outside" || found === "hidden") return fail(`leads ${WHERE_LINKS_LEAD[found]}, and is not read`);
      return fail(`cannot be read: ${messageOf(error)}`);
    }
  }
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
