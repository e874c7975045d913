// What a reading has seen of a tree of files, so that it can be told later whether another reading would see the same.
import type { Hides } from "./fence.ts";
import type { FileEntry, FileStat, Refusal, SourceFiles } from "./source-files.ts";

/** A path that was looked at, and how: its kind, its entries, or its content. */
type Look = "kind" | "entries" | "content";

/** Gives a mark of what is at a path now. Two marks are equal only when the same would be seen. */
export type FindMark = (look: Look, path: string) => string;

/** A tree of real files, which may change while it is open. */
export interface ChangingFiles extends SourceFiles {
  /** See FindMark. Never throws: what cannot be looked at has a mark, too. */
  findMark: FindMark;
}

/** What one reading has looked at. */
export class SeenFiles {
  /** Marks by look and path; those of before the look, so that a change in the middle of it is not missed. */
  readonly #marks = new Map<string, string>();

  /** Notes a look that is about to be taken. */
  note(look: Look, path: string, findMark: FindMark): void {
    const key = `${look} ${path}`;
    if (!this.#marks.has(key)) this.#marks.set(key, findMark(look, path));
  }

  /** True when another reading may see something else. */
  hasChanged(findMark: FindMark): boolean {
    for (const [key, mark] of this.#marks) {
      const { look, path } = parseKey(key);
      if (findMark(look, path) !== mark) return true;
    }
    return false;
  }
}

function parseKey(key: string): { look: Look; path: string } {
  const end = key.indexOf(" ");
  return { look: key.slice(0, end) as Look, path: key.slice(end + 1) };
}

/** The same files; what is looked at is noted. */
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
    // What a link leads to changes without the folder.
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

  #note(look: Look, path: string): void {
    this.#seen.note(look, path, this.#files.findMark);
  }
}
