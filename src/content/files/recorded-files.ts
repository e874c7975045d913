// Records the files and folders that a read uses, to detect later whether another read would differ.
import type { Hides } from "./fence.ts";
import type { FileEntry, FileStat, Refusal, SourceFiles } from "./source-files.ts";

/** The aspect of a path that was read: kind, entries, or content. */
type Aspect = "kind" | "entries" | "content";

/** Stamps the current state of a path. Equal stamps mean an unchanged state. */
export type FindStamp = (aspect: Aspect, path: string) => string;

/** A tree of real files, which may change while open. */
export interface ChangingFiles extends SourceFiles {
  /** Never throws: inaccessible paths have a stamp too. */
  findStamp: FindStamp;
}

/** Everything that one read has used. */
export class SeenFiles {
  /** Stamps by aspect and path, taken before reading, so that concurrent changes are detected. */
  readonly #marks = new Map<string, { aspect: Aspect; path: string; mark: string }>();

  /** Call it before reading. */
  note(aspect: Aspect, path: string, findStamp: FindStamp): void {
    const key = `${aspect} ${path}`;
    if (!this.#marks.has(key)) this.#marks.set(key, { aspect, path, mark: findStamp(aspect, path) });
  }

  /** Returns true if another read may see a difference. */
  hasChanged(findStamp: FindStamp): boolean {
    return this.#marks.values().some(({ aspect, path, mark }) => findStamp(aspect, path) !== mark);
  }
}

/** Records every access. */
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
    // A link's target changes independently of the folder.
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
