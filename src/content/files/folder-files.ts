// Presents a folder on disk as SourceFiles. Course readers access folders only through this module.
import { closeSync, constants, fstatSync, lstatSync, openSync, read } from "node:fs";
import { readdirSync, readFileSync, readlinkSync, statSync, type Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, parse, resolve, sep } from "node:path";
import { dirname as folderOf, basename as nameIn, normalize } from "node:path/posix";
import { promisify } from "node:util";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { toNfc } from "../../catalog/fold-name.ts";
import { remember } from "../remember.ts";
import { DatabaseFence } from "./database-fence.ts";
import { isHiddenWay, isIgnoreFile, LinkWork, MAX_LINKS, MAX_NAMES, type Hides, type Way } from "./fence.ts";
import type { ChangingFiles, FindStamp } from "./recorded-files.ts";
import type { FileEntry, FileStat, Refusal } from "./source-files.ts";

const STREAMED_BYTES = 256 * 1024;
/** The maximum number of cached folders behind links, which limits memory: each can take 300 KB. */
const MAX_KNOWN_LINKS = 1000;
/** The limit of macOS on the length of a path (PATH_MAX), also for archives. Each lookup costs as much as its path. */
const MAX_PATH = 1024;
/** The smallest size that the stamp of a file's kind includes, since smaller files are below every limit. */
const MIN_STAMPED_BYTES = 1024 * 1024;
/** Follows no link, and does not wait for the writer of a pipe. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const readPart = promisify(read);
/** The resolution of file times: two changes within this interval can produce the same time. */
const TIME_STEP_MS = 20;

/**
 * Opens a folder by the path that an operator typed. Hides `database`, and what lies beside it: its log, locks and
 * copies. Throws an Error with a message for users if there is no such folder.
 */
export async function openFolderFiles(typedPath: string, database?: string): Promise<ChangingFiles> {
  const realRoot = await realpath(typedPath).catch(() => undefined);
  if (realRoot === undefined) throw new Error(`there is no folder ${typedPath}`);
  if (!(await stat(realRoot)).isDirectory()) throw new Error(`${typedPath} is not a folder`);
  return new FolderFiles(typedPath, realRoot, database === undefined ? undefined : new DatabaseFence(database));
}

/** Returns the base name of a typed path, even of `.`. */
export function nameTypedPath(typedPath: string): string {
  return basename(resolve(typedPath));
}

/** The result of a lookup. `target` is the real path. */
interface Trace {
  target: string;
  found: Stats;
  /** Contains absolute real paths. */
  way: Way;
}

class FolderFiles implements ChangingFiles {
  readonly name: string;
  readonly #typedPath: string;
  readonly #realRoot: string;
  readonly #database: DatabaseFence | undefined;
  // Caches lookups of folders: resolving a path costs as much as reading a file, and most files share folders.
  readonly #knownFolders = new Map<string, Trace | "missing">();
  #knownLinks = 0;
  readonly #linkWork = new LinkWork();
  /** The names in each folder, in NFC. */
  readonly #names = new Map<string, ReadonlySet<string>>();

  constructor(typedPath: string, realRoot: string, database: DatabaseFence | undefined) {
    this.name = nameTypedPath(typedPath);
    this.#typedPath = typedPath;
    this.#realRoot = realRoot;
    this.#database = database;
  }

