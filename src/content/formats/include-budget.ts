// Limits the includes of a course and of a source.
import type { SourceTree } from "../files/source-tree.ts";
import { MAX_GROWTH, MIB } from "../limits.ts";
import { countLineBreaks } from "../markdown/prepared-text.ts";

/** The maximum number of includes per course. Each include scans a file; books contain a few hundred includes. */
const MAX_DIRECTIVES = 20_000;
const MAX_READ_BYTES = 64 * MIB;
/** The maximum number of includes per source. */
const MAX_SOURCE_DIRECTIVES = 5 * MAX_DIRECTIVES;
const MAX_SOURCE_BYTES = 4 * MAX_READ_BYTES;
/** Included text beyond this needs files in proportion. */
const FREE_BYTES = MIB;
/** How many bytes of its files a source needs for each include beyond the first. A directive takes at least ten bytes. */
const BYTES_PER_DIRECTIVE = 4;
const FREE_DIRECTIVES = 2000;
/** The maximum total length of cached files. Caching helps since lessons often include parts of the same file. */
const MAX_KEPT = 32 * MIB;

/** Counts a course's includes and caches their files. */
export class IncludeBudget<Kept> {
  readonly #tree: SourceTree;
  readonly #kept = new Map<string, Kept>();
  #keptSize = 0;

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  /** True once the budget is spent. */
  get isExhausted(): boolean {
    return this.#tree.includedByCourse.isExhausted;
  }

  set isExhausted(isExhausted: boolean) {
    this.#tree.includedByCourse.isExhausted = isExhausted;
  }

  /** Counts an include. Returns false beyond the limit of the course or the source. */
  countDirective(): boolean {
    const { included, includedByCourse } = this.#tree;
    return ++includedByCourse.directives <= MAX_DIRECTIVES && ++included.directives <= this.#maxSourceDirectives;
  }

  /**
   * Counts a file that is searched for the part to include: searching a long line costs less than including it. Returns
   * false if the budget for text is spent.
   */
  countSearch(text: string): boolean {
    return this.#count(text.length / 16 + countLineBreaks(text));
  }

  /** Counts included text. Returns false if it makes the lesson too long, or if the budget for text is spent. */
  take(lessonLength: number, { length }: Pick<string, "length">): boolean {
    if (lessonLength + length > this.#tree.limits.maxFileBytes) return false;
    return this.#count(length);
  }

  #count(bytes: number): boolean {
    const { included, includedByCourse } = this.#tree;
    includedByCourse.bytes += bytes;
    included.bytes += bytes;
    return includedByCourse.bytes <= MAX_READ_BYTES && included.bytes <= this.#maxSourceBytes;
  }

  get #maxSourceBytes(): number {
    return Math.min(MAX_SOURCE_BYTES, FREE_BYTES + MAX_GROWTH * this.#tree.readSize);
  }

  get #maxSourceDirectives(): number {
    return Math.min(MAX_SOURCE_DIRECTIVES, FREE_DIRECTIVES + this.#tree.readSize / BYTES_PER_DIRECTIVE);
  }

  /** Why an include beyond the limits is skipped, for a message. */
  get excess(): string {
    const { directives, bytes } = this.#tree.included;
    if (directives > MAX_SOURCE_DIRECTIVES || bytes > MAX_SOURCE_BYTES)
      return "is skipped: a source is limited to 100,000 directives and 256 MiB of included files; import it in parts, each with its own --source";
    if (bytes > this.#maxSourceBytes)
      return "is skipped: what a source includes is limited to 1 MiB plus 32 times the size of its files";
    if (directives > this.#maxSourceDirectives)
      return "is skipped: a source is limited to 2,000 directives plus one for each 4 bytes of its files";
    return "makes the text too large: a lesson with its includes is limited to --max-file-size, and a course to 20,000 directives and 64 MiB of included files";
  }

  find(path: string): Kept | undefined {
    return this.#kept.get(path);
  }

  keep(path: string, file: Kept, { length }: string): Kept {
    this.#keptSize += length;
    if (this.#keptSize > MAX_KEPT) {
      this.#kept.clear();
      this.#keptSize = length;
    }
    this.#kept.set(path, file);
    return file;
  }
}
