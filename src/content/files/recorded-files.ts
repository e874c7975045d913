// Records the files and folders that a read uses, to detect later whether another read would differ.
import type { Hides } from "./fence.ts";
import type { FileEntry, FileStat, Refusal, SourceFiles } from "./source-files.ts";

/** The aspect of a path that a read uses. */
type Aspect = "kind" | "entries" | "content";

/** Returns a stamp of a path's current state. Equal stamps mean that the state is unchanged. */
export type FindStamp = (aspect: Aspect, path: string) => string;

/** Files on disk, which can change during a read. */
export interface ChangingFiles extends SourceFiles {
  /** Never throws: an inaccessible path has a stamp, too. */
  findStamp: FindStamp;
}

/** The files and folders that one read has used. */
export class SeenFiles {
  /** Stamps by aspect and path, taken before the read, so that changes during the read are detected. */
  readonly #marks = new Map<string, { aspect: Aspect; path: string; mark: string }>();

  /** Call this method before you read the path. */
  note(aspect: Aspect, path: string, findStamp: FindStamp): void {
    const key = `${aspect} ${path}`;
    if (!this.#marks.has(key)) this.#marks.set(key, { aspect, path, mark: findStamp(aspect, path) });
  }

  /** Returns true if another read could differ. */
  hasChanged(findStamp: FindStamp): boolean {
    return this.#marks.values().some(({ aspect, path, mark }) => findStamp(aspect, path) !== mark);
  }
}

/** Records every access in `seen`. */
export class RecordedFiles implements SourceFiles {
  readonly name: string;
  readonly #files: ChangingFiles;
  readonly #seen: SeenFiles;

  constructor(files: ChangingFiles, seen: SeenFiles) {
    this.name = files.name;
    this.#files = files;
    this.#seen = seen;
  }

  toTypedPath(path: string): string {
    return this.#files.toTypedPath(path);
  }

  async list(folder: string, hides: Hides): Promise<FileEntry[]> {
    this.#note("entries", folder);
    const entries = await this.#files.list(folder, hides);
    // A link's target can change while the folder's entries stay the same.
    for (const { name, isLink } of entries) if (isLink) this.#note("kind", folder === "." ? name : `${folder}/${name}`);
    return entries;
  }

  async stat(path: string, hides: Hides): Promise<FileStat | Refusal | undefined> {
    this.#note("kind", path);
    return this.#files.stat(path, hides);
  }

  async read(path: string, maxBytes: number, hides: Hides): Promise<Uint8Array | number> {
    this.#note("content", path);
    return this.#files.read(path, maxBytes, hides);
  }

  stream(path: string, maxBytes: number, hides: Hides): AsyncIterable<Uint8Array> {
    this.#note("content", path);
    return this.#files.stream(path, maxBytes, hides);
  }

  #note(aspect: Aspect, path: string): void {
    this.#seen.note(aspect, path, this.#files.findStamp);
  }
}