  toTypedPath(path: string): string {
    return join(this.#typedPath, path);
  }

  async list(folder: string, hides: Hides): Promise<FileEntry[]> {
    const entries: FileEntry[] = [];
    this.#knownFolders.delete(folder);
    const { target } = this.#open(folder, hides, "folder");
    this.#names.delete(target);
    const place = this.#toPlace(target) ?? ".";
    for (const entry of await readdir(target, { withFileTypes: true })) {
      const { name } = entry;
      if (entry.isSymbolicLink()) {
        const linked = this.#followLink(folder === "." ? name : `${folder}/${name}`, hides);
        if (linked !== undefined) entries.push({ name, isLink: true, ...linked });
      } else if (entry.isDirectory() || entry.isFile()) {
        const isFolder = entry.isDirectory();
        // Behind a link, an entry's real path can be hidden although its apparent path is not.
        if (place !== folder && hides(place === "." ? name : `${place}/${name}`, isFolder)) continue;
        entries.push({ name, kind: isFolder ? "folder" : "file", isLink: false, leadsToFolder: isFolder });
      }
    }
    return entries;
  }

  async stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined> {
    const resolved = this.#resolve(path, hides);
    if (typeof resolved !== "object") return resolved;
    const { found } = resolved;
    const identity = `${found.dev}:${found.ino}`;
    if (found.isDirectory()) return { kind: "folder", bytes: 0, identity };
    return found.isFile() ? { kind: "file", bytes: found.size, identity } : undefined;
  }

  async read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number> {
    const { file, bytes } = this.#openFile(path, hides);
    try {
      return bytes > maxBytes ? bytes : readFileSync(file);
    } finally {
      closeSync(file);
    }
  }

  async *stream(path: string, maxBytes: number, hides: Hides): AsyncGenerator<Uint8Array> {
    const { file } = this.#openFile(path, hides);
    try {
      const buffer = new Uint8Array(STREAMED_BYTES);
      for (let bytes = 0; ;) {
        const { bytesRead } = await readPart(file, buffer, 0, buffer.byteLength, null);
        if (bytesRead === 0) return;
        bytes += bytesRead;
        if (bytes > maxBytes) throw new Error("it grew while it was being read");
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      closeSync(file);
    }
  }

  readonly findStamp: FindStamp = (resolved, path) => {
    const full = join(this.#realRoot, path);
    try {
      if (resolved === "entries") return stampEntries(full);
      if (resolved === "kind") return stampKind(this.#trace(path));
      const { dev, ino, size, mtimeMs, ctimeMs } = statSync(full);
      // A file this new can change again and keep its time, so a unique stamp forces another read.
      const isNew = Math.abs(Date.now() - Math.max(mtimeMs, ctimeMs)) < TIME_STEP_MS;
      return [dev, ino, size, mtimeMs, ctimeMs, isNew ? Math.random() : ""].join(" ");
    } catch (error) {
      return `none ${(error as NodeJS.ErrnoException).code}`;
    }
  };

  #followLink(path: string, hides: Hides): Pick<FileEntry, "kind" | "leadsToFolder"> | undefined {
    const found = this.#trace(path)?.found;
    if (found === undefined) return { kind: "nothing", leadsToFolder: false };
    const leadsToFolder = found.isDirectory();
    const resolved = this.#resolve(path, hides);
    if (typeof resolved === "string") return { kind: resolved, leadsToFolder };
    if (leadsToFolder) return { kind: "folder", leadsToFolder };
    return found.isFile() ? { kind: "file", leadsToFolder } : undefined;
  }

  /** Resolves a path. Throws an Error with a message for users if the path leads to no visible entry of this kind. */
  #open(path: string, hides: Hides, kind: "file" | "folder"): Trace {
    if (path.length > MAX_PATH) throw new Error(`its path has more than ${MAX_PATH} characters`);
    const resolved = this.#resolve(path, hides);
    if (resolved === "outside") throw new Error("it is outside the source folder");
    if (resolved === "hidden") throw new Error("it is hidden or ignored");
    const isThere = kind === "file" ? resolved?.found.isFile() : resolved?.found.isDirectory();
    if (resolved === undefined || isThere !== true) throw new Error(`there is no such ${kind}`);
    return resolved;
  }

  /** Opens a file, and checks what was opened: since the lookup, a link can have replaced a folder on the way. */
  #openFile(path: string, hides: Hides): { file: number; bytes: number } {
    const { target } = this.#open(path, hides, "file");
    const file = openSync(target, READ_ONLY);
    const opened = process.platform === "linux" ? readlinkSync(`/proc/self/fd/${file}`) : target;
    const found = fstatSync(file);
    const place = this.#database?.hides(opened, found) === true ? undefined : this.#toPlace(opened);
    // A deleted file has no place.
    if (found.isFile() && found.nlink > 0 && place !== undefined && !hides(place, false))
      return { file, bytes: found.size };
    closeSync(file);
    throw new Error("it was replaced while it was being read");
  }

  /** Every lookup of a file passes through here, so that no hidden or outside file is ever read. */
  #resolve(path: string, hides: Hides): Trace | Refusal | undefined {
    const normal = normalize(path).replace(/(?<=.)\/$/, "");
    if (leadsUp(normal)) return "outside";
    const trace = this.#trace(normal);
    if (trace === undefined) return undefined;
    const { target, found, way } = trace;
    const place = this.#toPlace(target);
    if (place === undefined) return "outside";
    if (this.#database?.hides(target, found) === true) return "hidden";
    this.#linkWork.countWay(way);
    const toPlaces = (paths: string[]): string[] => paths.map((each) => this.#toPlace(each) ?? ".");
    const places = { folders: toPlaces(way.folders), ends: toPlaces(way.ends) };
    if (place !== normal) places.ends.push(place);
    return isHiddenWay(normal, places, found.isDirectory(), hides) ? "hidden" : trace;
  }

  /** Returns undefined for a missing or inaccessible path. */
  #trace(path: string): Trace | undefined {
    if (path.length > MAX_PATH) return undefined;
    try {
      return path === "." ? this.#traceFolder(path) : this.#traceEntry(path);
    } catch (error) {
      if (error instanceof ExpectedError) throw error;
      return undefined;
    }
  }

  #traceEntry(path: string): Trace | undefined {
    const within = this.#traceFolder(folderOf(path));
    if (within?.found.isDirectory() !== true) return undefined;
    const trace = this.#walk(within.target, nameIn(path));
    trace?.way.folders.push(...within.way.folders, ...within.way.ends);
    return trace !== undefined && trace.way.folders.length <= MAX_NAMES ? trace : undefined;
  }

