// Gives course readers access to the visible files of a source, and reports problems with files.
import { basename, dirname, extname, join } from "node:path/posix";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { describeTooLarge, describeTooManyLines, hasTooManyLines, type SourceLimits } from "../limits.ts";
import type { ProblemKind } from "../problem-kinds.ts";
import { remember } from "../remember.ts";
import { SILENT, type Location, type ReportFinding } from "../source.ts";
import { decodeText } from "./decode-text.ts";
import { createFence, IGNORE_FILE, isIgnoreFile, mayBeOpened, openFence, type Hides } from "./fence.ts";
import { RepeatLimits } from "./repeat-limits.ts";
import type { FileEntry, FileKind, FileStat, Refusal, SourceFiles } from "./source-files.ts";

/** A file or folder. `path` is relative to the root, with `/` as the separator. */
export interface SourceEntry {
  name: string;
  path: string;
  isFolder: boolean;
  isLink: boolean;
}

/** Describes, for messages, where a skipped link points. */
const LINK_TARGETS = {
  outside: "outside the source folder",
  hidden: "to a hidden or ignored path",
  nothing: "to nothing",
} as const;
const MISPLACED = `hides nothing here; move its patterns to ${IGNORE_FILE} in the source's folder`;
const REFUSALS = { outside: "is outside the source folder", hidden: "is hidden or ignored" } as const;

export class SourceTree {
  readonly limits: SourceLimits;
  /** Counts what the source's courses include and expand, since all courses share the limits. */
  readonly included = { directives: 0, bytes: 0, aliases: 0, macros: 0 };
  /** Counts what the course that is being read includes. Once a limit is exceeded, its reading stops. */
  readonly includedByCourse = { directives: 0, bytes: 0, macros: 0, isExhausted: false };
  /** True if .lecternignore has a fault: which paths the author wants to hide is unknown. */
  hidesAll = false;
  readonly #files: SourceFiles;
  readonly #isContent: (name: string) => boolean;
  #isIgnored: Hides = () => false;
  #hides = createFence();
  #leftOut: ReadonlySet<string> = new Set();
  /** The rules of `restrictGiven` by folder. */
  readonly #given = new Map<string, (path: string) => boolean>();
  #last: { path: string; text: string | undefined } | undefined;
  readonly #misplaced = new Map<string, Promise<string | undefined>>();
  readonly #repeats: RepeatLimits;
  // Folders are listed repeatedly, but each link is reported only once.
  readonly #reportedLinks = new Set<string>();

  /** `isContent` returns true for the name of a possible lesson or outline. */
  constructor(files: SourceFiles, limits: SourceLimits, isContent: (name: string) => boolean) {
    this.#files = files;
    this.limits = limits;
    this.#isContent = isContent;
    this.#repeats = new RepeatLimits(files, isContent);
  }

  /** Hides the paths that the source's .lecternignore lists. If the file has a fault, reports it and hides all paths. */
  async readIgnoreFile(report: ReportFinding): Promise<void> {
    const fail: ReportFinding = (fault) => {
      this.hidesAll = true;
      report(fault);
    };
    const text = await this.readDotFile(IGNORE_FILE, fail);
    if (text !== undefined) {
      const { parseIgnoreFile } = await import("./ignored-files.ts");
      this.#isIgnored = parseIgnoreFile(text, this.toTypedPath(IGNORE_FILE), fail);
    }
    if (this.hidesAll) this.#isIgnored = () => true;
    this.#hides = createFence(this.#isIgnored);
  }

  /**
   * Reports an ignore file whose name differs in case, and returns true if there is one: it is not read, so what its
   * author wants to hide would be published.
   */
  async hasMisnamedIgnoreFile(report: ReportFinding): Promise<boolean> {
    const entries = await this.#files.list(".", this.#hides).catch(() => []);
    const found = entries.find(({ name }) => name !== IGNORE_FILE && isIgnoreFile(name));
    if (found === undefined) return false;
    this.#reportUnreadable(found.name, `must be named ${IGNORE_FILE}; rename it`, report);
    return true;
  }

