// Limits what links and shared files repeat: a few links to folders can lead to millions of lessons.
import { dirname, join, normalize } from "node:path/posix";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { formatSize, MAX_GROWTH, MIB } from "../limits.ts";
import type { FileEntry, SourceFiles } from "./source-files.ts";

/** The maximum number of possible lessons and folders behind links, since each link to a folder repeats its lessons. */
const MAX_LINKED = 100_000;
/** The readings of a file after which further readings count, since courses, items and units can share a file. */
const FREE_READINGS = 20;
/** The maximum total size of further readings, and of all readings through links; less for small sources. */
const MAX_REREAD_BYTES = 512 * MIB;
const FREE_REREAD_BYTES = 32 * MIB;

export class RepeatLimits {
  readonly #files: Pick<SourceFiles, "toTypedPath">;
  readonly #isContent: (name: string) => boolean;
  readonly #links = new Set<string>();
  /** The numbers of possible lessons and folders in the folders behind links. */
  readonly #linked = new Map<string, number>();
  #linkedCount = 0;
  /** The size of all files that were read, each counted once. */
  firstBytes = 0;
  /** The hashes of files that were read through links, since many links can lead to a file. */
  readonly #linkedFiles = new Set<number | bigint>();
  /** The numbers of readings by path. */
  readonly #readings = new Map<string, number>();
  #rereadBytes = 0;

  /** `isContent` returns true for the name of a possible lesson or outline. */
  constructor(files: Pick<SourceFiles, "toTypedPath">, isContent: (name: string) => boolean) {
    this.#files = files;
    this.#isContent = isContent;
  }

  /** Counts the entries of a listed folder. Throws ExpectedError if links to folders lead to too many lessons. */
  countEntries(folder: string, entries: readonly FileEntry[]): void {
    for (const { name, isLink } of entries) if (isLink) this.#links.add(join(folder, name));
    const link = this.#findLink(folder);
    if (link === undefined) return;
    // Other files cost less than lessons, and shared images are common.
    const weigh = ({ name, leadsToFolder }: FileEntry): number => (leadsToFolder || this.#isContent(name) ? 1 : 1 / 16);
    const count = entries.reduce((sum, entry) => sum + weigh(entry), 0);
    this.#linkedCount += count - (this.#linked.get(folder) ?? 0);
    this.#linked.set(folder, count);
    if (this.#linkedCount > MAX_LINKED) {
      const most = MAX_LINKED.toLocaleString("en-US");
      throw new ExpectedError(
        `${this.#files.toTypedPath(link)} is one of too many links to folders: together, they may lead to at most ${most} lessons and folders.`,
      );
    }
  }

  /** Counts a reading of a file. Throws ExpectedError if shared or linked files are read too often. */
  countReading(typedPath: string, bytes: Uint8Array): void {
    const { length } = bytes;
    const path = normalize(typedPath);
    const readings = (this.#readings.get(path) ?? 0) + 1;
    this.#readings.set(path, readings);
    const isLinked = this.#findLink(path) !== undefined;
    if (readings === 1 && (!isLinked || this.#isNew(bytes))) this.firstBytes += length;
    if (readings > FREE_READINGS || isLinked) this.#rereadBytes += length;
    const maxBytes = Math.min(MAX_REREAD_BYTES, FREE_REREAD_BYTES + MAX_GROWTH * this.firstBytes);
    if (this.#rereadBytes <= maxBytes) return;
    throw new ExpectedError(
      `${this.#files.toTypedPath(path)} is one of too many shared or linked files: their repeated readings are limited to ${formatSize(maxBytes)} together.`,
    );
  }

  #isNew(bytes: Uint8Array): boolean {
    const { size } = this.#linkedFiles;
    return this.#linkedFiles.add(Bun.hash(bytes)).size > size;
  }

  /** Returns the innermost listed link in a path, if any. */
  #findLink(path: string): string | undefined {
    for (let link = path; ; link = dirname(link)) {
      if (this.#links.has(link)) return link;
      if (link === dirname(link)) return undefined;
    }
  }
}