  #traceFolder(folder: string): Trace | undefined {
    const known = remember(this.#knownFolders, folder, () => this.#findFolder(folder) ?? "missing");
    return known === "missing" ? undefined : known;
  }

  #findFolder(folder: string): Trace | undefined {
    if (folder === ".") return this.#walk(this.#realRoot, folder);
    const trace = this.#traceEntry(folder);
    const isLinked = trace !== undefined && trace.way.folders.length + trace.way.ends.length > 0;
    if (!isLinked || ++this.#knownLinks <= MAX_KNOWN_LINKS) return trace;
    this.#knownFolders.clear();
    this.#knownLinks = 0;
    return trace;
  }

  // Walks name by name, since `realpath` does not report the links that it follows. The calls are synchronous, since an
  // asynchronous lookup uses a thread, which costs far more.
  #walk(from: string, path: string): Trace | undefined {
    const way: Way = { folders: [], ends: [] };
    const left = splitNames(path);
    let target = from;
    let found: Stats | undefined;
    let links = 0;
    let names = 0;
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      if (name === "" || name === ".") continue;
      if (++names > MAX_NAMES) return undefined;
      const place = join(target, name);
      const isUp = name === "..";
      found = isUp || this.#isUnlisted(target, name) ? undefined : lstatSync(place, { throwIfNoEntry: false });
      if (!isUp && found === undefined) return undefined;
      if (found?.isSymbolicLink() !== true) {
        if (found?.isDirectory() === false && left.length > 0) return undefined;
        if (links > 0) (left.length > 0 ? way.folders : way.ends).push(place);
        target = place;
        continue;
      }
      if (++links > MAX_LINKS) return undefined;
      (left.length > 0 ? way.folders : way.ends).push(place);
      const leadsTo = readlinkSync(place);
      this.#linkWork.count(leadsTo);
      const { root } = parse(leadsTo);
      if (root !== "") target = resolve(root);
      left.push(...splitNames(leadsTo.slice(root.length)));
      found = undefined;
    }
    return { target, found: found ?? lstatSync(target), way };
  }

  /**
   * Returns true for a second name of a file in the source: rules for visible files apply to the name that its folder
   * lists, but file systems open `.git` as `.GIT`, `GIT~1` or with invisible characters, too. They store names in NFC
   * or NFD.
   */
  #isUnlisted(folder: string, name: string): boolean {
    if (this.#toPlace(folder) === undefined) return false;
    return !remember(this.#names, folder, () => new Set(readdirSync(folder).map(toNfc))).has(toNfc(name));
  }

  /** Returns a real path relative to the root, with `/` as the separator; undefined for a path outside the root. */
  #toPlace(real: string): string | undefined {
    if (real === this.#realRoot) return ".";
    const root = this.#realRoot.endsWith(sep) ? this.#realRoot : this.#realRoot + sep;
    return real.startsWith(root) ? real.slice(root.length).replaceAll(sep, "/") : undefined;
  }
}

/** Returns the names in a path, in reverse order. */
function splitNames(path: string): string[] {
  return path.split(sep === "/" ? "/" : /[\\/]/).toReversed();
}

function leadsUp(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

function stampKind(trace: Trace | undefined): string {
  if (trace === undefined) return "none";
  const { found, way } = trace;
  const kind = found.isDirectory() ? "folder" : found.isFile() ? "file" : "other";
  const size = found.size < MIN_STAMPED_BYTES || kind === "folder" ? "" : found.size;
  return [kind, size, ...way.folders, ...way.ends].join(" ");
}

// Stamps the visible names instead of the folder's time, which changes whenever an editor creates a hidden temporary
// file beside the file that it saves.
function stampEntries(folder: string): string {
  const isUsed = ({ name }: { name: string }): boolean => !name.startsWith(".") || isIgnoreFile(name);
  const entries = readdirSync(folder, { withFileTypes: true }).filter(isUsed);
  const kindOf = (entry: (typeof entries)[number]): string =>
    entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";
  return entries
    .map((entry) => `${kindOf(entry)} ${entry.name}`)
    .sort()
    .join("\n");
}