  /**
   * Reads a dotfile that configures the source. Returns undefined if the file is missing, unreadable or a link.
   * Reports an unreadable file or a link.
   */
  async readDotFile(path: string, report: ReportFinding): Promise<string | undefined> {
    const hides: Hides = (place, isFolder) => (isFolder ? this.#hides(place, true) : place !== path);
    const found = (await this.#files.stat(path, hides)) ?? "nothing";
    if (typeof found === "object") return found.kind === "file" ? this.readText(path, report, hides) : undefined;
    if (this.#hides(dirname(path), true)) return undefined;
    if (found === "nothing" && !(await this.#isLink(path, hides))) return undefined;
    const message = "is a link, which is not followed here; replace it with the file";
    report({ kind: "unreadable", file: this.toTypedPath(path), message });
    return undefined;
  }

  /** Returns true for a link, even a broken one. */
  async #isLink(path: string, hides: Hides): Promise<boolean> {
    const entries = await this.#files.list(dirname(path), hides).catch(() => []);
    return entries.some(({ name, isLink }) => isLink && name === basename(path));
  }

  /** Starts the counts of a course, and if it is read again, those of the source: its first reading has counted. */
  startCourse(isReadAgain: boolean): void {
    Object.assign(this.includedByCourse, { directives: 0, bytes: 0, macros: 0, isExhausted: false });
    if (isReadAgain) Object.assign(this.included, { directives: 0, bytes: 0, aliases: 0, macros: 0 });
  }

  /** Excludes paths from later lists. These paths can still be read and linked to. */
  leaveOut(paths: ReadonlySet<string>): void {
    this.#leftOut = paths;
  }

  /** The size of all files that have been read, each counted once. */
  get readSize(): number {
    return this.#repeats.firstBytes;
  }

  toTypedPath(path: string): string {
    return this.#files.toTypedPath(path);
  }

  /** Returns a folder's base name, even for `.`. */
  nameOf(folder: string): string {
    return folder === "." ? this.#files.name : basename(folder);
  }

  /**
   * Lists visible files and folders in code-unit order. Skips links to hidden, outside or missing targets, and reports
   * each link once: as an error if content could be lost, else as a warning. Throws ExpectedError if links to folders
   * lead to too many lessons.
   */
  async list(folder: string, report?: ReportFinding): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    // Sorted first, so that the reported problems have a stable order, too.
    const found = await this.#readFolder(folder, report);
    this.#repeats.countEntries(folder, found);
    for (const entry of found.sort((a, b) => compareCodeUnits(a.name, b.name))) {
      const { name, kind, isLink, leadsToFolder } = entry;
      const path = join(folder, name);
      // Below the root it is not read, so what its author wants to hide would be published.
      if (folder !== "." && isIgnoreFile(name)) this.#reportUnreadable(path, MISPLACED, report);
      if (this.#hides(path, leadsToFolder) || this.#leftOut.has(path)) continue;
      if (kind === "file" || kind === "folder") entries.push({ name, path, isFolder: leadsToFolder, isLink });
      else this.#reportLink(path, { ...entry, kind }, report);
    }
    return entries;
  }

  #reportUnreadable(path: string, message: string, report: ReportFinding | undefined): undefined {
    report?.({ kind: "unreadable", file: this.toTypedPath(path), message });
  }

  async #readFolder(folder: string, report: ReportFinding | undefined): Promise<FileEntry[]> {
    try {
      return await this.#files.list(folder, this.#hides);
    } catch (error) {
      if (error instanceof ExpectedError) throw error;
      this.#reportUnreadable(folder, `cannot be read: ${messageOf(error)}`, report);
      return [];
    }
  }

  #reportLink(
    path: string,
    entry: FileEntry & { kind: keyof typeof LINK_TARGETS },
    report: ReportFinding | undefined,
  ): void {
    if (report === undefined || report === SILENT || this.#reportedLinks.has(path)) return;
    this.#reportedLinks.add(path);
    const message = `is a link that points ${LINK_TARGETS[entry.kind]}, and is skipped`;
    const isLost = entry.kind !== "hidden" && this.#mayBeRead(entry);
    report({ kind: isLost ? "unreadable" : "skipped-part", file: this.toTypedPath(path), message });
  }

  // Returns true if a link could lead to content. Decides by the link's name, since outside targets are not read; a
  // link to a folder always could.
  #mayBeRead({ name, kind, leadsToFolder }: FileEntry): boolean {
    if (this.#isContent(name)) return true;
    // A missing target could be a folder if its link has no extension.
    return kind === "nothing" ? extname(name) === "" : leadsToFolder;
  }

  /** Returns undefined for a missing path. */
  async find(path: string): Promise<FileKind | Refusal | undefined> {
    const found = await this.#files.stat(path, this.#hides);
    return typeof found === "object" ? found.kind : found;
  }

  /**
   * Like `find`, for a path in a folder that a configuration names. The folder's name can begin with a dot, but folders
   * of programs, such as `.git`, stay hidden.
   */
  async findIn(folder: string, path: string) {
    const hides = mayBeOpened(folder) ? openFence(this.#hides, this.#isIgnored, folder) : this.#hides;
    const found = await this.#files.stat(path, hides);
    const kind = typeof found === "object" ? found.kind : found;
    return { kind, read: (report: ReportFinding): Promise<string | undefined> => this.readText(path, report, hides) };
  }

  /**
   * Restricts downloads from `folder` to the files for which `isGiven` returns true. The function takes paths relative
   * to `folder`.
   */
  restrictGiven(folder: string, isGiven: (path: string) => boolean): void {
    this.#given.set(folder, isGiven);
  }

  /**
   * Returns true if readers can download a file, that is, if it is no lesson or outline and no restriction excludes it.
   */
  mayBeGiven(path: string): boolean {
    for (const [folder, isGiven] of this.#given) {
      if (folder === "." && !isGiven(path)) return false;
      if (path.startsWith(`${folder}/`) && !isGiven(path.slice(folder.length + 1))) return false;
    }
    return !this.#isContent(basename(path));
  }

  /** Returns a file's size in bytes; 0 if there is no such file. */
  async measure(path: string): Promise<number> {
    return (await this.identify(path)).bytes;
  }

  /** Returns a file's size in bytes, and its identity: other paths can lead to the same file. */
  async identify(path: string): Promise<Pick<FileStat, "bytes" | "identity">> {
    const found = await this.#files.stat(path, this.#hides);
    return typeof found === "object" ? found : { bytes: 0, identity: path };
  }

  async *stream(path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
    await this.requirePlaced(path);
    yield* this.#files.stream(path, maxBytes, this.#hides);
  }

  /** Throws if an ignore file that is not read could hide the path. */
  async requirePlaced(path: string): Promise<void> {
    const misplaced = await this.#findMisplaced(dirname(path));
    if (misplaced !== undefined) throw new Error(`${this.toTypedPath(misplaced)} ${MISPLACED}`);
  }

  /** Finds an ignore file in a folder or around it, but not in the root, since not every format lists all folders. */
  async #findMisplaced(folder: string): Promise<string | undefined> {
    if (folder === "." || folder === "/") return undefined;
    return remember(this.#misplaced, folder, async () => {
      const file = join(folder, IGNORE_FILE);
      // Through a link to the root, this can be the root's own.
      const found = await this.#files.stat(file, (path) => path === IGNORE_FILE);
      return found === undefined || found === "hidden" ? this.#findMisplaced(dirname(folder)) : file;
    });
  }

  /**
   * Returns a file's text without its byte order mark. Returns undefined, and reports a problem, if the file is
   * outside, hidden, too large, too long, binary or unreadable.
   */
  async readText(path: string, report: ReportFinding, hides = this.#hides): Promise<string | undefined> {
    const bytes = await this.readBytes(path, report, hides);
    const file = this.toTypedPath(path);
    const text = bytes && decodeText(bytes, file, report);
    if (text === undefined || !hasTooManyLines(text, this.limits)) return text;
    report({ kind: "too-large", file, message: describeTooManyLines(this.limits, "the file") });
    return undefined;
  }

  /** Like `readText`, but returns the bytes, whatever their encoding. */
  async readBytes(path: string, report: ReportFinding, hides = this.#hides): Promise<Uint8Array | undefined> {
    const place: Location = { file: this.toTypedPath(path) };
    const fail = (message: string, kind: ProblemKind = "unreadable"): undefined => {
      report({ kind, ...place, message });
    };
    try {
      const { maxFileBytes } = this.limits;
      const bytes = await this.#files.read(path, maxFileBytes, hides);
      const misplaced = await this.#findMisplaced(dirname(path));
      if (misplaced !== undefined) return this.#reportUnreadable(misplaced, MISPLACED, report);
      if (typeof bytes !== "number") {
        this.#repeats.countReading(path, bytes);
        return bytes;
      }
      return fail(describeTooLarge(bytes, maxFileBytes, "a lesson or outline file", "max-file-size"), "too-large");
    } catch (error) {
      if (error instanceof ExpectedError) throw error;
      const found = await this.find(path);
      if (found === "outside" || found === "hidden") return fail(`${REFUSALS[found]}, and is skipped`);
      return fail(`cannot be read: ${messageOf(error)}`);
    }
  }

  /**
   * Reads a file's text again, without reports. Keeps the last text, since a lesson file can contain many files that
   * are read one after the other.
   */
  async readTextAgain(path: string): Promise<string | undefined> {
    if (this.#last?.path !== path) this.#last = { path, text: await this.readText(path, SILENT) };
    return this.#last.text;
  }
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
